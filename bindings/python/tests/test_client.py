"""Checks, turns and pages of the client, with a server on this machine."""

from __future__ import annotations

import asyncio
import gc
import json
import pickle
import subprocess
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import verger
from local_site import AGENT, LOCAL, PROGRAM, Site

if not hasattr(verger, "Client"):
    pytest.skip("built without the client", allow_module_level=True)

DEAD = "http://127.0.0.1:1/"
"""A port without a server."""


def test_bytes_outside_utf_8_are_part_of_the_url(site: Site) -> None:
    site.robots = (200, b"User-agent: *\nDisallow: /v/%F0\n")
    with verger.Client(AGENT, pause=0, **LOCAL) as client:
        for url in (f"{site.url}/v/\udcf0", f"{site.url}/v/".encode() + b"\xf0"):
            decision = client.check(url)
            assert not decision and decision.url == f"{site.url}/v/%F0"
            (found,) = client.check_all([url])
            assert isinstance(found, verger.Decision) and found.url == decision.url
            with pytest.raises(verger.Disallowed):
                client.turn(url)
        with pytest.raises(TypeError, match=r"urls\[1\]: expected str or bytes"):
            client.check_all([site.url, None])  # type: ignore[list-item]


def test_results_are_logged_for_debugging(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "verger")
    with verger.Client(AGENT, pause=0, **LOCAL) as client:
        client.check(f"{site.url}/cart")
        client.check_all([f"{site.url}/a"])
        client.get(f"{site.url}/page")
    found = [record.getMessage() for record in caplog.records if record.name == "verger"]
    assert len(found) == 3 and "Disallow: /cart" in found[0] and "<Page" in found[2]


def test_directives_of_any_response() -> None:
    headers = [("X-Robots-Tag", "GPTBot: noarchive"), ("x-robots-tag", "ExampleBot: nosnippet")]
    body = "<meta name=robots content='noindex, max-image-preview:none'>"
    found = verger.page.directives("ExampleBot/1.0", headers, body)
    assert sorted(found) == ["max-image-preview:none", "noindex", "nosnippet"]
    assert verger.page.directives(verger.Crawler("GPTBot"), dict(headers[:1])) == ["noarchive"]
    with pytest.raises(ValueError, match="agent: "):
        verger.page.directives("*", {})
    with pytest.raises(ValueError, match="nobody"):
        verger.page.directives(AGENT, {}, combine="nobody")


def test_checks_have_evidence_and_fetch_once(site: Site) -> None:
    with verger.Client(AGENT, **LOCAL) as client:
        decision = client.check(f"{site.url}/cart")
        assert (bool(decision), decision.line, decision.source) == (False, 2, "fetch")
        assert (decision.reason, decision.temporary, decision.retry_in) == ("rule", False, None)
        assert decision.rule is not None and decision.rule.pattern == "/cart"
        assert decision.group is not None and decision.group.agents == ["*"]
        assert decision.evidence["status"] == 200 and len(decision.evidence["sha256"]) == 64
        answer = json.loads(decision.to_json())
        assert (answer["url"], answer["agent"], answer["allowed"]) == (decision.url, AGENT, False)
        assert answer["rule"]["pattern"] == "/cart" and answer["decision"] == decision.evidence
        assert client.check(f"{site.url}/x").source == "store"
        decisions = client.check_all([f"{site.url}/1", f"{site.url}/cart", "nope"])
        assert [bool(one) for one in decisions[:2]] == [True, False]
        assert isinstance(decisions[2], verger.InvalidUrl)
        with pytest.raises(TypeError, match="urls: expected an iterable of URLs, but found str"):
            client.check_all("ab")
        assert client.sitemaps(site.url + "/") == [f"{site.url}/sitemap.xml"]
    assert site.log == ["/robots.txt"]


