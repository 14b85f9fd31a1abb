"""Scrapy's HTTP cache: it answers requests without the site, and has robots.txt files."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.httpcache import HttpCacheMiddleware
from scrapy.http import Request, Response

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class HttpCache:
    """The cache of a crawl, if it has one. Nothing here changes a request."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    def answers(self, request: Request) -> bool:
        """Returns whether the cache ends a request, so that nothing is sent to the site."""
        middleware, copy = self._middleware(), request.copy()
        if middleware is None or not _is_cacheable(middleware, copy):
            return False
        response = _response(middleware, self._crawler, copy)
        if response is None:
            return bool(middleware.ignore_missing)
        return bool(middleware.policy.is_cached_response_fresh(response, copy))

    def response(self, url: str) -> Response | None:
        """Returns the cached response for a URL, however old it is."""
        middleware, request = self._middleware(), Request(url)
        if middleware is None or not _is_cacheable(middleware, request):
            return None
        return _response(middleware, self._crawler, request)

    def _middleware(self) -> Any:
        middleware = self._crawler.get_downloader_middleware(HttpCacheMiddleware)
        return middleware if isinstance(middleware, HttpCacheMiddleware) else None


def _is_cacheable(middleware: Any, request: Request) -> bool:
    is_excluded = request.meta.get("dont_cache", False)
    return not is_excluded and bool(middleware.policy.should_cache_request(request))


def _response(middleware: Any, crawler: Crawler, request: Request) -> Response | None:
    try:
        response: Response | None = middleware.storage.retrieve_response(crawler.spider, request)
    except Exception:
        # A damaged entry. The cache treats it as missing.
        return None
    return response


def sent_at(headers: list[tuple[bytes, bytes]]) -> float | None:
    """Returns the time at which a site sent a response; ``None`` if it is unknown."""
    try:
        return parsedate_to_datetime(dict(headers)[b"Date"].decode()).timestamp()
    except (KeyError, TypeError, ValueError):
        return None
