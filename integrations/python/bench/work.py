"""Works: each takes the same input from the same Parquet file to a count of allowed rows."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datafusion
import duckdb
import polars
import pyarrow
import pyarrow.parquet
import verger_arrow
import verger_arrow.datafusion
import verger_arrow.duckdb
import verger_arrow.spark
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf
from verger_arrow.polars import RobotsNamespace

from .data import AGENT, Data
from .peers import parsed, protego, protego_by_origin, protego_uncached

RANDOM, SORTED = "random", "sorted"
"""Orders of rows: by file or origin if they are sorted."""


@dataclass
class Work:
    """A way to answer the rows of a table of the page."""

    table: str
    """`rows` or `join`."""
    name: str
    rows: int
    run: Callable[[], float]
    """Returns seconds."""
    is_peer: bool = False
    order: str = SORTED
    """Order of the rows."""


def timed(run: Callable[[], Any]) -> Callable[[], float]:
    """The seconds of a work."""

    def watch() -> float:
        start = time.perf_counter()
        run()
        return time.perf_counter() - start

    return watch


def works(data: Data, session: SparkSession, loops: Path) -> Iterator[Work]:
    """All works; Spark's are those of this session."""
    count = data.counts
    yield from of_rust(count["rows"], loops)
    table = pyarrow.parquet.read_table(data.rows)
    robots, agents, urls = (table[name] for name in ("robots", "agent", "url"))
    yield Work("rows", "pyarrow", count["rows"], timed(lambda: verger_arrow.check(robots, agents, urls)))
    policies = pyarrow.array(verger_arrow.compile(robots, agents)).dictionary_encode()
    yield Work(
        "rows",
        "pyarrow, compiled policies",
        count["rows"],
        timed(lambda: verger_arrow.check_policies(policies, urls)),
    )

    frame = polars.read_parquet(data.rows)
    allowed = RobotsNamespace(polars.col("robots")).allowed(polars.col("agent"), polars.col("url"))
    yield Work("rows", "Polars", count["rows"], timed(lambda: frame.select(allowed.sum())))

    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    verger_arrow.duckdb.register(connection)
    types: list[Any] = ["BLOB", "VARCHAR", "VARCHAR"]
    connection.create_function("protego", protego, types, "BOOLEAN")  # type: ignore[arg-type]
    query = "SELECT count(*) FILTER ({}(robots, agent, url)) FROM '{}'"
    ours, theirs = query.format("robots_allowed", data.rows), query.format("protego", data.sample)
    yield Work("rows", "DuckDB", count["rows"], timed(lambda: connection.sql(ours).fetchall()))
    yield Work(
        "rows",
        "DuckDB, Python function on Protego",
        count["sample"],
        timed(lambda: (parsed.cache_clear(), connection.sql(theirs).fetchall())),
        is_peer=True,
    )

    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(1))
    verger_arrow.datafusion.register(context)
    context.register_parquet("questions", str(data.rows))
    call = "robots_allowed(arrow_cast(robots, 'Binary'), agent, url)"
    of_fusion = f"SELECT count(*) FILTER (WHERE {call}) FROM questions"
    yield Work("rows", "DataFusion", count["rows"], timed(lambda: context.sql(of_fusion).collect()))

    yield from of_spark(data, session)


def of_rust(rows: int, loops: Path) -> Iterator[Work]:
    """Plain loops in Rust; one run of the program has the times of both."""

    def run(name: str) -> float:
        output = subprocess.run([loops], capture_output=True, text=True, check=True).stdout
        found = json.loads(output)
        assert found["rows"] == rows, found
        return float(found[name]) / 1e9

    yield Work("rows", "Rust loop on robotxt", rows, lambda: run("robotxt"), is_peer=True)
    yield Work("rows", "Rust loop on the engine", rows, lambda: run("verger"))


