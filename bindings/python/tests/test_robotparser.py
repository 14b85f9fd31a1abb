"""The interface of `urllib.robotparser`."""

from __future__ import annotations

import copy
import gzip
import pickle
import threading
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import verger.robotparser
from verger import _fetch
from verger.robotparser import RobotFileParser

LINES = [
    "User-agent: *",
    "Disallow: /cart",
    "Crawl-delay: 2",
    "Request-rate: 1/10",
    "",
    "User-agent: FigTree",
    "User-agent: Other",
    "Disallow:",
    "Allow: /a",
    "Sitemap: https://shop.example/a.xml",
]


def parsed(lines: Any = LINES) -> RobotFileParser:
    parser = RobotFileParser()
    parser.parse(lines)
    return parser


def test_nothing_is_allowed_before_the_file_is_read() -> None:
    parser = RobotFileParser("https://shop.example/robots.txt")
    assert not parser.can_fetch("ExampleBot", "https://shop.example/")
    assert (parser.host, parser.path) == ("shop.example", "/robots.txt")
    assert parser.mtime() == 0
    assert (parser.crawl_delay("x"), parser.request_rate("x")) == (None, None)
    assert parser.site_maps() is None
    parser.modified()
    assert parser.mtime() > 0
    assert parser.can_fetch("ExampleBot", "https://shop.example/")


def test_answers() -> None:
    parser = parsed()
    assert not parser.can_fetch("ExampleBot", "https://shop.example/cart")
    assert parser.can_fetch("FigTree/1.0", "https://shop.example/cart")
    assert not parser.can_fetch("*", "/cart")
    assert parser.crawl_delay("ExampleBot") == 2 and isinstance(parser.crawl_delay("x"), int)
    assert parser.request_rate("ExampleBot") == verger.robotparser.RequestRate(1, 10)
    assert parser.site_maps() == parser.sitemaps == ["https://shop.example/a.xml"]
    assert parser.robots.check("ExampleBot", "/cart").line == 2


@pytest.mark.parametrize(
    "lines",
    [
        (line for line in LINES),
        [f"{line}\n" for line in LINES],
        [f"{line}\r\n" for line in LINES],
        [line.encode() for line in LINES],
        "\n".join(LINES),
        "\n".join(LINES).encode(),
        ["\ufeff" + LINES[0], *LINES[1:]],
    ],
    ids=["generator", "LF", "CRLF", "bytes", "str", "whole bytes", "byte order mark"],
)
def test_forms_of_lines(lines: Any) -> None:
    parser = parsed(lines)
    assert not parser.can_fetch("ExampleBot", "https://shop.example/cart")
    assert parser.robots.check("ExampleBot", "/cart").line == 2


def test_a_second_parse_replaces_the_first() -> None:
    parser = parsed()
    parser.parse(["User-agent: *", "Disallow: /other"])
    assert parser.can_fetch("ExampleBot", "/cart")
    assert not parser.can_fetch("ExampleBot", "/other")


def test_a_failed_parse_changes_nothing() -> None:
    parser = RobotFileParser()
    with pytest.raises(TypeError, match="expected lines as str or bytes, but found NoneType"):
        parser.parse(["User-agent: *", None])  # type: ignore[list-item]
    assert not parser.can_fetch("ExampleBot", "/")


def test_flags_may_be_set() -> None:
    parser = parsed()
    parser.allow_all = True
    assert parser.can_fetch("ExampleBot", "/cart")
    parser.disallow_all = True
    assert not parser.can_fetch("ExampleBot", "/")


def test_entries() -> None:
    parser = parsed()
    default, entry = parser.entries
    assert entry.useragents == ["FigTree", "Other"]
    assert [(rule.path, rule.allowance) for rule in entry.rulelines] == [("", True), ("/a", True)]
    assert entry.applies_to("figtree/2") and not entry.applies_to("ExampleBot")
    assert entry.delay is None and entry.allowance("/cart")
    assert str(default) == str(parser.default_entry) and default.applies_to("ExampleBot")
    assert default.applies_to(None) and not entry.applies_to(None)
    assert (default.delay, default.req_rate) == (2, verger.robotparser.RequestRate(1, 10))
    assert not default.allowance("/cart") and default.allowance("/x")
    (rule,) = default.rulelines
    assert rule.applies_to("/cart/1") and not rule.applies_to("/x")
    assert not rule.applies_to("/robots.txt")
    for path in ("/robots", "/*.txt$", "*", "/%72obots.txt"):
        rule = verger.robotparser.RuleLine(path, False)
        for name in ("/robots.txt", "https://shop.example/robots.txt", "/robots.txt#top"):
            assert rule.applies_to(name), (path, name)
    assert parsed([]).default_entry is None and parsed([]).entries == []


