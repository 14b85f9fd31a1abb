"""Usage: python -m bench --loops PROGRAM [--rounds N] [--write PAGE | --cores N]

Measures all works in turn, on one core, and prints a page of tables. `PROGRAM` is `verger-bench-rows`.
With `--cores`, measures only `check_urls` in Spark, with 8 million URLs, and prints its table.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

ROUNDS = 3
URLS_PER_ORIGIN = 1_891
"""With `--cores`: 8 million for the origins of the files. In shorter runs, the start of Spark counts."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--loops", type=Path, required=True, help="the program verger-bench-rows")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"rounds (default: {ROUNDS})")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--write", type=Path, help="file for the page (default: standard output)")
    output.add_argument("--cores", type=int, help="measure only `check_urls` in Spark, on this many cores")
    given = parser.parse_args()
    cores = given.cores or 1
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    # Before anything starts threads.
    os.environ.update(POLARS_MAX_THREADS="1", SPARK_LOCAL_IP="127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_DRIVER_MEMORY", "4g")
    from pyspark.sql import SparkSession

    from . import data, report, work

    work.bind_to(cores)
    folder = Path(tempfile.mkdtemp(prefix="verger-columns-"))
    try:
        events = folder / "events"
        events.mkdir()
        written = data.write(folder, data.URLS_PER_ORIGIN if given.cores is None else URLS_PER_ORIGIN)
        builder = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", False)
        builder = builder.config("spark.eventLog.enabled", True)
        builder = builder.config("spark.eventLog.dir", events.as_uri())
        builder = builder.config("spark.eventLog.compress", False)
        session = builder.config("spark.sql.shuffle.partitions", 8).getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        todo = list(work.works(written, session, given.loops))
        if given.cores is not None:
            todo = [one for one in todo if one.table == "join" and not one.is_peer]
        seconds: list[list[float]] = [[] for _ in todo]
        loads = []
        for number in range(given.rounds):
            for one, times in zip(todo, seconds, strict=True):
                loads.append(os.getloadavg()[0])
                times.append(one.run())
                print(f"{number + 1}: {one.name}, {one.order}: {times[-1]:.2f} s", file=sys.stderr)
        session.stop()
        found = list(zip(todo, map(statistics.median, seconds), strict=True))
        if given.cores is not None:
            page = report.table(found, "join")
        else:
            page = report.page(found, written, report.shuffled(events), given.rounds, max(loads))
    finally:
        shutil.rmtree(folder)
    if given.write:
        given.write.write_text(page, "utf-8")
    else:
        print(page)


main()
