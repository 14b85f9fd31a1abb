"""Verger in Scrapy: a parser for Scrapy's robots.txt middleware, and a middleware to replace it.

**The parser** changes the answers only. Scrapy still fetches each robots.txt once, reads its body
whatever the status, and allows everything when the fetch fails::

    ROBOTSTXT_PARSER = "verger.scrapy.VergerRobotParser"

**The middleware** follows RFC 9309 from the first fetch to the last. Use it in place of Scrapy's::

    ROBOTSTXT_OBEY = True
    DOWNLOADER_MIDDLEWARES = {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "verger.scrapy.RobotsTxtMiddleware": 100,
    }

Differences from Scrapy's middleware:

- *Statuses*: 4xx, except 429, allows everything. 429, 5xx and failed fetches allow nothing until a
  fetch succeeds, or for 30 days. A file fetched before the failure stays in force.
- *Origins*: http and https, and each port, have their own robots.txt.
- *Redirects*: up to five, across hosts. The rules apply to the origin that was asked.
- *Age*: a file is used for as long as its headers say, between 5 minutes and 24 hours; 24 hours
  without such headers. It is then fetched again, on the condition that it has changed. It may
  answer during that fetch while it is younger than 24 hours.
- *One fetch at a time*: concurrent requests for an origin share one fetch.
- *Failures*: robots.txt is fetched again after about 1 minute, then 2, 4, up to 1 hour; or after
  ``Retry-After``, up to 24 hours. A failure that may be the crawler's own (an unknown host, no
  route, the proxy) changes nothing unless another host has answered since (REP-CACHE-28).
- *Bounds*: the memory for robots.txt files and the size of a response are limited.
- *Crawl-delay* and ``Request-rate`` raise the delay of Scrapy's download slots.
- *Dot segments*: ``/x/../private`` is disallowed if ``/private`` is. Scrapy sends such paths as
  they are, and many servers resolve them.
- *Messages*: `RobotsTxtForbidden` names the rule and its line. `RobotsTxtUnreachable` is a
  different exception, because a later request may be allowed.

The fetches pass through Scrapy's downloader and its other middlewares: proxies, cookies and
authentication work as for pages. Retries, redirects and the HTTP cache of Scrapy are switched off
for these requests, because the lifecycle replaces them. The requests ask for an uncompressed body.

Requests with ``dont_obey_robotstxt`` in their meta, and ``data:`` and ``file:`` URLs, are not
checked, as in Scrapy.

# User agent

As in Scrapy: `ROBOTSTXT_USER_AGENT` if set, else the ``User-Agent`` header of the request, else
`USER_AGENT`. Verger reads a whole header or a product token. Scrapy's default `USER_AGENT` names
the group ``Scrapy``; set your own.

# Settings

| Setting | Default | Effect |
|---|---|---|
| `VERGER_ACCESS_PROFILE` | ``"rfc9309"`` | Meaning of statuses: one of `verger.ACCESS_PROFILES`. |
| `VERGER_DIALECT` | ``"rfc9309"`` | Reading of the files: one of `verger.DIALECTS`. |
| `VERGER_MAX_CRAWL_DELAY` | 300 | Longest crawl delay to keep, in seconds. 0: ignore them. |
| `VERGER_MAX_ORIGINS` | 10000 | Maximum number of origins in memory. |
| `VERGER_MAX_MEMORY` | 268435456 | Maximum total size of the files in memory, in bytes. |
| `VERGER_MAX_BODY` | 524288 | Size at which a download stops, in bytes; at least 512001. |
| `VERGER_TIMEOUT` | 30 | Time limit for each response of a fetch, in seconds. |
| `VERGER_COPY_META` | ``["proxy", "bindaddress"]`` | Meta keys copied from the request. |

The parser reads `VERGER_DIALECT` only. Beyond the limits of memory, the origins that were not
asked about for longest are forgotten, and fetched again when they are needed.

`ROBOTSTXT_PARSER` has no effect on the middleware.

# Stats

As in Scrapy: ``robotstxt/request_count``, ``robotstxt/response_count``,
``robotstxt/response_status_count/{status}``, ``robotstxt/exception_count/{type}`` and
``robotstxt/forbidden``. Every redirect counts as a request and a response. New:

- ``robotstxt/unreachable``: requests dropped because robots.txt could not be fetched;
- ``robotstxt/local_fault``: fetches whose failure may be the crawler's own;
- ``robotstxt/truncated``: downloads stopped at `VERGER_MAX_BODY`;
- ``robotstxt/evicted``: origins dropped from memory to keep the bounds;
- ``robotstxt/crawl_delay_capped``: files whose delay exceeds `VERGER_MAX_CRAWL_DELAY`.

# Crawl delays

An allowed request raises the delay of its download slot to the crawl delay, or to the interval of
``Request-rate`` if that is longer. The slot then starts one request at a time without random
variation. A delay is never lowered: a longer `DOWNLOAD_DELAY` stays. AutoThrottle may raise the
delay further; what it lowers is raised again. Scrapy has one slot for all origins of a host name,
so the longest of their delays applies. ``Visit-time`` is ignored.

# Trying again later

A spider can tell the two exceptions apart in an errback::

    def on_error(self, failure):
        if failure.check(RobotsTxtUnreachable):
            self.later.append((failure.value.retry_at, failure.request))
        elif failure.check(RobotsTxtForbidden):
            self.logger.info("%s", failure.value)
"""

