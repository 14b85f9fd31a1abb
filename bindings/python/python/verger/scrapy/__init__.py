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
- *Waiting*: requests for an origin whose robots.txt cannot be fetched wait outside of the
  downloader, and are sent when it answers. No errback is called for them meanwhile.
- *Failures*: Scrapy's retries come first. Then robots.txt is fetched again after about 1 minute,
  then 2, 4, up to 1 hour; or after ``Retry-After``, up to 24 hours. A failure that may be the
  crawler's own (an unknown host, no route, the proxy) changes nothing unless another host has
  answered since (REP-CACHE-28).
- *Bounds*: the memory for robots.txt files and the size of a response are limited.
- *Crawl-delay*, ``Request-rate`` and ``Max-Crawl-Rate`` raise the delay of Scrapy's download
  slots.
- *Dot segments*: ``/x/../private`` is disallowed if ``/private`` is. Scrapy sends such paths as
  they are, and many servers resolve them.
- *Messages*: `RobotsTxtForbidden` names the rule and its line. `RobotsTxtUnreachable` is a
  different exception, because a later request may be allowed.

The fetches pass through Scrapy's downloader and its other middlewares: proxies, cookies and
authentication work as for pages, and so do retries, unless the site has sent ``Retry-After``.
Redirects of Scrapy are switched off, because the lifecycle follows them. The HTTP cache of Scrapy
stores robots.txt files. They decide about pages that the cache has, and about others while
robots.txt cannot be fetched. The requests ask for an uncompressed body.

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
| `VERGER_TIMEOUT` | 30 | Seconds for each response of a fetch; at most `DOWNLOAD_TIMEOUT`. |
| `VERGER_MAX_WAIT` | 1200 | Maximum wait of a request for robots.txt, in seconds. 0: none. |
| `VERGER_MAX_PARKED` | 10000 | Maximum number of waiting requests. |
| `VERGER_COPY_META` | ``["proxy", "bindaddress"]`` | Meta keys copied from the request. |

With a service:

| Setting | Default | Effect |
|---|---|---|
| `VERGER_SERVICE` | none | Address of a `verger-serve`: decisions and turns come from it. |
| `VERGER_SERVICE_TOKEN` | none | Token for the service. |

The parser reads `VERGER_DIALECT` only. Beyond the limits of memory, the origins that were not
asked about for longest are forgotten, and fetched again when they are needed.

`ROBOTSTXT_PARSER` has no effect on the middleware.

# Stats

As in Scrapy: ``robotstxt/request_count``, ``robotstxt/response_count``,
``robotstxt/response_status_count/{status}``, ``robotstxt/exception_count/{type}`` and
``robotstxt/forbidden``. Every redirect counts as a request and a response. New:

- ``robotstxt/parked``: requests that waited for robots.txt, counted once for each wait;
- ``robotstxt/unreachable``: requests dropped because robots.txt could not be fetched;
- ``robotstxt/local_fault``: fetches whose failure may be the crawler's own;
- ``robotstxt/truncated``: downloads stopped at `VERGER_MAX_BODY`;
- ``robotstxt/evicted``: origins dropped from memory to keep the bounds;
- ``robotstxt/crawl_delay_capped``: files whose delay exceeds `VERGER_MAX_CRAWL_DELAY`.

# With a service

With `VERGER_SERVICE`, the middleware asks a service ``verger-serve`` for each request: may it be
sent, and when? All crawls and other workers that share the service are polite together, and each
robots.txt is fetched once for all. The service reserves a turn at the origin; the turn ends with
the response, and its status. Then:

- `VERGER_DIALECT` defaults to that of the service. The other settings above have no effect; the
  service has its own, also its access profile.
- One request to an origin runs at a time, with the pause of its file, at least one second. Delays
  of Scrapy apply in addition.
- `verdict` of the exceptions is a `ServiceVerdict`: `allowed`, `reason`, `line`, and the ``answer``
  of the service with its evidence.
- Without an answer of the service, nothing is sent: requests wait, and end with
  `RobotsTxtUnreachable`, as without a service.
- Stats are ``robotstxt/forbidden``, ``robotstxt/unreachable``, ``robotstxt/turns``,
  ``robotstxt/service_errors``, and ``robotstxt/lost_turns``: turns that ended before the response.

# Crawl delays

An allowed request raises the delay of its download slot to the crawl delay, or to the interval of
``Request-rate`` or ``Max-Crawl-Rate`` if that is longer. The slot then starts one request at a time
without random variation. A delay is never lowered: a longer `DOWNLOAD_DELAY` stays. AutoThrottle
may raise the delay further; what it lowers is raised again. Scrapy has one slot for all origins of
a host name, so the longest of their delays applies. ``Visit-time`` is ignored.

# Trying again later

After the maximum wait, a spider can tell the two exceptions apart in an errback::

    def on_error(self, failure):
        if failure.check(RobotsTxtUnreachable):
            self.later.append((failure.value.retry_at, failure.request))
        elif failure.check(RobotsTxtForbidden):
            self.logger.info("%s", failure.value)
"""

from __future__ import annotations

try:
    from ._middleware import RobotsTxtMiddleware
    from ._parser import VergerRobotParser
except ModuleNotFoundError as error:
    if error.name not in {"scrapy", "twisted", "w3lib"}:
        raise
    raise ImportError(
        "verger.scrapy needs Scrapy 2.13 or newer: pip install 'verger[scrapy]'", name=error.name
    ) from error

from .. import Robots as Robots
from .. import Verdict as Verdict
from ._exceptions import RobotsTxtForbidden, RobotsTxtUnreachable
from ._turn import ServiceVerdict

__all__ = [
    "RobotsTxtForbidden",
    "RobotsTxtMiddleware",
    "RobotsTxtUnreachable",
    "ServiceVerdict",
    "VergerRobotParser",
]

# The names in stats, pickles and tracebacks.
for _found in (
    RobotsTxtForbidden,
    RobotsTxtMiddleware,
    RobotsTxtUnreachable,
    ServiceVerdict,
    VergerRobotParser,
):
    _found.__module__ = __name__
