"""Known crawlers: tokens, operators, purposes, and proofs of identity, each with its source.

The data is that of this release; `DATE` says how old it is. It has the claims of operators and of
public lists, not the behaviour of crawlers. An absent value is unknown.

>>> crawler = find("gptbot")
>>> crawler.token, crawler.operator, crawler.purpose
('GPTBot', 'OpenAI', 'training')
>>> crawler.ip_ranges
('https://openai.com/gptbot.json',)
>>> [crawler.token for crawler in identify("Mozilla/5.0 (compatible; bingbot/2.0)")]
['bingbot']
"""

from __future__ import annotations

import functools
import json
from typing import Any, NamedTuple

from . import _verger
from ._verger import Crawler

__all__ = ["DATE", "KnownCrawler", "Source", "all_crawlers", "find", "identify"]

DATE: str = _verger.crawlers_date()
"""The day on which the data was last compared with its sources: ``"2026-10-01"``."""


class Source(NamedTuple):
    """The source of a fact."""

    field: str
    """The field, such as ``"reverse-dns"``; empty for all fields without their own source."""
    url: str
    """The URL of the text."""
    date: str
    """The date of the text, or the day on which it was read: ``"2010-06"``, ``"2026-09-30"``."""


class KnownCrawler(NamedTuple):
    """A crawler and what is known about it."""

    token: str
    """The product token: its name in robots.txt files."""
    aliases: tuple[str, ...]
    """Other product tokens, such as a family's name or an earlier one."""
    user_agents: tuple[str, ...]
    """Product tokens in its User-Agent headers; empty for a token that no request has."""
    operator: str | None
    """The company or project that runs it."""
    purpose: str
    """The use of the pages: ``"search"``, ``"training"``, ``"user-triggered"``, …"""
    obeys_robots_txt: bool | None
    """The operator's statement about robots.txt; ``None`` without one."""
    crawler: Crawler
    """The crawler with its fallbacks, for `Robots.check` and `Client`."""
    has_documented_tokens: bool
    """Whether the operator documents the fallbacks of `crawler`. Otherwise they are those of RFC
    9309."""
    access_profile: str
    """The name of its access profile: its reading of failed fetches of robots.txt. ``"rfc9309"`` if
    none is documented."""
    is_name_only: bool
    """Whether only name, operator, purpose and page are known: nothing about robots.txt or proofs
    of identity."""
    reverse_dns: tuple[str, ...]
    """Domains of its host names. A genuine request comes from an address whose reverse DNS name is
    below one of them, and that name leads back to the address."""
    ip_ranges: tuple[str, ...]
    """URLs of the operator's lists of addresses."""
    signature_agent: str | None
    """The origin with its public keys, for signed requests (Web Bot Auth)."""
    retired: str | None
    """The date since which the token is not used."""
    documentation: str | None
    """The operator's page about the crawler."""
    note: str | None
    """Further information."""
    sources: tuple[Source, ...]
    """The sources; the first one is for all fields without their own."""
    unconfirmed: tuple[str, ...]
    """Fields for which no text of the operator was found."""


def all_crawlers() -> list[KnownCrawler]:
    """Returns all known crawlers, sorted by token without regard to case."""
    return [_of(found) for found in _verger.known_crawlers()]


def find(name: str) -> KnownCrawler | None:
    """Returns the crawler with a product token or alias, in any case; ``None`` if it is unknown.

    For User-Agent headers see `identify`.
    """
    found = _verger.find_crawler(name)
    return None if found is None else _of(found)


def identify(user_agent: str) -> list[KnownCrawler]:
    """Returns the crawlers that a User-Agent header names. Anybody can send any header.

    Known crawlers come first, then crawlers and tools of which only token, operator, purpose and
    documentation are known.

    >>> identify("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0")
    []
    """
    return [_of(found) for found in _verger.identify_crawlers(user_agent)]


@functools.cache
def _of(text: str) -> KnownCrawler:
    found: dict[str, Any] = json.loads(text)
    row = found["source"]
    own = ((field, it) for field, it in found["sources"].items() if it != row)
    sources = [("", row), *((_field(key), it) for key, it in own)]
    return KnownCrawler(
        token=found["token"],
        aliases=tuple(found["aliases"]),
        user_agents=tuple(found["user_agents"]),
        operator=found.get("operator"),
        purpose=found["purpose"],
        obeys_robots_txt={"yes": True, "no": False}.get(found["robots"]),
        crawler=Crawler(found["token"]),
        has_documented_tokens=found["documented"],
        access_profile=found["access_profile"],
        is_name_only=found.get("name_only", False),
        reverse_dns=tuple(found["reverse_dns"]),
        ip_ranges=tuple(found["ip_ranges"]),
        signature_agent=found.get("signature_agent"),
        retired=found.get("retired"),
        documentation=found.get("documentation"),
        note=found.get("note"),
        sources=tuple(Source(field, it["url"], it["date"]) for field, it in sources),
        unconfirmed=tuple(map(_field, found["unconfirmed"])),
    )


def _field(key: str) -> str:
    return "chain" if key == "tokens" else key.replace("_", "-")