def test_groups_have_the_rules_by_name() -> None:
    parser = parsed([*LINES, "User-agent: figtree", "Crawl-delay: 3", "Disallow: /b"])
    assert list(parser.groups) == ["*", "figtree", "other"]
    merged = parser.groups["figtree"]
    assert [rule.path for rule in merged.rulelines] == ["", "/a", "/b"]
    assert merged.delay == 3 and merged.applies_to("FigTree/1.0")
    for path in ("/a", "/b", "/cart"):
        assert merged.allowance(path) == parser.can_fetch("FigTree", path)
    assert parser.groups["*"].delay == 2 and parsed([]).groups == {}


def test_names_are_those_of_the_engine() -> None:
    parser = parsed(
        "User-agent: GPTBot/1.1\nUser-agent: *bot\nDisallow: /a\n\n"
        "User-agent: * text\nDisallow: /b\n"
    )
    named, default = parser.entries
    assert list(parser.groups) == ["gptbot", "*"]
    assert str(parser.default_entry) == str(default) == "User-agent: * text\nDisallow: /b"
    assert default.applies_to(None) and default.applies_to("x") and not default.allowance("/b")
    assert named.applies_to("gptbot") and not named.applies_to("bot") and not named.applies_to(None)
    assert not parser.can_fetch("GPTBot", "/a") and not parser.can_fetch("x", "/b")


def test_an_entry_can_be_made() -> None:
    entry = verger.robotparser.Entry()
    assert str(entry) == "" and not entry.applies_to("x") and entry.allowance("/")
    entry.useragents.append("ExampleBot")
    assert str(entry) == "User-agent: ExampleBot\nAllow:"
    assert entry.applies_to("examplebot/2") and not entry.applies_to("Other")
    entry.rulelines.append(verger.robotparser.RuleLine("/cart", False))
    assert not entry.allowance("/cart/1") and entry.allowance("/")
    entry.rulelines.append(verger.robotparser.RuleLine("/cart/help", True))
    entry.delay, entry.req_rate = 2, verger.robotparser.RequestRate(1, 10)
    assert entry.allowance("/cart/help")
    assert str(entry) == (
        "User-agent: ExampleBot\nCrawl-delay: 2\nRequest-rate: 1/10\n"
        "Disallow: /cart\nAllow: /cart/help"
    )
    assert str(pickle.loads(pickle.dumps(entry))) == str(copy.deepcopy(entry)) == str(entry)


@pytest.mark.parametrize(
    "pattern", [b"/caf\xe9", b"/caf\xc3\xa9", b"/*.gif$", b"/a%2Fb", b"/\\xe9", b"/\xff*\xfe"]
)
def test_groups_and_rules_have_the_answers_of_the_file(pattern: bytes) -> None:
    body = b"User-agent: *\nDisallow: " + pattern + b"\nAllow: /caf\xe9/menu\n"
    parser = parsed(body)
    entry = parser.default_entry
    assert entry is not None
    rule = entry.rulelines[0]
    paths = ["/caf%E9", "/caf%E8", "/caf%C3%A9", "/caf%E9/menu", "/a.gif", "/a.gif?", "/a%2fb"]
    for path in [*paths, "/a/b", "/\\xe9", "/%FFa%FE", "/%FF"]:
        allowed = parser.can_fetch("x", path)
        assert entry.allowance(path) == allowed, path
        alone = parsed(b"User-agent: *\nDisallow: " + pattern)
        assert rule.applies_to(path) != alone.can_fetch("x", path), path


def test_copies_cannot_be_assigned() -> None:
    parser = parsed()
    for name in ("entries", "groups", "default_entry", "sitemaps"):
        with pytest.raises(AttributeError):
            setattr(parser, name, [])
    parser.entries.clear()
    assert len(parser.entries) == 2