from __future__ import annotations

import errno
import logging
import random
import re
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from urllib.parse import urljoin, urlsplit

try:
    from scrapy import signals
    from scrapy.exceptions import IgnoreRequest, NotConfigured, StopDownload
    from scrapy.http import Request, Response
    from scrapy.http.request import NO_CALLBACK
    from scrapy.robotstxt import RobotParser
    from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
    from scrapy.utils.httpobj import urlparse_cached
    from twisted.internet import defer as tx_defer
    from w3lib.url import safe_url_string
except ModuleNotFoundError as error:
    if error.name not in {"scrapy", "twisted", "w3lib"}:
        raise
    raise ImportError(
        "verger.scrapy needs Scrapy 2.13 or newer: pip install 'verger[scrapy]'", name=error.name
    ) from error

from . import Robots, State, Verdict
from .types import Dialect, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred
    from typing_extensions import Self

__all__ = [
    "RobotsTxtForbidden",
    "RobotsTxtMiddleware",
    "RobotsTxtUnreachable",
    "VergerRobotParser",
]

logger = logging.getLogger(__name__)

Agent = str | bytes
Blame = Literal["site", "unclear", "crawler"]
Window = tuple[int, int]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PORTS = {"http": 80, "https": 443, "ftp": 21}
_TIME_HEADERS = (b"Age", b"Cache-Control", b"Date", b"Expires", b"Retry-After")

# Verger reads 500 KiB; one byte more shows that the file is longer.
_LEAST_BODY = 500 * 1024 + 1
# Maximum size of a body that the server has compressed although it was asked not to.
_DECODED_BYTES = 16 * 1024 * 1024
# Maximum length of a Location in bytes.
_LOCATION_BYTES = 8 * 1024
# An unclear first failure counts only if another host answered in the last minute and the outage
# would allow everything (REP-CACHE-28).
_HEARD_LATELY = 60.0
# A site counts as available for a day after it answered (REP-CACHE-22).
_ANSWERED_LATELY = 24 * 60 * 60.0
# Number of proxies for which the last answers are remembered.
_PROXIES = 256

# Number of user agents whose delays are remembered for an origin.
_AGENTS = 16

_TRANSFER = "_verger_robotstxt"


