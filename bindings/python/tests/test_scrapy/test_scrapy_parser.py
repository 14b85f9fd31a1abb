"""`VergerRobotParser`, and the functions of `verger.scrapy` that judge URLs and failures."""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-call"
import copy
import errno
import pickle
import socket
import ssl
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("scrapy", reason="Scrapy is not installed: pip install 'verger[scrapy]'")

import verger
from scrapy import exceptions
from scrapy.http import Headers, Request, Response
from scrapy.robotstxt import RobotParser
from scrapy.settings import Settings
from twisted.internet import error as tx_error
from twisted.python.failure import Failure
from twisted.web.client import ResponseNeverReceived
from verger import scrapy as module
from verger.scrapy import VergerRobotParser, _blame, _delays, _urls
from verger.scrapy._transfer import Transfer

RULES = b"User-agent: ExampleBot\nDisallow: /private\nCrawl-delay: 2.5\n"


def test_the_parser_answers_for_text_and_bytes() -> None:
    parser = VergerRobotParser.from_crawler(None, RULES)
    assert isinstance(parser, RobotParser)
    for agent in ("ExampleBot", b"ExampleBot", "Mozilla/5.0 (compatible; ExampleBot/1.0)"):
        assert not parser.allowed("https://shop.example/private", agent)
        assert not parser.allowed(b"https://shop.example/private", agent)
        assert parser.allowed("https://shop.example/", agent)
        assert parser.crawl_delay(agent) == 2.5
    assert parser.allowed("https://shop.example/private", "OtherBot")
    assert parser.crawl_delay("OtherBot") is None
    verdict = parser.robots.check("ExampleBot", "https://shop.example/private")
    assert verdict.line == 2


def test_the_parser_reads_the_dialect_setting() -> None:
    crawler: Any = SimpleNamespace(settings=Settings({"VERGER_DIALECT": "google"}))
    assert VergerRobotParser.from_crawler(crawler, b"").robots.dialect == "google"
    crawler.settings = Settings()
    assert VergerRobotParser.from_crawler(crawler, b"").robots.dialect == "rfc9309"
    crawler.settings = Settings({"VERGER_DIALECT": "unknown"})
    with pytest.raises(ValueError, match="rfc9309"):
        VergerRobotParser.from_crawler(crawler, b"")


def test_the_parser_reads_other_encodings() -> None:
    parser = VergerRobotParser.from_crawler(None, RULES.decode().encode("utf-16"))
    assert not parser.allowed("https://shop.example/private", "ExampleBot")


def test_lone_surrogates_do_not_raise() -> None:
    parser = VergerRobotParser.from_crawler(None, RULES)
    assert not parser.allowed("https://shop.example/private\ud800", "ExampleBot")
    assert parser.allowed("https://shop.example/\ud800", "ExampleBot\ud800")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://shop.example/a?b#c", "http://shop.example"),
        ("http://SHOP.example:80/", "http://shop.example"),
        ("https://shop.example:443", "https://shop.example"),
        ("https://shop.example:80/", "https://shop.example:80"),
        ("http://user:word@shop.example/", "http://shop.example"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://[::1/", None),
        ("http://shop.example:99999/", None),
        ("http:///a", None),
        ("about:blank", None),
    ],
)
def test_origins(url: str, expected: str | None) -> None:
    assert _urls.origin_of(url) == expected


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        (b"/a", "https://shop.example/a"),
        (b"b?c=1#d", "https://shop.example/x/b?c=1"),
        (b"//other.example", "https://other.example/"),
        (b"http://user:word@other.example:80/a", "http://other.example/a"),
        (b"HTTP://Other.example", "http://other.example/"),
        (b"/\xc3\xa4 b", "https://shop.example/%C3%A4%20b"),
        (b"", None),
        (b"//", None),
        (b"/\xff", None),
        (b"ftp://other.example/", None),
        (b"javascript:void(0)", None),
        (b"http://other.example:99999/", None),
        (b"/" + b"a" * 9000, None),
    ],
)
def test_targets_of_redirects(location: bytes, expected: str | None) -> None:
    assert _urls.target("https://shop.example/x/robots.txt", location) == expected


def test_several_different_locations_are_broken() -> None:
    def location(*values: str) -> bytes | None:
        headers = {"Location": list(values)}
        return _urls.location(Response("http://shop.example/", 301, headers))

    assert location("/a") == b"/a"
    assert location("/a", "/a") == b"/a"
    assert location("/a", "/b") == b""
    assert location() == b""
    assert _urls.location(Response("http://shop.example/", 304)) is None


def caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


def refused(number: int) -> Exception:
    """As the handlers for aiohttp and httpx have it."""
    return caused(exceptions.DownloadConnectionRefusedError("refused"), OSError(number, "text"))


REFUSED = exceptions.DownloadConnectionRefusedError("refused")
FAILED = exceptions.DownloadFailedError("failed")
NEVER = ResponseNeverReceived([Failure(tx_error.ConnectionLost())])
TLS = caused(exceptions.DownloadFailedError("failed"), ssl.SSLError(1, "handshake"))


