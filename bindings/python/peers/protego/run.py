#!/usr/bin/env python3
"""Runs Protego's own tests, unchanged, with `verger.protego` in the place of Protego.

Downloads the sdist of the pinned version from PyPI, or takes it from ``--sdist``. The Python that
runs this program needs pytest and the package `verger`. ``expected.toml`` lists the tests that
fail, each with the clause or reason, and the tests that are excluded. The exit code is 1 if another
test fails, or if a listed test passes or does not exist.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Run the program and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--sdist", type=Path, help="protego-*.tar.gz; default: downloaded by pip")
    parser.add_argument("--write", type=Path, help="file for the list of failing tests")
    options = parser.parse_args()
    expected = tomllib.loads((HERE / "expected.toml").read_text("utf-8"))
    with tempfile.TemporaryDirectory(prefix="verger-protego-") as folder:
        source = _unpacked(options.sdist, expected["peer"], Path(folder))
        report = _run(source, [it["test"] for it in expected["excluded"]], Path(folder))
    failing = sorted(test for test, outcome in report["results"].items() if outcome == "failed")
    if options.write:
        options.write.write_text("".join(f"{test}\n" for test in failing), "utf-8")
    return _compare(report, failing, [it["test"] for it in expected.get("failing", [])])


def _unpacked(sdist: Path | None, peer: dict[str, str], folder: Path) -> Path:
    """The folder of the unpacked sdist."""
    name = f"protego-{peer['version']}"
    if sdist is None:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary"]
        command += ["protego", "--dest", str(folder), f"protego=={peer['version']}"]
        subprocess.run(command, check=True)
        sdist = folder / f"{name}.tar.gz"
    found = hashlib.sha256(sdist.read_bytes()).hexdigest()
    if found != peer["sha256"]:
        sys.exit(f"error: {sdist}: expected SHA-256 {peer['sha256']}, but found {found}")
    with tarfile.open(sdist) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(folder, filter="data")
        else:
            archive.extractall(folder)  # Its SHA-256 is pinned.
    return folder / name


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


def _compare(report: dict[str, Any], failing: list[str], expected: list[str]) -> int:
    results = report["results"]
    fetched = sum(test.startswith("test_on_fetched_robotstxt.py") for test in results)
    others = len(results) - fetched
    passed = others - sum(not test.startswith("test_on_fetched") for test in failing)
    print(f"{passed} of {others} verdict and API tests pass, and {fetched} files are parsed")
    errors = [f"fails, but is not listed: {test}" for test in failing if test not in expected]
    for test in expected:
        if test not in results:
            errors.append(f"listed, but does not exist: {test}")
        elif test not in failing:
            errors.append(f"listed, but passes: {test}")
    errors += [f"excluded, but does not exist: {test}" for test in report["unknown"]]
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