def test_text() -> None:
    assert str(parsed()) == (
        "User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/10\nDisallow: /cart\n\n"
        "User-agent: FigTree\nUser-agent: Other\nAllow: \nAllow: /a"
    )


class Shop(RobotFileParser):
    """A subclass, as users have it."""

    lines = 0

    def parse(self, lines: Any) -> None:
        found = list(lines)
        self.lines = len(found)
        super().parse(found)


def test_pickle_and_copy() -> None:
    parser = Shop("https://shop.example/robots.txt")
    parser.parse(LINES)
    for again in (pickle.loads(pickle.dumps(parser)), copy.copy(parser), copy.deepcopy(parser)):
        assert isinstance(again, Shop) and again.mtime() == parser.mtime()
        assert not again.can_fetch("ExampleBot", "/cart")
        assert str(again) == str(parser)


# Reading


class Server(ThreadingHTTPServer):
    """A server whose answer is set by a test: status, headers, body."""

    status = 200
    headers: Sequence[tuple[str, str]] = ()
    body = b"User-agent: *\nDisallow: /cart\n"
    slow_header = 0.0
    """Seconds between the bytes of an endless header."""

    def answer(self, status: int, body: bytes = b"", **headers: str | list[str]) -> None:
        self.status, self.body = status, body
        self.headers = [
            (name.replace("_", "-"), value)
            for name, values in headers.items()
            for value in ([values] if isinstance(values, str) else values)
        ]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The client may close the connection first."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/robots.txt"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"User-agent: *\nDisallow: /moved\n")
            return
        if self.server.slow_header:
            try:
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
                while self.server.slow_header:
                    self.wfile.write(b"x")
                    time.sleep(self.server.slow_header)
            except OSError:
                return
        self.send_response(self.server.status)
        for name, value in self.server.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def read(server: Server) -> RobotFileParser:
    parser = RobotFileParser(server.url)
    parser.read()
    return parser


def test_read(server: Server) -> None:
    parser = read(server)
    assert parser.mtime() > 0 and not parser.allow_all and not parser.disallow_all
    assert not parser.can_fetch("ExampleBot", "/cart") and parser.can_fetch("ExampleBot", "/")
    parser.set_url(urllib.request.Request(server.url, headers={"User-Agent": "ExampleBot/1.0"}))
    parser.read()
    assert not parser.can_fetch("ExampleBot", "/cart")


@pytest.mark.parametrize(
    ("status", "allowed"),
    [(401, True), (403, True), (404, True), (410, True), (429, False), (500, False), (503, False)],
)
def test_statuses(server: Server, status: int, allowed: bool) -> None:
    server.answer(status)
    parser = read(server)
    assert parser.can_fetch("ExampleBot", "/cart") is allowed
    assert (parser.allow_all, parser.disallow_all) == (allowed, not allowed)
    assert parser.crawl_delay("*") is None


def test_flags_follow_the_last_read(server: Server) -> None:
    server.answer(500)
    parser = read(server)
    server.answer(200, Server.body)
    parser.read()
    assert not parser.disallow_all and parser.can_fetch("ExampleBot", "/")
    server.answer(404)
    parser.read()
    assert parser.can_fetch("ExampleBot", "/cart")
    parser.disallow_all = True
    server.answer(200, Server.body)
    parser.read()
    assert parser.disallow_all, "a flag that the user has set stays"


def test_redirect(server: Server) -> None:
    server.answer(302, Location="/moved")
    assert not read(server).can_fetch("ExampleBot", "/moved")
    server.answer(302, Location="/robots.txt")
    assert not read(server).can_fetch("ExampleBot", "/"), "a loop is not a file"


def test_gzip(server: Server) -> None:
    packed = gzip.compress(Server.body)
    server.answer(200, packed, Content_Encoding="gzip")
    assert not read(server).can_fetch("ExampleBot", "/cart")
    assert read(server).can_fetch("ExampleBot", "/")
    for body, coding in [(packed[:-12], "gzip"), (b"User-agent: *", "gzip"), (b"x", "br")]:
        server.answer(200, body, Content_Encoding=coding)
        with pytest.raises(urllib.error.URLError):
            read(server)
    bomb = gzip.compress(Server.body + b"#" * 50_000_000)
    server.answer(200, bomb, Content_Encoding="gzip")
    parser = read(server)
    assert parser.robots.truncated and not parser.can_fetch("ExampleBot", "/cart")