def of_spark(data: Data, session: SparkSession) -> Iterator[Work]:
    """SQL functions with a file in each row, and joins."""
    verger_arrow.spark.register(session)
    session.udf.register("protego", protego, "boolean")
    session.udf.register("protego_uncached", protego_uncached, "boolean")

    def with_function(name: str, path: Path) -> Callable[[], float]:
        call = sf.expr(f"count_if({name}(robots, agent, url))")
        return described(session, name, lambda: session.read.parquet(str(path)).select(call).collect())

    count = data.counts
    yield Work("rows", "Spark", count["rows"], with_function("robots_allowed", data.rows))
    peer = functools.partial(Work, is_peer=True)
    yield peer(
        "rows",
        "Spark, UDF on Protego with a cache",
        count["sample"],
        with_function("protego", data.sample),
    )
    yield peer(
        "rows",
        "Spark, UDF on Protego",
        count["sample"],
        with_function("protego_uncached", data.sample),
    )

    def without_checks() -> None:
        session.read.parquet(str(data.urls)).select(sf.expr("count_if(url < 'i')")).collect()

    name = "no checks: Spark compares the URLs with a text"
    yield Work("join", name, count["urls"], described(session, name, without_checks), order=RANDOM)

    def joined(broadcast: bool | None, path: Path, columns: list[str]) -> Callable[[], float]:
        def run() -> None:
            files = session.read.parquet(str(data.files))
            policies = verger_arrow.spark.compile_policies(files, AGENT)
            urls = session.read.parquet(str(path)).select(columns)
            answers = verger_arrow.spark.check_urls(urls, policies, broadcast=broadcast)
            answers.select(sf.expr("count_if(allowed)")).collect()

        return described(session, f"join, broadcast={broadcast}", run)

    def of_protego_by_origin(path: Path) -> Callable[[], float]:
        def run() -> None:
            rows = session.read.parquet(str(data.files)).collect()
            files = session.sparkContext.broadcast({row.origin: bytes(row.robots) for row in rows})

            def allowed(origin: str, url: str) -> bool:
                return protego_by_origin(files, origin, url, AGENT)

            answer = sf.udf(allowed, "boolean")("origin", "url")
            session.read.parquet(str(path)).select(sf.count_if(answer)).collect()

        return described(session, "join, protego_by_origin", run)

    orders = {RANDOM: data.urls, SORTED: data.urls_sorted}
    keyed = ["origin", "url"]
    ways: list[tuple[str, bool | None, list[str]]] = [
        ("default", None, keyed),
        ("broadcast", True, keyed),
        ("broadcast, URLs without a column of origins", True, ["url"]),
        ("shuffled", False, keyed),
    ]
    for way, is_sent, columns in ways:
        for order, path in orders.items():
            run = joined(is_sent, path, columns)
            yield Work("join", f"`check_urls`, {way}", count["urls"], run, order=order)
    for order, path in orders.items():
        name = "a UDF on Protego, cached by origin"
        yield peer("join", name, count["urls"], of_protego_by_origin(path), order=order)

    def of_protego(function: str, where: str) -> Callable[[], float]:
        def run() -> None:
            files = session.read.parquet(str(data.files_sample))
            urls = session.read.parquet(str(data.urls_sample)).where(where)
            # Sorted, so that a file is parsed once.
            rows = urls.join(files, "origin").sortWithinPartitions("origin")
            rows.selectExpr(f"count_if({function}(robots, '{AGENT}', url))").collect()

        return described(session, f"join, {function}", run)

    name = "a UDF on Protego, a file in each row, with a cache"
    yield peer("join", name, count["urls_sample"], of_protego("protego", "true"))
    # One URL of ten: it parses the file for each row.
    tenth = "url LIKE '%page=1__'"
    few = session.read.parquet(str(data.urls_sample)).where(tenth).count()
    name = "a UDF on Protego, a file in each row"
    yield peer("join", name, few, of_protego("protego_uncached", tenth))


def described(session: SparkSession, name: str, run: Callable[[], Any]) -> Callable[[], float]:
    """The seconds of a work whose jobs have a description in Spark's events."""

    def describe() -> None:
        session.sparkContext.setJobDescription(name)
        run()

    return timed(describe)


def bind_to(cores: int) -> None:
    """This process, and all that it starts, run on this many cores."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-cores:])