@pytest.mark.skipif(PROGRAM is None, reason="the program `verger` is not built")
def test_the_program_verifies_saved_decisions(site: Site, tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_bytes(site.robots[1])
    crawlers = [
        verger.Crawler.chain(["OtherBot", AGENT]),
        verger.Crawler.union(["OtherBot", AGENT]),
        verger.Crawler.named("AdsBot-Google"),
        verger.Crawler.named("Googlebot-News"),
    ]
    with verger.Client(AGENT, **LOCAL) as client:
        found = client.check_all([f"{site.url}/cart/1", site.url])
        found += [client.check(f"{site.url}/cart", agent=crawler) for crawler in crawlers]
        found.append(client.check(f"{site.url}/cart", dialect="orig1994"))
    decisions = [one for one in found if isinstance(one, verger.Decision)]
    decisions += pickle.loads(pickle.dumps(decisions))
    saved = tmp_path / "decisions.jsonl"
    saved.write_text("".join(f"{decision.to_json()}\n" for decision in decisions))

    def verify(file: Path) -> subprocess.CompletedProcess[str]:
        program = [str(PROGRAM), "verify", "--robots", str(tmp_path / "robots.txt"), str(file)]
        return subprocess.run(program, capture_output=True, text=True)

    done = verify(saved)
    assert done.returncode == 0, done
    saved.write_text(decisions[0].to_json().replace("/cart/1", "/1"))
    assert verify(saved).returncode == 1


def test_another_agent_is_checked_in_the_dialect_of_the_client(site: Site) -> None:
    site.robots = (200, b"User-agent: *\nDisallow: /*.gif\n\nUser-agent: other\nDisallow: /\n")
    url = f"{site.url}/a.gif"
    with verger.Client(AGENT, dialect="orig1994", **LOCAL) as client:
        # A literal `*` in the text of 1994.
        assert client.check(url) and client.check(url, agent=AGENT)
        assert not client.check(url, dialect="rfc9309")
        assert not client.check(url, agent=AGENT, dialect="rfc9309")
        assert client.check(url, agent="Other").line == 5
        unknown: Any = "gopher"
        with pytest.raises(ValueError, match="rfc9309"):
            client.check(url, dialect=unknown)
        with pytest.raises(ValueError, match="product token"):
            client.check(url, agent="*")

    async def main() -> None:
        async with verger.AsyncClient(AGENT, dialect="orig1994", **LOCAL) as client:
            assert await client.check(url, agent=AGENT)
            assert not await client.check(url, dialect="rfc9309")

    asyncio.run(main())


def test_a_server_error_allows_nothing(site: Site) -> None:
    site.robots = (503, b"")
    with verger.Client(AGENT, **LOCAL) as client:
        with pytest.raises(verger.Unreachable) as error:
            client.get(f"{site.url}/page")
        assert error.value.temporary and error.value.retry_in is not None
        assert error.value.retry_in > 0
        decision = error.value.decision
        assert decision.temporary and not decision.local_fault
        assert decision.retry_in is not None and 0 < decision.retry_in <= 120
    assert site.log == ["/robots.txt"]


def test_sitemaps_of_a_site_that_cannot_be_reached_are_unknown(site: Site) -> None:
    with verger.Client(AGENT, **LOCAL) as client:
        with pytest.raises(verger.Unreachable) as error:
            client.sitemaps(DEAD)
        # A port that is never tried again.
        assert error.value.decision.failure and error.value.retry_in is None
        site.robots = (404, b"")
        assert client.sitemaps(site.url) == []
    with verger.Client(AGENT, offline=True) as client:
        with pytest.raises(verger.Unreachable):
            client.sitemaps(DEAD)


def test_a_refresh_returns_the_new_decision(site: Site) -> None:
    url = f"{site.url}/cart"
    with verger.Client(AGENT, **LOCAL) as client:
        assert not client.check(url)
        site.robots = (200, b"")
        assert not client.check(url) and client.refresh(url)
        assert site.log == ["/robots.txt"] * 2
        site.robots = (503, b"")
        decision = client.refresh(url)
        # The earlier file still applies.
        assert decision and "503" in (decision.failure or "")
        assert client.sitemaps(url) == []
        assert "does not connect" in (client.refresh(DEAD).failure or "")


@pytest.mark.parametrize("method", ["check", "turn", "get", "refresh", "sitemaps"])
def test_text_that_is_no_url_is_an_error_of_the_package(method: str) -> None:
    with verger.Client(AGENT) as client:
        call = getattr(client, method)
        for wrong in ["nope", "", "/cart", "https://", b"\xff", "\ud800", "https://a:99999/"]:
            with pytest.raises(verger.InvalidUrl) as error:
                call(wrong)
            assert isinstance(error.value, ValueError) and not error.value.temporary
        if method != "check":
            with pytest.raises(verger.InvalidUrl, match="http"):
                call("data:,x")


def test_private_addresses_are_refused(site: Site) -> None:
    with verger.Client(AGENT) as client:
        decision = client.check(f"{site.url}/")
        assert (
            not decision and decision.local_fault and "does not connect" in (decision.failure or "")
        )
    assert site.log == []


# Turns


def test_a_turn_is_permission_for_one_request(site: Site) -> None:
    with verger.Client(AGENT, pause=0.01, **LOCAL) as client:
        with client.turn(f"{site.url}/other") as permit:
            assert permit.decision and permit.waited >= 0
            assert permit.report(301, {"Location": "/next"}) == f"{site.url}/next"
            # Only the first report counts.
            assert permit.report(301, {"Location": "/other"}) is None
        with pytest.raises(verger.Disallowed) as error:
            client.turn(f"{site.url}/cart")
        assert error.value.decision.line == 2 and not error.value.temporary


def test_headers_are_mappings_or_pairs(site: Site) -> None:
    with verger.Client(AGENT, pause=0, **LOCAL) as client:
        forms: list[Any] = [
            {"location": "/a"},
            {b"Location": b"/a"},
            [("Location", "/a"), ("X", "y")],
            iter([(b"Location", "/a")]),
        ]
        for headers in forms:
            assert client.turn(site.url).report(302, headers) == f"{site.url}/a"
        assert client.turn(site.url).report(200) is None
        wrong: Any = ["Location"]
        with pytest.raises(TypeError, match="headers: expected a mapping, or pairs"):
            client.turn(site.url).report(302, wrong)


def test_a_refused_address_is_not_tried_again() -> None:
    with verger.Client(AGENT) as client, pytest.raises(verger.Unreachable) as error:
        client.turn("http://169.254.169.254/x")
    assert (error.value.temporary, error.value.retry_in) == (False, None)


def test_a_turn_is_free_again_after_release_report_or_the_end_of_a_block(site: Site) -> None:
    with verger.Client(AGENT, pause=0, max_wait=0.2, **LOCAL) as client:
        held = client.turn(site.url)
        with pytest.raises(verger.ClientBusy) as error:
            client.turn(site.url)
        assert error.value.temporary
        held.release()
        client.turn(site.url).report(200)
        with client.turn(site.url):
            pass
        lost = client.turn(site.url)
        del lost
        gc.collect()
        client.turn(site.url).release()


def test_a_failed_request_delays_the_next_one(site: Site) -> None:
    with verger.Client(AGENT, pause=0, max_wait=0, **LOCAL) as client:
        client.turn(site.url).report_failure()
        with pytest.raises(verger.WaitTooLong) as error:
            client.turn(site.url)
        assert error.value.temporary and 30 < error.value.retry_in <= 120
    with verger.Client(AGENT, pause=0, max_wait=0, **LOCAL) as client:
        client.turn(site.url).report(429, {"Retry-After": "300"})
        with pytest.raises(verger.WaitTooLong) as error:
            client.turn(site.url)
        assert 290 < error.value.retry_in <= 300


def test_a_closed_client_ends_its_calls(site: Site) -> None:
    site.slow = 5.0

    async def main() -> None:
        client = verger.AsyncClient(AGENT, **LOCAL)
        waiting = asyncio.create_task(client.check(site.url))
        while not site.log:
            await asyncio.sleep(0.01)
        await client.close()
        with pytest.raises(verger.CheckError, match="closed") as error:
            await waiting
        assert error.value.temporary

    asyncio.run(main())
    client = verger.Client(AGENT, **LOCAL)
    client.close()
    client.close()
    with pytest.raises(RuntimeError, match="closed"):
        client.check(site.url)


# Pages


def test_pages_have_directives(site: Site) -> None:
    with verger.Client(AGENT, pause=0.01, **LOCAL) as client:
        page = client.get(f"{site.url}/page")
        assert (page.ok, page.status, page.url) == (True, 200, f"{site.url}/page")
        assert (page.noindex, page.nofollow, page.truncated) == (True, False, False)
        assert page.directives() == ["noindex"]
        assert page.body == site.page[1] and page.decision
        assert ("content-type", b"text/html") in page.headers
        site.fields = {"X-Robots-Tag": "nofollow, max-snippet:5"}
        page = client.get(f"{site.url}/page")
        assert page.nofollow and page.waited > 0
        assert set(page.directives("bing")) == {"noindex", "nofollow", "max-snippet:5"}
        with pytest.raises(ValueError, match="google"):
            page.directives("gopher")


def test_a_failed_fetch_of_a_page_is_an_outcome(site: Site) -> None:
    site.page = (500, b"")
    with verger.Client(AGENT, pause=0, **LOCAL) as client:
        page = client.get(f"{site.url}/page")
        assert (page.ok, page.status, page.body) == (False, 500, b"") and "500" in page.outcome


# Options that change a crawl


def test_a_store_survives_the_client(site: Site, tmp_path: Path) -> None:
    store = tmp_path / "robots.sqlite"
    for source in ("fetch", "store"):
        with verger.Client(AGENT, store=store, max_store_bytes=10_000_000, **LOCAL) as client:
            assert client.check(f"{site.url}/").source == source
    with verger.Client(AGENT, store=store, offline=True) as client:
        assert client.check(f"{site.url}/cart").line == 2
        with pytest.raises(verger.Offline):
            client.turn(f"{site.url}/")


def test_a_small_store_forgets(site: Site, tmp_path: Path) -> None:
    for _ in range(2):
        store = tmp_path / "robots.sqlite"
        with verger.Client(AGENT, store=store, max_store_bytes=0, **LOCAL) as client:
            assert client.check(f"{site.url}/").source == "fetch"


def test_the_identity_is_in_every_request(site: Site) -> None:
    header = "ExampleBot/1.0 (+https://bot.example/)"
    with verger.Client(AGENT, header, from_address="bot@shop.example", **LOCAL) as client:
        client.get(f"{site.url}/page")
    assert site.log == ["/robots.txt", "/page"]
    for hit in site.hits:
        assert (hit.headers["user-agent"], hit.headers["from"]) == (header, "bot@shop.example")


def test_a_proxy_gets_all_requests(site: Site) -> None:
    with verger.Client(AGENT, proxy=site.url, **LOCAL) as client:
        assert client.check("http://shop.example/cart").line == 2
    assert site.log == ["http://shop.example/robots.txt"]


def test_max_age_limits_the_age_of_a_stored_file(site: Site) -> None:
    cases: list[tuple[Any, int]] = [({}, 1), ({"max_age": 3600}, 1), ({"max_age": 0}, 2)]
    for options, fetches in cases:
        site.hits.clear()
        with verger.Client(AGENT, answers_while_refreshing=False, **options, **LOCAL) as client:
            client.check(site.url)
            time.sleep(1.1)
            client.check(site.url)
        assert len(site.log) == fetches, options


def test_crawl_delays_have_a_maximum(site: Site) -> None:
    site.robots = (200, b"User-agent: *\nCrawl-delay: 900\n")
    cases: list[tuple[Any, int]] = [
        ({}, 300),
        ({"max_pause": 2}, 2),
        ({"max_pause": 1, "pause": 5}, 5),
    ]
    for options, longest in cases:
        with verger.Client(AGENT, max_wait=0, **options, **LOCAL) as client:
            client.turn(site.url).report(200)
            with pytest.raises(verger.WaitTooLong) as error:
                client.turn(site.url)
            assert longest - 2 < error.value.retry_in <= longest
            assert longest - 2 < client.check(site.url).delay <= longest


def test_requests_to_one_site_may_be_concurrent(site: Site) -> None:
    options: Any = {"max_requests_per_site": 2, "max_connections_per_address": 8}
    with verger.Client(AGENT, pause=0, max_wait=0.2, **options, **LOCAL) as client:
        with client.turn(site.url), client.turn(site.url):
            with pytest.raises(verger.ClientBusy):
                client.turn(site.url)


def test_visit_times_are_respected_unless_switched_off(site: Site) -> None:
    later = datetime.now(timezone.utc) + timedelta(hours=2)
    window = f"{later:%H%M}-{later + timedelta(hours=1):%H%M}"
    site.robots = (200, f"User-agent: *\nVisit-time: {window}\n".encode())
    with verger.Client(AGENT, max_wait=0, **LOCAL) as client:
        assert client.check(site.url).delay > 3600
        with pytest.raises(verger.WaitTooLong) as error:
            client.turn(site.url)
        assert 3600 < error.value.retry_in <= 7200
    with verger.Client(AGENT, max_wait=0, visit_times=False, **LOCAL) as client:
        client.turn(site.url).release()
