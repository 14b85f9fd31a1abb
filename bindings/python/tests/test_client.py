"""The client against a local server."""

import asyncio
import errno
import http.server
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
import verger

if not hasattr(verger, "Client"):
    pytest.skip("built without the client", allow_module_level=True)

AGENT = "ExampleBot"
LOCAL = {"allow_nets": ["127.0.0.0/8"]}


class Site:
    """A server whose robots.txt and log a test controls."""

    def __init__(self):
        self.robots = (200, b"User-agent: *\nDisallow: /cart\nSitemap: /sitemap.xml\n")
        self.log = []
        self.slow = 0.0
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                site.log.append(self.path)
                status, body, kind = 200, b"<meta name=robots content=noindex>", "text/html"
                if self.path == "/robots.txt":
                    time.sleep(site.slow)
                    (status, body), kind = site.robots, "text/plain"
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def site():
    site = Site()
    yield site
    site.server.shutdown()


def test_checks_have_evidence_and_fetch_once(site):
    with verger.Client(AGENT, **LOCAL) as client:
        decision = client.check(f"{site.url}/cart")
        assert (bool(decision), decision.line, decision.source) == (False, 2, "fetch")
        assert decision.evidence["status"] == 200 and len(decision.evidence["sha256"]) == 64
        assert client.check(f"{site.url}/x").source == "store"
        decisions = client.check_all([f"{site.url}/1", f"{site.url}/cart", "nope"])
        assert [bool(one) for one in decisions[:2]] == [True, False]
        assert isinstance(decisions[2], verger.InvalidUrl)
        with pytest.raises(TypeError, match="urls: expected an iterable of URLs, but found str"):
            client.check_all("ab")
        assert client.sitemaps(site.url + "/") == [f"{site.url}/sitemap.xml"]
    assert site.log == ["/robots.txt"]


def test_another_agent_is_checked_in_the_dialect_of_the_client(site):
    site.robots = (200, b"User-agent: *\nDisallow: /*.gif\n\nUser-agent: other\nDisallow: /\n")
    url = f"{site.url}/a.gif"
    with verger.Client(AGENT, dialect="orig1994", **LOCAL) as client:
        # A literal `*` in the text of 1994.
        assert client.check(url) and client.check(url, agent=AGENT)
        assert not client.check(url, dialect="rfc9309")
        assert not client.check(url, agent=AGENT, dialect="rfc9309")
        assert client.check(url, agent="Other").line == 5
        with pytest.raises(ValueError, match="rfc9309"):
            client.check(url, dialect="gopher")
        with pytest.raises(ValueError, match="product token"):
            client.check(url, agent="*")

    async def main():
        async with verger.AsyncClient(AGENT, dialect="orig1994", **LOCAL) as client:
            assert await client.check(url, agent=AGENT)
            assert not await client.check(url, dialect="rfc9309")

    asyncio.run(main())


def test_pages_and_turns(site):
    with verger.Client(AGENT, pause=0.01, **LOCAL) as client:
        page = client.get(f"{site.url}/page")
        assert (page.ok, page.status, page.noindex) == (True, 200, True)
        assert page.directives() == ["noindex"]
        with client.turn(f"{site.url}/other") as permit:
            assert permit.report(301, {"Location": "/next"}) == f"{site.url}/next"
        with pytest.raises(verger.Disallowed) as error:
            client.turn(f"{site.url}/cart")
        assert error.value.decision.line == 2


def test_a_server_error_allows_nothing(site):
    site.robots = (503, b"")
    with verger.Client(AGENT, **LOCAL) as client:
        with pytest.raises(verger.Unreachable) as error:
            client.get(f"{site.url}/page")
        assert error.value.temporary and error.value.retry_in > 0
    assert site.log == ["/robots.txt"]


def test_sitemaps_of_a_site_that_cannot_be_reached_are_unknown(site):
    dead = "http://127.0.0.1:1/"
    with verger.Client(AGENT, **LOCAL) as client:
        with pytest.raises(verger.Unreachable) as error:
            client.sitemaps(dead)
        assert error.value.decision.failure and error.value.retry_in > 0
        site.robots = (404, b"")
        assert client.sitemaps(site.url) == []
    with verger.Client(AGENT, offline=True) as client:
        with pytest.raises(verger.Unreachable):
            client.sitemaps(dead)


