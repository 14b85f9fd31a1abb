"""Requests that wait until a robots.txt can be fetched, outside of the downloader."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import DontCloseSpider, IgnoreRequest
from scrapy.http import Request
from scrapy.utils.defer import deferred_from_coro

from ._pause import pause

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__package__)

SCHEDULED = "_verger_scheduled"
"""The meta key of requests from the scheduler: nobody awaits their responses, so that they can be
sent again later. Its value is the time since when a request waits, or ``None``."""

# Seconds between two looks at the clock.
_TICK = 1.0
# Seconds after which another request of an origin is sent ahead, if the first one is lost.
_NEXT_PROBE = 60.0


class RequestParked(IgnoreRequest):
    """The request waits for robots.txt; a copy of it is sent later. No errback gets this."""


@dataclass(slots=True)
class _Queue:
    """The requests of an origin, and the time at which the first of them is sent ahead."""

    due: float
    requests: deque[Request] = field(default_factory=deque)


class Parking:
    """Requests by origin. When robots.txt can be fetched again, one of them is sent ahead.

    The engine counts waiting requests of a middleware as running downloads. A few unreachable sites
    would stop the crawl of all others.
    """

    def __init__(self, crawler: Crawler, clock: Callable[[], float]) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._clock = clock
        self._longest = settings.getfloat("VERGER_MAX_WAIT", 1200.0)
        self._most = settings.getint("VERGER_MAX_PARKED", 10_000)
        self._queues: dict[str, _Queue] = {}
        self._count = 0
        self._watcher: Any = None
        connect = crawler.signals.connect
        connect(self._request_scheduled, signal=signals.request_scheduled)
        connect(self._spider_idle, signal=signals.spider_idle)
        connect(self._spider_closed, signal=signals.spider_closed)

    def park(self, origin: str, request: Request, since: float | None, due: float) -> bool:
        """Parks a copy of a request. Returns whether the original is to be forgotten.

        Args:
            origin: the origin whose robots.txt cannot be fetched.
            request: the request.
            since: the time since when it waits; ``None`` at first.
            due: the time of the next fetch.
        """
        since = self._clock() if since is None else since
        queue = self._queues.get(origin)
        if queue is not None:
            queue.due = due
        if due - since > self._longest or self._count >= self._most:
            return False
        copy = request.replace(dont_filter=True, meta={**request.meta, SCHEDULED: since})
        # The scraper calls it for every exception, and the copy still has it.
        request.errback = None
        self._queues.setdefault(origin, _Queue(due)).requests.append(copy)
        self._count += 1
        if self._watcher is None:
            # The reference keeps its task alive.
            self._watcher = deferred_from_coro(self._watch())
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value("robotstxt/parked")
        return True

    def release(self, origin: str) -> None:
        """Sends all requests for an origin: its robots.txt is known."""
        queue = self._queues.pop(origin, None)
        for request in queue.requests if queue is not None else ():
            self._send(request)

    def _send(self, request: Request) -> None:
        self._count -= 1
        engine: Any = self._crawler.engine
        # A crawl that ends keeps the requests of its scheduler, for the next run.
        if engine is not None and engine.spider is not None:
            try:
                engine.crawl(request)
            except Exception:
                extra = {"spider": self._crawler.spider}
                logger.exception("Error sending %(request)s", {"request": request}, extra=extra)

    async def _watch(self) -> None:
        while self._queues:
            await pause(_TICK)
            now = self._clock()
            for origin, queue in list(self._queues.items()):
                if queue.due <= now:
                    queue.due = now + _NEXT_PROBE
                    self._send(queue.requests.popleft())
                # They get their exception.
                latest = queue.due - self._longest
                requests, queue.requests = queue.requests, deque()
                late: list[Request] = []
                for request in requests:
                    is_late = request.meta[SCHEDULED] < latest
                    (late if is_late else queue.requests).append(request)
                for request in late:
                    self._send(request)
                if not queue.requests:
                    self._queues.pop(origin, None)
        self._watcher = None

    # Signals.

    def _request_scheduled(self, request: Request) -> None:
        request.meta.setdefault(SCHEDULED, None)

    def _spider_idle(self) -> None:
        if self._queues:
            raise DontCloseSpider

    def _spider_closed(self) -> None:
        self._queues.clear()
        if self._count:
            logger.warning(
                "The crawl ends before a robots.txt could be fetched. Lost requests: %(count)d.",
                {"count": self._count},
                extra={"spider": self._crawler.spider},
            )
