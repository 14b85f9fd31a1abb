"""Write a sample of real robots.txt files as Parquet: the 4,231 files among the tests of Protego.

    python sample.py robots.parquet

They come with Protego's source distribution on PyPI, which pip downloads. The columns are `host` and
`robots`. The sample has no dates and no statuses.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import pyarrow
import pyarrow.parquet

PROTEGO = "protego==0.7.0"
FOLDER = "/tests/test_data/"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="the file to write")
    parser.add_argument("--sdist", type=Path, help="a source distribution that is there already")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = read(arguments.sdist or download(Path(folder)))
    if not files:
        sys.exit(f"error: expected files in {FOLDER} of Protego's source distribution, but found none")
    write(files, arguments.output)
    print(f"{arguments.output}: {len(files):,} files")


def download(folder: Path) -> Path:
    """Download the source distribution."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*pip, "--dest", str(folder), PROTEGO], check=True)
    return next(folder.iterdir())


def read(sdist: Path) -> dict[str, bytes]:
    """Return the files by host."""
    with tarfile.open(sdist) as archive:
        members = [member for member in archive if member.isfile() and FOLDER in f"/{member.name}"]
        contents = {member.name.rsplit("/", 1)[1]: archive.extractfile(member) for member in members}
        return {host: file.read() for host, file in sorted(contents.items()) if file}


def write(files: dict[str, bytes], output: Path) -> None:
    """Write the files as Parquet."""
    columns = {
        "host": pyarrow.array(files.keys(), pyarrow.string()),
        "robots": pyarrow.array(files.values(), pyarrow.binary()),
    }
    pyarrow.parquet.write_table(pyarrow.table(columns), output, compression="zstd")


if __name__ == "__main__":
    main()
