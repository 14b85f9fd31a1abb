"""The interface of `urllib.robotparser` with the answers of Verger.

The attributes are those of CPython 3.13.14 and 3.14.5, which follow RFC 9309, too. Replace
``from urllib.robotparser import RobotFileParser`` by
``from verger.robotparser import RobotFileParser``. ``python -m verger.migrate`` shows the answers
that change for your files. For a crawler, `verger.Client` is the better choice: it also caches,
retries, and survives outages.

>>> parser = RobotFileParser()
>>> parser.parse(["User-agent: *", "Disallow: /cart"])
>>> parser.can_fetch("ExampleBot", "https://shop.example/cart")
False

As in the standard library, a name of a crawler is its literal token, without the documented
fallbacks.

Differences in the interface:

- `RobotFileParser.read` has a timeout and a size limit, decodes ``gzip``, and raises
  `urllib.error.URLError` for every failure without a status. 401 and 403 allow everything
  (REP-AMB-15), 429 and 5xx nothing (REP-AMB-23).
- A second `RobotFileParser.parse` replaces the rules of the first one. The standard library adds.
- `RobotFileParser.entries`, `RobotFileParser.groups` and `RobotFileParser.sitemaps` are copies and
  cannot be assigned. Changes to them have no effect on answers. `RobotFileParser.default_entry`,
  which new versions of CPython leave empty, is the first group for ``*``.
"""

from __future__ import annotations

import time
import urllib.parse
import urllib.request
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from . import Group, Record, Robots, State
from ._fetch import fetched
from ._verger import octets

__all__ = ["RobotFileParser"]


class RequestRate(NamedTuple):
    """At most `requests` in `seconds`."""

    requests: int
    seconds: int


class RuleLine:
    """A rule. An empty rule allows everything."""

    def __init__(self, path: str, allowance: bool, pattern: bytes | None = None) -> None:
        self.path = path
        """The pattern as written; bytes that are not UTF-8 are shown as ``\\xNN``."""
        self.allowance = allowance or not path
        """Whether the rule allows."""
        self._pattern = octets(path) if pattern is None else pattern

    def applies_to(self, filename: str) -> bool:
        """Returns whether the rule matches a path."""
        if not self._pattern:
            return True
        verdict = self._robots.check("*", filename)
        if verdict.reason == "robots_txt_itself":
            # REP-AMB-10: this path alone is not compared with rules.
            below = Robots(b"User-agent: *\nDisallow: /x" + self._pattern)
            return not below.is_allowed("*", "/x/robots.txt")
        return not verdict.allowed

    @cached_property
    def _robots(self) -> Robots:
        return Robots(b"User-agent: *\nDisallow: " + self._pattern)

    def __str__(self) -> str:
        return f"{'Allow' if self.allowance else 'Disallow'}: {self.path}"

    def __repr__(self) -> str:
        return f"<RuleLine: {self}>"


class Entry:
    """A group: user agents, their rules, delay and rate."""

    def __init__(self) -> None:
        self.useragents: list[str] = []
        """The values of the user-agent lines."""
        self.rulelines: list[RuleLine] = []
        """The rules in the order of the file."""
        self.delay: float | None = None
        """The crawl delay in seconds, an ``int`` if it is whole."""
        self.req_rate: RequestRate | None = None
        """The request rate."""
        self._file = Robots(b"")

    def applies_to(self, useragent: str | None) -> bool:
        """Returns whether the group names a user agent, or ``*``."""
        lines = "".join(f"User-agent: {value}\n" for value in self.useragents)
        robots = Robots(lines + "Disallow: /\n")._literal()
        return bool(robots.groups_for("*" if useragent is None else useragent))

    def allowance(self, filename: str) -> bool:
        """Returns whether the rules of this group alone allow a path."""
        body = bytearray(b"User-agent: *\n")
        for rule in self.rulelines:
            if rule._pattern:
                body += b"Allow: " if rule.allowance else b"Disallow: "
                body += rule._pattern + b"\n"
        if body != self._file.text:
            self._file = Robots(body)
        return self._file.is_allowed("*", filename)

    def __str__(self) -> str:
        if not self.useragents:
            return ""
        lines = [f"User-agent: {agent}" for agent in self.useragents]
        if self.delay is not None:
            lines.append(f"Crawl-delay: {self.delay}")
        if self.req_rate is not None:
            lines.append(f"Request-rate: {self.req_rate.requests}/{self.req_rate.seconds}")
        lines.extend(map(str, self.rulelines) if self.rulelines else ["Allow:"])
        return "\n".join(lines)


def _entry(group: Group, records: list[Record]) -> Entry:
    entry = Entry()
    entry.useragents = list(group.agents)
    entry.rulelines = [
        RuleLine(rule.pattern, rule.allows, rule.pattern_bytes) for rule in group.rules
    ]
    for record in records:
        if record.kind.lower() == "crawl-delay" and entry.delay is None:
            entry.delay = _delay(_alone(record).crawl_delay("x"))
        elif record.kind.lower() == "request-rate" and entry.req_rate is None:
            entry.req_rate = _rate(_alone(record), "x")
    return entry


def _merged(entries: list[Entry], name: str) -> Entry:
    """The groups that name a user agent together (REP-AMB-16)."""
    merged = Entry()
    merged.useragents = [name]
    for entry in entries:
        merged.rulelines += entry.rulelines
        merged.delay = entry.delay if merged.delay is None else merged.delay
        merged.req_rate = entry.req_rate if merged.req_rate is None else merged.req_rate
    return merged


