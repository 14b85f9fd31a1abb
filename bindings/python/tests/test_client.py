"""The client against a local server."""

import asyncio
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
        assert client.sitemaps(site.url + "/") == [f"{site.url}/sitemap.xml"]
    assert site.log == ["/robots.txt"]


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
        assert error.value.temporary and error.value.again_in > 0
    assert site.log == ["/robots.txt"]


def test_private_addresses_are_refused(site):
    with verger.Client(AGENT) as client:
        decision = client.check(f"{site.url}/")
        assert not decision and decision.is_fault and "refused" in decision.failure
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
    ("options", "error"),
    [
        ({"timeout": -1}, ValueError),
        ({"timeout": "x"}, TypeError),
        ({"dialect": "gopher"}, ValueError),
        ({"profile": "gopher"}, ValueError),
        ({"proxy": "nope"}, ValueError),
        ({"allow_nets": ["x"]}, ValueError),
        ({"ca_files": ["/nonexistent"]}, OSError),
        ({"store": "/dev/null/store.sqlite"}, OSError),
        ({"at_once": 0}, ValueError),
        ({"surprise": 1}, TypeError),
    ],
)
def test_bad_options_are_errors(options, error):
    with pytest.raises(error):
        verger.Client(AGENT, **options)


def test_a_crawler_that_no_group_can_name_is_an_error():
    with pytest.raises(ValueError):
        verger.Client("*", "ExampleBot/1.0")
    with pytest.raises(TypeError, match="user_agent"):
        verger.Client(verger.Crawler(AGENT))


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
        import verger
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