class RobotsTxtForbidden(IgnoreRequest):
    """robots.txt disallows the URL. The message names the rule and its line."""

    verdict: Verdict
    """The verdict, with the rule, the line and the reason."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict

    def __str__(self) -> str:
        return f"Forbidden by robots.txt: {self.verdict}"


class RobotsTxtUnreachable(IgnoreRequest):
    """robots.txt cannot be fetched, so it is not known whether the URL is allowed."""

    verdict: Verdict
    """The verdict: disallowed, with reason ``"unreachable"``."""

    url: str
    """The URL of the robots.txt."""

    cause: str
    """The failure: ``status 503``."""

    retry_at: float
    """The time of the next fetch in seconds since 1970. It happens with the next request."""

    def __init__(self, verdict: Verdict, url: str, cause: str, retry_at: float) -> None:
        super().__init__(verdict, url, cause, retry_at)
        self.verdict = verdict
        self.url = url
        self.cause = cause
        self.retry_at = retry_at

    def __str__(self) -> str:
        try:
            moment = datetime.fromtimestamp(self.retry_at, timezone.utc)
        except (OverflowError, ValueError):
            # Beyond the year 9999.
            at = f"{self.retry_at:.0f} seconds since 1970"
        else:
            at = moment.strftime("%Y-%m-%d %H:%M:%S UTC")
        return f"Unreachable robots.txt: {self.url}: {self.cause}; next fetch at {at}"


class VergerRobotParser(RobotParser):
    """Verger as the parser of Scrapy's own robots.txt middleware.

    Setting: ``ROBOTSTXT_PARSER = "verger.scrapy.VergerRobotParser"``.
    """

    robots: Robots
    """The parsed file, for verdicts with reasons and lines."""

    def __init__(self, robotstxt_body: bytes | Robots, dialect: Dialect = "rfc9309") -> None:
        if isinstance(robotstxt_body, Robots):
            self.robots = robotstxt_body
        else:
            self.robots = Robots(robotstxt_body, dialect)

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> Self:
        """Parse a robots.txt in the dialect of the setting `VERGER_DIALECT`."""
        if crawler is None:
            return cls(robotstxt_body)
        return cls(robotstxt_body, crawler.settings.get("VERGER_DIALECT") or "rfc9309")

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Return whether the user agent may fetch the URL, also after its dot segments."""
        if not self.robots.is_allowed(user_agent, url):
            return False
        text = url.decode("utf-8", "surrogateescape") if isinstance(url, bytes) else url
        resolved = _resolved(text)
        return resolved is None or self.robots.is_allowed(user_agent, resolved)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the crawl delay for the user agent in seconds, ``None`` without one."""
        return self.robots.crawl_delay(user_agent)


@dataclass(slots=True)
class _Transfer:
    """Progress of one request for a robots.txt. It lies in the meta of the request."""

    received: int = 0
    answered: bool = False


@dataclass(slots=True)
class _Fetched:
    """The end of a fetch, after redirects."""

    outcome: int | Outcome
    """As for `State.after`."""
    cause: str
    """A short text for messages: ``status 503``."""
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""
    url: str = ""
    """The URL that sent the file."""
    validators: dict[str, bytes] = field(default_factory=dict)
    """Request headers for the next fetch of `url`."""
    unclear: bool = False
    """Whether the failure may be the crawler's own."""
    heard: float | None = None
    """Time of the last answer of another host."""


@dataclass(slots=True)
class _Record:
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
        verdict = self._verdict(agent, url, now)
        resolved = _resolved(url)
        if not verdict or resolved is None:
            return verdict
        return self._verdict(agent, resolved, now)

    def _verdict(self, agent: Agent, url: str, now: float) -> Verdict:
        available = self.is_available(now)
        if self.fault is None or not self.state.needs_fetch(now):
            verdict = self.state.check(self.robots, agent, url, now, available)
            if verdict is not None:
                return verdict
        # A fetch is due but impossible (REP-CACHE-26, REP-CACHE-28).
        return self.state.check(self.robots, agent, url, now, available, without_fetch=True)


