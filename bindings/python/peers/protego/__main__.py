"""Runs Protego's own tests, unchanged, with `verger.protego` in the place of Protego.

    python -m peers.protego

Downloads the sdist of the pinned version from PyPI, or takes it from ``--sdist``. The Python that
runs this program needs pytest and the package `verger`. ``expected.toml`` lists the tests that
fail, each with the clause or reason, and the tests that are excluded. The exit code is 1 if another
test fails, or if a listed test passes or does not exist.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from peers import suite

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Run the program and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--sdist", type=Path, help="protego-*.tar.gz; default: downloaded by pip")
    options = parser.parse_args()
    expected = suite.expected(HERE)
    with tempfile.TemporaryDirectory(prefix="verger-protego-") as folder:
        source = suite.unpacked(expected["peer"], Path(folder), options.sdist)
        report = _run(source, [it["test"] for it in expected["excluded"]], Path(folder))
    results: dict[str, str] = report["results"]
    failed = {test for test, outcome in results.items() if outcome == "failed"}
    fetched = {test for test in results if test.startswith("test_on_fetched_robotstxt.py")}
    others = results.keys() - fetched
    passed = len(others - failed)
    print(f"{passed} of {len(others)} verdict and API tests pass, {len(fetched)} files are parsed")
    errors = suite.differences(set(results), failed, expected.get("failing", []))
    errors += [f"excluded, but does not exist: {test}" for test in report["unknown"]]
    for error in errors:
        print(error)
    return 1 if errors else 0


def _run(source: Path, excluded: list[str], folder: Path) -> dict[str, Any]:
    """The outcomes of all tests."""
    report = folder / "report.json"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]).strip(":"),
        "VERGER_PEER_SOURCE": str(source),
        "VERGER_PEER_EXCLUDED": json.dumps(excluded),
        "VERGER_PEER_REPORT": str(report),
    }
    command = [sys.executable, "-m", "pytest", "-p", "verger_as_protego", "-q", "--tb=no"]
    command += ["--no-summary", "-p", "no:cacheprovider", "--rootdir", str(source)]
    command += ["-c", os.devnull, "tests"]
    subprocess.run(command, cwd=source, env=environment, check=False, stdout=subprocess.DEVNULL)
    if not report.exists():
        sys.exit("error: pytest did not run. Is it installed?")
    result: dict[str, Any] = json.loads(report.read_text())
    return result


if __name__ == "__main__":
    sys.exit(main())
