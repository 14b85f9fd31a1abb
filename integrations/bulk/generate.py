"""Generates input for measurements: generate.py FOLDER MEGABYTES ORIGINS [random]

Writes `captures.parquet` and `urls/*.parquet`. The URLs take about the given size on disk, with
Snappy. Neighbouring URLs are of one origin, as in the indexes of archives, unless `random` is given.
Files are those of the corpus.
"""

import sys
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python/tests"))
import rows

URL_BYTES = 18
"""Bytes of a URL on disk."""
NEIGHBOURS = 20
"""URLs of an origin in a row."""
WORDS = "catalogue product search wp-content images news user tag page archive".split()

folder, megabytes, origins, *order = sys.argv[1:]
folder, count = Path(folder), int(megabytes) * 1_000_000 // URL_BYTES
(folder / "urls").mkdir(parents=True, exist_ok=True)
files = list(rows.corpus().values())
sites = range(int(origins))
captures = {
    "origin": [f"https://www.site-{site}.example" for site in sites],
    "robots": pyarrow.array([files[site % len(files)] for site in sites], pyarrow.binary()),
}
pyarrow.parquet.write_table(pyarrow.table(captures), folder / "captures.parquet", row_group_size=1024)
word = "'/' || list_extract($words, 1 + (hash(i, {0}) % 10)::INT)"
path = [f"if(hash(i) % 3 >= {depth}, {word.format(depth)}, '')" for depth in range(3)]
url = f"""'https://www.site-' || hash(i // $neighbours) % $origins || '.example' || {" || ".join(path)}
          || '/' || hex(hash(i, 3) % 1073741824) || '.html'"""
copy = f"""COPY (SELECT {url} AS url FROM range($count) of(i)) TO '{folder}/urls'
           (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 1048576, FILE_SIZE_BYTES '500MB',
            OVERWRITE)"""
neighbours = 1 if order else NEIGHBOURS
values = dict(words=WORDS, count=count, origins=int(origins), neighbours=neighbours)
duckdb.execute(copy, values)
print(f"about {count} URLs")
