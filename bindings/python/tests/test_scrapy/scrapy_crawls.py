"""Crawls of a test. They run in another process, because a reactor runs only once."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# The signal `robots_parsed` came with Scrapy 2.18.
HAS_SIGNAL = importlib.util.find_spec("scrapy") is not None and hasattr(
    importlib.import_module("scrapy.signals"), "robots_parsed"
)
WORKER = Path(__file__).with_name("scrapy_worker.py")
# A crawl of these tests takes seconds; on a loaded machine, more.
TIMEOUT = 240


@dataclass
class Page:
    """The end of one request."""

    url: str
    status: int | None
    error: str | None
    """Name of the exception."""
    message: str
    retry_at: float | None
    now: float
    """Time of the middleware's clock."""
    slot: dict[str, float]
    """The download slot: delay, concurrency and jitter."""

    @property
    def outcome(self) -> str:
        """``allowed``, or the name of the exception."""
        return "allowed" if self.error is None else self.error


@dataclass
class Crawled:
    """The end of a crawl."""

    pages: list[Page]
    stats: dict[str, Any]
    parsed: list[dict[str, str]]
    """Signals `robots_parsed`: request and text."""
    warnings: list[str]

    def outcomes(self) -> dict[str, str]:
        """The outcome by URL. Of a URL that was requested several times, the last."""
        return {page.url: page.outcome for page in self.pages}

    def stat(self, name: str) -> int:
        return int(self.stats.get(f"robotstxt/{name}", 0))

    def __getitem__(self, url: str) -> Page:
        return [page for page in self.pages if page.url == url][-1]


class Crawls:
    """A process that runs crawls, one after the other."""

    def __init__(self, reactor: str) -> None:
        self.reactor = reactor
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Crawls:
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _start(self) -> None:
        # Proxies of the environment are not for sites on this machine.
        environment = {**os.environ, "no_proxy": "*"}
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER), self.reactor],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def run(
        self,
        *steps: dict[str, Any] | list[str],
        raises: dict[str, str] | None = None,
        **settings: Any,
    ) -> Crawled:
        """Runs a crawl.

        Args:
            steps: URLs that are requested at the same time, as a list; or a dict with ``urls``, and
                with ``after``: seconds by which the clock of the middleware is ahead, and
                ``speed``: its seconds for each second. A URL is a string, or a dict with ``url``,
                ``meta`` and ``headers``; with ``inline``, the spider awaits its response. A step
                begins after the last request of the step before; with ``settled``, also after all
                fetches of robots.txt (asyncio only).
            raises: exceptions of a downloader middleware, by URL.
            settings: of Scrapy.
        """
        assert self._process is not None
        if self._process.poll() is not None:
            # An earlier test has ended it.
            self._start()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        plan = [step if isinstance(step, dict) else {"urls": step} for step in steps]
        order = {"steps": plan, "settings": settings, "raises": raises or {}}
        watch = threading.Timer(TIMEOUT, process.kill)
        watch.start()
        try:
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        finally:
            watch.cancel()
        assert line, "the crawl ended without a result; its log is on stderr"
        found = json.loads(line)
        assert "failed" not in found, found["failed"]
        return Crawled(
            pages=[Page(**page) for page in found["pages"]],
            stats=found["stats"],
            parsed=found["parsed"],
            warnings=found["warnings"],
        )
