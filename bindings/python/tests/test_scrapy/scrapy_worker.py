"""Runs crawls for `scrapy_crawls.py`: one JSON object on a line of stdin for each, one on stdout.

The argument is the reactor: ``asyncio``, ``select``, or ``none`` for asyncio without a reactor.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
import traceback
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler, CrawlerRunner
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import install_reactor
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError
from verger.scrapy import RobotsTxtMiddleware

REACTORS = {
    "asyncio": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "select": "twisted.internet.selectreactor.SelectReactor",
}

SETTINGS: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "verger.scrapy.RobotsTxtMiddleware": 100,
        "__main__.Raises": 950,
    },
    "USER_AGENT": "ExampleBot/1.0 (+https://bot.example/)",
    "CONCURRENT_REQUESTS": 100,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 100,
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_TIMEOUT": 60,
    # One request for each fetch, and an exception for each failure; `test_scrapy_waits.py` has
    # retries and requests that wait.
    "RETRY_ENABLED": False,
    "VERGER_MAX_WAIT": 0,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "WARNING",
}


class Raises:
    """Downloader middleware that raises the exceptions that a test asks for."""

    def __init__(self, crawler: Crawler) -> None:
        self.errors: dict[str, str] = crawler.settings.getdict("TEST_RAISES")
        # Requests that pass before the network is lost, by URL.
        self.lost_after: dict[str, int] = crawler.settings.getdict("TEST_RAISES_AFTER")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Raises:
        return cls(crawler)

    def process_request(self, request: Request, spider: Any = None) -> None:
        name = self.errors.get(request.url)
        if name is not None:
            raise load_object(name)("on purpose")
        if request.url in self.lost_after:
            self.lost_after[request.url] -= 1
            if self.lost_after[request.url] < 0:
                raise DNSLookupError("on purpose")


class Steps(Spider):
    """Requests the URLs of a step at the same time, and then those of the next step."""

    name = "steps"

    def __init__(self, steps: list[dict[str, Any]], **options: Any) -> None:
        super().__init__(**options)
        self.steps = iter(steps)
        self.pending = 0
        self.pages: list[dict[str, Any]] = []

    async def start(self) -> AsyncIterator[Any]:
        async for request in self.next_step():
            yield request

    async def next_step(self) -> AsyncIterator[Request]:
        step = next(self.steps, None)
        if step is None:
            return
        middleware = self.crawler.get_downloader_middleware(RobotsTxtMiddleware)
        if middleware is not None and step.get("settled"):
            while any(record.waiting is not None for record in middleware._records):
                await asyncio.sleep(0.05)
        after, speed, begin = float(step.get("after", 0)), step.get("speed", 1), time.time()
        if middleware is not None:
            middleware.clock = lambda: begin + after + speed * (time.time() - begin)
        self.after = after
        self.pending = len(step["urls"])
        for url in step["urls"]:
            options: dict[str, Any] = {"url": url} if isinstance(url, str) else dict(url)
            options["meta"] = {"asked": options["url"], **options.get("meta", {})}
            if options.pop("inline", False):
                async for request in self.awaited(Request(**options)):
                    yield request
                continue
            yield Request(dont_filter=True, callback=self.on_page, errback=self.on_error, **options)

    async def awaited(self, request: Request) -> AsyncIterator[Request]:
        engine: Any = self.crawler.engine
        try:
            if hasattr(engine, "download_async"):
                response = await engine.download_async(request)
            else:  # Scrapy 2.13
                response = await maybe_deferred_to_future(engine.download(request))
            self.note(request, status=response.status)
        except Exception as error:
            self.note(request, error=type(error).__name__, message=str(error))
        async for found in self.end():
            yield found

    async def on_page(self, response: Response) -> AsyncIterator[Request]:
        assert response.request is not None
        self.note(response.request, status=response.status)
        async for request in self.end():
            yield request

    async def on_error(self, failure: Any) -> AsyncIterator[Request]:
        error = failure.value
        retry_at = getattr(error, "retry_at", None)
        response = getattr(error, "response", None)
        if response is not None:  # HttpError: a page with another status than 200.
            self.note(failure.request, status=response.status)
        else:
            name, message = type(error).__name__, str(error)
            self.note(failure.request, error=name, message=message, retry_at=retry_at)
        async for request in self.end():
            yield request

    def note(self, request: Request, **found: Any) -> None:
        assert self.crawler.engine is not None
        slot = self.crawler.engine.downloader.slots.get(request.meta.get("download_slot", ""))
        values: dict[str, float] = {}
        if slot is not None:
            values = {"delay": slot.delay, "concurrency": slot.concurrency}
            # Older versions of Scrapy have a flag.
            has_jitter = hasattr(slot, "jitter")
            values["jitter"] = slot.jitter if has_jitter else 0.5 * bool(slot.randomize_delay)
        empty = {"status": None, "error": None, "message": "", "retry_at": None}
        now = time.time() + self.after
        page = {"url": request.meta["asked"], **empty, "now": now, "slot": values, **found}
        self.pages.append(page)

    async def end(self) -> AsyncIterator[Request]:
        self.pending -= 1
        if self.pending == 0:
            async for request in self.next_step():
                yield request


class Warnings(logging.Handler):
    """Keeps the warnings of `verger.scrapy`."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


