"""Short crawls with another reactor, and with asyncio without a reactor."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scrapy_crawls import Crawls
from scrapy_site import Answer, Site

RULES = b"User-agent: *\nDisallow: /private\nCrawl-delay: 0.1\n"


@pytest.mark.parametrize("reactor", ["select", "none"])
def test_another_reactor(reactor: str, new_site: Callable[..., Site]) -> None:
    with Crawls(reactor) as crawls:
        site, down = new_site(Answer(body=RULES)), new_site(Answer(503), host="localhost")
        moved = new_site(Answer(301, headers=[("Location", site.url("/robots.txt"))]))
        urls = [site.url(path) for path in ("/", "/2", "/3", "/private")]
        found = crawls.run([*urls, down.url("/"), moved.url("/private")])
        assert found[site.url("/3")].outcome == "allowed"
        assert found[site.url("/private")].outcome == "RobotsTxtForbidden"
        assert found[moved.url("/private")].outcome == "RobotsTxtForbidden"
        assert found[down.url("/")].outcome == "RobotsTxtUnreachable"
        # Its own fetch, and that of the other site's redirect.
        assert (site.count(), down.count()) == (2, 1)
        assert found[site.url("/3")].slot["delay"] == 0.1

        long = Answer(body=RULES + b"#\n" * 300_000 + b"Disallow: /\n")
        found = crawls.run([new_site(long).url("/")])
        assert (found.pages[0].outcome, found.stat("truncated")) == ("allowed", 1)
        found = crawls.run([new_site(Answer(body=RULES, stated_length=1000)).url("/")])
        assert found.pages[0].outcome == "RobotsTxtUnreachable"
        gone = new_site()
        gone.stop()
        found = crawls.run([gone.url("/")])
        assert (found.pages[0].outcome, found.stat("local_fault")) == ("RobotsTxtUnreachable", 0)
