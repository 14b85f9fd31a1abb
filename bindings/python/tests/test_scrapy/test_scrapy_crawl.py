"""Real crawls of sites on this machine, with Scrapy's downloader and default middlewares."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from typing import Any

from scrapy_crawls import HAS_SIGNAL, Crawls
from scrapy_site import Answer, Site

NewSite = Callable[..., Site]

RULES = b"User-agent: *\nDisallow: /private\n"
FORBIDDEN, UNREACHABLE = "RobotsTxtForbidden", "RobotsTxtUnreachable"
HOUR = 3600


def test_rules_decide_and_the_message_names_the_line(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(body=RULES))
    found = crawls.run([site.url("/"), site.url("/private/1")])
    assert found.outcomes() == {site.url("/"): "allowed", site.url("/private/1"): FORBIDDEN}
    assert found[site.url("/private/1")].message == (
        "Forbidden by robots.txt: disallowed by `Disallow: /private` on line 2, "
        "in the group for `*` (line 1)"
    )
    assert (site.count(), site.count("/private/1")) == (1, 0)
    assert (found.stat("forbidden"), found.stat("unreachable")) == (1, 0)
    assert (found.stat("request_count"), found.stat("response_status_count/200")) == (1, 1)
    if HAS_SIGNAL:
        assert [signal["text"] for signal in found.parsed] == [RULES.decode()]


def test_statuses(crawls: Crawls, new_site: NewSite) -> None:
    expected = {
        200: "allowed",
        202: UNREACHABLE,  # without a body
        204: "allowed",
        206: UNREACHABLE,
        300: UNREACHABLE,
        304: UNREACHABLE,  # nobody asked for it
        401: "allowed",
        403: "allowed",
        404: "allowed",
        410: "allowed",
        429: UNREACHABLE,
        500: UNREACHABLE,
        503: UNREACHABLE,
        599: UNREACHABLE,
    }
    sites = {status: new_site(Answer(status)) for status in expected}
    found = crawls.run([site.url("/") for site in sites.values()])
    outcomes = found.outcomes()
    assert {status: outcomes[site.url("/")] for status, site in sites.items()} == expected
    assert {site.count() for site in sites.values()} == {1}
    unreachable = list(expected.values()).count(UNREACHABLE)
    assert found.stat("unreachable") == unreachable
    assert len(found.warnings) == unreachable
    assert "status 503; next fetch at " in found[sites[503].url("/")].message


def test_the_access_profile_decides_the_meaning_of_statuses(
    crawls: Crawls, new_site: NewSite
) -> None:
    site = new_site(Answer(403))
    found = crawls.run([site.url("/")], VERGER_ACCESS_PROFILE="strict")
    assert found[site.url("/")].outcome == FORBIDDEN
    assert "access to robots.txt was denied" in found[site.url("/")].message


def test_retry_after_sets_the_next_fetch(crawls: Crawls, new_site: NewSite) -> None:
    wait = ("Retry-After", str(2 * HOUR))
    site = new_site([Answer(429, headers=[wait]), Answer(body=RULES)])
    url = site.url("/")
    found = crawls.run(
        [url],
        {"urls": [url, site.url("/private")], "after": HOUR},
        {"urls": [url, site.url("/private")], "after": 2 * HOUR + 60},
    )
    first, second, third = (page for page in found.pages if page.url == url)
    assert (first.outcome, second.outcome, third.outcome) == (UNREACHABLE, UNREACHABLE, "allowed")
    assert first.retry_at is not None
    assert -5 < first.retry_at - (first.now + 2 * HOUR) < 60
    assert second.retry_at == first.retry_at
    assert found[site.url("/private")].outcome == FORBIDDEN
    assert site.count() == 2


def test_redirects_are_followed_for_the_first_origin(crawls: Crawls, new_site: NewSite) -> None:
    last = new_site(Answer(body=RULES), host="localhost")
    last.answers["/rules"] = Answer(body=b"User-agent: *\nDisallow: /moved\n")
    site = new_site()
    # Five redirects, with every status, relative and absolute.
    hops = [
        (301, "/1"),
        (302, "2"),
        (303, site.url("/3")),
        (307, "/4#f"),
        (308, last.url("/rules")),
    ]
    for at, (status, location) in enumerate(hops):
        answer = Answer(status, headers=[("Location", location)])
        if at == 0:
            site.robots = answer
        else:
            site.answers[f"/{at}"] = answer
    urls = [site.url("/moved"), site.url("/private"), last.url("/moved"), last.url("/private")]
    # A spider that stays on one host: OffsiteMiddleware does not stop the redirect.
    found = crawls.run(urls)
    assert list(found.outcomes().values()).count(FORBIDDEN) == 2
    assert found[site.url("/moved")].outcome == FORBIDDEN
    assert found[last.url("/private")].outcome == FORBIDDEN
    assert found.stat("request_count") == 7


def test_too_many_redirects_and_loops_allow(crawls: Crawls, new_site: NewSite) -> None:
    def to(location: str) -> Answer:
        return Answer(301, body=b"moved", headers=[("Location", location)])

    far = new_site(to("/0"))
    for hop in range(10):
        far.answers[f"/{hop}"] = to(f"/{hop + 1}")
    loop = new_site(to("/a"))
    loop.answers["/a"] = to("/robots.txt")
    itself = new_site(to("/robots.txt"))
    nowhere = new_site(Answer(301))
    elsewhere = new_site(to("ftp://shop.example/robots.txt"))
    sites = [far, loop, itself, nowhere, elsewhere]
    found = crawls.run([site.url("/") for site in sites])
    assert [found[site.url("/")].outcome for site in sites] == (
        ["allowed", "allowed", "allowed", UNREACHABLE, UNREACHABLE]
    )
    # Five redirects are followed: six requests.
    assert (far.count("/4"), far.count("/5")) == (1, 0)
    assert (loop.count(), loop.count("/a"), itself.count()) == (3, 3, 6)


def test_a_repeated_url_is_requested_again(crawls: Crawls, new_site: NewSite) -> None:
    again = Answer(302, headers=[("Location", "/robots.txt")])
    site = new_site([again, again, Answer(body=RULES)])
    found = crawls.run([site.url("/private")])
    assert (found[site.url("/private")].outcome, site.count()) == (FORBIDDEN, 3)


def test_http_and_https_are_separate(crawls: Crawls, new_site: NewSite) -> None:
    plain = new_site(Answer(body=b"User-agent: *\nDisallow: /plain\n"))
    secure = new_site(Answer(body=b"User-agent: *\nDisallow: /secure\n"), tls=True)
    urls = [site.url(path) for site in (plain, secure) for path in ("/plain", "/secure")]
    found = crawls.run(urls)
    assert list(map(found.outcomes().get, urls)) == [FORBIDDEN, "allowed", "allowed", FORBIDDEN]
    assert (plain.count(), secure.count()) == (1, 1)


def test_redirects_from_https_to_http(crawls: Crawls, new_site: NewSite) -> None:
    plain = new_site(Answer(body=RULES))
    secure = new_site(Answer(301, headers=[("Location", plain.url("/robots.txt"))]), tls=True)
    url = secure.url("/private")
    assert crawls.run([url])[url].outcome == FORBIDDEN
    found = crawls.run([url, secure.url("/")], VERGER_ACCESS_PROFILE="strict")
    assert set(found.outcomes().values()) == {UNREACHABLE}
    assert plain.count() == 1
    # From http to https nothing is lost.
    upgraded = new_site(Answer(301, headers=[("Location", secure.url("/up"))]))
    secure.answers["/up"] = Answer(body=RULES)
    found = crawls.run(
        [upgraded.url("/"), upgraded.url("/private")], VERGER_ACCESS_PROFILE="strict"
    )
    assert list(found.outcomes().values()).count(FORBIDDEN) == 1


def test_concurrent_requests_share_one_fetch(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site()
    # All requests are waiting when the answer comes, or at least some of them.
    site.robots = Answer(body=RULES, wait=lambda: threading.Event().wait(1))
    urls = [site.url(f"/{page}") for page in range(49)] + [site.url("/private")]
    found = crawls.run(urls)
    assert site.count() == 1
    assert list(found.outcomes().values()).count("allowed") == 49
    assert found[site.url("/private")].outcome == FORBIDDEN
    answered = site.of()[0].answered_at
    assert answered is not None
    assert all(hit.at >= answered for hit in site.hits if hit.path != "/robots.txt")


def test_concurrent_requests_share_one_failure(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(500))
    found = crawls.run([site.url(f"/{page}") for page in range(50)])
    assert site.count() == 1
    assert set(found.outcomes().values()) == {UNREACHABLE}
    assert found.stat("unreachable") == 50


def test_age_and_conditional_requests(crawls: Crawls, new_site: NewSite) -> None:
    headers = [
        ("Cache-Control", "max-age=600"),
        ("ETag", '"1"'),
        ("Last-Modified", "Sun, 01 Nov 2026 00:00:00 GMT"),
    ]
    newer = Answer(body=b"User-agent: *\nDisallow: /new\n", headers=headers)
    site = new_site([Answer(body=RULES, headers=headers), Answer(304, headers=headers), newer])
    urls = [site.url("/private"), site.url("/new")]
    found = crawls.run(
        urls,
        {"urls": urls, "after": 500},  # fresh
        {"urls": urls, "after": 700},  # due; the old file answers meanwhile
        {"urls": urls, "after": 1200, "settled": True},  # renewed
        {"urls": urls, "after": 1200 + 25 * HOUR},  # too old to answer meanwhile
    )
    outcomes = [page.outcome for page in found.pages if page.url == site.url("/private")]
    assert outcomes == [FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN, "allowed"]
    assert found[site.url("/new")].outcome == FORBIDDEN
    first, second, third = site.of()
    assert "if-none-match" not in first.headers
    for hit in (second, third):
        assert hit.headers["if-none-match"] == '"1"'
        assert hit.headers["if-modified-since"] == "Sun, 01 Nov 2026 00:00:00 GMT"
    if HAS_SIGNAL:
        # A 304 brings no new file.
        assert len(found.parsed) == 2


def test_the_old_file_answers_while_it_is_fetched_again(crawls: Crawls, new_site: NewSite) -> None:
    page_came = threading.Event()
    headers = [("Cache-Control", "max-age=600")]
    slow = Answer(body=b"", headers=headers, wait=lambda: page_came.wait(60))
    site = new_site([Answer(body=RULES, headers=headers), slow])
    site.answers["/during"] = Answer(wait=page_came.set)
    found = crawls.run(
        [site.url("/")],
        {"urls": [site.url("/during"), site.url("/private")], "after": HOUR},
        {"urls": [site.url("/private")], "after": HOUR + 60, "settled": True},
    )
    assert found[site.url("/during")].outcome == "allowed"
    during, after = (page for page in found.pages if page.url == site.url("/private"))
    assert during.outcome == FORBIDDEN
    assert after.outcome == "allowed"
    assert site.count() == 2
    refreshed = site.of()[1].answered_at
    assert refreshed is not None
    assert site.of("/during")[0].at <= refreshed


def test_a_file_is_fetched_again_after_a_day(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site([Answer(body=RULES), Answer(404)])
    url = site.url("/private")
    found = crawls.run(
        [url], {"urls": [url], "after": 23 * HOUR}, {"urls": [url], "after": 25 * HOUR}
    )
    assert [page.outcome for page in found.pages] == [FORBIDDEN, FORBIDDEN, "allowed"]
    assert site.count() == 2


def test_an_outage_after_a_success_keeps_the_file(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site([Answer(body=RULES), Answer(503), Answer(503), Answer(404)])
    urls = [site.url("/"), site.url("/private")]
    found = crawls.run(
        urls,
        {"urls": urls, "after": 25 * HOUR},
        {"urls": urls, "after": 25 * HOUR + 10},  # not yet due
        {"urls": urls, "after": 25 * HOUR + 120},
        {"urls": urls, "after": 25 * HOUR + 120 + 300},
    )
    outcomes = [(page.url == urls[0], page.outcome) for page in found.pages]
    assert [outcome for is_first, outcome in outcomes if is_first] == ["allowed"] * 5
    assert [outcome for is_first, outcome in outcomes if not is_first] == (
        [FORBIDDEN] * 4 + ["allowed"]
    )
    assert site.count() == 4
    assert found.stat("unreachable") == 0
    assert sum("Cannot fetch" in warning for warning in found.warnings) == 2


def test_an_outage_from_the_beginning_disallows_and_is_tried_again(
    crawls: Crawls, new_site: NewSite
) -> None:
    site = new_site([Answer(500), Answer(500), Answer(500), Answer(404)])
    url = site.url("/")
    steps = [{"urls": [url], "after": after} for after in (0, 10, 120, 130, 600, 2000)]
    found = crawls.run(*steps)
    assert [page.outcome for page in found.pages] == [UNREACHABLE] * 5 + ["allowed"]
    assert site.count() == 4


def test_crawl_delay_spaces_requests(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(body=b"User-agent: *\nCrawl-delay: 1\n"), host="localhost")
    found = crawls.run([site.url(f"/{page}") for page in range(4)], RANDOMIZE_DOWNLOAD_DELAY=True)
    assert set(found.outcomes().values()) == {"allowed"}
    assert all(page.slot == {"delay": 1.0, "concurrency": 1, "jitter": 0.0} for page in found.pages)
    # The fetch of robots.txt and four pages; the first may have come late.
    begins = sorted(hit.at for hit in site.hits)
    assert begins[-1] - begins[0] >= 3.5
    answered = sorted(hit.answered_at or 0 for hit in site.hits)
    assert all(begin >= end for begin, end in zip(begins[1:], answered, strict=False))


def test_crawl_delay_has_a_limit_and_lowers_nothing(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(body=b"User-agent: *\nCrawl-delay: 900\nRequest-rate: 1/2\n"))
    urls = [site.url("/")]
    found = crawls.run(urls, VERGER_MAX_CRAWL_DELAY=0.25)
    assert found.pages[0].slot["delay"] == 0.25
    assert found.stat("crawl_delay_capped") == 1
    found = crawls.run(urls, VERGER_MAX_CRAWL_DELAY=0)
    assert found.pages[0].slot["delay"] == 0
    assert found.pages[0].slot["concurrency"] == 100
    found = crawls.run(urls, VERGER_MAX_CRAWL_DELAY=0.25, DOWNLOAD_DELAY=1)
    assert found.pages[0].slot == {"delay": 1, "concurrency": 1, "jitter": 0.5}
    found = crawls.run(urls, VERGER_MAX_CRAWL_DELAY=0.75, DOWNLOAD_DELAY=1)
    assert found.pages[0].slot == {"delay": 1, "concurrency": 1, "jitter": 0}
    for _ in range(2):
        site.robots = Answer(body=b"User-agent: *\nRequest-rate: 10/4\n")
        found = crawls.run(urls)
        assert found.pages[0].slot["delay"] == 0.4


def test_autothrottle_does_not_go_below_the_crawl_delay(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(body=b"User-agent: *\nCrawl-delay: 1\n"), host="localhost")
    found = crawls.run(
        [site.url(f"/{page}") for page in range(4)],
        AUTOTHROTTLE_ENABLED=True,
        AUTOTHROTTLE_START_DELAY=0.1,
        AUTOTHROTTLE_TARGET_CONCURRENCY=100,
    )
    assert all(page.slot["delay"] >= 1 for page in found.pages)
    begins = sorted(hit.at for hit in site.hits)
    assert begins[-1] - begins[0] >= 3.5


def test_a_long_file_is_cut(crawls: Crawls, new_site: NewSite) -> None:
    line = b"# " + b"x" * 97 + b"\n"
    head = b"User-agent: *\nDisallow: /early\n" + line * 6000
    # 600 KB, then 60 MB more: more than buffers hold.
    site = new_site(Answer(body=head + b"Disallow: /late\n" + line * 6000, repeat=50))
    found = crawls.run([site.url("/early"), site.url("/late")])
    assert found[site.url("/early")].outcome == FORBIDDEN
    assert found[site.url("/late")].outcome == "allowed"
    assert found.stat("truncated") == 1
    assert site.of()[0].sent < 50_000_000


def test_an_incomplete_body_allows_nothing(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(body=RULES, stated_length=1000))
    found = crawls.run([site.url("/")], DOWNLOAD_FAIL_ON_DATALOSS=False)
    assert found[site.url("/")].outcome == UNREACHABLE
    assert site.count() == 1


def test_compressed_bodies(crawls: Crawls, new_site: NewSite) -> None:
    def coded(coding: str, body: bytes) -> Answer:
        return Answer(body=body, headers=[("Content-Encoding", coding)])

    proper = new_site(coded("gzip", gzip.compress(RULES)))
    unknown = new_site(coded("x-unknown", RULES))
    bomb = new_site(coded("gzip", gzip.compress(bytes(64_000_000), 1)))
    found = crawls.run([site.url("/private") for site in (proper, unknown, bomb)])
    assert proper.of()[0].headers["accept-encoding"] == "identity"
    assert found[proper.url("/private")].outcome == FORBIDDEN
    assert found[unknown.url("/private")].outcome == UNREACHABLE
    assert found[bomb.url("/private")].outcome == UNREACHABLE


def test_a_crawl_ends_during_a_fetch(crawls: Crawls, new_site: NewSite) -> None:
    released = threading.Event()
    site = new_site(Answer(body=RULES, wait=lambda: released.wait(30)))
    timer = threading.Timer(3, released.set)
    timer.start()
    found = crawls.run([site.url("/private")], CLOSESPIDER_TIMEOUT=1)
    assert found.stats["finish_reason"] == "closespider_timeout"
    assert all(page.outcome != "allowed" for page in found.pages)
    # A refresh in the background, which no request waits for.
    headers = [("Cache-Control", "max-age=600")]
    timer = threading.Timer(3, released.set)
    released.clear()
    slow = Answer(301, headers=[("Location", "/a")], wait=lambda: released.wait(30))
    site.robots = [Answer(body=RULES, headers=headers), slow]
    timer.start()
    found = crawls.run([site.url("/private")], {"urls": [site.url("/private")], "after": HOUR})
    assert [page.outcome for page in found.pages] == [FORBIDDEN, FORBIDDEN]


def test_a_refused_connection_is_the_sites_fault(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site()
    site.stop()
    found = crawls.run([site.url("/")])
    assert found[site.url("/")].outcome == UNREACHABLE
    assert (found.stat("local_fault"), found.stat("unreachable")) == (0, 1)


def test_a_fault_of_the_crawler_changes_nothing(crawls: Crawls, new_site: NewSite) -> None:
    """REP-CACHE-28."""
    site = new_site([Answer(body=RULES), Answer(404)])
    lost = "twisted.internet.error.DNSLookupError"
    unknown = "http://unknown.example/robots.txt"
    other = new_site(host="localhost")
    urls = ["http://unknown.example/"]
    # No other host has answered.
    found = crawls.run(urls, raises={unknown: lost})
    assert found.pages[0].outcome == UNREACHABLE
    assert "DNSLookupError: DNS lookup failed: on purpose" in found.pages[0].message
    assert found.stat("local_fault") == 1
    # Another host has answered: the site's fault.
    found = crawls.run([other.url("/")], urls, raises={unknown: lost})
    assert found.pages[1].outcome == UNREACHABLE
    assert found.stat("local_fault") == 0
    # Another middleware refused the fetch.
    refused = "scrapy.exceptions.IgnoreRequest"
    found = crawls.run([other.url("/")], [site.url("/")], raises={site.url("/robots.txt"): refused})
    assert found.pages[1].outcome == UNREACHABLE
    assert found.stat("local_fault") == 1
    assert site.count() == 0
    # Profile `archive` allows everything if a site cannot be reached. A lost network opens nothing.
    found = crawls.run(urls, raises={unknown: lost}, VERGER_ACCESS_PROFILE="archive")
    assert found.pages[0].outcome == UNREACHABLE


def test_a_file_outlives_a_fault_of_the_crawler(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(body=RULES))
    urls = [site.url("/private"), site.url("/")]
    steps = [{"urls": urls, "after": after} for after in (0, 26 * HOUR, 26 * HOUR + 10)]
    # The second fetch fails.
    found = crawls.run(*steps, TEST_RAISES_AFTER={site.url("/robots.txt"): 1})
    private = [page.outcome for page in found.pages if page.url == urls[0]]
    assert private == [FORBIDDEN] * 3
    assert found[urls[1]].outcome == "allowed"
    assert found.stat("local_fault") == 1


def test_requests_that_need_no_robots_txt(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(body=b"User-agent: *\nDisallow: /\n"))
    unchecked = {"url": site.url("/"), "meta": {"dont_obey_robotstxt": True}}
    found = crawls.run({"urls": ["data:text/plain,Hello", site.url("/robots.txt"), unchecked]})
    assert set(found.outcomes().values()) == {"allowed"}
    # The spider's own request.
    assert site.count() == 1
    assert found.stat("request_count") == 0
    found = crawls.run([site.url("/")], ROBOTSTXT_OBEY=False)
    assert found.pages[0].outcome == "allowed"


def test_user_agents(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(body=b"User-agent: one\nDisallow: /\nUser-agent: *\nAllow: /\n"))
    one, other = {"User-Agent": "One/1.0"}, {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64)"}
    urls = [{"url": site.url("/1"), "headers": one}, {"url": site.url("/2"), "headers": other}]
    found = crawls.run({"urls": [*urls, site.url("/3")]})
    assert list(map(found.outcomes().get, map(site.url, ("/1", "/2", "/3")))) == (
        [FORBIDDEN, "allowed", "allowed"]
    )
    found = crawls.run({"urls": urls}, ROBOTSTXT_USER_AGENT="One")
    assert set(found.outcomes().values()) == {FORBIDDEN}
    found = crawls.run([site.url("/")], USER_AGENT="One/2.0 (+https://one.example/)")
    assert set(found.outcomes().values()) == {FORBIDDEN}
    assert {hit.headers["user-agent"] for hit in site.of()} == {
        "ExampleBot/1.0 (+https://bot.example/)",
        "One/2.0 (+https://one.example/)",
    }


def test_the_number_of_origins_is_bounded(crawls: Crawls, new_site: NewSite) -> None:
    sites = [new_site(Answer(body=RULES)) for _ in range(3)]
    order = [0, 1, 0, 2, 0, 1]
    found = crawls.run(*([sites[at].url("/private")] for at in order), VERGER_MAX_ORIGINS=2)
    assert {page.outcome for page in found.pages} == {FORBIDDEN}
    assert [site.count() for site in sites] == [1, 2, 1]
    assert found.stat("evicted") == 2
    found = crawls.run(*([site.url("/private")] for site in sites * 2), VERGER_MAX_MEMORY=1)
    assert [site.count() for site in sites] == [3, 4, 3]


def test_the_http_cache_of_scrapy_is_not_used(
    crawls: Crawls, new_site: NewSite, tmp_path: object
) -> None:
    site = new_site([Answer(body=RULES), Answer(404)])
    settings: dict[str, Any] = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    urls = [site.url("/private")]
    assert crawls.run(urls, **settings).pages[0].outcome == FORBIDDEN
    assert crawls.run(urls, **settings).pages[0].outcome == "allowed"


def test_a_proxy_is_used_and_its_own_answers_are_not_the_sites(
    crawls: Crawls, new_site: NewSite
) -> None:
    proxy = new_site()
    robots, page = "http://shop.example/robots.txt", "http://shop.example/private"
    urls = [{"url": page, "meta": {"proxy": proxy.origin}}]
    via = ("Via", "1.1 proxy")
    proxy.answers[robots] = Answer(body=RULES, headers=[via])
    assert crawls.run({"urls": urls}).pages[0].outcome == FORBIDDEN
    assert proxy.count(robots) == 1
    cases = [
        (Answer(404, headers=[via]), "allowed", 0),
        (Answer(403, headers=[via]), "allowed", 0),
        (Answer(403), UNREACHABLE, 1),
        (Answer(407), UNREACHABLE, 1),
        (Answer(200, headers=[("X-Squid-Error", "ERR_ACCESS_DENIED 0")]), UNREACHABLE, 1),
        (Answer(503, headers=[via]), UNREACHABLE, 1),
    ]
    for answer, outcome, faults in cases:
        proxy.answers[robots] = answer
        found = crawls.run({"urls": urls})
        assert (found.pages[0].outcome, found.stat("local_fault")) == (outcome, faults), answer
    # Another host has answered through the proxy.
    proxy.answers[robots] = Answer(503)
    first = {"url": "http://other.example/", "meta": {"proxy": proxy.origin}}
    found = crawls.run({"urls": [first]}, {"urls": urls})
    assert (found.pages[1].outcome, found.stat("local_fault")) == (UNREACHABLE, 0)


def test_credentials_of_a_proxy_are_used_after_a_redirect(
    crawls: Crawls, new_site: NewSite
) -> None:
    proxy = new_site()
    moved = Answer(301, headers=[("Location", "http://other.example/private")])
    proxy.answers["http://shop.example/"] = moved
    proxy.answers["http://other.example/robots.txt"] = Answer(body=RULES)
    place = proxy.origin.replace("http://", "http://user:word@")
    found = crawls.run({"urls": [{"url": "http://shop.example/", "meta": {"proxy": place}}]})
    assert found.pages[0].outcome == FORBIDDEN
    assert [hit.path for hit in proxy.hits] == [
        "http://shop.example/robots.txt",
        "http://shop.example/",
        "http://other.example/robots.txt",
    ]
    credentials = {hit.headers.get("proxy-authorization") for hit in proxy.hits}
    assert credentials == {"Basic dXNlcjp3b3Jk"}


def test_a_tunnel_that_does_not_open_is_not_the_sites_fault(
    crawls: Crawls, new_site: NewSite
) -> None:
    proxy = new_site()
    through = {"proxy": proxy.origin}
    page = {"url": "https://shop.example/", "meta": through}
    other = {"url": "http://other.example/", "meta": through}
    for status, faults_alone, faults_after_another in ((403, 1, 1), (502, 1, 0)):
        proxy.answers["shop.example:443"] = Answer(status)
        found = crawls.run({"urls": [page]})
        assert found.pages[0].outcome == UNREACHABLE
        assert found.stat("local_fault") == faults_alone, status
        found = crawls.run({"urls": [other]}, {"urls": [page]})
        assert found.pages[1].outcome == UNREACHABLE
        assert found.stat("local_fault") == faults_after_another, status
    # A proxy that is down.
    proxy.stop()
    for url in (page, other):
        found = crawls.run({"urls": [url]})
        assert (found.pages[0].outcome, found.stat("local_fault")) == (UNREACHABLE, 1)


def test_googles_profile_stops_at_a_disallowed_hop(crawls: Crawls, new_site: NewSite) -> None:
    """REP-ACCESS-22."""
    other = new_site(Answer(body=RULES), host="localhost")
    other.answers["/private"] = Answer(body=b"User-agent: *\nDisallow: /\n")
    site = new_site(Answer(301, headers=[("Location", other.url("/private"))]))
    steps = [[other.url("/")], [site.url("/")]]
    assert crawls.run(*steps)[site.url("/")].outcome == FORBIDDEN
    found = crawls.run(*steps, VERGER_ACCESS_PROFILE="google")
    assert found[site.url("/")].outcome == "allowed"


def test_a_warning_if_scrapys_middleware_runs_too(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(body=RULES))
    both = {"verger.scrapy.RobotsTxtMiddleware": 100}
    found = crawls.run([site.url("/private")], DOWNLOADER_MIDDLEWARES=both)
    assert found.pages[0].outcome != "allowed"
    assert any("Set it to None" in warning for warning in found.warnings)


def test_the_parser_in_scrapys_middleware(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(body=RULES))
    found = crawls.run(
        [site.url("/"), site.url("/private")],
        DOWNLOADER_MIDDLEWARES={},
        ROBOTSTXT_PARSER="verger.scrapy.VergerRobotParser",
    )
    assert found[site.url("/")].outcome == "allowed"
    assert found[site.url("/private")].message == "Forbidden by robots.txt"
