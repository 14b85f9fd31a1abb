"""Generates input for measurements: generate.py FOLDER URLS ORIGINS

Writes `captures.parquet`, and the same URLs as `random/*.parquet`, in random order, and as
`sorted/*.parquet`, as in the indexes of archives. Files are those of the corpus.
"""

import sys
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python/tests"))
import rows

WORDS = "catalogue product search wp-content images news user tag page archive".split()


def generate(folder: Path, urls: int, origins: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    files = list(rows.corpus().values())
    captures = {
        "origin": [f"https://www.site-{site}.example" for site in range(origins)],
        "robots": pyarrow.array([files[site % len(files)] for site in range(origins)], pyarrow.binary()),
    }
    pyarrow.parquet.write_table(
        pyarrow.table(captures), folder / "captures.parquet", row_group_size=1024
    )
    word = "'/' || list_extract($words, 1 + (hash(i, {0}) % 10)::INT)"
    path = [f"if(hash(i) % 3 >= {depth}, {word.format(depth)}, '')" for depth in range(3)]
    url = f"""'https://www.site-' || hash(i, 4) % $origins || '.example' || {" || ".join(path)}
              || '/' || hex(hash(i, 3) % 1073741824) || '.html'"""
    for name, order in [("random", ""), ("sorted", "ORDER BY url")]:
        copy = f"""COPY (SELECT {url} AS url FROM range($urls) of(i) {order}) TO '{folder / name}'
                   (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 1048576,
                    FILE_SIZE_BYTES '500MB', OVERWRITE)"""
        duckdb.execute(copy, dict(words=WORDS, urls=urls, origins=origins))


if __name__ == "__main__":
    generate(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
