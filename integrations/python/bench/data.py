"""The work: real files with the questions to Google's library, and many URLs for each file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow
import pyarrow.compute as pc
import pyarrow.parquet
import rows as questions

SAMPLE = 20
"""Peers in Python get one of so many files. Their time for a row is the same."""
AGENT = "GPTBot"
URLS_PER_ORIGIN = 1_000
ROW_GROUP = 50_000


@dataclass
class Data:
    """Paths of Parquet files, and their numbers of rows."""

    rows: Path
    """A file, a crawler and a URL in each row; the rows of a file are neighbours."""
    sample: Path
    """Those of one file of `SAMPLE`."""
    files: Path
    """Each origin with its file."""
    files_sample: Path
    urls: Path
    """`urls_per_origin` URLs of each origin, in random order."""
    urls_sorted: Path
    """The same, sorted by origin."""
    urls_sample: Path
    """Those of one origin of `SAMPLE`, sorted by origin."""
    counts: dict[str, int]
    bytes_of_files: int


def write(folder: Path, urls_per_origin: int) -> Data:
    """Writes the data into a folder."""
    golden = questions.golden()
    numbers = {origin: at for at, origin in enumerate(dict.fromkeys(golden.origins))}
    table = golden.table()
    is_sample = pyarrow.array([numbers[origin] % SAMPLE == 0 for origin in golden.origins])
    by_origin: dict[str, list[bytes]] = {}
    robots: dict[str, bytes] = {}
    for origin, file, url in zip(golden.origins, golden.robots, golden.urls, strict=True):
        robots[origin] = file
        by_origin.setdefault(origin, []).append(url)
    names, paths, samples = [], [], []
    for at, (origin, urls) in enumerate(by_origin.items()):
        for number in range(urls_per_origin):
            names.append(f"https://{origin}")
            # Different URLs: a query parameter at the end.
            url = urls[number % len(urls)].decode()
            paths.append(f"{url}{'&' if '?' in url else '?'}page={number}")
            samples.append(at % SAMPLE == 0)
    urls = pyarrow.table({"origin": pyarrow.array(names).dictionary_encode(), "url": paths})
    in_random_order = pc.sort_indices(pc.random(len(urls), initializer=SAMPLE))
    files = pyarrow.table(
        {
            "origin": [f"https://{origin}" for origin in robots],
            "robots": pyarrow.array(robots.values(), pyarrow.binary()),
        }
    )
    few = pyarrow.array([at % SAMPLE == 0 for at in range(len(files))])
    tables = {
        "rows": table,
        "sample": table.filter(is_sample),
        "files": files,
        "files_sample": files.filter(few),
        "urls": urls.take(in_random_order),
        "urls_sorted": urls,
        "urls_sample": urls.filter(pyarrow.array(samples)),
    }
    written = {}
    for name, content in tables.items():
        written[name] = folder / f"{name}.parquet"
        pyarrow.parquet.write_table(content, written[name], row_group_size=ROW_GROUP)
    counts = {name: len(content) for name, content in tables.items()}
    size = sum(map(len, robots.values()))
    return Data(**written, counts=counts, bytes_of_files=size)