@pytest.mark.parametrize(
    ("codings", "pack"),
    [
        ("gzip", lambda body: gzip.compress(body[:20]) + gzip.compress(body[20:])),
        ("x-gzip", lambda body: gzip.compress(body) + bytes(100)),
        ("deflate", zlib.compress),
        (["identity", "gzip"], gzip.compress),
        (["gzip", "identity"], gzip.compress),
        (["deflate", "gzip"], lambda body: gzip.compress(zlib.compress(body))),
        ("deflate, gzip", lambda body: gzip.compress(zlib.compress(body))),
    ],
    ids=[
        "members",
        "padding",
        "zlib",
        "fields",
        "fields, other order",
        "twice",
        "twice, one field",
    ],
)
def test_every_coding_is_undone(server: Server, codings: Any, pack: Any) -> None:
    packed = pack(Server.body)
    server.answer(200, packed, Content_Encoding=codings)
    assert read(server).robots.text == Server.body
    for end in (0, len(packed) // 4):
        server.answer(200, packed[:end], Content_Encoding=codings)
        with pytest.raises(urllib.error.URLError):
            read(server)


def test_many_codings_are_refused(server: Server) -> None:
    server.answer(200, Server.body, Content_Encoding=", ".join(["gzip"] * 1000))
    with pytest.raises(urllib.error.URLError, match="1000 content codings"):
        read(server)


@pytest.mark.parametrize(
    "location",
    [
        "http://[bad",
        "http://.x/",
        f"http://{'a' * 70}.example/",
        "http://\xe4.\xff/",
        "//",
        "gopher:",
    ],
)
def test_a_bad_redirect_is_a_failure(server: Server, location: str) -> None:
    server.answer(302, Location=location)
    parser = RobotFileParser(server.url)
    try:
        parser.read()
    except urllib.error.URLError:
        assert not parser.can_fetch("ExampleBot", "/")
    else:
        # urllib reports some of them as the status of the redirect.
        assert parser.disallow_all or parser.allow_all


def test_a_bad_url_of_the_caller_is_also_a_value_error() -> None:
    for url in ("", "shop.example/robots.txt", "http://[bad/robots.txt"):
        with pytest.raises(ValueError):
            RobotFileParser(url).read()
    with pytest.raises(urllib.error.URLError):
        RobotFileParser("shop.example/robots.txt").read()


def test_long_and_broken_bodies(server: Server) -> None:
    server.answer(200, Server.body + b"#\n" * 1_000_000)
    assert not read(server).can_fetch("ExampleBot", "/cart")
    server.answer(200, Server.body, Content_Length="1000")
    parser = RobotFileParser(server.url)
    with pytest.raises(urllib.error.URLError):
        parser.read()
    assert not parser.can_fetch("ExampleBot", "/")


def test_bytes_outside_utf_8(server: Server) -> None:
    server.answer(200, b"User-agent: *\nDisallow: /caf\xe9\n")
    parser = read(server)
    assert not parser.can_fetch("ExampleBot", "/caf%E9")
    server.answer(200, b"\xff\xfe" + Server.body.decode().encode("utf-16-le"))
    assert not read(server).can_fetch("ExampleBot", "/cart")


def test_a_failure_keeps_the_rules(server: Server) -> None:
    parser = read(server)
    parser.set_url("http://127.0.0.1:1/robots.txt")
    with pytest.raises(urllib.error.URLError):
        parser.read()
    assert not parser.can_fetch("ExampleBot", "/cart") and parser.can_fetch("ExampleBot", "/")


def test_timeout(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_fetch, "TIMEOUT", 0.2)
    released = threading.Event()
    monkeypatch.setattr(Handler, "do_GET", lambda self: released.wait(10))
    try:
        with pytest.raises(urllib.error.URLError):
            read(server)
    finally:
        released.set()


def test_the_deadline_includes_the_header(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_fetch, "DEADLINE", 0.5)
    server.slow_header = 0.01
    begun = time.monotonic()
    with pytest.raises(urllib.error.URLError, match="took more than 0.5 seconds"):
        read(server)
    assert time.monotonic() - begun < 10
    server.slow_header = 0.0


def test_subclasses_override_parse(server: Server) -> None:
    parser = Shop(server.url)
    parser.read()
    assert parser.lines == 3
