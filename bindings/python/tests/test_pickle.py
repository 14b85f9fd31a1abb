"""Values and exceptions in pickles, copies, and other processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest
import verger
from verger import types

ROBOTS = verger.parse(
    b"User-agent: *\nDisallow: /cart\nAllow: /cart/h\xe9lp\nCrawl-delay: 2\nDissalow: /x\n"
)
CART = ROBOTS.check("ExampleBot", "/cart/1")

VALUES: list[Any] = [
    ROBOTS,
    CART,
    ROBOTS.check("ExampleBot", "/"),
    ROBOTS.check("ExampleBot", "nope"),
    verger.State().after("network", 0).check(None, "ExampleBot", "/", 1),
    CART.rule,
    CART.group,
    ROBOTS.explain("ExampleBot", b"/cart/h\xe9lp"),
    ROBOTS.explain("ExampleBot", "/cart").contenders[0],
    ROBOTS.records[0],
    ROBOTS.diagnostics[0],
    verger.State("google").after(503, 1_700_000_000),
    ROBOTS.policy("ExampleBot"),
    ROBOTS.policy("ExampleBot").check("/cart"),
    verger.Crawler("ExampleBot"),
    verger.Crawler("ExampleBot").without_star(),
    verger.Crawler.named("Googlebot-News"),
    verger.Crawler.named("AdsBot-Google"),
    verger.Crawler.named("Google-Safety"),
    verger.Crawler.union(["a", "b"]).without_star(),
]


def copies(value: Any) -> list[Any]:
    pickles = [pickle.loads(pickle.dumps(value, version)) for version in range(2, 6)]
    return [*pickles, copy.copy(value), copy.deepcopy(value)]


def attributes(value: Any) -> dict[str, Any]:
    """All public attributes that are no methods, and the texts."""
    names = [name for name in dir(value) if not name.startswith("_")]
    found = {name: getattr(value, name) for name in names}
    found = {name: it for name, it in found.items() if not callable(it)}
    return {**found, "str": str(value), "repr": repr(value)}


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_copies_of_values_are_equal(value: Any) -> None:
    for other in copies(value):
        assert type(other) is type(value)
        assert other == value and attributes(other) == attributes(value)
        if type(value).__hash__ is not None:
            assert hash(other) == hash(value)


RULES = "User-agent: *\nDisallow: /x\n"
LONG = 600_000
"""Bytes beyond the size limit of every dialect with a limit."""
LINES = RULES + "#" * 99 + "\n"

FILES: dict[str, bytes] = {
    "empty": b"",
    "UTF-8 with marks": b"\xef\xbb\xbf\xef\xbb\xbf" + RULES.encode(),
    "part of a mark": b"\xef\xbb" + RULES.encode(),
    "UTF-16": ("\ufeff" + RULES).encode("utf-16-le"),
    "UTF-16, other order": ("\ufeff" + RULES).encode("utf-16-be"),
    "UTF-16 with two marks": ("\ufeff\ufeff" + RULES).encode("utf-16-le"),
    "UTF-16, a line end first": "\ufeff\n".encode("utf-16-le") + RULES.encode("utf-16-le"),
    "UTF-16, half a character": ("\ufeff" + RULES).encode("utf-16-be") + b"\0",
    "UTF-16, proved by half a pair": "\ufeff\u4e2d".encode("utf-16-le") + b"\0\xd8\x2d\x4e",
    "UTF-16, pairs": "\ufeff\U0001f600\n\ufffd\n".encode("utf-16-be"),
    "no UTF-16": b"\xff\xfe" + RULES.encode(),
    "no UTF-16, short": b"\xff\xfe\n\n",
    "UTF-32": ("\ufeff" + RULES).encode("utf-32-le"),
    "long last line": RULES.encode() + b"#" * LONG,
    "long only line": b"#" * LONG,
    "many lines": LINES.encode() * (LONG // len(LINES)),
    "long lines in UTF-16": ("\ufeff" + LINES * (LONG // len(LINES) // 2)).encode("utf-16-be"),
    "long only line in UTF-16": ("\ufeff" + "a" * LONG).encode("utf-16-le"),
    "long, a line end first, in UTF-16": ("\ufeff\n" + "a" * LONG).encode("utf-16-le"),
    "long, not UTF-16, a line end first": b"\xff\xfe\n" + b"a" * LONG,
    "long only line in UTF-32": ("\ufeff" + "a" * LONG).encode("utf-32-le"),
}


@pytest.mark.parametrize("dialect", verger.DIALECTS)
@pytest.mark.parametrize("name", FILES)
def test_copies_of_files_give_the_same_answers(name: str, dialect: types.Dialect) -> None:
    # The ends of lines at each side of the limit.
    for body in (FILES[name], b"#" + FILES[name]) if len(FILES[name]) > LONG else (FILES[name],):
        robots = verger.parse(body, dialect)
        for other in (pickle.loads(pickle.dumps(robots)), copy.deepcopy(robots)):
            assert other == robots and hash(other) == hash(robots)
            assert (other.text, other.truncated) == (robots.text, robots.truncated)
            assert other.groups == robots.groups
            assert other.is_allowed("a", "/x") == robots.is_allowed("a", "/x")


def test_a_copy_of_a_file_that_ends_at_the_limit_is_equal() -> None:
    lines = b"User-agent: *\nDisallow: /x"
    for end in (b"\n", b"\r\n", b"y\n"):
        body = lines + b"\n" + b"#" * (512_000 - 1 - 2 * len(lines)) + lines.replace(b"\n", b"#")
        robots = verger.parse(body + end + RULES.encode())
        assert robots.truncated
        assert pickle.loads(pickle.dumps(robots)) == robots


def test_a_pickled_verdict_does_not_contain_the_file() -> None:
    robots = verger.parse(b"User-agent: *\nDisallow: /cart\n" + b"# comment\n" * 10_000)
    assert len(pickle.dumps(robots.check("ExampleBot", "/cart"))) < 1_000


@pytest.mark.parametrize(
    "other",
    [
        b"User-agent: *\nDisallow: /\n",
        b"User-agent: ExampleBot\nDisallow: /cart\n",
        b"User-agent: *\nDisallow:  /cart\n",
        b"#\nUser-agent: *\nDisallow: /cart\n",
        b"User-agent: *\nAllow: /cart\n",
    ],
)
def test_verdicts_of_other_rules_are_not_equal(other: bytes) -> None:
    verdict = verger.parse(b"User-agent: *\nDisallow: /cart\n").check("ExampleBot", "/cart")
    assert verdict != verger.parse(other).check("ExampleBot", "/cart")
    # The display of these patterns is the same.
    raw, escaped = b"User-agent: *\nDisallow: /\xe9\n", b"User-agent: *\nDisallow: /\\xe9\n"
    rules = [verger.parse(body).groups[0].rules[0] for body in (raw, escaped)]
    assert rules[0].pattern == rules[1].pattern and rules[0] != rules[1]


# Exceptions

needs_client = pytest.mark.skipif(not hasattr(verger, "Client"), reason="built without the client")


def decision() -> Any:
    with verger.Client("ExampleBot", offline=True) as client:
        return client.check("https://shop.example/cart")


def exceptions() -> dict[str, BaseException]:
    made = {
        "VergerError": verger.VergerError("a"),
        "InvalidUrl": verger.InvalidUrl("a"),
        "CheckError": verger.CheckError("a"),
        "TurnError": verger.TurnError("a"),
        "Disallowed": verger.Disallowed("a", decision()),
        "Unreachable": verger.Unreachable("a", decision(), 60.0),
        "WaitTooLong": verger.WaitTooLong("a", 60.0),
        "ClientBusy": verger.ClientBusy("a"),
        "Offline": verger.Offline("a"),
    }
    return dict(made)


def raise_exception(name: str) -> None:
    """Runs in another process."""
    raise exceptions()[name]


@needs_client
def test_copies_of_exceptions_have_their_attributes() -> None:
    names = {name for name in verger.__all__ if name.endswith("Error")}
    found = exceptions()
    assert names <= found.keys()
    for error in found.values():
        for other in copies(error):
            assert type(other) is type(error)
            assert (str(other), vars(other)) == ("a", vars(error))


@needs_client
def test_exceptions_pass_through_a_process_pool() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        for name, error in exceptions().items():
            found = pool.submit(raise_exception, name).exception()
            assert type(found) is type(error) and str(found) == "a"
        assert pool.submit(len, "ab").result() == 2


@needs_client
def test_copies_of_decisions_are_equal() -> None:
    first = decision()
    for other in copies(first):
        assert other == first and hash(other) == hash(first)
        found = attributes(other)
        assert found == attributes(first)
        assert (found["reason"], found["source"]) == ("unreachable", "offline")
    with verger.Client("ExampleBot", offline=True) as client:
        assert first != client.check("https://shop.example/other")