class RobotsTxtMiddleware:
    """Downloader middleware that gives a crawl the lifecycle of RFC 9309. See the module."""

    DOWNLOAD_PRIORITY: int = 1000
    """Priority of the requests for robots.txt, as in Scrapy."""

    clock: Callable[[], float] = staticmethod(time.time)
    """Returns the time in seconds since 1970. For tests."""

    _METAS: ClassVar[dict[str, Any]] = {
        "dont_obey_robotstxt": True,
        # The lifecycle follows redirects and plans the next fetch.
        "dont_redirect": True,
        "dont_retry": True,
        "handle_httpstatus_all": True,
        # A cached file would look newer than it is.
        "dont_cache": True,
        # Half a file could allow what the other half disallows (REP-ACCESS-34).
        "download_fail_on_dataloss": True,
        # A redirect may lead to another site.
        "allow_offsite": True,
        # A longer file is cut, not refused; see `_bytes_received`.
        "download_maxsize": 0,
        "download_warnsize": 0,
    }

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
        self._longest_delay = settings.getfloat("VERGER_MAX_CRAWL_DELAY", 300.0)
        self._most_origins = max(1, settings.getint("VERGER_MAX_ORIGINS", 10_000))
        self._most_memory = settings.getint("VERGER_MAX_MEMORY", 256 * 1024 * 1024)
        self._most_body = max(_LEAST_BODY, settings.getint("VERGER_MAX_BODY", 512 * 1024))
        self._timeout = settings.getfloat("VERGER_TIMEOUT", 30.0)
        self._copied_meta = settings.getlist("VERGER_COPY_META", ["proxy", "bindaddress"])

        self._records: OrderedDict[str, _Record] = OrderedDict()
        self._memory = 0
        # The last two hosts that answered, the last one first, for each proxy.
        self._heard: OrderedDict[str, list[tuple[str, float]]] = OrderedDict()
        # Crawl delays by the key of the download slot.
        self._delays: OrderedDict[str, float] = OrderedDict()

        connect = crawler.signals.connect
        connect(self._spider_opened, signal=signals.spider_opened)
        connect(self._headers_received, signal=signals.headers_received)
        connect(self._bytes_received, signal=signals.bytes_received)
        connect(self._request_reached_downloader, signal=signals.request_reached_downloader)
        connect(self._response_downloaded, signal=signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Return if robots.txt allows the request.

        Raises:
            RobotsTxtForbidden: robots.txt disallows the URL.
            RobotsTxtUnreachable: robots.txt cannot be fetched, and nothing may be fetched before.
        """
        if request.meta.get("dont_obey_robotstxt"):
            return
        agent = self._agent(request)
        # Some URLs need no robots.txt: `data:`, `file:`, and robots.txt itself.
        verdict = self._unknown.check(None, agent, request.url, self.clock())
        if verdict is None:
            verdict = await self._verdict(request, agent)
        if verdict:
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

    async def _verdict(self, request: Request, agent: Agent) -> Verdict:
        origin = _origin(request.url)
        if origin is None:
            # A host or port that no server can have: nothing answers for it.
            cause, now = "the URL has no valid host and port", self.clock()
            verdict = _Record(self._unknown).verdict(agent, request.url, now)
            self._count("unreachable")
            raise RobotsTxtUnreachable(verdict, request.url, cause, now)
        record = self._record(origin)
        now = self.clock()
        if record.needs_fetch(now):
            if record.waiting is None:
                self._start(origin, record, request)
            is_answered = record.fault is None and record.state.may_answer_while_refreshing(now)
            if not is_answered and record.waiting is not None:
                await self._wait(record)
                now = self.clock()
        verdict = record.verdict(agent, request.url, now)
        if verdict:
            self._set_delay(origin, record, request, agent, now)
        elif verdict.temporary:
            self._count("unreachable")
            url, cause = f"{origin}/robots.txt", record.cause or "not fetched"
            raise RobotsTxtUnreachable(verdict, url, cause, record.next_fetch())
        return verdict

    # Fetches.

    async def _wait(self, record: _Record) -> None:
        """Wait for the running fetch. A request that is cancelled meanwhile stops only itself."""
        assert record.waiting is not None
        waiter: Deferred[None] = tx_defer.Deferred()
        record.waiting.append(waiter)
        await maybe_deferred_to_future(waiter)

    def _start(self, origin: str, record: _Record, request: Request) -> None:
        """Start a fetch. It belongs to no request, so no cancelled request can end it."""
        record.waiting = []
        flight = deferred_from_coro(self._fly(origin, record, request))
        # Without asyncio, the fetch may have ended already.
        if record.waiting is not None:
            record.flight = flight
        # `_fly` has logged its errors; a cancelled task is no error.
        flight.addErrback(lambda failure: None)

    async def _fly(self, origin: str, record: _Record, request: Request) -> None:
        fault: str | None = "the fetch was cancelled"
        try:
            fetched = await self._fetch(origin, record, request)
            parsed = self._learn(origin, record, fetched)
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
                fault = _described(error)
        finally:
            # However the fetch ends, no request waits for it any longer.
            try:
                if fault is not None:
                    self._learn(origin, record, _Fetched("local_fault", fault))
            finally:
                waiting, record.waiting, record.flight = record.waiting or [], None, None
                for waiter in waiting:
                    if not waiter.called:
                        waiter.callback(None)

    async def _fetch(self, origin: str, record: _Record, request: Request) -> _Fetched:
        """Fetch a robots.txt through its redirects."""
        copied = {key: request.meta[key] for key in self._copied_meta if key in request.meta}
        credentials = {}
        if request.meta.get("_scheme_proxy"):
            # From the environment; Scrapy chooses the proxy of each redirect again.
            copied.pop("proxy", None)
        elif copied.get("proxy") and b"Proxy-Authorization" in request.headers:
            # Scrapy has moved them out of the URL of the proxy.
            credentials["Proxy-Authorization"] = request.headers[b"Proxy-Authorization"]
        url = f"{origin}/robots.txt"
        visited = [url]
        while True:
            # The validators go to the URL that sent them only.
            is_conditional = record.state.has_copy and url == record.file_url
            validators = record.validators if is_conditional else {}
            transfer = _Transfer()
            robots_request = Request(
                url,
                priority=self.DOWNLOAD_PRIORITY,
                headers={"Accept-Encoding": "identity", **credentials, **validators},
                meta={
                    **copied,
                    **self._METAS,
                    "download_timeout": self._timeout,
                    _TRANSFER: transfer,
                },
                dont_filter=True,
                callback=NO_CALLBACK,
            )
            self._count("request_count")
            is_first = len(visited) == 1
            try:
                response = await self._download(robots_request)
            except Exception as error:
                return self._failed(error, robots_request, transfer, is_first)
            self._count("response_count")
            self._count(f"response_status_count/{response.status}")
            answer = response.request or robots_request
            of_site = _is_of_site(response.status, response.headers, answer)
            if of_site == "crawler":
                cause = f"the proxy answered with status {response.status}"
                return _Fetched("local_fault", cause)
            location = _location(response)
            if location is not None:
                target = _target(robots_request.url, location)
                if target is None:
                    return _Fetched("broken_redirect", f"redirect to {_shown(location)}")
                is_downgrade = url.startswith("https:") and target.startswith("http:")
                if is_downgrade and not record.state.follow_downgrades:
                    return _Fetched("broken_redirect", f"redirect from https to {target}")
                if target in visited or len(visited) > record.state.redirects:
                    return _Fetched("redirect_limit", "too many redirects")
                if self._unknown.stops_at_disallowed_hop and self._is_disallowed(target, request):
                    return _Fetched("disallowed_hop", f"redirect to {target}, which is disallowed")
                url = target
                visited.append(url)
                continue
            fetched = self._answered(response, url, bool(validators))
            if of_site == "unclear" and is_first:
                fetched.unclear = True
                fetched.heard = self._other_answer(answer)
            return fetched

    def _answered(self, response: Response, url: str, is_conditional: bool) -> _Fetched:
        """Judge the last response of a fetch."""
        headers = response.headers
        cause = f"status {response.status}"
        fetched = _Fetched(response.status, cause, url=url)
        for name in _TIME_HEADERS:
            fetched.headers.extend((name, value) for value in headers.getlist(name))
        if response.status == 304 and is_conditional:
            fetched.outcome = "not_modified"
        elif response.status == 202 and not response.body:
            fetched.outcome = "accepted_empty"
        if not self._unknown.is_file(fetched.outcome):
            return fetched
        codings = b",".join(headers.getlist(b"Content-Encoding")).strip().lower()
        if "dataloss" in response.flags:
            return _Fetched("network", "the body was cut short")
        if response.status in {204, 205}:
            # REP-AMB-46: an empty file, whatever follows.
            return fetched
        if codings not in {b"", b"identity"}:
            return _Fetched("network", f"content coding {_shown(codings)} cannot be decoded")
        if "download_stopped" in response.flags:
            self._count("truncated")
        fetched.body = response.body
        for name, key in ((b"ETag", "If-None-Match"), (b"Last-Modified", "If-Modified-Since")):
            value = headers.get(name)
            if value:
                fetched.validators[key] = value
        return fetched

    def _failed(
        self, error: Exception, request: Request, transfer: _Transfer, is_first: bool
    ) -> _Fetched:
        """Judge a request without a response."""
        if not isinstance(error, IgnoreRequest):
            self._count(f"exception_count/{type(error)}")
        cause = _described(error)
        blame = _blame(error, request, transfer)
        if blame == "crawler":
            return _Fetched("local_fault", cause)
        fetched = _Fetched("network", cause)
        # The host that redirected here has just answered.
        if blame == "unclear" and is_first:
            fetched.unclear = True
            fetched.heard = self._other_answer(request)
        return fetched

    async def _download(self, request: Request) -> Response:
        engine: Any = self.crawler.engine
        if engine is None:
            raise RuntimeError("the crawl has ended")
        if hasattr(engine, "download_async"):
            response = await engine.download_async(request)
        else:  # Scrapy 2.13
            response = await maybe_deferred_to_future(engine.download(request))
        assert isinstance(response, Response)
        return response

    def _learn(self, origin: str, record: _Record, fetched: _Fetched) -> VergerRobotParser | None:
        """Take the end of a fetch into the record. Returns the parser of a new file."""
        now = self.clock()
        jitter = random.getrandbits(64)
        outcome = fetched.outcome
        state = record.state.after(outcome, now, fetched.headers, jitter)
        if fetched.unclear and state != record.state:
            heard, since = fetched.heard, record.informed_at
            is_proved = heard is not None and heard <= now and (since is None or heard > since)
            opens = record.state.failures == 0 and state.access(now) == "allow_all"
            is_late = heard is None or now > heard + _HEARD_LATELY
            if not is_proved or (opens and is_late):
                outcome = "local_fault"
        if outcome == "local_fault":
            self._count("local_fault")
            record.fault = (record.fault or self._unknown).after("network", now, None, jitter)
            record.cause = fetched.cause
            self._report(origin, record, now)
            return None
        is_new = outcome != "not_modified" and state.is_file(outcome) and state.has_copy
        record.state, record.fault, record.informed_at = state, None, now
        record.cause = fetched.cause
        robots = Robots(fetched.body, self._dialect) if is_new else None
        if robots is not None or not state.has_copy:
            size = min(len(fetched.body), self._most_body) if is_new else 0
            record.robots, record.is_capped, record.delays = robots, False, {}
            if self._records.get(origin) is record:
                self._memory += size - record.size
            record.size = size
            # REP-CACHE-5: validators from another origin are not kept.
            is_own = is_new and _origin(fetched.url) == origin
            record.file_url = fetched.url if is_own else ""
            record.validators = fetched.validators if is_own else {}
            self._evict()
        if state.failures > 0:
            self._report(origin, record, now)
        return None if robots is None else VergerRobotParser(robots)

    def _report(self, origin: str, record: _Record, now: float) -> None:
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
        record = self._records.get(_origin(url) or "")
        if record is None or record.robots is None:
            return False
        agent, now = self._agent(request), self.clock()
        verdict = record.state.check(record.robots, agent, url, now, record.is_available(now))
        return verdict is not None and not verdict and verdict.reason == "rule"

    # Memory.

    def _record(self, origin: str) -> _Record:
        record = self._records.get(origin)
        if record is None:
            record = self._records[origin] = _Record(self._unknown)
            self._evict()
        else:
            self._records.move_to_end(origin)
        return record

    def _evict(self) -> None:
        """Drop the least recently used origins, but none with a running fetch, nor the last one."""
        while len(self._records) > self._most_origins or self._memory > self._most_memory:
            last = next(reversed(self._records))
            idle = (
                origin
                for origin, record in self._records.items()
                if record.waiting is None and origin != last
            )
            origin = next(idle, None)
            if origin is None:
                return
            self._memory -= self._records.pop(origin).size
            self._count("evicted")

    # Crawl delays.

    def _set_delay(
        self, origin: str, record: _Record, request: Request, agent: Agent, now: float
    ) -> None:
        """Note the delay for the download slot of a request."""
        if record.robots is None or self._longest_delay <= 0:
            return
        if agent not in record.delays:
            if len(record.delays) >= _AGENTS:
                record.delays.clear()
            record.delays[agent] = _delays(record.robots, agent)
        minute = int(now // 60) % (24 * 60)
        delays = (delay for delay, window in record.delays[agent] if _is_within(minute, window))
        asked = max(delays, default=0.0)
        if asked <= 0:
            return
        if asked > self._longest_delay and not record.is_capped:
            record.is_capped = True
            logger.info(
                "%(origin)s/robots.txt asks for a delay of %(asked)g s; VERGER_MAX_CRAWL_DELAY "
                "limits it to %(longest)g s.",
                {"origin": origin, "asked": asked, "longest": self._longest_delay},
                extra={"spider": self.crawler.spider},
            )
            self._count("crawl_delay_capped")
        engine: Any = self.crawler.engine
        key = engine.downloader.get_slot_key(request)
        delay = max(min(asked, self._longest_delay), self._delays.get(key, 0.0))
        self._delays[key] = delay
        self._delays.move_to_end(key)
        while len(self._delays) > self._most_origins:
            self._delays.popitem(last=False)

    def _raise_delay(self, request: Request) -> None:
        key = request.meta.get("download_slot")
        delay = self._delays.get(key, 0.0) if key is not None else 0.0
        if delay <= 0:
            return
        engine: Any = self.crawler.engine
        slot = engine.downloader.slots.get(key) if engine is not None else None
        if slot is None:
            return
        has_jitter = hasattr(slot, "jitter")
        jitter = slot.jitter if has_jitter else 0.5 * bool(slot.randomize_delay)
        if slot.delay * (1 - jitter) < delay:
            slot.delay = max(slot.delay, delay)
            if has_jitter:
                slot.jitter = 0.0
            else:  # Scrapy before 2.17
                slot.randomize_delay = False
        slot.concurrency = min(slot.concurrency, 1)

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
        self._raise_delay(request)

    def _response_downloaded(self, response: Response, request: Request) -> None:
        # AutoThrottle has just set the delay, and the queue of the slot is looked at next.
        self._raise_delay(request)
        parts = urlparse_cached(request)
        if not parts.hostname or parts.scheme in {"data", "file"}:
            return
        now = self.clock()
        if _is_of_site(response.status, response.headers, request) == "site":
            self._note_answer(parts.hostname, request, now)
            transfer = request.meta.get(_TRANSFER)
            if transfer is None and 200 <= response.status < 500 and response.status != 429:
                record = self._records.get(_origin(request.url) or "")
                if record is not None:
                    record.available_at = now

    def _headers_received(self, request: Request) -> None:
        transfer = request.meta.get(_TRANSFER)
        if isinstance(transfer, _Transfer):
            transfer.answered = True

    def _bytes_received(self, data: bytes, request: Request) -> None:
        transfer = request.meta.get(_TRANSFER)
        if not isinstance(transfer, _Transfer):
            return
        transfer.answered = True
        transfer.received += len(data)
        # The download handler has read its limit already. This one bounds the decompression.
        request.meta["download_maxsize"] = _DECODED_BYTES
        if transfer.received > self._most_body:
            raise StopDownload(fail=False)

    # Answers of hosts.

    def _note_answer(self, host: str, request: Request, now: float) -> None:
        proxy = _proxy(request)
        heard = self._heard.get(proxy, [])
        if heard and heard[0][0] == host:
            heard[0] = (host, now)
        else:
            heard = [(host, now), *heard[:1]]
        self._heard[proxy] = heard
        self._heard.move_to_end(proxy)
        while len(self._heard) > _PROXIES:
            self._heard.popitem(last=False)

    def _other_answer(self, request: Request) -> float | None:
        """The time of the last answer of another host through the same proxy."""
        host, now = urlparse_cached(request).hostname, self.clock()
        heard = self._heard.get(_proxy(request), [])
        times = [at for other, at in heard if other != host and at <= now]
        return max(times, default=None)

    def _count(self, name: str) -> None:
        stats = self.crawler.stats
        if stats is not None:
            stats.inc_value(f"robotstxt/{name}")


def _origin(url: str) -> str | None:
    """The scheme, host and port that Scrapy connects to, as the beginning of a URL.

    Not by `verger.robots_url`, which may read the host of an odd URL differently from Scrapy.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host:
        return None
    if ":" in host:
        host = f"[{host}]"
    if port is None or port == _PORTS.get(parts.scheme):
        return f"{parts.scheme}://{host}"
    return f"{parts.scheme}://{host}:{port}"


_DOT_SEGMENT = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)


