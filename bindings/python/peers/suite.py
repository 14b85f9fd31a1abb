"""Other projects' test suites: their source distributions, and lists of the tests that fail."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def expected(folder: Path) -> dict[str, Any]:
    """Read the list of the tests that fail, each with its clause or reason."""
    return tomllib.loads((folder / "expected.toml").read_text("utf-8"))


def unpacked(peer: dict[str, str], folder: Path, sdist: Path | None = None) -> Path:
    """Download a source distribution into a folder, and unpack it there.

    Args:
        peer: ``name``, ``version`` and ``sha256``.
        folder: where to write.
        sdist: the source distribution; downloaded by pip without it.
    """
    name = f"{peer['name']}-{peer['version']}"
    if sdist is None:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary"]
        pip += [peer["name"], "--dest", str(folder), f"{peer['name']}=={peer['version']}"]
        subprocess.run(pip, check=True)
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


def differences(ran: set[str], failed: set[str], listed: list[dict[str, Any]]) -> list[str]:
    """Compare the tests that failed with a list of them. Return a message for each difference."""
    expected = {entry["test"]: entry for entry in listed}
    found = [f"fails, but is not listed: {test}" for test in sorted(failed - expected.keys())]
    for test, entry in expected.items():
        if test not in ran:
            if not entry.get("not_in_every_version"):
                found.append(f"listed, but does not exist: {test}")
        elif test not in failed:
            found.append(f"listed, but passes: {test}")
    return found
