"""Records of origins: the file, the state, and the running fetch; in bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .. import Robots, State, Verdict
from . import _urls
from ._transfer import Fetched

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

Agent = str | bytes
Window = tuple[int, int]
"""A time of the day: the first and the last minute."""

MAX_AGE = 24 * 60 * 60.0
"""Seconds after which every file is fetched again (RFC 9309 section 2.4)."""

# A site counts as available for a day after it answered (REP-CACHE-22).
_ANSWERED_LATELY = 24 * 60 * 60.0
# An unclear first failure counts only if another host answered in the last minute and the outage
# would allow everything (REP-CACHE-28).
_HEARD_LATELY = 60.0


@dataclass(slots=True)
class Record:
    """Everything known of one origin."""

    state: State
    robots: Robots | None = None
    size: int = 0
    file_url: str = ""
    validators: dict[str, bytes] = field(default_factory=dict)
    cause: str = ""
    """Cause of the last failure."""
    informed_at: float | None = None
    """End of the last fetch that was not a fault of the crawler."""
    fault: State | None = None
    """Schedule of the next fetch after faults of the crawler; `state` does not know of them."""
    delays: dict[Agent, list[tuple[float, Window | None]]] = field(default_factory=dict)
    """The delays that the file asks for in seconds and their times of the day, by user agent."""
    is_capped: bool = False
    """Whether the log says that the crawl delay is too long."""
    available_at: float | None = None
    """Time of the last answer to another URL of the origin."""
    is_new: bool = True
    """Whether Scrapy's cache has not been asked for the file yet."""
    waiting: list[Deferred[None]] | None = None
    """Requests that wait for the running fetch; ``None`` if none runs."""
    flight: Deferred[None] | None = None
    """The running fetch. This reference keeps its task alive."""

    def needs_fetch(self, now: float) -> bool:
        due = self.state.needs_fetch(now)
        return due and (self.fault is None or self.fault.needs_fetch(now))

    def next_fetch(self) -> float:
        later = self.state if self.fault is None else self.fault
        return float(max(self.state.next_fetch, later.next_fetch))

    def is_available(self, now: float) -> bool:
        at = self.available_at
        return at is not None and at <= now < at + _ANSWERED_LATELY

    def verdict(self, agent: Agent, url: str, now: float) -> Verdict:
        return _with_resolved(url, lambda it: self._verdict(agent, it, now))

    def verdict_of_file(self, agent: Agent, url: str) -> Verdict | None:
        """The verdict of the last file, however old it is; ``None`` without a file."""
        robots = self.robots
        return None if robots is None else _with_resolved(url, lambda it: robots.check(agent, it))

    def _verdict(self, agent: Agent, url: str, now: float) -> Verdict:
        available = self.is_available(now)
        if self.fault is None or not self.state.needs_fetch(now):
            verdict = self.state.check(self.robots, agent, url, now, available)
            if verdict is not None:
                return verdict
        # A fetch is due but impossible (REP-CACHE-26, REP-CACHE-28).
        return self.state.check(self.robots, agent, url, now, available, without_fetch=True)

    def is_fault(self, fetched: Fetched, state: State, now: float) -> bool:
        """Whether a fetch says nothing about the site; otherwise `state` is the next one."""
        if fetched.outcome == "local_fault":
            return True
        if not fetched.unclear or state == self.state:
            return False
        heard, since = fetched.heard, self.informed_at
        is_proved = heard is not None and heard <= now and (since is None or heard > since)
        opens = self.state.failures == 0 and state.access(now) == "allow_all"
        is_late = heard is None or now > heard + _HEARD_LATELY
        return not is_proved or (opens and is_late)


def _with_resolved(url: str, check: Callable[[str], Verdict]) -> Verdict:
    """The verdict for a URL; if it is allowed, for the URL without its dot segments."""
    verdict, resolved = check(url), _urls.resolved(url)
    return verdict if not verdict or resolved is None else check(resolved)


class Records:
    """The records of all origins, the least recently used first."""

    def __init__(
        self, unknown: State, most_origins: int, most_memory: int, on_evict: Callable[[], None]
    ) -> None:
        self._unknown = unknown
        self._most_origins = most_origins
        self._most_memory = most_memory
        self._on_evict = on_evict
        self._records: OrderedDict[str, Record] = OrderedDict()
        self.memory = 0
        """Total size of the files in bytes."""

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records.values())

    def find(self, origin: str | None) -> Record | None:
        """The record of an origin, if there is one."""
        return None if origin is None else self._records.get(origin)

    def use(self, origin: str) -> Record:
        """The record of an origin, perhaps a new one."""
        record = self._records.get(origin)
        if record is None:
            record = self._records[origin] = Record(self._unknown)
            self._evict()
        else:
            self._records.move_to_end(origin)
        return record

    def resize(self, origin: str, record: Record, size: int) -> None:
        """Sets the size of the file of a record, which may be evicted already."""
        if self._records.get(origin) is record:
            self.memory += size - record.size
        record.size = size
        self._evict()

    def _evict(self) -> None:
        """Drops the least recently used origins, except those with a running fetch and the last."""
        while len(self._records) > self._most_origins or self.memory > self._most_memory:
            last = next(reversed(self._records))
            idle = (
                origin
                for origin, record in self._records.items()
                if record.waiting is None and origin != last
            )
            origin = next(idle, None)
            if origin is None:
                return
            self.memory -= self._records.pop(origin).size
            self._on_evict()