def _resolved(url: str) -> str | None:
    """The URL without dot segments; ``None`` if it has none.

    Clients resolve them before they send a request (REP-MATCH-4). Scrapy does not, but many servers
    do, and would serve ``/private`` for ``/x/../private``.
    """
    head, mark, query = url.partition("#")[0].partition("?")
    authority, slash, path = head.partition("://")
    host, first, path = path.partition("/")
    if not _DOT_SEGMENT.search(first + path):
        return None
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        plain = re.sub("%2e", ".", segment, flags=re.IGNORECASE)
        if plain == "..":
            del kept[-1:]
        elif plain != ".":
            kept.append(segment)
    if re.sub("%2e", ".", segments[-1], flags=re.IGNORECASE) in {".", ".."}:
        kept.append("")
    return f"{authority}{slash}{host}/{'/'.join(kept)}{mark}{query}"


def _location(response: Response) -> bytes | None:
    """The target of a redirect; ``None`` if the response is none. Empty if it is broken."""
    if response.status not in _REDIRECTS:
        return None
    locations = {value.strip() for value in response.headers.getlist(b"Location")}
    return locations.pop() if len(locations) == 1 else b""


def _target(base: str, location: bytes) -> str | None:
    """The URL of a redirect without credentials and fragment; ``None`` if it has none."""
    if not location or len(location) > _LOCATION_BYTES or not base.startswith("http"):
        return None
    try:
        text = location.decode("utf-8")
        if text.startswith("//") and not urlsplit(text).hostname:
            return None
        url = safe_url_string(urljoin(base, safe_url_string(text)))
        parts = urlsplit(url)
        origin = _origin(url)
    except ValueError:
        return None
    if origin is None or parts.scheme not in {"http", "https"}:
        return None
    query = f"?{parts.query}" if parts.query else ""
    return f"{origin}{parts.path or '/'}{query}"


