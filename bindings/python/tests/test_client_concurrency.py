"""The client with asyncio, threads and signals."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
import verger
from local_site import AGENT, LOCAL, Site

if not hasattr(verger, "Client"):
    pytest.skip("built without the client", allow_module_level=True)


def test_every_method_has_an_asynchronous_form(site: Site) -> None:
    async def main() -> None:
        async with verger.AsyncClient(AGENT, pause=0.01, **LOCAL) as client:
            assert (await client.check(f"{site.url}/cart")).line == 2
            decisions = await client.check_all([site.url, "nope"])
            assert bool(decisions[0]) and isinstance(decisions[1], verger.InvalidUrl)
            assert await client.sitemaps(site.url) == [f"{site.url}/sitemap.xml"]
            site.robots = (200, b"")
            assert await client.refresh(f"{site.url}/cart")
            with await client.turn(site.url) as permit:
                permit.report(200)
            assert (await client.get(f"{site.url}/page")).status == 200
            with pytest.raises(verger.InvalidUrl):
                await client.get("nope")
            with pytest.raises(TypeError):
                await client.check_all("nope")

    asyncio.run(main())


def test_a_turn_is_released_at_the_end_of_its_block(site: Site) -> None:
    async def main() -> None:
        async with verger.AsyncClient(AGENT, pause=0, max_wait=30, **LOCAL) as client:
            async with client.turn(site.url) as permit:
                assert permit.decision
            assert "used" in repr(permit)
            # Also as a task, as coroutines can be.
            (await asyncio.create_task(client.turn(site.url))).release()
            (await asyncio.wait_for(client.turn(site.url), 30)).release()
            with pytest.raises(verger.Disallowed):
                async with client.turn(f"{site.url}/cart"):
                    pass

    asyncio.run(main())


def test_another_event_loop_is_an_error(site: Site) -> None:
    client = verger.AsyncClient(AGENT, **LOCAL)
    for call in (client.check(site.url), client.turn(site.url), client.close()):
        # As trio does.
        with pytest.raises(RuntimeError, match=r"AsyncClient needs .* asyncio.*trio\.to_thread"):
            call.send(None)
    asyncio.run(client.close())


def test_concurrent_checks_share_a_fetch(site: Site) -> None:
    site.slow = 0.2

    async def main() -> None:
        async with verger.AsyncClient(AGENT, **LOCAL) as client:
            urls = [f"{site.url}/{number}" for number in range(50)]
            assert all(await asyncio.gather(*map(client.check, urls)))

    asyncio.run(main())
    assert site.log == ["/robots.txt"]


def test_a_cancelled_call_gives_up_its_place(site: Site) -> None:
    async def main() -> None:
        async with verger.AsyncClient(AGENT, pause=0, max_wait=30, **LOCAL) as client:
            held = await client.turn(site.url)
            waiting = asyncio.create_task(client.turn(site.url))
            # Long enough to join the queue.
            await asyncio.sleep(0.3)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            held.release()
            # A place that was not given up would hold this up for 30 seconds.
            begun = time.monotonic()
            for _ in range(3):
                (await client.turn(site.url)).release()
            assert time.monotonic() - begun < 15

    asyncio.run(main())


def test_a_turn_that_comes_with_its_cancellation_is_free_again(site: Site) -> None:
    kept: list[object] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        async with verger.AsyncClient(AGENT, pause=0, max_wait=30, **LOCAL) as client:
            await client.check(site.url)
            for is_settled in (False, True):
                task = asyncio.create_task(client.turn(site.url))
                await asyncio.sleep(0)
                # The answer arrives while the loop is busy.
                time.sleep(0.5)
                if is_settled:
                    loop.call_soon(task.cancel)
                else:
                    task.cancel()
                # As in a log: the traceback refers to the permit.
                kept.extend(await asyncio.gather(task, return_exceptions=True))
                assert isinstance(kept[-1], asyncio.CancelledError)
                (await asyncio.wait_for(client.turn(site.url), 15)).release()

    asyncio.run(main())


def test_a_closed_coroutine_is_cancelled(site: Site) -> None:
    site.slow = 0.5

    async def main() -> None:
        async with verger.AsyncClient(AGENT, pause=0, **LOCAL) as client:
            call = client.get(f"{site.url}/page")
            call.send(None)
            call.close()
            await asyncio.sleep(1.5)

    asyncio.run(main())
    assert "/page" not in site.log


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_answers_that_wait_for_the_interpreter_need_no_threads() -> None:
    def threads() -> int:
        return len(os.listdir("/proc/self/task"))

    async def main() -> int:
        before = most = threads()
        async with verger.AsyncClient(AGENT, offline=True) as client:
            calls = [client.check(f"http://shop.example/{number}") for number in range(1000)]
            answers = asyncio.gather(*calls)
            while not answers.done():
                await asyncio.sleep(0)
                sum(range(100_000))
                most = max(most, threads())
            assert len(answers.result()) == 1000
        return most - before

    assert asyncio.run(main()) <= 4


def test_other_threads_run_during_a_call(site: Site) -> None:
    site.slow = 1.0
    counted = 0
    with verger.Client(AGENT, **LOCAL) as client:
        thread = threading.Thread(target=lambda: client.check(f"{site.url}/"))
        thread.start()
        while thread.is_alive():
            counted += 1
            time.sleep(0.01)
    assert counted > 10


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_ctrl_c_interrupts_a_call(site: Site) -> None:
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
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    while not site.log:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "interrupted\n"
