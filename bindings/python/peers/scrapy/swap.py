"""pytest plugin: puts Verger in place of a class of Scrapy before Scrapy's tests are imported.

The environment variable ``VERGER_PEER`` names the class: ``parser`` or ``middleware``. The variable
``VERGER_PEER_REPORT`` names a file. It gets a JSON object: the outcome of every test by its id.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

OUTCOMES: dict[str, str] = {}


def pytest_configure(config: pytest.Config) -> None:
    import scrapy.downloadermiddlewares.robotstxt as middlewares
    import scrapy.robotstxt as parsers
    import verger.scrapy as ours

    peer = os.environ["VERGER_PEER"]
    if peer == "parser":
        setattr(parsers, "ProtegoRobotParser", ours.VergerRobotParser)
    elif peer == "middleware":
        setattr(middlewares, "RobotsTxtMiddleware", ours.RobotsTxtMiddleware)
    elif peer != "none":
        raise pytest.UsageError(f"VERGER_PEER: unknown class {peer}")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        before = OUTCOMES.get(report.nodeid, "passed")
        OUTCOMES[report.nodeid] = report.outcome if before == "passed" else before


def pytest_sessionfinish(session: pytest.Session) -> None:
    Path(os.environ["VERGER_PEER_REPORT"]).write_text(json.dumps(OUTCOMES), encoding="utf-8")
