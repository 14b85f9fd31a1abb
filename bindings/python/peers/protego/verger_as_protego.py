"""A pytest plugin that puts `verger.protego` in the place of Protego. See __main__.py.

The peer's tests import private functions of ``protego._utils`` at the top of a file. That module
comes from the sdist itself, so that the import succeeds. Tests that call its functions are excluded
by name.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import types
from pathlib import Path

import pytest
import verger.protego

_SOURCE = Path(os.environ["VERGER_PEER_SOURCE"])
_EXCLUDED = frozenset(json.loads(os.environ["VERGER_PEER_EXCLUDED"]))
_REPORT = Path(os.environ["VERGER_PEER_REPORT"])


def _install() -> None:
    package = types.ModuleType("protego")
    package.__path__ = []
    for name in verger.protego.__all__:
        setattr(package, name, getattr(verger.protego, name))
    sys.modules["protego"] = package
    utils = _SOURCE / "src" / "protego" / "_utils.py"
    spec = importlib.util.spec_from_file_location("protego._utils", utils)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["protego._utils"] = module
    spec.loader.exec_module(module)


_install()

_results: dict[str, str] = {}
_unknown: set[str] = set()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leaves the excluded tests out."""
    used = set()
    kept = []
    for item in items:
        hit = {name for name in (_file(item.nodeid), _test(item.nodeid)) if name in _EXCLUDED}
        used |= hit
        if not hit:
            kept.append(item)
    _unknown.update(_EXCLUDED - used)
    items[:] = kept


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Notes the outcome of a test."""
    if report.failed or (report.when == "call" and report.nodeid not in _results):
        _results[report.nodeid.removeprefix("tests/")] = report.outcome


def pytest_sessionfinish() -> None:
    """Writes the report for __main__.py."""
    _REPORT.write_text(json.dumps({"results": _results, "unknown": sorted(_unknown)}))


def _file(nodeid: str) -> str:
    return nodeid.removeprefix("tests/").partition("::")[0]


def _test(nodeid: str) -> str:
    return nodeid.removeprefix("tests/").partition("[")[0]
