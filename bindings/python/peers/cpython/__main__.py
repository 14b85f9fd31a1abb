"""Runs CPython's own test_robotparser, unchanged, with `verger.robotparser` in its place.

    python -m peers.cpython

The tests are those of the Python that runs this program (its package `test`). It needs the package
`verger`, and Python 3.10 also `tomli`. CPython 3.13.14 and 3.14.5 follow RFC 9309 and have another
suite than the versions before. ``expected.toml`` lists for each suite the tests that fail, with the
clause or reason. The exit code is 1 if another test fails, or if a listed test passes or does not
exist.

Each sub-test counts as a test. Tests that need the internet are skipped, as CPython does.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import sys
import unittest
import urllib.robotparser
from pathlib import Path
from typing import Any

import verger.robotparser

from peers import suite


class _Outcomes(unittest.TestResult):
    """Notes the outcome of each test and sub-test."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.passed: set[str] = set()
        self.failed: set[str] = set()
        self.skips: set[str] = set()

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().addSuccess(test)
        self.passed.add(_name(test))

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addFailure(test, err)
        self.failed.add(_name(test))

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addError(test, err)
        self.failed.add(_name(test))

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        super().addSkip(test, reason)
        self.skips.add(_name(test))

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        super().addSubTest(test, subtest, err)
        (self.passed if err is None else self.failed).add(_name(subtest))


def _name(test: Any) -> str:
    """``Class.method``, for a sub-test with its parameters."""
    name: str = test.id()
    return name.removeprefix("test.test_robotparser.")


def main() -> int:
    """Run the program and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("-v", action="store_true", help="show the message of each failure")
    options = parser.parse_args()
    has_groups = hasattr(urllib.robotparser.RobotFileParser(), "groups")
    name = "rfc9309" if has_groups else "old"
    failing = suite.expected(Path(__file__).parent)["failing"]
    listed = [
        {**entry, "test": test}
        for entry in failing
        if entry.get("suite", name) == name
        for test in entry["tests"]
    ]
    sys.modules["urllib.robotparser"] = verger.robotparser
    urllib.robotparser = verger.robotparser
    try:
        module = importlib.import_module("test.test_robotparser")
    except ImportError as error:
        print(f"error: this Python has no test.test_robotparser: {error}", file=sys.stderr)
        return 2
    outcomes = _Outcomes()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(outcomes)
    if options.v:
        for failed, trace in outcomes.failures + outcomes.errors:
            print(f"{_name(failed)}\n{trace}")
    # A test passes even if its sub-tests fail: only the sub-tests count then.
    ran = outcomes.passed | outcomes.failed
    version = platform.python_version()
    print(
        f"Python {version}, suite {name}: {len(ran) - len(outcomes.failed)} of {len(ran)} tests "
        f"and sub-tests pass, {len(outcomes.skips)} skipped"
    )
    errors = suite.differences(ran, outcomes.failed, listed)
    for text in errors:
        print(text)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