def _proxy(request: Request) -> str:
    """The URL of the proxy of a request; empty without one."""
    proxy = request.meta.get("proxy")
    return proxy if isinstance(proxy, str) else ""


def _is_of_site(status: int, headers: Any, request: Request) -> Blame:
    """Whether a response is the site's, perhaps of the proxy, or the proxy's own (REP-CACHE-28).

    The site's status can allow everything, so in doubt it is the proxy's.
    """
    if not _proxy(request) or not request.url.startswith("http:"):
        return "site"
    has_error = any(b"error=" in value.lower() for value in headers.getlist(b"Proxy-Status"))
    if status == 407 or has_error or b"X-Squid-Error" in headers:
        return "crawler"
    # A proxy adds Via to every response that it passes on.
    may_be_own = 400 <= status < 500 and status not in {404, 410, 429}
    if may_be_own and b"Via" not in headers and request.meta.get(_TRANSFER) is not None:
        return "crawler"
    return "unclear" if status == 429 or status >= 500 else "site"


_NO_RESOURCES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EAGAIN})
_OWN_ERRNOS = _NO_RESOURCES | {errno.EADDRNOTAVAIL, errno.EACCES, errno.EPERM}
_SITE_ERRNOS = frozenset({errno.ECONNREFUSED, errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE})

