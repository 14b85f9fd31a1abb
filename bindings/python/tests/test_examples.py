"""The examples of docstrings, of the guide, and of the pages about the package run."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
import textwrap
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import verger

ROOT = Path(__file__).resolve().parents[3]
PAGES = ["docs/python.md", "bindings/python/README.md"]

HAS_CLIENT = hasattr(verger, "Client")
HAS_SCRAPY = importlib.util.find_spec("scrapy") is not None


def modules() -> Iterator[types.ModuleType]:
    yield verger
    names = ["types", "analysis", "crawlers", "protego", "robotparser", "migrate"]
    names += ["page"] * HAS_CLIENT + ["scrapy"] * HAS_SCRAPY
    for name in names:
        yield importlib.import_module(f"verger.{name}")


def documented() -> Iterator[tuple[str, Any, types.ModuleType]]:
    """All public modules, functions, classes and members."""
    seen: set[int] = set()
    for module in modules():
        yield module.__name__, module, module
        for name in getattr(module, "__all__", None) or vars(module):
            found = getattr(module, name)
            is_ours = getattr(found, "__module__", "").startswith("verger")
            if name.startswith("_") or not is_ours or id(found) in seen:
                continue
            seen.add(id(found))
            yield f"{module.__name__}.{name}", found, module
            for member, value in vars(found).items() if inspect.isclass(found) else ():
                if not member.startswith("_"):
                    yield f"{module.__name__}.{name}.{member}", value, module


def examples() -> list[doctest.DocTest]:
    parser = doctest.DocTestParser()
    found = []
    for name, value, module in documented():
        text = inspect.getdoc(value) or ""
        # A plain value has the docstring of its class.
        if ">>>" in text and not isinstance(value, (str, int, list, tuple)):
            globs = {**vars(verger), **vars(module), "asyncio": importlib.import_module("asyncio")}
            found.append(parser.get_doctest(text, globs, name, None, 0))
    return found


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_examples_of_docstrings(example: doctest.DocTest) -> None:
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)


def test_docstrings_have_examples() -> None:
    names = {example.name for example in examples()}
    assert {"verger.parse", "verger.Crawler", "verger.State", "verger.Robots.policy"} <= names
    assert {"verger.robotparser", "verger.migrate", "verger.lint", "verger.crawlers"} <= names
    assert {f"verger.analysis.{name}" for name in ("pattern_state", "compare")} <= names
    if HAS_CLIENT:
        assert {"verger.Client", "verger.AsyncClient"} <= names


def test_docstrings_have_no_raw_signature() -> None:
    for name, value, _ in documented():
        assert "\n--\n" not in (getattr(value, "__doc__", None) or ""), name


def blocks(page: str) -> list[str]:
    text = (ROOT / page).read_text("utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


CODE = [(page, block) for page in PAGES for block in blocks(page)]


@pytest.mark.parametrize(("page", "block"), CODE, ids=range(len(CODE)))
def test_examples_of_pages(page: str, block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "scrapy" in block and "import" in block and not HAS_SCRAPY:
        pytest.skip("Scrapy is not installed")
    if ("Client(" in block or "verger.page" in block) and not HAS_CLIENT:
        pytest.skip("built without the client")
    requests: Any = types.ModuleType("requests")
    requests.RequestException = OSError
    monkeypatch.setitem(sys.modules, "requests", requests)
    exec(compile(block, page, "exec"), {"__name__": page})


def test_pages_have_examples() -> None:
    assert all(len(blocks(page)) >= 2 for page in PAGES)


@pytest.mark.skipif(not (HAS_CLIENT and HAS_SCRAPY), reason="needs Scrapy")
def test_the_spider_of_the_page_requests_again() -> None:
    """A crawl whose clock is 200 times faster, of a site that answers 503 at first."""
    spider = next(block for block in blocks("docs/python.md") if "class ShopSpider" in block)
    settings = next(block for block in blocks("docs/python.md") if "# settings.py" in block)
    program = f"""
import asyncio
import http.server
import threading
import time
from types import SimpleNamespace

from scrapy.crawler import CrawlerProcess
from verger.scrapy import RobotsTxtMiddleware

SPEED = 200
begin = time.time()
now = lambda: begin + (time.time() - begin) * SPEED
asked = []


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked.append(self.path)
        is_down = self.path == "/robots.txt" and asked.count("/robots.txt") < 3
        self.send_response(503 if is_down else 200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"User-agent: *" if self.path == "/robots.txt" else b"page")

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
RobotsTxtMiddleware.clock = staticmethod(now)
spider = dict(__name__="shop")
exec({spider!r}, spider)
spider["time"] = SimpleNamespace(time=now)
spider["asyncio"] = SimpleNamespace(sleep=lambda wait: asyncio.sleep(wait / SPEED))
spider["ShopSpider"].start_urls = [f"http://127.0.0.1:{{server.server_port}}/"]
settings = dict()
exec({settings!r}, settings)
settings = {{name: value for name, value in settings.items() if name.isupper()}}
process = CrawlerProcess(dict(settings, LOG_LEVEL="WARNING"))
process.crawl(spider["ShopSpider"])
process.start()
print(asked)
"""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == "['/robots.txt', '/robots.txt', '/robots.txt', '/']\n", done