def test_a_refresh_returns_the_new_decision(site):
    url = f"{site.url}/cart"
    with verger.Client(AGENT, **LOCAL) as client:
        assert not client.check(url)
        site.robots = (200, b"")
        assert not client.check(url) and client.refresh(url)
        assert site.log == ["/robots.txt"] * 2
        site.robots = (503, b"")
        decision = client.refresh(url)
        # The earlier file still applies.
        assert decision and "503" in decision.failure
        assert client.sitemaps(url) == []
        assert "refused" in client.refresh("http://127.0.0.1:1/").failure

    async def main():
        async with verger.AsyncClient(AGENT, **LOCAL) as client:
            site.robots = (200, b"User-agent: *\nSitemap: /a.xml\n")
            assert await client.refresh(url)
            assert await client.sitemaps(url) == [f"{site.url}/a.xml"]
            decisions = await client.check_all([url, "nope"])
            assert bool(decisions[0]) and isinstance(decisions[1], verger.InvalidUrl)

    asyncio.run(main())


@pytest.mark.parametrize("method", ["check", "turn", "get", "refresh", "sitemaps"])
def test_text_that_is_no_url_is_an_error_of_the_package(method):
    with verger.Client(AGENT) as client:
        for wrong in ["nope", "", "/cart", "https://", b"\xff", "\ud800", "https://a.example:99999/"]:
            with pytest.raises(verger.InvalidUrl) as error:
                getattr(client, method)(wrong)
            assert isinstance(error.value, ValueError) and not error.value.temporary
        if method != "check":
            with pytest.raises(verger.InvalidUrl, match="http"):
                getattr(client, method)("data:,x")


def test_private_addresses_are_refused(site):
    with verger.Client(AGENT) as client:
        decision = client.check(f"{site.url}/")
        assert not decision and decision.local_fault and "refused" in decision.failure
    assert site.log == []


def test_a_store_survives_the_client(site, tmp_path):
    store = tmp_path / "robots.sqlite"
    for source in ("fetch", "store"):
        with verger.Client(AGENT, store=store, **LOCAL) as client:
            assert client.check(f"{site.url}/").source == source
    with verger.Client(AGENT, store=store, offline=True) as client:
        assert client.check(f"{site.url}/cart").line == 2
        with pytest.raises(verger.Offline):
            client.turn(f"{site.url}/")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"timeout": -1}, ValueError, "timeout: expected 0.01 to 120 seconds, but found -1"),
        ({"timeout": 0}, ValueError, "timeout: expected 0.01 to 120 seconds, but found 0"),
        ({"timeout": float("nan")}, ValueError, "timeout: expected 0.01 to 120 seconds"),
        ({"timeout": "x"}, TypeError, "timeout: must be real number, not str"),
        ({"max_age": -1}, ValueError, "max_age: expected 0 seconds or more, but found -1"),
        ({"max_wait": -1}, ValueError, "max_wait: expected 0 seconds or more, but found -1"),
        ({"pause": 1e9}, ValueError, "pause: expected 0 to 86400 seconds, but found 1000000000"),
        ({"max_pause": 0}, ValueError, "max_pause: expected 1 to 86400 seconds, but found 0"),
        ({"dialect": "gopher"}, ValueError, "dialect: expected .*rfc9309.*, but found `gopher`"),
        ({"access_profile": "gopher"}, ValueError, "access_profile: expected .*strict.*`gopher`"),
        ({"proxy": "nope"}, ValueError, "proxy: expected a URL such as"),
        ({"allow_nets": ["x"]}, ValueError, "allow_nets: expected a network .*, but found `x`"),
        ({"allow_nets": "127.0.0.0/8"}, TypeError, "allow_nets: "),
        ({"from_address": "a\nb"}, ValueError, "from_address: "),
        ({"max_requests_per_site": 0}, ValueError, "_per_site: expected 1 to 64, but found 0"),
        ({"max_requests_per_site": -1}, ValueError, "_per_site: expected 1 to 64, but found -1"),
        ({"max_requests_per_site": 2**70}, ValueError, "_per_site: expected 1 to 64, but found 11"),
        ({"max_requests_per_site": 1.5}, TypeError, "max_requests_per_site: "),
        ({"max_connections_per_address": 0}, ValueError, "_address: expected 1 to 256, but found"),
        ({"max_store_bytes": -1}, ValueError, "max_store_bytes: expected 0 or more, but found -1"),
        ({"offline": "no"}, TypeError, "offline: "),
        ({"surprise": 1}, TypeError, "surprise"),
    ],
)
def test_bad_options_are_errors_that_name_the_option(options, error, message):
    with pytest.raises(error, match=message):
        verger.Client(AGENT, **options)


