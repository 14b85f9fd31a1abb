"""The names of crawlers, compared with the headers of the package crawler-user-agents."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from verger import crawlers

NAMES = Path(__file__).parents[3] / "crates/verger-registry/names.csv"

SEVERAL = {
    "Apache-HttpClient": "Java",
    "Claude-User": "Claude-Code",
    "Daumoa": "Mediapartners-Google",
    "Feedly": "FeedFetcher-Google",
    "Feedspot": "FeedFetcher-Google",
    "FreshRSS": "Googlebot",
    "Gwene": "Googlebot",
    "SentiBot": "Googlebot",
    "Specificfeeds": "FeedBurner",
    "TelegramBot": "Twitterbot",
}
"""Crawlers whose headers also name another one: they imitate it, or are part of it."""


def test_every_name_is_found_in_its_headers_and_in_no_others() -> None:
    peer = pytest.importorskip("crawleruseragents")
    headers = [it for row in peer.CRAWLER_USER_AGENTS_DATA for it in row["instances"]]
    found: set[str] = set()
    for header in headers:
        tokens = {crawler.token for crawler in crawlers.identify(header)}
        others = {SEVERAL[token] for token in tokens if token in SEVERAL}
        assert len(tokens - others) <= 1, header
        found |= tokens
    with NAMES.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        names = {row["name"] for row in rows if row["source"] == "crawler-user-agents"}
    known = (
        crawler
        for crawler in crawlers.all_crawlers()
        if any(
            it.field == "user-agents" and "/crawler-user-agents" in it.url for it in crawler.sources
        )
    )
    names |= {crawler.token for crawler in known}
    assert len(names) > 400 and not names - found