class RobotFileParser:
    """Reads one robots.txt and answers questions about it.

    Everything is disallowed before `read` or `parse`.
    """

    robots: Robots
    """The parsed file, for verdicts with reasons and lines."""
    disallow_all: bool
    """Whether everything is disallowed. May be set."""
    allow_all: bool
    """Whether everything is allowed, if `disallow_all` is false. May be set."""

    def __init__(self, url: str | urllib.request.Request = "") -> None:
        self.robots = Robots(b"")._literal()
        self.disallow_all = False
        self.allow_all = False
        self.last_checked: float = 0
        self._access = "rules"
        self.set_url(url)

    def mtime(self) -> float:
        """Returns the time of the last `parse` or `modified`, 0 before."""
        return self.last_checked

    def modified(self) -> None:
        """Sets the time of the last fetch to now."""
        self.last_checked = time.time()

    def set_url(self, url: str | urllib.request.Request) -> None:
        """Sets the URL of the robots.txt."""
        self.url = url
        text = url.full_url if isinstance(url, urllib.request.Request) else url
        self.host, self.path = urllib.parse.urlparse(text)[1:3]

    def read(self) -> None:
        """Fetches and parses the robots.txt.

        A status counts as RFC 9309 has it: 4xx allows everything, 429 and 5xx nothing. The flags
        `allow_all` and `disallow_all` say so. Flags that you have set stay.

        Raises:
            urllib.error.URLError: there is no complete response within two minutes. Rules from
                before still apply. Without any, nothing may be fetched.
        """
        body, status = fetched(self.url)
        now = time.time()
        access = State().after(status, now).access(now)
        if self._access == "disallow_all":
            self.disallow_all = False
        elif self._access == "allow_all":
            self.allow_all = False
        self._access = access
        if access == "rules":
            # As lines, because subclasses override `parse`.
            self.parse(body.decode("utf-8", "surrogateescape").split("\n"))
        elif access == "allow_all":
            self.robots = Robots(b"")._literal()
            self.allow_all = True
        else:
            self.robots = Robots(b"")._literal()
            self.disallow_all = True

    def parse(self, lines: Iterable[str] | str | bytes) -> None:
        """Parses the lines of a robots.txt, or the whole file.

        Raises:
            TypeError: a line is neither ``str`` nor ``bytes``. Nothing changes.
        """
        if isinstance(lines, (str, bytes)):
            body = _octets(lines)
        else:
            body = b"\n".join(_without_end(_octets(line)) for line in lines)
        self.robots = Robots(body)._literal()
        self.modified()

    def can_fetch(self, useragent: str, url: str) -> bool:
        """Returns whether the user agent may fetch the URL; never before `read` or `parse`."""
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        if not self.last_checked:
            return False
        return self.robots.is_allowed(useragent, url)

    def crawl_delay(self, useragent: str) -> float | None:
        """Returns the crawl delay in seconds, an ``int`` if it is whole; ``None`` without one."""
        return _delay(self.robots.crawl_delay(useragent)) if self.mtime() else None

    def request_rate(self, useragent: str) -> RequestRate | None:
        """Returns the first ``Request-rate`` or ``Max-Crawl-Rate``, ``None`` without one."""
        return _rate(self.robots, useragent) if self.mtime() else None

    def site_maps(self) -> list[str] | None:
        """Returns the values of ``Sitemap``, ``None`` without one."""
        return self.robots.sitemaps or None

    @property
    def entries(self) -> list[Entry]:
        """The groups, in the order of the file."""
        records: dict[int | None, list[Record]] = {}
        for record in self.robots.records:
            records.setdefault(record.group, []).append(record)
        return [_entry(group, records.get(group.index, [])) for group in self.robots.groups]

    @property
    def groups(self) -> dict[str, Entry]:
        """The rules by token in lower case, ``*`` too, from all groups that name it."""
        named: dict[str, list[Entry]] = {}
        for entry, group in zip(self.entries, self.robots.groups, strict=True):
            for name in dict.fromkeys(map(str.lower, filter(None, group._names))):
                named.setdefault(name, []).append(entry)
        return {name: _merged(entries, name) for name, entries in named.items()}

    @property
    def default_entry(self) -> Entry | None:
        """The first group for ``*``. Answers use all of them (REP-AMB-16)."""
        groups = self.robots.groups_for("*")
        return self.entries[groups[0].index] if groups else None

    @property
    def sitemaps(self) -> list[str]:
        """The values of ``Sitemap``."""
        return self.robots.sitemaps

    def __str__(self) -> str:
        return "\n\n".join(filter(None, map(str, self.entries)))


def _octets(text: str | bytes) -> bytes:
    """The bytes of a text or of bytes."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"expected lines as str or bytes, but found {type(text).__name__}")
    return octets(text)


def _without_end(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _alone(record: Record) -> Robots:
    """A file with this record only."""
    return Robots(b"User-agent: x\n" + f"{record.kind}: ".encode() + record.value_bytes)


def _delay(seconds: float | None) -> float | None:
    return int(seconds) if seconds is not None and seconds.is_integer() else seconds


def _rate(robots: Robots, agent: str) -> RequestRate | None:
    for documents, seconds, _ in robots.request_rates(agent):
        return RequestRate(documents, int(seconds))
    return None
