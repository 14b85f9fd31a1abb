"""The interface of Protego."""

from __future__ import annotations

import copy
import pickle
from datetime import time

import pytest
from verger.protego import Protego, RequestRate, VisitTime

CONTENT = """\
User-agent: *
Disallow: /cart
Crawl-delay: 2.5
Request-rate: 1/10s 0600-0845
Visit-time: 0600-0845
Sitemap: https://shop.example/a.xml
Sitemap: https://shop.example/b.xml
Host: shop.example
"""


def test_every_method() -> None:
    robots = Protego.parse(CONTENT)
    assert not robots.can_fetch("https://shop.example/cart", "ExampleBot")
    assert robots.can_fetch(url="https://shop.example/", user_agent="ExampleBot")
    assert robots.crawl_delay("ExampleBot") == 2.5
    rate = robots.request_rate("ExampleBot")
    assert rate == RequestRate(1, 10, time(6), time(8, 45))
    assert robots.visit_time("ExampleBot") == VisitTime(time(6), time(8, 45))
    assert robots.preferred_host == "shop.example"
    assert list(robots.sitemaps) == ["https://shop.example/a.xml", "https://shop.example/b.xml"]
    assert len(list(robots.sitemaps)) == 2, "each access gives a fresh iterator"


def test_without_records() -> None:
    for robots in (Protego(), Protego.parse("")):
        assert robots.can_fetch("https://shop.example/", "ExampleBot")
        assert (robots.crawl_delay("x"), robots.request_rate("x")) == (None, None)
        assert robots.visit_time("x") is None
        assert robots.preferred_host is None
        assert list(robots.sitemaps) == []


def test_only_str_is_parsed() -> None:
    with pytest.raises(TypeError, match="expects str, got bytes"):
        Protego.parse(b"")  # type: ignore[arg-type]


def test_subclass_pickle_and_copy() -> None:
    robots = Shop.parse(CONTENT)
    assert isinstance(robots, Shop)
    for again in (pickle.loads(pickle.dumps(robots)), copy.copy(robots), copy.deepcopy(robots)):
        assert isinstance(again, Shop)
        assert not again.can_fetch("https://shop.example/cart", "ExampleBot")
        assert again.can_fetch("https://shop.example/", "ExampleBot")


class Shop(Protego):
    """A subclass, as users have it."""


def test_verdicts_have_lines() -> None:
    verdict = Protego.parse(CONTENT).robots.check("ExampleBot", "https://shop.example/cart")
    assert verdict.line == 2