async def crawl(runner: Any, order: dict[str, Any]) -> dict[str, Any]:
    """Runs one crawl."""
    settings = {**SETTINGS, **runner.extra, **order["settings"], "TEST_RAISES": order["raises"]}
    merged = runner.settings.copy()
    merged.setdict(settings, "cmdline")
    crawler = Crawler(Steps, merged)
    parsed: list[dict[str, str]] = []

    def on_parsed(robotparser: Any, request: Request) -> None:
        text = bytes(robotparser.robots.text).decode("utf-8", "replace")
        parsed.append({"url": request.url, "text": text[:1000]})

    if hasattr(signals, "robots_parsed"):  # Scrapy 2.18 or newer
        crawler.signals.connect(on_parsed, signal=signals.robots_parsed)
    warnings = Warnings()
    logging.getLogger("verger.scrapy").addHandler(warnings)
    spiders: list[Steps] = []

    def keep(spider: Steps) -> None:
        spiders.append(spider)

    crawler.signals.connect(keep, signal=signals.spider_opened)
    try:
        ended = runner.crawl(crawler, steps=order["steps"])
        await (maybe_deferred_to_future(ended) if isinstance(ended, Deferred) else ended)
    finally:
        logging.getLogger("verger.scrapy").removeHandler(warnings)
    assert crawler.stats is not None
    stats = {
        key: value
        for key, value in crawler.stats.get_stats().items()
        if isinstance(value, (int, float, str))
    }
    pages = spiders[0].pages
    return {"pages": pages, "stats": stats, "parsed": parsed, "warnings": warnings.messages}


async def serve(runner: Any, read_line: Any) -> None:
    """Runs crawls until stdin ends."""
    while line := await read_line():
        try:
            found = await crawl(runner, json.loads(line))
        except Exception:
            found = {"failed": traceback.format_exc()}
        OUT.write(json.dumps(found) + "\n")
        OUT.flush()


def main(name: str) -> None:
    if name == "none":
        from scrapy.crawler import AsyncCrawlerRunner  # Scrapy 2.14 or newer

        runner: Any = AsyncCrawlerRunner({"TWISTED_REACTOR_ENABLED": False})
        runner.extra = {}

        async def read_line() -> str:
            return await asyncio.to_thread(sys.stdin.readline)

        asyncio.run(serve(runner, read_line))
        return

    install_reactor(REACTORS[name])
    from twisted.internet import reactor as installed
    from twisted.internet.threads import deferToThread

    reactor: Any = installed
    runner = CrawlerRunner()
    runner.extra = {"TWISTED_REACTOR": REACTORS[name]}

    async def read_line_in_thread() -> str:
        line: str = await maybe_deferred_to_future(deferToThread(sys.stdin.readline))
        return line

    def start() -> None:
        work: Coroutine[Any, Any, None] = serve(runner, read_line_in_thread)
        ended = deferred_from_coro(work)
        ended.addErrback(lambda failure: failure.printTraceback(sys.stderr))
        ended.addBoth(lambda _: reactor.stop())

    reactor.callWhenRunning(start)
    reactor.run()


if __name__ == "__main__":
    # Only results go to the real stdout.
    OUT, sys.stdout = sys.stdout, sys.stderr
    main(sys.argv[1])