# Names of exceptions, because they differ between versions of Scrapy and download handlers.
_OWN = frozenset(
    {
        "CancelledError",
        "ConnectBindError",
        "DownloadCancelledError",
        "NotConfigured",
        "NotImplementedError",
        "NotSupported",
        "SchemeNotSupported",
        "UnsupportedURLSchemeError",
    }
)
_UNRESOLVED = frozenset({"CannotResolveHostError", "DNSLookupError", "gaierror"})
_TIMEOUTS = frozenset({"DownloadTimeoutError", "TimeoutError", "TCPTimedOutError"})
_REFUSED = frozenset({"DownloadConnectionRefusedError", "ConnectionRefusedError"})
_CLOSED = frozenset(
    {
        "ConnectionDone",
        "ConnectionLost",
        "ConnectionResetError",
        "DownloadFailedError",
        "ResponseDataLossError",
        "ResponseFailed",
    }
)


def _blame(error: Exception, request: Request, transfer: _Transfer) -> Blame:
    """Whose fault a failed request is, as far as it can be known (REP-CACHE-28)."""
    if isinstance(error, IgnoreRequest):
        # From the middleware for compressed bodies: too large. Others refused the request.
        return "site" if transfer.answered and error.__cause__ is not None else "crawler"
    chain = list(_causes(error))
    if _is_tls(chain):
        # A proxy can end or intercept the connection.
        return "crawler" if _proxy(request) and not transfer.answered else "site"
    names = {cls.__name__ for found in chain for cls in type(found).__mro__}
    numbers = {number for found in chain if (number := _errno(found)) is not None}
    if numbers & _OWN_ERRNOS or not _OWN.isdisjoint(cls.__name__ for cls in type(error).__mro__):
        return "crawler"
    if transfer.answered:
        return "site"
    if _proxy(request):
        return _blame_proxy(error, names)
    if names & (_UNRESOLVED | _TIMEOUTS):
        return "unclear"
    if names & _REFUSED:
        # Some handlers report every failed connection as refused.
        return "unclear" if numbers and not numbers & _SITE_ERRNOS else "site"
    return "site" if names & _CLOSED or numbers & _SITE_ERRNOS else "unclear"


