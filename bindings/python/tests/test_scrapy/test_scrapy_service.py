"""Real crawls that ask a service: the program `verger-serve`."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy_crawls import Crawls
from scrapy_site import Answer, Site

NewSite = Callable[..., Site]

RULES = b"User-agent: *\nDisallow: /private\n"
FORBIDDEN, UNREACHABLE = "RobotsTxtForbidden", "RobotsTxtUnreachable"

_BUILT = Path(__file__).parents[4] / "target" / "debug" / "verger-serve"
PROGRAM = (
    os.environ.get("VERGER_SERVE")
    or shutil.which("verger-serve")
    or (str(_BUILT) if _BUILT.exists() else None)
)
TOKEN = "0123456789abcdef0123456789abcdef"

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="needs verger-serve (VERGER_SERVE)")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    tokens = tmp_path_factory.mktemp("service") / "tokens"
    tokens.write_text(f"{TOKEN}\n")
    tokens.chmod(0o600)
    assert PROGRAM is not None
    options = ["--listen", "127.0.0.1:0", "--allow-net", "127.0.0.0/8", "--log", "json"]
    # A `verger.toml` of this folder is not for the test.
    process = subprocess.Popen(
        [PROGRAM, *options, "--token-file", str(tokens)],
        stderr=subprocess.PIPE,
        text=True,
        cwd="/",
    )
    try:
        assert process.stderr is not None
        listening = (line for line in process.stderr if '"listening"' in line)
        yield f"http://{json.loads(next(listening))['address']}"
    finally:
        process.terminate()
        process.communicate(timeout=30)


def settings(service: str) -> dict[str, Any]:
    return {"VERGER_SERVICE": service, "VERGER_SERVICE_TOKEN": TOKEN}


def test_decisions_come_from_the_service(crawls: Crawls, new_site: NewSite, service: str) -> None:
    site = new_site(Answer(body=RULES))
    found = crawls.run([site.url("/"), site.url("/private/1")], **settings(service))
    assert found.outcomes() == {site.url("/"): "allowed", site.url("/private/1"): FORBIDDEN}
    assert found[site.url("/private/1")].message == (
        "Forbidden by robots.txt: disallowed by `Disallow: /private` on line 2"
    )
    # The service has fetched robots.txt, and Scrapy the page.
    assert site.of()[0].headers["user-agent"].startswith("verger-serve/")
    assert site.of("/")[0].headers["user-agent"].startswith("ExampleBot/")
    assert (site.count(), site.count("/private/1")) == (1, 0)
    assert (found.stat("forbidden"), found.stat("turns"), found.stat("lost_turns")) == (1, 1, 0)


def test_requests_keep_the_pause_of_the_file(
    crawls: Crawls, new_site: NewSite, service: str
) -> None:
    site = new_site(Answer(body=b"User-agent: *\nCrawl-delay: 1.5\n"))
    urls = [site.url(f"/{number}") for number in range(4)]
    found = crawls.run(urls, **settings(service))
    assert set(found.outcomes().values()) == {"allowed"}
    times = sorted(hit.at for url in range(4) for hit in site.of(f"/{url}"))
    assert min(later - earlier for earlier, later in itertools.pairwise(times)) > 1.4
    assert found.stat("lost_turns") == 0


def test_without_rules_the_record_decides(crawls: Crawls, new_site: NewSite, service: str) -> None:
    expected = {404: "allowed", 403: "allowed", 429: UNREACHABLE, 503: UNREACHABLE}
    sites = {status: new_site(Answer(status)) for status in expected}
    gone = new_site()
    gone.stop()
    urls = [site.url("/") for site in [*sites.values(), gone]]
    found = crawls.run(urls, **settings(service))
    outcomes = found.outcomes()
    assert {status: outcomes[site.url("/")] for status, site in sites.items()} == expected
    assert outcomes[gone.url("/")] == UNREACHABLE
    page = found[sites[503].url("/")]
    assert "status 503; next fetch at " in page.message
    assert page.retry_at is not None
    assert page.retry_at > page.now
    assert found.stat("unreachable") == 3


def test_each_request_of_a_redirect_or_a_repetition_has_its_turn(
    crawls: Crawls, new_site: NewSite, service: str
) -> None:
    site = new_site(Answer(body=RULES))
    site.answers["/from"] = Answer(302, headers=[("Location", "/to")])
    site.answers["/over"] = Answer(302, headers=[("Location", "/private/1")])
    site.answers["/broken"] = Answer(500)
    found = crawls.run(
        [site.url("/from"), site.url("/over"), site.url("/broken")],
        **settings(service),
        RETRY_ENABLED=True,
        RETRY_TIMES=1,
    )
    assert found[site.url("/from")].outcome == "allowed"
    assert found[site.url("/over")].outcome == FORBIDDEN
    assert (site.count("/to"), site.count("/private/1"), site.count("/broken")) == (1, 0, 2)
    # /from, /to, /over and /broken twice.
    assert (found.stat("turns"), found.stat("lost_turns")) == (5, 0)


def test_requests_that_are_not_sent_give_their_turn_up(
    crawls: Crawls, new_site: NewSite, service: str
) -> None:
    site = new_site(Answer(body=RULES))
    dropped, sent = site.url("/dropped"), site.url("/sent")
    found = crawls.run(
        [dropped],
        [sent],
        raises={dropped: "scrapy.exceptions.IgnoreRequest"},
        **settings(service),
    )
    assert found.outcomes() == {dropped: "IgnoreRequest", sent: "allowed"}
    assert (found.stat("turns"), found.stat("lost_turns")) == (2, 0)


def test_nothing_is_sent_without_the_service(crawls: Crawls, new_site: NewSite) -> None:
    site = new_site(Answer(body=RULES))
    closed = new_site()
    closed.stop()
    found = crawls.run([site.url("/")], VERGER_SERVICE=closed.origin)
    assert found[site.url("/")].outcome == UNREACHABLE
    assert "the service" in found[site.url("/")].message
    assert site.hits == []
    assert found.stat("service_errors") == 3


def test_a_wrong_token_sends_nothing(crawls: Crawls, new_site: NewSite, service: str) -> None:
    site = new_site(Answer(body=RULES))
    wrong: dict[str, Any] = {"VERGER_SERVICE": service, "VERGER_SERVICE_TOKEN": "x" * 32}
    found = crawls.run([site.url("/")], **wrong)
    assert found[site.url("/")].outcome == UNREACHABLE
    assert "status 401" in found[site.url("/")].message
    assert site.hits == []


def test_an_address_of_no_service_is_an_error(crawls: Crawls) -> None:
    with pytest.raises(AssertionError, match="VERGER_SERVICE: expected an address"):
        crawls.run(["http://127.0.0.1:1/"], VERGER_SERVICE="127.0.0.1:8730")


def test_the_service_sees_the_back_off_of_a_page(
    crawls: Crawls, new_site: NewSite, service: str
) -> None:
    site = new_site(Answer(body=RULES))
    site.answers["/busy"] = Answer(429, headers=[("Retry-After", "600")])
    crawls.run([site.url("/busy")], **settings(service), RETRY_ENABLED=False)
    question = json.dumps({"agent": "ExampleBot", "url": site.url("/"), "wait_ms": 0})
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
    request = urllib.request.Request(f"{service}/v1/turns", question.encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        turn = json.load(response)
    assert not turn["granted"]
    assert turn["wait_ms"] > 500_000
