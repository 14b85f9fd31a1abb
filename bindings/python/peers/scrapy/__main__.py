"""Runs Scrapy's own tests of robots.txt with Verger in place of Scrapy's classes.

    python -m peers.scrapy

pip downloads the source distribution of the pinned version, or ``--sdist`` names it.
The packages of `peers/requirements.txt` must be installed. The test files are used unchanged.

The tests run with Scrapy's own classes (all must pass), with `VergerRobotParser` in place of
`ProtegoRobotParser`, and with Verger's `RobotsTxtMiddleware` in place of Scrapy's; each time with
the asyncio reactor and with the default reactor of the platform. ``expected.toml`` lists the tests
that fail, each with the clause or reason. The exit code is 1 if another test fails, or if a listed
test passes or does not exist.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from peers import suite

TESTS = ["tests/test_robotstxt_interface.py", "tests/test_downloadermiddleware_robotstxt.py"]
HERE = Path(__file__).resolve().parent


def main() -> int:
    """Run the program and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--sdist", type=Path, help="scrapy-*.tar.gz; default: downloaded by pip")
    options = parser.parse_args()
    expected = suite.expected(HERE)
    version, installed = expected["peer"]["version"], importlib.metadata.version("scrapy")
    if installed != version:
        print(f"expected Scrapy {version}, but {installed} is installed", file=sys.stderr)
        return 2
    errors = []
    with tempfile.TemporaryDirectory(prefix="verger-scrapy-") as temporary:
        work = Path(temporary)
        source = suite.unpacked(expected["peer"], work, options.sdist)
        for peer in ("none", "parser", "middleware"):
            for reactor in ("asyncio", "default"):
                errors += _run(peer, reactor, source, work, expected.get(peer, []))
    for error in errors:
        print(error)
    return 1 if errors else 0


def _run(
    peer: str, reactor: str, source: Path, work: Path, listed: list[dict[str, Any]]
) -> list[str]:
    """Run the tests once. Return the differences from the list."""
    name, report = f"{peer}, {reactor}", work / f"{peer}-{reactor}.json"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
        "VERGER_PEER": peer,
        "VERGER_PEER_REPORT": str(report),
    }
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
    # pytest-asyncio would take over the coroutines.
    command += ["-p", "no:asyncio", "-p", "swap", f"--reactor={reactor}", *TESTS]
    ended = subprocess.run(
        command, cwd=source, env=environment, capture_output=True, text=True, check=False
    )
    if not report.exists() or ended.returncode not in (0, 1):
        return [f"{name}: pytest failed\n{ended.stdout}\n{ended.stderr}"]
    outcomes: dict[str, str] = json.loads(report.read_text(encoding="utf-8"))
    words = ("passed", "failed", "skipped")
    counts = ", ".join(f"{list(outcomes.values()).count(word)} {word}" for word in words)
    print(f"{name}: {counts}", flush=True)
    if "passed" not in outcomes.values():
        return [f"{name}: no test has passed\n{ended.stdout}\n{ended.stderr}"]
    failed = {test for test, outcome in outcomes.items() if outcome == "failed"}
    found = suite.differences(set(outcomes), failed, listed)
    return [f"{name}: {difference}" for difference in found]


if __name__ == "__main__":
    sys.exit(main())
