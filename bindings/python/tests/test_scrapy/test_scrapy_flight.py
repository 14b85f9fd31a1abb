"""Fetches that end in unusual ways: no request may wait for ever, and none may be allowed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any
from unittest import mock

import pytest

pytest.importorskip("scrapy", reason="Scrapy is not installed: pip install 'verger[scrapy]'")

import verger
from scrapy.exceptions import NotConfigured
from scrapy.http import Request, Response
from scrapy.settings import Settings
from verger.scrapy import (
    RobotsTxtForbidden,
    RobotsTxtMiddleware,
    RobotsTxtUnreachable,
    VergerRobotParser,
)

RULES = b"User-agent: *\nDisallow: /private\n"
URL, PRIVATE = "http://shop.example/", "http://shop.example/private"
# Fails the test if a request waits for ever.
PATIENCE = 60


def middleware(
    download: Callable[[Request], Awaitable[Response] | Response], **settings: Any
) -> RobotsTxtMiddleware:
    crawler: Any = mock.MagicMock()
    crawler.settings = Settings({"ROBOTSTXT_OBEY": True, "USER_AGENT": "ExampleBot", **settings})
    crawler.engine.download_async = mock.AsyncMock(side_effect=download)
    crawler.signals.send_catch_log_async = mock.AsyncMock(return_value=[])
    found = RobotsTxtMiddleware.from_crawler(crawler)
    assert isinstance(found, RobotsTxtMiddleware)
    return found


def downloads(found: RobotsTxtMiddleware) -> mock.AsyncMock:
    engine: Any = found.crawler.engine
    sent: mock.AsyncMock = engine.download_async
    return sent


def signals(found: RobotsTxtMiddleware) -> mock.AsyncMock:
    manager: Any = found.crawler.signals
    sent: mock.AsyncMock = manager.send_catch_log_async
    return sent


def answer(request: Request) -> Response:
    return Response(request.url, body=RULES, request=request)


def run(test: Coroutine[Any, Any, None]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(test, PATIENCE)

    asyncio.run(limited())


async def settled(*tasks: asyncio.Task[None]) -> list[BaseException | None]:
    return await asyncio.gather(*tasks, return_exceptions=True)


def test_it_is_off_unless_robots_txt_is_obeyed() -> None:
    with pytest.raises(NotConfigured, match="ROBOTSTXT_OBEY is false"):
        RobotsTxtMiddleware.from_crawler(mock.MagicMock(settings=Settings()))


@pytest.mark.parametrize("name", ["VERGER_ACCESS_PROFILE", "VERGER_DIALECT"])
def test_unknown_names_are_errors(name: str) -> None:
    with pytest.raises(ValueError, match="rfc9309"):
        middleware(mock.AsyncMock(), **{name: "rfc9308"})


@pytest.mark.parametrize(
    ("settings", "seconds"),
    [
        ({}, 30),
        ({"DOWNLOAD_TIMEOUT": 5}, 5),
        ({"VERGER_TIMEOUT": 60}, 60),
        ({"VERGER_TIMEOUT": 60, "DOWNLOAD_TIMEOUT": 5}, 5),
        ({"VERGER_TIMEOUT": 60, "DOWNLOAD_TIMEOUT": 0}, 60),
    ],
)
def test_a_fetch_waits_for_a_response_no_longer_than_pages_do(
    settings: dict[str, int], seconds: int
) -> None:
    async def test() -> None:
        found = middleware(answer, **settings)
        await found.process_request(Request(URL))
        (request,) = downloads(found).call_args.args
        assert request.meta["download_timeout"] == seconds

    run(test())


def test_a_cancelled_request_does_not_end_the_fetch_of_others() -> None:
    async def test() -> None:
        begun, goes_on = asyncio.Event(), asyncio.Event()

        async def download(request: Request) -> Response:
            begun.set()
            await goes_on.wait()
            return answer(request)

        found = middleware(download)
        first = asyncio.ensure_future(found.process_request(Request(URL)))
        await begun.wait()
        second = asyncio.ensure_future(found.process_request(Request(URL)))
        third = asyncio.ensure_future(found.process_request(Request(PRIVATE)))
        await asyncio.sleep(0)
        first.cancel()
        second.cancel()
        await asyncio.sleep(0)
        goes_on.set()
        results = await settled(first, second, third)
        assert isinstance(results[0], asyncio.CancelledError)
        assert isinstance(results[1], asyncio.CancelledError)
        assert isinstance(results[2], RobotsTxtForbidden)
        await found.process_request(Request(URL))
        assert downloads(found).call_count == 1

    run(test())


@pytest.mark.parametrize(
    "error", [asyncio.CancelledError(), GeneratorExit(), ValueError("strange")]
)
def test_a_fetch_that_is_cancelled_or_fails_wakes_all_requests(error: BaseException) -> None:
    async def test() -> None:
        async def download(request: Request) -> Response:
            await asyncio.sleep(0)
            raise error

        found = middleware(download)
        tasks = [asyncio.ensure_future(found.process_request(Request(URL))) for _ in range(5)]
        results = await settled(*tasks)
        assert all(isinstance(result, RobotsTxtUnreachable) for result in results), results
        # The next fetch waits for its time.
        with pytest.raises(RobotsTxtUnreachable):
            await found.process_request(Request(URL))
        assert downloads(found).call_count == 1
        later = found.clock() + 3600
        found.clock = lambda: later
        downloads(found).side_effect = answer
        await found.process_request(Request(URL))

    run(test())


def test_a_flight_that_is_cancelled_wakes_all_requests() -> None:
    async def test() -> None:
        async def download(request: Request) -> Response:
            await asyncio.Event().wait()
            raise AssertionError

        found = middleware(download)
        tasks = [asyncio.ensure_future(found.process_request(Request(URL))) for _ in range(5)]
        await asyncio.sleep(0.01)
        flight = found._records.use("http://shop.example").flight
        assert flight is not None
        flight.cancel()
        results = await settled(*tasks)
        assert all(isinstance(result, RobotsTxtUnreachable) for result in results), results

    run(test())


def test_an_error_of_a_signal_handler_does_not_change_the_answer() -> None:
    async def test() -> None:
        found = middleware(answer)
        signals(found).side_effect = ValueError
        with pytest.raises(RobotsTxtForbidden):
            await found.process_request(Request(PRIVATE))
        await found.process_request(Request(URL))

    run(test())


def test_an_error_of_the_middleware_itself_allows_nothing() -> None:
    async def test() -> None:
        found = middleware(answer)
        broken = mock.patch("verger.scrapy._blame.of_response", side_effect=ZeroDivisionError)
        with broken, pytest.raises(RobotsTxtUnreachable, match="ZeroDivisionError"):
            await found.process_request(Request(URL))

    run(test())


def test_many_concurrent_origins_exceed_the_bound_only_temporarily() -> None:
    async def test() -> None:
        async def download(request: Request) -> Response:
            await asyncio.sleep(0.01)
            return answer(request)

        found = middleware(download, VERGER_MAX_ORIGINS=3)
        urls = [f"http://shop{at}.example/private" for at in range(50)]
        tasks = [asyncio.ensure_future(found.process_request(Request(url))) for url in urls]
        await asyncio.sleep(0)
        results = await settled(*tasks)
        assert all(isinstance(result, RobotsTxtForbidden) for result in results)
        assert downloads(found).call_count == 50
        with pytest.raises(RobotsTxtForbidden):
            await found.process_request(Request(PRIVATE))
        assert len(list(found._records)) == 3
        assert found._records.memory == 3 * len(RULES)

    run(test())


def test_meta_of_the_request_is_copied() -> None:
    async def test() -> None:
        found = middleware(answer, VERGER_COPY_META="a,b")
        await found.process_request(
            Request(URL, meta={"a": 1, "proxy": "http://p.example", "c": 2})
        )
        sent = downloads(found).call_args[0][0]
        assert sent.meta["a"] == 1
        assert not {"proxy", "c"} & sent.meta.keys()
        assert sent.meta["dont_obey_robotstxt"] is True
        assert sent.priority == 1000

    run(test())


def test_robotstxt_user_agent_overrides_the_header() -> None:
    async def test() -> None:
        rules = b"User-agent: One\nDisallow: /\n"
        found = middleware(
            lambda request: Response(request.url, body=rules),
            ROBOTSTXT_USER_AGENT="One",
        )
        with pytest.raises(RobotsTxtForbidden):
            await found.process_request(Request(URL, headers={"User-Agent": "Other"}))

    run(test())


def test_a_request_without_user_agent_gets_the_default() -> None:
    async def test() -> None:
        found = middleware(answer)
        headers: Any = {"User-Agent": None}
        await found.process_request(Request(URL, headers=headers))
        with pytest.raises(RobotsTxtForbidden):
            await found.process_request(Request(PRIVATE, headers=headers))

    run(test())


@pytest.mark.parametrize(
    "path",
    ["/./private", "/a/../private", "/%2e/private", "/a/.%2E/private", "/../a/b/../../private"],
)
def test_a_path_with_dot_segments_is_checked_as_servers_read_it(path: str) -> None:
    async def test() -> None:
        found = middleware(answer)
        url = f"http://shop.example{path}"
        with pytest.raises(RobotsTxtForbidden, match="Disallow: /private"):
            await found.process_request(Request(url))
        assert not VergerRobotParser(RULES).allowed(url, "ExampleBot")
        for allowed in (
            "/a/./b",
            "/.private",
            "/a/private/..",
            "/x?a=/../private",
            "/a#/../private",
        ):
            await found.process_request(Request(f"http://shop.example{allowed}"))
            assert VergerRobotParser(RULES).allowed(f"http://shop.example{allowed}", "ExampleBot")

    run(test())


def test_the_message_of_a_distant_fetch_has_its_time() -> None:
    verdict = verger.State().after("network", 0).check(None, "a", "/", 1)
    assert verdict is not None
    error = RobotsTxtUnreachable(verdict, "http://shop.example/robots.txt", "status 503", 1e15)
    assert "next fetch at 1000000000000000 seconds since 1970" in str(error)


def test_a_url_without_a_valid_host_is_not_allowed() -> None:
    async def test() -> None:
        found = middleware(mock.AsyncMock())
        for url in ("http:///a", "http://?a"):
            with pytest.raises((RobotsTxtForbidden, RobotsTxtUnreachable)):
                await found.process_request(Request(url))
        downloads(found).assert_not_called()

    run(test())
