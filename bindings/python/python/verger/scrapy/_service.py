"""The middleware with a service: decisions and turns come from `verger-serve`."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.http import Request, Response
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import DeferredLock

from .. import State
from . import _urls
from ._blame import shown
from ._exceptions import RobotsTxtForbidden, RobotsTxtUnreachable
from ._parking import SCHEDULED, Parking, RequestParked
from ._pause import pause
from ._service_client import WAIT_MS, ServiceClient, ServiceError
from ._turn import TURN, ServiceVerdict, Turn

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__package__)

# Tries of a question without an answer, and the seconds between them.
_TRIES = 3
_RETRY = 1.0
# Seconds between two questions while another worker has the turn: it may end at any time.
_POLL = 0.5
# Seconds after which a fetch of robots.txt must have ended: the service allows two minutes.
_PENDING = 150.0
# Seconds of a turn beyond the timeout of its download: the queue of the download slot.
_MARGIN = 30
_LONGEST_HOLD = 3600


class ServiceMiddleware:
    """Downloader middleware that asks a service. See the module."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self._client = ServiceClient(
            settings["VERGER_SERVICE"], settings.get("VERGER_SERVICE_TOKEN")
        )
        self._default_useragent: str = settings.get("USER_AGENT") or "Scrapy"
        self._robotstxt_useragent: str | None = settings.get("ROBOTSTXT_USER_AGENT")
        dialect = settings.get("VERGER_DIALECT")
        self._choices = {"dialect": dialect} if dialect else {}
        hold = settings.getfloat("DOWNLOAD_TIMEOUT", 180.0) + settings.getfloat("DOWNLOAD_DELAY")
        self._hold = min(int(hold) + _MARGIN, _LONGEST_HOLD)
        self._unknown = State("rfc9309")
        self._parking = Parking(crawler, time.time)
        # One question at a time for an origin; others would get the same answer.
        self._gates: dict[str, tuple[DeferredLock, int]] = {}

        connect = crawler.signals.connect
        connect(self._response_downloaded, signal=signals.response_downloaded)
        connect(self._request_left_downloader, signal=signals.request_left_downloader)
        connect(self._spider_closed, signal=signals.spider_closed)

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Returns with a turn; otherwise raises an exception, as `RobotsTxtMiddleware` does."""
        # A repeated or redirected request has the meta of the one before.
        request.meta.pop(TURN, None)
        since = request.meta.pop(SCHEDULED, False)
        if request.meta.get("dont_obey_robotstxt"):
            return
        header = request.headers.get(b"User-Agent")
        agent = self._robotstxt_useragent or header or self._default_useragent
        # Some URLs need no robots.txt: `data:`, `file:`, and robots.txt itself.
        if self._unknown.check(None, agent, request.url, time.time()):
            return
        origin = _urls.origin_of(request.url)
        if origin is None:
            verdict = ServiceVerdict(False, "unreachable")
            self._count("unreachable")
            cause = "the URL has no valid host and port"
            raise RobotsTxtUnreachable(verdict, request.url, cause, time.time())
        text = agent.decode("utf-8", "replace") if isinstance(agent, bytes) else agent
        question = {"agent": text, "url": request.url, **self._choices}
        lock, users = self._gates.get(origin, (DeferredLock(), 0))
        self._gates[origin] = lock, users + 1
        try:
            await maybe_deferred_to_future(lock.acquire())
            try:
                turn = await self._reserve(origin, question)
            except RobotsTxtUnreachable as error:
                is_final = getattr(error.__cause__, "permanent", False)
                may_wait = since is not False and not is_final
                if may_wait and self._parking.park(origin, request, since, error.retry_at):
                    raise RequestParked(error.verdict) from error
                self._count("unreachable")
                raise
            finally:
                lock.release()
        finally:
            lock, users = self._gates.pop(origin)
            if users > 1:
                self._gates[origin] = lock, users - 1
        self._parking.release(origin)
        if turn is not None:
            request.meta[TURN] = turn

    async def _reserve(self, origin: str, question: dict[str, Any]) -> Turn | None:
        begin, tries = time.monotonic(), 0
        while True:
            try:
                found = await self._client.reserve(
                    {**question, "wait_ms": WAIT_MS, "hold_seconds": self._hold}
                )
            except ServiceError as error:
                tries += 1
                self._count("service_errors")
                if error.permanent or tries == _TRIES:
                    raise self._unreachable(origin, f"the service: {shown(str(error))}") from error
                await pause(_RETRY)
                continue
            if found.get("granted") is True:
                self._count("turns")
                return Turn(str(found["turn"]))
            verdict = ServiceVerdict.of(found.get("answer") or {})
            wait = float(found.get("wait_ms") or 0) / 1000
            is_pending = verdict.reason in {"pending", "busy"}
            if verdict.allowed or (is_pending and time.monotonic() < begin + _PENDING):
                if verdict.allowed and "wait_ms" not in found:
                    # A URL without an origin: nothing to wait for.
                    return None
                await pause(min(max(wait, 0.01), _POLL))
                continue
            if verdict.temporary:
                decision = verdict.answer.get("decision") or {}
                failure = decision.get("failure") or {}
                cause = shown(str(failure.get("message", verdict.reason)))
                at = float(decision.get("next_try") or time.time() + 60)
                raise self._unreachable(origin, cause, verdict, at)
            logger.debug(
                "Forbidden by robots.txt: %(url)s: %(verdict)s",
                {"url": question["url"], "verdict": verdict},
                extra={"spider": self.crawler.spider},
            )
            self._count("forbidden")
            raise RobotsTxtForbidden(verdict)

    def _unreachable(
        self,
        origin: str,
        cause: str,
        verdict: ServiceVerdict | None = None,
        at: float | None = None,
    ) -> RobotsTxtUnreachable:
        verdict = verdict or ServiceVerdict(False, "unreachable")
        retry_at = time.time() + 60 if at is None else at
        return RobotsTxtUnreachable(verdict, f"{origin}/robots.txt", cause, retry_at)

    # The end of a turn. Each request has one, whatever other middlewares do with it.

    def _response_downloaded(self, response: Response, request: Request) -> Any:
        report: dict[str, Any] = {"status": response.status}
        if response.status in {429, 503}:
            seconds = (response.headers.get(b"Retry-After") or b"").strip()
            if seconds.isdigit() and len(seconds) < 8:
                report["retry_after"] = int(seconds)
        self._end(request, report)

    def _request_left_downloader(self, request: Request) -> None:
        # Without a response.
        self._end(request, {"failed": True})

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        # From a cache: nothing was sent.
        self._end(request, None)
        return response

    def process_exception(
        self, request: Request, exception: Exception, spider: Spider | None = None
    ) -> None:
        self._end(request, None)

    def _end(self, request: Request, report: dict[str, Any] | None) -> None:
        turn = request.meta.get(TURN)
        if not isinstance(turn, Turn) or not turn.is_held:
            return
        turn.is_held = False
        self._client.release_later(turn, report, self._on_lost)

    def _on_lost(self, error: ServiceError) -> None:
        # The turn ends by itself.
        self._count("lost_turns")
        logger.warning(
            "A turn was not released: %(error)s",
            {"error": shown(str(error))},
            extra={"spider": self.crawler.spider},
        )

    async def _spider_closed(self) -> None:
        await self._client.close()

    def _count(self, name: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"robotstxt/{name}")
