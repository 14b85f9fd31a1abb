"""The interface of `urllib.robotparser` with the answers of Verger.

Replace ``from urllib.robotparser import RobotFileParser`` by
``from verger.robotparser import RobotFileParser``. For a crawler, `verger.Client` is the better
choice: it also caches, retries, and survives outages.

>>> parser = RobotFileParser()
>>> parser.parse(["User-agent: *", "Disallow: /cart"])
>>> parser.can_fetch("ExampleBot", "https://shop.example/cart")
False
"""

from __future__ import annotations

import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable
from typing import NamedTuple

from . import Group, Record, Robots, State

__all__ = ["RobotFileParser"]

_BODY_LIMIT = 500 * 1024
"""Bytes of a robots.txt that are read at least, by RFC 9309 section 2.5."""

_TIMEOUT = 30.0
"""Seconds to wait for a response; the standard library waits forever."""


class RequestRate(NamedTuple):
    """At most `requests` in `seconds`."""

    requests: int
    seconds: int


class RuleLine(NamedTuple):
    """A rule."""

    path: str
    allowance: bool

    def __str__(self) -> str:
        return f"{'Allow' if self.allowance else 'Disallow'}: {self.path}"


class Entry:
    """A group: user agents, their rules, delay and rate."""

    def __init__(self, robots: Robots, group: Group, records: list[Record]) -> None:
        self.useragents: list[str] = list(group.agents)
        self.rulelines = [RuleLine(rule.pattern, rule.allows) for rule in group.rules]
        agent = self.useragents[0] if self.useragents else "*"
        has_own = any(record.group == group.index for record in records)
        self.delay = _delay(robots.crawl_delay(agent)) if has_own else None
        self.req_rate = _rate(robots, agent) if has_own else None

    def __str__(self) -> str:
        lines = [f"User-agent: {agent}" for agent in self.useragents]
        if self.delay is not None:
            lines.append(f"Crawl-delay: {self.delay}")
        if self.req_rate is not None:
            lines.append(f"Request-rate: {self.req_rate.requests}/{self.req_rate.seconds}")
        lines.extend(str(rule) for rule in self.rulelines)
        return "\n".join(lines)


class RobotFileParser:
    """Reads one robots.txt and answers questions about it."""

    robots: Robots
    """The parsed file, for verdicts with reasons and lines."""

    def __init__(self, url: str = "") -> None:
        self.robots = Robots("")
        self.disallow_all = False
        self.allow_all = False
        self.last_checked: float = 0
        self.set_url(url)

    def mtime(self) -> float:
        """Return the time of the last `parse` or `modified`, 0 before."""
        return self.last_checked

    def modified(self) -> None:
        """Set the time of the last fetch to now."""
        self.last_checked = time.time()

    def set_url(self, url: str) -> None:
        """Set the URL of the robots.txt."""
        self.url = url
        self.host, self.path = urllib.parse.urlparse(url)[1:3]

    def read(self) -> None:
        """Fetch and parse the robots.txt.

        The status counts as RFC 9309 has it: 4xx allows everything, 429 and 5xx nothing.

        Raises:
            urllib.error.URLError: there is no response. Nothing may be fetched then.
        """
        try:
            with urllib.request.urlopen(self.url, timeout=_TIMEOUT) as response:  # noqa: S310
                body, status = response.read(_BODY_LIMIT + 1), response.status
        except urllib.error.HTTPError as error:
            body, status = b"", error.code
            error.close()
        now = time.time()
        state = State().after(status, now)
        access = state.access(now)
        self.disallow_all = access == "disallow_all"
        self.allow_all = access == "allow_all"
        self.robots = Robots(body if access == "rules" else b"")
        self.modified()

    def parse(self, lines: Iterable[str]) -> None:
        """Parse the lines of a robots.txt."""
        self.robots = Robots("\n".join(line.rstrip("\r\n") for line in lines))
        self.modified()

    def can_fetch(self, useragent: str, url: str) -> bool:
        """Return whether the user agent may fetch the URL; never before `read` or `parse`."""
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        if not self.last_checked:
            return False
        return self.robots.is_allowed(useragent, url)

    def crawl_delay(self, useragent: str) -> float | None:
        """Return the crawl delay in seconds, an ``int`` if it is whole; ``None`` without one."""
        return _delay(self.robots.crawl_delay(useragent)) if self.mtime() else None

    def request_rate(self, useragent: str) -> RequestRate | None:
        """Return the first request rate, ``None`` without one."""
        return _rate(self.robots, useragent) if self.mtime() else None

    def site_maps(self) -> list[str] | None:
        """Return the values of ``Sitemap``, ``None`` without one."""
        return self.robots.sitemaps or None

    @property
    def entries(self) -> list[Entry]:
        """The groups that name user agents."""
        return [entry for entry in self._all() if "*" not in entry.useragents]

    @property
    def default_entry(self) -> Entry | None:
        """The first group for ``*``."""
        return next((entry for entry in self._all() if "*" in entry.useragents), None)

    @property
    def sitemaps(self) -> list[str]:
        """The values of ``Sitemap``."""
        return self.robots.sitemaps

    def _all(self) -> list[Entry]:
        records = self.robots.records
        return [Entry(self.robots, group, records) for group in self.robots.groups]

    def __str__(self) -> str:
        default = self.default_entry
        entries = self.entries if default is None else [*self.entries, default]
        return "\n\n".join(map(str, entries))


def _delay(seconds: float | None) -> float | None:
    return int(seconds) if seconds is not None and seconds.is_integer() else seconds


def _rate(robots: Robots, agent: str) -> RequestRate | None:
    for documents, seconds, _ in robots.request_rates(agent):
        return RequestRate(documents, int(seconds))
    return None
