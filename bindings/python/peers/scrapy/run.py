"""Runs Scrapy's own tests of robots.txt with Verger in place of Scrapy's classes.

    python peers/scrapy/run.py [DIRECTORY]

DIRECTORY is the unpacked source distribution of Scrapy. Without it, pip downloads the distribution.
The packages of `requirements.txt` must be installed. The test files are used unchanged.

The tests run with Scrapy's own classes (all must pass), with `VergerRobotParser` in place of
`ProtegoRobotParser`, and with Verger's `RobotsTxtMiddleware` in place of Scrapy's; each time with
the asyncio reactor and with the default reactor of the platform. The failing tests must equal the
lists beside this file, `parser.txt` and `middleware.txt`, which give the reason for each. A listed
test that passes is an error, too.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "2.19.0"
TESTS = ["tests/test_robotstxt_interface.py", "tests/test_downloadermiddleware_robotstxt.py"]
HERE = Path(__file__).resolve().parent


def main(arguments: list[str]) -> int:
    installed = importlib.metadata.version("scrapy")
    if installed != VERSION:
        print(f"expected Scrapy {VERSION}, but {installed} is installed", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        source = Path(arguments[0]) if arguments else download(work)
        errors = []
        for peer in ("none", "parser", "middleware"):
            for reactor in ("asyncio", "default"):
                errors += run(peer, reactor, source, work)
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


def download(work: Path) -> Path:
    """Downloads and unpacks the source distribution."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(work)]
    subprocess.run([*pip, "--no-binary", "scrapy", f"scrapy=={VERSION}"], check=True)
    with tarfile.open(next(work.glob("*.tar.gz"))) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(work, filter="data")
        else:
            archive.extractall(work)
    return next(path for path in work.iterdir() if path.is_dir())


def run(peer: str, reactor: str, source: Path, work: Path) -> list[str]:
    """Runs the tests once. Returns the differences from the list."""
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
    failing = {test for test, outcome in outcomes.items() if outcome == "failed"}
    expected = {} if peer == "none" else listed(HERE / f"{peer}.txt")
    words = ("passed", "failed", "skipped")
    counts = ", ".join(f"{list(outcomes.values()).count(word)} {word}" for word in words)
    print(f"{name}: {counts}", flush=True)
    if "passed" not in outcomes.values():
        return [f"{name}: no test has passed\n{ended.stdout}\n{ended.stderr}"]
    new, stale = sorted(failing - expected.keys()), sorted(expected.keys() - failing)
    errors = [f"{name}: fails and is not listed: {test}" for test in new]
    errors += [f"{name}: listed, but does not fail: {test}" for test in stale]
    return [*errors, ended.stdout] if new else errors


def listed(path: Path) -> dict[str, str]:
    """The tests of a list and the reason for each: ``test | reason`` on a line."""
    reasons = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        test, separator, reason = line.partition(" | ")
        if not separator or not reason.strip():
            raise SystemExit(f"{path.name}: expected `test | reason`, but found `{line}`")
        reasons[test.strip()] = reason.strip()
    return reasons


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
