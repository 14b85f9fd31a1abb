"""The end of a client: `close`, the garbage collector, and processes made by a fork."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import verger
from local_site import AGENT, LOCAL, Site

if not hasattr(verger, "Client"):
    pytest.skip("built without the client", allow_module_level=True)

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

PATIENCE = 20.0
"""Seconds after which something counts as hanging."""


def in_child(work: Callable[[], None]) -> str:
    """Runs a function in a forked process, and returns how it ended."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            # Nothing else of the test suite may run here.
            os._exit(code)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return f"exit code {os.waitstatus_to_exitcode(status)}"
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"


@needs_fork
def test_a_child_process_gets_an_error_and_the_parent_continues(site: Site) -> None:
    client = verger.Client(AGENT, **LOCAL)
    assert client.check(f"{site.url}/")

    def child() -> None:
        with pytest.raises(RuntimeError, match="fork"):
            client.check(f"{site.url}/")
        assert "closed" in repr(client)
        client.close()
        with verger.Client(AGENT, **LOCAL) as other:
            assert other.check(f"{site.url}/")

    assert in_child(child) == "exit code 0"
    assert client.check(f"{site.url}/")
    client.close()


@needs_fork
@pytest.mark.parametrize("is_replaced", [False, True], ids=["dropped", "replaced"])
def test_a_child_process_may_drop_the_client_of_its_parent(is_replaced: bool) -> None:
    clients = [verger.Client(AGENT, offline=True)]

    def child() -> None:
        faults: list[object] = []
        sys.unraisablehook = faults.append
        if is_replaced:
            clients[0] = verger.Client(AGENT, offline=True)
            assert clients[0].check("http://shop.example/").source == "offline"
        clients.clear()
        gc.collect()
        assert not faults

    assert in_child(child) == "exit code 0"
    clients[0].close()


def test_close_ends_blocking_calls_of_other_threads(site: Site) -> None:
    client = verger.Client(AGENT, pause=PATIENCE, **LOCAL)
    client.get(f"{site.url}/1")
    errors: list[BaseException] = []

    def wait() -> None:
        try:
            client.get(f"{site.url}/2")
        except verger.CheckError as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.3)
    begun = time.monotonic()
    client.close()
    thread.join()
    assert time.monotonic() - begun < PATIENCE / 2
    assert [str(error) for error in errors] == ["the client was closed meanwhile"]
    assert site.log == ["/robots.txt", "/1"]


def test_close_ends_asynchronous_calls(site: Site) -> None:
    site.slow = PATIENCE

    async def main() -> None:
        client = verger.AsyncClient(AGENT, **LOCAL)
        url = f"{site.url}/"
        calls: list[Any] = [client.check(url), client.check_all([url]), client.turn(url)]
        calls += [client.get(url), client.sitemaps(url), client.refresh(url)]
        tasks = [asyncio.ensure_future(call) for call in calls]
        await asyncio.sleep(0.3)
        await client.close()
        found = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), PATIENCE / 2)
        for error in found:
            assert isinstance(error, verger.CheckError)
            assert str(error) == "the client was closed meanwhile"

    asyncio.run(main())


def test_calls_of_a_dropped_client_end(site: Site) -> None:
    site.slow = PATIENCE
    client = verger.AsyncClient(AGENT, **LOCAL)
    ended = threading.Event()
    found: list[object] = []

    def done(result: object, error: object) -> None:
        found.extend([result, type(error)])
        ended.set()

    client._core.check(f"{site.url}/", done)
    time.sleep(0.3)
    with pytest.warns(ResourceWarning, match="unclosed <AsyncClient 'ExampleBot': open>"):
        del client
        gc.collect()
    assert ended.wait(PATIENCE / 2)
    assert found == [None, verger.CheckError]


def test_dropping_a_client_does_not_wait_for_answers() -> None:
    def done(result: object, error: object) -> None:
        pass

    longest = 0.0
    for _ in range(10):
        client = verger.AsyncClient(AGENT, offline=True)
        for number in range(50):
            client._core.check(f"http://shop.example/{number}", done)
        # The answers wait for the interpreter now.
        sum(range(200_000))
        begun = time.monotonic()
        with pytest.warns(ResourceWarning):
            del client
        longest = max(longest, time.monotonic() - begun)
    assert longest < 0.5


EXIT = """
import asyncio, sys, verger

async def main():
    client = verger.AsyncClient("ExampleBot", offline=True)
    calls = [asyncio.ensure_future(client.check(f"http://a.example/{n}")) for n in range(2000)]
    await asyncio.sleep(0)
    sys.kept = (client, calls)
    raise SystemExit(3)

asyncio.run(main())
"""


def test_the_process_may_end_while_answers_arrive() -> None:
    # A thread that runs Python during the shutdown would crash some of them.
    for _ in range(20):
        command = [sys.executable, "-W", "ignore", "-c", EXIT]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (3, "")


def test_an_asynchronous_client_can_be_closed_when_its_loop_ends() -> None:
    async def main() -> None:
        client = verger.AsyncClient(AGENT, offline=True)
        await asyncio.get_running_loop().shutdown_default_executor()
        await client.close()
        await client.close()
        with pytest.raises(RuntimeError, match="the client is closed"):
            await client.check("http://shop.example/")

    asyncio.run(main())


def test_a_client_that_is_not_closed_warns_and_is_closed(site: Site, tmp_path: Path) -> None:
    store = tmp_path / "robots.sqlite"
    client = verger.Client(AGENT, store=store, **LOCAL)
    assert repr(client) == "<Client 'ExampleBot': open>"
    permit = client.turn(site.url)
    assert repr(permit) == f"<Permit {site.url}/>"
    permit.release()
    assert repr(permit) == "<Permit: used>"
    with pytest.warns(ResourceWarning, match="unclosed <Client 'ExampleBot': open>"):
        del client
        gc.collect()
    with verger.Client(AGENT, store=store, offline=True) as client:
        assert client.check(f"{site.url}/cart").line == 2
    assert repr(client) == "<Client 'ExampleBot': closed>"
