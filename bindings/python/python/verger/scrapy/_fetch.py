"""Fetches of robots.txt through Scrapy's downloader."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Headers, Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future

from .. import State
from . import _blame, _urls
from ._cache import HttpCache
from ._hosts import Hosts
from ._record import Record
from ._transfer import TRANSFER, Fetched, Transfer

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_TIME_HEADERS = (b"Age", b"Cache-Control", b"Date", b"Expires", b"Retry-After")

# Verger reads 500 KiB; one byte more shows that the file is longer.
_LEAST_BODY = 500 * 1024 + 1
# Seconds for each response, unless pages have less.
_TIMEOUT = 30.0
# Maximum size of a body that the server has compressed although it was asked not to.
_DECODED_BYTES = 16 * 1024 * 1024

_METAS: dict[str, Any] = {
    "dont_obey_robotstxt": True,
    # The lifecycle follows redirects.
    "dont_redirect": True,
    "handle_httpstatus_all": True,
    # The lifecycle goes on after the last of Scrapy's retries, and has its own message.
    "give_up_log_level": "DEBUG",
    # Half a file could allow what the other half disallows (REP-ACCESS-34).
    "download_fail_on_dataloss": True,
    # A redirect may lead to another site.
    "allow_offsite": True,
    # A longer file is cut, not refused; see `RobotsFetch._bytes_received`.
    "download_maxsize": 0,
    "download_warnsize": 0,
}


class RobotsFetch:
    """Fetches robots.txt files, through redirects and up to a size."""

    def __init__(
        self,
        crawler: Crawler,
        priority: int,
        unknown: State,
        hosts: Hosts,
        clock: Callable[[], float],
        count: Callable[[str], None],
        is_disallowed: Callable[[str, Request], bool],
    ) -> None:
        settings = crawler.settings
        self.most_body = max(_LEAST_BODY, settings.getint("VERGER_MAX_BODY", 512 * 1024))
        longest = settings.getfloat("DOWNLOAD_TIMEOUT") or math.inf
        self._timeout = min(settings.getfloat("VERGER_TIMEOUT", _TIMEOUT), longest)
        self._copied_meta = settings.getlist("VERGER_COPY_META", ["proxy", "bindaddress"])
        self._crawler = crawler
        self._priority = priority
        self._unknown = unknown
        self._hosts = hosts
        self._clock = clock
        self._count = count
        # Whether a file in memory disallows the target of a redirect.
        self._is_disallowed = is_disallowed
        connect = crawler.signals.connect
        connect(self._headers_received, signal=signals.headers_received)
        connect(self._bytes_received, signal=signals.bytes_received)

    async def fetch(
        self, origin: str, record: Record, request: Request, cache: HttpCache | None = None
    ) -> Fetched:
        """Fetches a robots.txt through its redirects, or finds it in Scrapy's cache."""
        copied = {key: request.meta[key] for key in self._copied_meta if key in request.meta}
        credentials = {}
        if request.meta.get("_scheme_proxy"):
            # From the environment; Scrapy chooses the proxy of each redirect again.
            copied.pop("proxy", None)
        elif copied.get("proxy") and b"Proxy-Authorization" in request.headers:
            # Scrapy has moved them out of the URL of the proxy.
            credentials["Proxy-Authorization"] = request.headers[b"Proxy-Authorization"]
        url = f"{origin}/robots.txt"
        requests = 0
        while True:
            # The validators go to the URL that sent them only.
            is_conditional = record.state.has_copy and url == record.file_url
            validators = record.validators if is_conditional else {}
            transfer = Transfer()
            robots_request = Request(
                url,
                priority=self._priority,
                headers={"Accept-Encoding": "identity", **credentials, **validators},
                meta={
                    **copied,
                    **_METAS,
                    "download_timeout": self._timeout,
                    TRANSFER: transfer,
                },
                dont_filter=True,
                callback=NO_CALLBACK,
            )
            requests += 1
            is_first = requests == 1
            if cache is not None:
                found = cache.response(url)
                if found is None:
                    return Fetched("local_fault", "not in the cache")
                response = found
            else:
                self._count("request_count")
                try:
                    response = await self._download(robots_request)
                except Exception as error:
                    return self._failed(error, robots_request, transfer, is_first)
                self._count("response_count")
                self._count(f"response_status_count/{response.status}")
            answer = response.request or robots_request
            of_site = _blame.of_response(response.status, response.headers, answer)
            if of_site == "crawler":
                cause = f"the proxy answered with status {response.status}"
                return Fetched("local_fault", cause)
            location = _urls.location(response)
            if location is not None:
                target = _urls.target(robots_request.url, location)
                if target is None:
                    return Fetched("broken_redirect", f"redirect to {_blame.shown(location)}")
                is_downgrade = url.startswith("https:") and target.startswith("http:")
                if is_downgrade and not record.state.follow_downgrades:
                    return Fetched("broken_redirect", f"redirect from https to {target}")
                if requests > record.state.redirects:
                    return Fetched("redirect_limit", "too many redirects")
                if self._unknown.stops_at_disallowed_hop and self._is_disallowed(target, request):
                    return Fetched("disallowed_hop", f"redirect to {target}, which is disallowed")
                url = target
                continue
            fetched = self._answered(response, url, bool(validators))
            if of_site == "unclear" and is_first:
                fetched.unclear = True
                fetched.heard = self._hosts.other_answer(answer, self._clock())
            return fetched

    def _answered(self, response: Response, url: str, is_conditional: bool) -> Fetched:
        """Judges the last response of a fetch."""
        headers = response.headers
        cause = f"status {response.status}"
        fetched = Fetched(response.status, cause, url=url)
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
            return Fetched("network", "the body was cut short")
        if response.status in {204, 205}:
            # REP-AMB-46: an empty file, whatever follows.
            return fetched
        if codings not in {b"", b"identity"}:
            return Fetched("network", f"content coding {_blame.shown(codings)} cannot be decoded")
        if "download_stopped" in response.flags:
            self._count("truncated")
        fetched.body = response.body
        for name, key in ((b"ETag", "If-None-Match"), (b"Last-Modified", "If-Modified-Since")):
            value = headers.get(name)
            if value:
                fetched.validators[key] = value
        return fetched

    def _failed(
        self, error: Exception, request: Request, transfer: Transfer, is_first: bool
    ) -> Fetched:
        """Judges a request without a response."""
        if not isinstance(error, IgnoreRequest):
            self._count(f"exception_count/{type(error)}")
        cause = _blame.described(error)
        blame = _blame.of_failure(error, request, transfer)
        if blame == "crawler":
            return Fetched("local_fault", cause)
        fetched = Fetched("network", cause)
        # The host that redirected here has just answered.
        if blame == "unclear" and is_first:
            fetched.unclear = True
            fetched.heard = self._hosts.other_answer(request, self._clock())
        return fetched

    async def _download(self, request: Request) -> Response:
        engine: Any = self._crawler.engine
        if engine is None:
            raise RuntimeError("the crawl has ended")
        if hasattr(engine, "download_async"):
            response = await engine.download_async(request)
        else:  # Scrapy 2.13
            response = await maybe_deferred_to_future(engine.download(request))
        assert isinstance(response, Response)
        return response

    def prepare(self, request: Request) -> None:
        """Prepares a request for robots.txt, perhaps a retry, for the middlewares that follow."""
        if TRANSFER in request.meta:
            # A cached file would look newer than it is; see `response_downloaded`.
            request.meta["dont_cache"] = True

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Lets Scrapy's cache store a robots.txt, for a later run without the site."""
        is_failure = response.status >= 500 or response.status in {304, 429}
        if TRANSFER in request.meta and not is_failure:
            request.meta.pop("dont_cache", None)

    def _headers_received(self, headers: Headers, request: Request) -> None:
        transfer = request.meta.get(TRANSFER)
        if isinstance(transfer, Transfer):
            # Of a retry, too.
            transfer.answered, transfer.received = True, 0
            if b"Retry-After" in headers:
                request.meta["dont_retry"] = True

    def _bytes_received(self, data: bytes, request: Request) -> None:
        transfer = request.meta.get(TRANSFER)
        if not isinstance(transfer, Transfer):
            return
        transfer.answered = True
        transfer.received += len(data)
        # The download handler has read its limit already. This one bounds the decompression.
        request.meta["download_maxsize"] = _DECODED_BYTES
        if transfer.received > self.most_body:
            raise StopDownload(fail=False)