def _blame_proxy(error: Exception, names: set[str]) -> Blame:
    """The proxy is part of the crawler's network. Perhaps it could not reach the site."""
    if "TunnelError" in names:
        # Scrapy's text holds the status: "… [{'status': 502, …}]".
        return "unclear" if "'status': 5" in str(error) else "crawler"
    if names & (_UNRESOLVED | _REFUSED):
        return "crawler"
    return "unclear" if names & (_TIMEOUTS | _CLOSED) else "crawler"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception with its causes. Twisted has them in lists of failures."""
    found, seen = [error], 0
    while found and seen < 32:
        seen += 1
        current = found.pop()
        yield current
        if current.__cause__ is not None:
            found.append(current.__cause__)
        reasons = getattr(current, "reasons", None)
        for reason in reasons if isinstance(reasons, list) else ():
            value = getattr(reason, "value", reason)
            if isinstance(value, BaseException):
                found.append(value)


def _errno(error: BaseException) -> int | None:
    for name in ("errno", "osError"):
        number = getattr(error, name, None)
        if isinstance(number, int):
            return number
    return None


def _is_tls(chain: list[BaseException]) -> bool:
    roots = {type(found).__module__.split(".", 1)[0] for found in chain}
    return not roots.isdisjoint({"OpenSSL", "ssl", "service_identity"})


def _described(error: Exception) -> str:
    """An exception for a message."""
    name, text = type(error).__name__, _shown(str(error).strip())
    return f"{name}: {text}" if text else name


def _delays(robots: Robots, agent: Agent) -> list[tuple[float, Window | None]]:
    """The crawl delay and the intervals of request rates, in seconds, with times of the day."""
    found: list[tuple[float, Window | None]] = [(robots.crawl_delay(agent) or 0.0, None)]
    for documents, seconds, window in robots.request_rates(agent):
        if documents > 0:
            found.append((seconds / documents, window))
    return found


def _is_within(minute: int, window: Window | None) -> bool:
    if window is None:
        return True
    begin, end = window
    return begin <= minute <= end if begin <= end else minute >= begin or minute <= end


def _shown(text: str | bytes) -> str:
    """Foreign text for a message: printable and short."""
    shown = text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text
    shown = "".join(char if char.isprintable() else " " for char in shown)
    return shown if len(shown) <= 200 else f"{shown[:200]}…"
