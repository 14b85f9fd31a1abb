"""Memory over many calls: ``VERGER_CALLS``, in the thorough suite ten million."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import verger

CALLS = int(os.environ.get("VERGER_CALLS", "60000"))
# Growth after the first tenth of the calls. A leak of one byte in each call would be more in the
# thorough suite, and one of 200 bytes in the default suite.
MAX_GROWTH = 8 * 1024 * 1024

BODY = (
    b"User-agent: *\nDisallow: /cart\nCrawl-delay: 2\nSitemap: /s.xml\n\nUser-agent: a\nAllow: /\n"
)


def resident() -> int:
    # Not on Windows, where this module must still be importable.
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def calls() -> None:
    """Every kind of object once; about 20 calls."""
    robots = verger.parse(BODY)
    assert not robots.is_allowed("ExampleBot", "/cart")
    verdict = robots.check("ExampleBot", "https://shop.example/cart/1")
    assert verdict.rule is not None and verdict.rule.pattern == "/cart"
    assert str(verdict) and verdict.line == 2
    assert str(robots.explain(b"a", b"/cart"))
    assert robots.are_allowed("a", ["/", "/cart"]) == [True, True]
    assert robots.crawl_delay("ExampleBot") == 2.0 and robots.sitemaps
    policy = verger.compile_policy(BODY, "ExampleBot")
    assert not verger.Policy(bytes(policy)).check("/cart")
    assert policy.are_lines_allowed(b"/\n/cart\n") == b"\x01\x00"
    assert len(robots.groups) == 2 and len(robots.diagnostics) == 1
    state = verger.State().after(503, 0.0)
    assert not state.check(None, "a", "/", 1.0)
    number: Any = 1
    for wrong in (verger.Policy, verger.parse, partial(robots.check, "a")):
        with pytest.raises(TypeError):
            wrong(number)
    with pytest.raises(ValueError):
        verger.Policy(b"x")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_the_number_of_calls() -> None:
    rounds = max(100, CALLS // 20)
    before = 0
    for number in range(rounds):
        if number == rounds // 10:
            before = resident()
        calls()
    assert resident() - before < MAX_GROWTH