@pytest.mark.parametrize(
    ("error", "direct", "proxied"),
    [
        (exceptions.CannotResolveHostError("no host"), "unclear", "crawler"),
        (tx_error.DNSLookupError("no host"), "unclear", "crawler"),
        (socket.gaierror(-2, "no host"), "unclear", "crawler"),
        (exceptions.DownloadTimeoutError("late"), "unclear", "unclear"),
        (tx_error.TCPTimedOutError(), "unclear", "unclear"),
        (tx_error.NoRouteError(), "unclear", "crawler"),
        (REFUSED, "site", "crawler"),
        (tx_error.ConnectionRefusedError(), "site", "crawler"),
        (refused(errno.ENETUNREACH), "unclear", "crawler"),
        (refused(errno.ECONNREFUSED), "site", "crawler"),
        (caused(exceptions.DownloadFailedError(), OSError(errno.EMFILE, "")), "crawler", "crawler"),
        (OSError(errno.ENFILE, ""), "crawler", "crawler"),
        (FAILED, "site", "unclear"),
        (NEVER, "site", "unclear"),
        (TLS, "site", "crawler"),
        (ConnectionResetError(errno.ECONNRESET, "reset"), "site", "unclear"),
        (exceptions.ResponseDataLossError("lost"), "site", "unclear"),
        (exceptions.DownloadCancelledError("cancelled"), "crawler", "crawler"),
        (exceptions.UnsupportedURLSchemeError("scheme"), "crawler", "crawler"),
        (exceptions.IgnoreRequest("offsite"), "crawler", "crawler"),
        (RuntimeError("strange"), "unclear", "crawler"),
    ],
    ids=repr,
)
def test_failures_are_attributed_to_site_or_crawler(
    error: Exception, direct: str, proxied: str
) -> None:
    """REP-CACHE-28."""
    request = Request("http://shop.example/robots.txt")
    through = Request("http://shop.example/robots.txt", meta={"proxy": "http://proxy.example"})
    assert _blame.of_failure(error, request, Transfer()) == direct
    assert _blame.of_failure(error, through, Transfer()) == proxied


def test_failures_after_an_answer_are_attributed_to_the_site() -> None:
    request = Request("http://shop.example/robots.txt", meta={"proxy": "http://proxy.example"})
    answered = Transfer(answered=True)
    late, lost = exceptions.DownloadTimeoutError(), exceptions.ResponseDataLossError()
    for error in (FAILED, TLS, late, lost):
        assert _blame.of_failure(error, request, answered) == "site"
    too_large = caused(exceptions.IgnoreRequest("too large"), ValueError())
    assert _blame.of_failure(too_large, request, answered) == "site"


@pytest.mark.parametrize("status", [502, 403, 407])
def test_tunnels_that_do_not_open(status: int) -> None:
    from scrapy.core.downloader.handlers.http11 import TunnelError

    text = f"Could not open CONNECT tunnel with proxy p:1 [{{'status': {status}, 'reason': b''}}]"
    request = Request("https://shop.example/robots.txt", meta={"proxy": "http://proxy.example"})
    assert _blame.of_failure(TunnelError(text), request, Transfer()) == (
        "unclear" if status == 502 else "crawler"
    )


def test_statuses_through_a_tunnel_are_the_sites() -> None:
    plain = Request("http://a.example/", meta={"proxy": "http://p.example"})
    tunnel = Request("https://a.example/", meta={"proxy": "http://p.example"})
    for status in (200, 403, 407, 429, 503):
        assert _blame.of_response(status, Headers(), tunnel) == "site"
    assert _blame.of_response(503, Headers(), plain) == "unclear"
    headers = Headers({"Proxy-Status": "p; error=http_request_denied"})
    assert _blame.of_response(200, headers, plain) == "crawler"


def test_times_of_request_rates() -> None:
    assert _delays.is_within(0, None)
    for minute, expected in ((59, False), (60, True), (120, True), (121, False)):
        assert _delays.is_within(minute, (60, 120)) == expected
    for minute, expected in ((1380, True), (0, True), (60, True), (61, False)):
        assert _delays.is_within(minute, (1380, 60)) == expected


def test_foreign_text_in_messages_is_short_and_printable() -> None:
    assert _blame.shown(b"a\xff\x1b[0m\n") == "a\\xff [0m "
    assert len(_blame.shown("a" * 1000)) == 201


def test_a_message_has_the_time_of_the_next_fetch() -> None:
    state = verger.State().after("network", 0)
    verdict = state.check(None, "ExampleBot", "https://shop.example/", 1)
    assert verdict is not None
    url = "https://shop.example/robots.txt"
    error = module.RobotsTxtUnreachable(verdict, url, "status 503", 60)
    assert str(error) == (
        "Unreachable robots.txt: https://shop.example/robots.txt: status 503; "
        "next fetch at 1970-01-01 00:01:00 UTC"
    )
    assert (error.retry_at, error.verdict) == (60, verdict)


def test_names_in_stats_and_pickles_are_public() -> None:
    for name in module.__all__:
        assert getattr(module, name).__module__ == "verger.scrapy", name


def test_exceptions_can_be_pickled() -> None:
    verdict = verger.parse(RULES).check("ExampleBot", "https://shop.example/private")
    for error in (
        module.RobotsTxtForbidden(verdict),
        module.RobotsTxtUnreachable(verdict, "https://shop.example/robots.txt", "status 503", 60),
    ):
        for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (type(other), str(other), vars(other)) == (type(error), str(error), vars(error))
