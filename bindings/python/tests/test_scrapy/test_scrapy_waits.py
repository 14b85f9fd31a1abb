"""Retries of robots.txt, requests that wait for it, and replays from Scrapy's HTTP cache."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scrapy_crawls import Crawls
from scrapy_site import Answer, Site

NewSite = Callable[..., Site]

RULES = b"User-agent: *\nDisallow: /private\n"
FORBIDDEN, UNREACHABLE = "RobotsTxtForbidden", "RobotsTxtUnreachable"
# Scrapy's defaults, which other tests switch off.
RETRIES: dict[str, Any] = {"RETRY_ENABLED": True, "RETRY_TIMES": 2}
WAITS: dict[str, Any] = {"VERGER_MAX_WAIT": 1200}


def slowly(status: int) -> Answer:
    """A failure after all requests of a crawl have begun to wait for it."""
    return Answer(status, wait=lambda: threading.Event().wait(0.5))


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_failure_that_ends_loses_no_page(crawls: Crawls, new_site: NewSite, status: int) -> None:
    site = new_site([slowly(status), Answer(body=RULES)])
    urls = [site.url(f"/{page}") for page in range(50)]
    found = crawls.run([*urls, site.url("/private")], **RETRIES)
    assert [found[url].outcome for url in urls] == ["allowed"] * 50
    assert found[site.url("/private")].outcome == FORBIDDEN
    assert (site.count(), found.stat("parked"), found.warnings) == (2, 0, [])


def test_retry_after_is_not_retried_at_once(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(503, headers=[("Retry-After", "7200")]))
    found = crawls.run([site.url("/")], **RETRIES, **WAITS)
    assert found[site.url("/")].outcome == UNREACHABLE
    assert site.count() == 1


def test_a_retry_starts_with_an_empty_body(crawls: Crawls, new_site: NewSite) -> None:
    long = b"#" * 300_000
    site = new_site([Answer(500, body=long), Answer(body=RULES + long + b"\nDisallow: /end\n")])
    found = crawls.run([site.url("/private"), site.url("/end")], **RETRIES)
    assert set(found.outcomes().values()) == {FORBIDDEN}
    assert found.stat("truncated") == 0


def test_requests_wait_until_robots_txt_answers(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site([slowly(500), Answer(503), Answer(503), Answer(body=RULES)])
    other = new_site(Answer(body=RULES), host="localhost")
    urls = [site.url(f"/{page}") for page in range(50)]
    # The other site is crawled meanwhile, although fewer requests run than wait.
    found = crawls.run(
        {"urls": [*urls, site.url("/private"), other.url("/")], "speed": 60},
        **WAITS,
        CONCURRENT_REQUESTS=4,
    )
    assert [found[url].outcome for url in urls] == ["allowed"] * 50
    assert found[site.url("/private")].outcome == FORBIDDEN
    assert found.pages[0].url == other.url("/")
    # No callback and no errback was called twice, and each fetch had one request only.
    assert len(found.pages) == 52
    assert (site.count(), other.count()) == (4, 1)
    assert found.stat("parked") >= 51 and found.stat("unreachable") == 0
    assert found.stats["robotstxt/forbidden"] == 1


def test_an_outage_that_lasts_ends_the_wait(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(500))
    urls = [site.url(f"/{page}") for page in range(5)]
    found = crawls.run({"urls": urls, "speed": 200}, **WAITS)
    assert set(found.outcomes().values()) == {UNREACHABLE}
    assert len(found.pages) == found.stat("unreachable") == 5
    # About 1, 3, 7 and 15 minutes after the first fetch.
    assert 3 <= site.count() <= 6


def test_the_number_of_waiting_requests_is_limited(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site([slowly(500), Answer(body=RULES)])
    urls = [site.url(f"/{page}") for page in range(10)]
    found = crawls.run({"urls": urls, "speed": 60}, **WAITS, VERGER_MAX_PARKED=4)
    outcomes = [found[url].outcome for url in urls]
    assert (outcomes.count("allowed"), outcomes.count(UNREACHABLE)) == (4, 6)


def test_a_response_that_somebody_awaits_does_not_wait(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(500))
    found = crawls.run({"urls": [{"url": site.url("/"), "inline": True}]}, **WAITS)
    assert found[site.url("/")].outcome == UNREACHABLE


def test_a_stopped_crawl_says_how_many_requests_are_lost(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(500))
    urls = [site.url(f"/{page}") for page in range(3)]
    found = crawls.run(urls, **WAITS, CLOSESPIDER_TIMEOUT=3)
    assert found.pages == []
    assert found.warnings[-1].endswith("Lost requests: 3.")


def test_the_timeout_of_pages_limits_that_of_robots_txt(crawls: Crawls, new_site: NewSite) -> None:
    released = threading.Event()
    site = new_site(Answer(wait=lambda: released.wait(60)))
    try:
        found = crawls.run([site.url("/")], DOWNLOAD_TIMEOUT=0.5)
    finally:
        released.set()
    assert "imeout" in found[site.url("/")].message


# Scrapy's HTTP cache


@pytest.mark.parametrize("is_found", [True, False])
@pytest.mark.parametrize("policy", ["DummyPolicy", "RFC2616Policy"])
@pytest.mark.parametrize("ignore_missing", [False, True])
def test_a_crawl_is_replayed_without_the_site(
    crawls: Crawls,
    new_site: NewSite,
    tmp_path: Path,
    is_found: bool,
    policy: str,
    ignore_missing: bool,
) -> None:
    fresh = [("Cache-Control", "max-age=86400")]
    robots = Answer(body=RULES, headers=fresh) if is_found else Answer(404, headers=fresh)
    site = new_site(robots)
    urls = [site.url(path) for path in ("/", "/a", "/private")]
    site.answers = {path: Answer(body=b"a page", headers=fresh) for path in ("/", "/a", "/private")}
    cache: dict[str, Any] = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(tmp_path),
        "HTTPCACHE_POLICY": f"scrapy.extensions.httpcache.{policy}",
    }
    first = crawls.run(urls, **cache, **WAITS)
    site.stop()
    again = crawls.run(urls, **cache, **WAITS, HTTPCACHE_IGNORE_MISSING=ignore_missing)
    assert again.outcomes() == first.outcomes()
    assert list(first.outcomes().values()).count("allowed") == (2 if is_found else 3)
    # The file is too old for new requests, and pages of the cache need none.
    later = crawls.run({"urls": urls[:2], "after": 40 * 24 * 3600}, **cache, **WAITS)
    assert set(later.outcomes().values()) == {"allowed"}


def test_a_cache_of_another_middleware_is_replayed(
    crawls: Crawls, new_site: NewSite, tmp_path: Path
) -> None:
    site = new_site(Answer(body=RULES))
    urls = [site.url("/"), site.url("/private")]
    cache: dict[str, Any] = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    scrapys = {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": 100,
        "verger.scrapy.RobotsTxtMiddleware": None,
    }
    first = crawls.run(urls, **cache, DOWNLOADER_MIDDLEWARES=scrapys)
    site.stop()
    again = crawls.run(urls, **cache)
    assert [first[url].outcome for url in urls] == ["allowed", "IgnoreRequest"]
    assert [again[url].outcome for url in urls] == ["allowed", FORBIDDEN]


def test_a_cached_robots_txt_counts_during_an_outage_only(
    crawls: Crawls, new_site: NewSite, tmp_path: Path
) -> None:
    newer = Answer(body=b"User-agent: *\nDisallow: /new\n")
    site = new_site([Answer(body=RULES), Answer(503), newer])
    cache: dict[str, Any] = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    crawls.run([site.url("/")], **cache)
    outage = crawls.run([site.url("/a"), site.url("/private")], **cache)
    assert [outage[site.url(path)].outcome for path in ("/a", "/private")] == ["allowed", FORBIDDEN]
    again = crawls.run([site.url("/b"), site.url("/new")], **cache)
    assert [again[site.url(path)].outcome for path in ("/b", "/new")] == ["allowed", FORBIDDEN]
    assert site.count() == 3
