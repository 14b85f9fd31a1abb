"""The middleware: requests wait for robots.txt, and are sent if it allows them."""

from __future__ import annotations

import logging
import random
import time
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.http import Request, Response
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet import defer as tx_defer

from .. import Robots, State, Verdict
from ..types import Dialect
from . import _blame, _urls
from ._cache import HttpCache, sent_at
from ._delays import Delays
from ._exceptions import RobotsTxtForbidden, RobotsTxtUnreachable
from ._fetch import RobotsFetch
from ._hosts import Hosts
from ._parking import SCHEDULED, Parking, RequestParked
from ._parser import VergerRobotParser
from ._record import MAX_AGE, Agent, Record, Records
from ._service import ServiceMiddleware
from ._transfer import TRANSFER, Fetched

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred
    from typing_extensions import Self

logger = logging.getLogger(__package__)


class RobotsTxtMiddleware:
    """Downloader middleware that gives a crawl the lifecycle of RFC 9309. See the module."""

    DOWNLOAD_PRIORITY: int = 1000
    """Priority of the requests for robots.txt, as in Scrapy."""

    clock: Callable[[], float] = staticmethod(time.time)
    """Returns the time in seconds since 1970. For tests."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            # Scrapy logs it as a warning.
            raise NotConfigured("ROBOTSTXT_OBEY is false, so no robots.txt is obeyed")
        self.crawler = crawler
        self._default_useragent: str = settings.get("USER_AGENT") or "Scrapy"
        self._robotstxt_useragent: str | None = settings.get("ROBOTSTXT_USER_AGENT")
        self._dialect: Dialect = settings.get("VERGER_DIALECT") or "rfc9309"
        Robots(b"", self._dialect)
        self._unknown = State(settings.get("VERGER_ACCESS_PROFILE") or "rfc9309")
        longest_delay = settings.getfloat("VERGER_MAX_CRAWL_DELAY", 300.0)
        most_origins = max(1, settings.getint("VERGER_MAX_ORIGINS", 10_000))
        most_memory = settings.getint("VERGER_MAX_MEMORY", 256 * 1024 * 1024)

        self._hosts = Hosts()
        self._cache = HttpCache(crawler)
        self._parking = Parking(crawler, lambda: self.clock())
        self._delays = Delays(crawler, longest_delay, most_origins)
        self._records = Records(
            self._unknown, most_origins, most_memory, lambda: self._count("evicted")
        )
        self._robots = RobotsFetch(
            crawler,
            self.DOWNLOAD_PRIORITY,
            self._unknown,
            self._hosts,
            lambda: self.clock(),
            self._count,
            self._is_disallowed,
        )

        connect = crawler.signals.connect
        connect(self._spider_opened, signal=signals.spider_opened)
        connect(self._request_reached_downloader, signal=signals.request_reached_downloader)
        connect(self._response_downloaded, signal=signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self | ServiceMiddleware:
        """Makes the middleware of a crawl. Scrapy calls it.

        With the setting `VERGER_SERVICE`, it is one that asks the service.

        Raises:
            NotConfigured: `ROBOTSTXT_OBEY` is false.
            ValueError: the dialect or the access profile is unknown, or the address of the service
                is wrong.
        """
        settings = crawler.settings
        if settings.get("VERGER_SERVICE") and settings.getbool("ROBOTSTXT_OBEY"):
            return ServiceMiddleware(crawler)
        return cls(crawler)

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Returns if robots.txt allows the request; otherwise raises an exception.

        Raises:
            RobotsTxtForbidden: robots.txt disallows the URL.
            RobotsTxtUnreachable: robots.txt cannot be fetched, and nothing may be fetched before.
            RequestParked: the same, but a copy of the request is sent later.
        """
        since = request.meta.pop(SCHEDULED, False)
        if request.meta.get("dont_obey_robotstxt"):
            self._robots.prepare(request)
            return
        agent = self._agent(request)
        # Some URLs need no robots.txt: `data:`, `file:`, and robots.txt itself.
        verdict = self._unknown.check(None, agent, request.url, self.clock())
        if verdict is None:
            verdict = await self._verdict(request, agent, since)
        if verdict is None or verdict:
            return
        spider = self.crawler.spider
        logger.debug(
            "Forbidden by robots.txt: %(request)s: %(verdict)s",
            {"request": request, "verdict": verdict},
            extra={"spider": spider},
        )
        self._count("forbidden")
        raise RobotsTxtForbidden(verdict)

    def _agent(self, request: Request) -> Agent:
        # A request may suppress the header by `None`.
        header = request.headers.get(b"User-Agent")
        return self._robotstxt_useragent or header or self._default_useragent

    async def _verdict(
        self, request: Request, agent: Agent, since: float | Literal[False] | None
    ) -> Verdict | None:
        origin = _urls.origin_of(request.url)
        if origin is None:
            # A host or port that no server can have: nothing answers for it.
            cause, now = "the URL has no valid host and port", self.clock()
            verdict = Record(self._unknown).verdict(agent, request.url, now)
            self._count("unreachable")
            raise RobotsTxtUnreachable(verdict, request.url, cause, now)
        record = self._records.use(origin)
        if record.is_new:
            record.is_new = False
            await self._look_up(origin, record, request)
        if self._cache.answers(request):
            # Nothing is sent to the site, so any file will do.
            return record.verdict_of_file(agent, request.url)
        now = self.clock()
        if record.needs_fetch(now):
            if record.waiting is None:
                self._start(origin, record, request)
            is_answered = record.fault is None and record.state.may_answer_while_refreshing(now)
            if not is_answered and record.waiting is not None:
                await self._wait(record)
                now = self.clock()
        verdict = record.verdict(agent, request.url, now)
        if not verdict and verdict.temporary:
            at = record.next_fetch()
            if since is not False and self._parking.park(origin, request, since, at):
                raise RequestParked(verdict)
            self._count("unreachable")
            url, cause = f"{origin}/robots.txt", record.cause or "not fetched"
            raise RobotsTxtUnreachable(verdict, url, cause, at)
        self._parking.release(origin)
        if verdict and self._delays.note(origin, record, request, agent, now):
            self._count("crawl_delay_capped")
        return verdict

    # Fetches.

    async def _look_up(self, origin: str, record: Record, request: Request) -> None:
        """Takes the file from Scrapy's cache. It counts as long as it cannot be fetched."""
        fetched = await self._robots.fetch(origin, record, request, self._cache)
        at = sent_at(fetched.headers)
        if at is not None and not self._unknown.after(fetched.outcome, at).failures:
            parsed = self._learn(origin, record, fetched, min(at, self.clock() - MAX_AGE))
            if parsed is not None:
                await self._send_parsed(parsed, request)

    async def _wait(self, record: Record) -> None:
        """Waits for the running fetch. A request that is cancelled meanwhile stops only itself."""
        assert record.waiting is not None
        waiter: Deferred[None] = tx_defer.Deferred()
        record.waiting.append(waiter)
        await maybe_deferred_to_future(waiter)

    def _start(self, origin: str, record: Record, request: Request) -> None:
        """Starts a fetch. It belongs to no request, so no cancelled request can end it."""
        record.waiting = []
        flight = deferred_from_coro(self._fly(origin, record, request))
        # Without asyncio, the fetch may have ended already.
        if record.waiting is not None:
            record.flight = flight
        # `_fly` has logged its errors; a cancelled task is no error.
        flight.addErrback(lambda failure: None)

    async def _fly(self, origin: str, record: Record, request: Request) -> None:
        fault: str | None = "the fetch was cancelled"
        try:
            fetched = await self._robots.fetch(origin, record, request)
            parsed = self._learn(origin, record, fetched, self.clock())
            fault = None
            if parsed is not None:
                await self._send_parsed(parsed, request)
        except Exception as error:
            logger.exception(
                "Error fetching %(origin)s/robots.txt",
                {"origin": origin},
                extra={"spider": self.crawler.spider},
            )
            if fault is not None:
                fault = _blame.described(error)
        finally:
            # However the fetch ends, no request waits for it any longer.
            try:
                if fault is not None:
                    self._learn(origin, record, Fetched("local_fault", fault), self.clock())
            finally:
                waiting, record.waiting, record.flight = record.waiting or [], None, None
                for waiter in waiting:
                    if not waiter.called:
                        waiter.callback(None)

    def _learn(
        self, origin: str, record: Record, fetched: Fetched, now: float
    ) -> VergerRobotParser | None:
        """Takes the end of a fetch into the record. Returns the parser of a new file."""
        jitter = random.getrandbits(64)
        state = record.state.after(fetched.outcome, now, fetched.headers, jitter)
        if record.is_fault(fetched, state, now):
            self._count("local_fault")
            record.fault = (record.fault or self._unknown).after("network", now, None, jitter)
            record.cause = fetched.cause
            self._report(origin, record, now)
            return None
        outcome = fetched.outcome
        is_new = outcome != "not_modified" and state.is_file(outcome) and state.has_copy
        record.state, record.fault, record.informed_at = state, None, now
        record.cause = fetched.cause
        robots = Robots(fetched.body, self._dialect) if is_new else None
        if robots is not None or not state.has_copy:
            record.robots, record.is_capped, record.delays = robots, False, {}
            # REP-CACHE-5: validators from another origin are not kept.
            is_own = is_new and _urls.origin_of(fetched.url) == origin
            record.file_url = fetched.url if is_own else ""
            record.validators = fetched.validators if is_own else {}
            size = min(len(fetched.body), self._robots.most_body) if is_new else 0
            self._records.resize(origin, record, size)
        if state.failures > 0:
            self._report(origin, record, now)
        return None if robots is None else VergerRobotParser(robots)

    def _report(self, origin: str, record: Record, now: float) -> None:
        wait = max(0.0, record.next_fetch() - now)
        logger.warning(
            "Cannot fetch %(origin)s/robots.txt: %(cause)s. Next fetch in %(wait).0f s at the "
            "earliest.",
            {"origin": origin, "cause": record.cause, "wait": wait},
            extra={"spider": self.crawler.spider},
        )

    async def _send_parsed(self, parser: VergerRobotParser, request: Request) -> None:
        signal = getattr(signals, "robots_parsed", None)
        if signal is None:  # Scrapy before 2.18
            return
        await self.crawler.signals.send_catch_log_async(
            signal=signal, robotparser=parser, request=request
        )

    def _is_disallowed(self, url: str, request: Request) -> bool:
        """Whether a file in memory disallows a URL on the way. Nothing is fetched to find out."""
        parts = urlsplit(url)
        # REP-AMB-47: robots.txt itself is exempt in its place.
        if parts.path == "/robots.txt" and not parts.query:
            return False
        record = self._records.find(_urls.origin_of(url))
        if record is None or record.robots is None:
            return False
        agent, now = self._agent(request), self.clock()
        verdict = record.state.check(record.robots, agent, url, now, record.is_available(now))
        return verdict is not None and not verdict and verdict.reason == "rule"

    # Signals.

    def _spider_opened(self) -> None:
        from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware as Other

        if self.crawler.get_downloader_middleware(Other) is not None:
            logger.warning(
                "Scrapy's RobotsTxtMiddleware is enabled beside Verger's, so every robots.txt is "
                "fetched twice. Set it to None in DOWNLOADER_MIDDLEWARES."
            )

    def _request_reached_downloader(self, request: Request) -> None:
        # The slot exists now, and the request is not in its queue yet.
        self._delays.apply(request)

    def _response_downloaded(self, response: Response, request: Request) -> None:
        # AutoThrottle has just set the delay, and the queue of the slot is looked at next.
        self._delays.apply(request)
        self._robots.response_downloaded(response, request)
        parts = urlparse_cached(request)
        if not parts.hostname or parts.scheme in {"data", "file"}:
            return
        now = self.clock()
        if _blame.of_response(response.status, response.headers, request) == "site":
            self._hosts.note(parts.hostname, request, now)
            transfer = request.meta.get(TRANSFER)
            if transfer is None and 200 <= response.status < 500 and response.status != 429:
                record = self._records.find(_urls.origin_of(request.url))
                if record is not None:
                    record.available_at = now

    def _count(self, name: str) -> None:
        stats = self.crawler.stats
        if stats is not None:
            stats.inc_value(f"robotstxt/{name}")
