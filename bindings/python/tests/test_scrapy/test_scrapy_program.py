"""The decisions of a crawl equal those of the program ``verger check``, which fetches by itself."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from local_site import PROGRAM
from scrapy_crawls import Crawls
from scrapy_site import Answer, Site, certificate

RULES = b"User-agent: ExampleBot\nDisallow: /private\nAllow: /private/open\n"
PATHS = ["/", "/private", "/private/open?x=1", "/PRIVATE", "/%70rivate", "/robots.txt"]


def to(location: str, status: int = 301) -> Answer:
    return Answer(status, headers=[("Location", location)])


@pytest.mark.skipif(PROGRAM is None, reason="the program `verger` is not built")
@pytest.mark.parametrize("profile", ["rfc9309", "google", "strict", "archive", "koster1996"])
def test_decisions_equal_the_programs(
    profile: str, crawls: Crawls, new_site: Callable[..., Site], tmp_path: Path
) -> None:
    statuses = [200, 201, 204, 205, 206, 300, 304, 305, 400, 401, 403, 404, 410, 429, 500, 503]
    sites = [new_site(Answer(status, RULES)) for status in statuses]
    sites.append(new_site(Answer(202)))
    for line in (b"\xef\xbb\xbf" + RULES, RULES.decode().encode("utf-16"), b"<html>" + RULES):
        sites.append(new_site(Answer(body=line)))
    sites.append(new_site(Answer(body=RULES + b"#" * 600_000 + b"\nDisallow: /\n")))
    sites.append(new_site(Answer(body=RULES), tls=True))
    target = new_site(Answer(body=RULES), host="localhost")
    places = ["/robots.txt", "/none", target.url("/robots.txt"), "", "ftp://a.example", "//", "?x"]
    sites += [new_site(to(place)) for place in places]
    sites.append(new_site(to(target.url("/robots.txt")), tls=True))
    for hops in (5, 6):
        site = new_site(to("/hop1"))
        for hop in range(1, hops):
            site.answers[f"/hop{hop}"] = to(f"hop{hop + 1}", 302)
        site.answers[f"/hop{hops}"] = Answer(body=RULES)
        sites.append(site)
    cut = new_site(Answer(body=RULES, stated_length=5000))
    closed = new_site()
    closed.stop()
    sites += [cut, closed]

    urls = [site.url(path) for site in sites for path in PATHS]
    # Redirects and retries of pages would be other requests.
    found = crawls.run(
        urls, VERGER_ACCESS_PROFILE=profile, RETRY_ENABLED=False, REDIRECT_ENABLED=False
    ).pages
    # A page with another status than 200 was allowed, too.
    forbidding = {"RobotsTxtForbidden", "RobotsTxtUnreachable"}
    by_crawl = {page.url: page.outcome not in forbidding for page in found}

    authority = tmp_path / "authority.pem"
    authority.write_bytes(certificate()[0])
    assert PROGRAM is not None
    command = [PROGRAM, "check", "--agent", "ExampleBot", "--store", "memory", "--access", profile]
    command += ["--allow-net", "127.0.0.0/8", "--allow-net", "::1/128"]
    command += ["--ca-file", str(authority), "--format", "jsonl", *urls]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    by_url = {answer["url"]: answer for answer in answers}
    assert by_url.keys() == set(urls), ended.stderr
    differences = [
        f"{url}: {by_crawl[url]}, but the program: {answer}"
        for url, answer in by_url.items()
        if by_crawl[url] != answer["allowed"]
    ]
    assert not differences, "\n".join(differences)