def test_errors_of_files_have_a_number_and_a_path(tmp_path):
    absent = tmp_path / "absent.pem"
    with pytest.raises(FileNotFoundError, match="ca_files") as error:
        verger.Client(AGENT, ca_files=[absent])
    if os.name == "posix":
        assert str(error.value) == f"[Errno 2] ca_files: No such file or directory: '{absent}'"
    assert error.value.errno == errno.ENOENT and error.value.filename == str(absent)
    (tmp_path / "file").write_text("no certificate")
    with pytest.raises(ValueError, match="ca_files: .*file"):
        verger.Client(AGENT, ca_files=[tmp_path / "file"])
    with pytest.raises(OSError, match="store: ") as error:
        verger.Client(AGENT, store=tmp_path / "file" / "robots.sqlite")
    assert not isinstance(error.value, FileNotFoundError)
    with pytest.raises(OSError, match="store: .*file"):
        verger.Client(AGENT, store=tmp_path / "file")


def test_a_crawler_that_no_group_can_name_is_an_error():
    with pytest.raises(ValueError, match="agent: expected a product token"):
        verger.Client("*", "ExampleBot/1.0")
    with pytest.raises(TypeError, match="user_agent: required, because the agent is not a str"):
        verger.Client(verger.Crawler(AGENT))
    with pytest.raises(ValueError, match="user_agent: "):
        verger.Client(AGENT, "a\nb")


def test_a_closed_client_raises(site):
    client = verger.Client(AGENT, **LOCAL)
    client.close()
    client.close()
    with pytest.raises(RuntimeError, match="closed"):
        client.check(site.url)


def test_asyncio_shares_a_fetch_and_cancels(site):
    site.slow = 0.2

    async def main():
        async with verger.AsyncClient(AGENT, pause=0.01, **LOCAL) as client:
            decisions = await asyncio.gather(
                *(client.check(f"{site.url}/{number}") for number in range(50))
            )
            assert all(decisions)
            waiting = asyncio.create_task(client.turn("http://127.0.0.1:1/"))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            return (await client.get(f"{site.url}/page")).status

    assert asyncio.run(main()) == 200
    assert site.log.count("/robots.txt") == 1


def test_other_threads_run_during_a_call(site):
    site.slow = 1.0
    counted = []
    with verger.Client(AGENT, **LOCAL) as client:
        thread = threading.Thread(target=lambda: client.check(f"{site.url}/"))
        thread.start()
        while thread.is_alive():
            counted.append(1)
            time.sleep(0.01)
    assert len(counted) > 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_process_gets_an_error_and_the_parent_continues(site):
    client = verger.Client(AGENT, **LOCAL)
    assert client.check(f"{site.url}/")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            client.check(f"{site.url}/")
        except RuntimeError as error:
            code = 0 if "fork" in str(error) else 2
        client.close()
        with verger.Client(AGENT, **LOCAL) as other:
            code += 0 if other.check(f"{site.url}/") else 4
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert client.check(f"{site.url}/")
    client.close()


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_ctrl_c_interrupts_a_call(site):
    site.slow = 60.0
    program = textwrap.dedent(
        f"""
        import signal
        import verger
        # A process in the background may have been started with SIGINT ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        client = verger.Client("{AGENT}", allow_nets=["127.0.0.0/8"])
        print("ready", flush=True)
        try:
            client.check("{site.url}/")
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    while not site.log:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "interrupted\n"
