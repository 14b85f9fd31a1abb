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
        copy = request.copy()
        middleware, response = self._find(copy)
        if middleware is None or response is None:
            return middleware is not None and bool(middleware.ignore_missing)
        return bool(middleware.policy.is_cached_response_fresh(response, copy))

    def response(self, url: str) -> Response | None:
        """Returns the cached response for a URL, however old it is."""
        return self._find(Request(url))[1]

    def _find(self, request: Request) -> tuple[Any, Response | None]:
        """The middleware of the cache, if it takes the request, and its response."""
        middleware: Any = self._crawler.get_downloader_middleware(HttpCacheMiddleware)
        is_cache = isinstance(middleware, HttpCacheMiddleware)
        is_excluded = request.meta.get("dont_cache", False)
        if not is_cache or is_excluded or not middleware.policy.should_cache_request(request):
            return None, None
        try:
            return middleware, middleware.storage.retrieve_response(self._crawler.spider, request)
        except Exception:
            # A damaged entry. The cache treats it as missing.
            return middleware, None


def sent_at(headers: list[tuple[bytes, bytes]]) -> float | None:
    """Returns the time at which a site sent a response; ``None`` if it is unknown."""
    try:
        return parsedate_to_datetime(dict(headers)[b"Date"].decode()).timestamp()
    except (KeyError, TypeError, ValueError):
        return None
