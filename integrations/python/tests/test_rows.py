"""Each engine gives the answers of the library, row by row."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow
import pyarrow.compute as pc
import pyarrow.parquet
import pytest
import rows as questions
import verger_arrow

ROW_GROUP = 20_000
"""Rows of a part of a Parquet file. Engines read the parts in parallel."""


class Asked:
    """Questions as a Parquet file."""

    def __init__(self, name: str, found: questions.Rows, folder: Path) -> None:
        self.dialect = "google" if name == "golden" else "rfc9309"
        self.rows = found
        self.table = found.table()
        self.path = folder / f"{name}.parquet"
        pyarrow.parquet.write_table(self.table, self.path, row_group_size=ROW_GROUP)

    def compare(self, engine: str, found: pyarrow.Table) -> None:
        """Compares the columns `row` and `allowed`, in any order."""
        ordered = found.combine_chunks().sort_by("row")
        assert ordered["row"].equals(self.table["row"])
        self.compare_all(engine, ordered["allowed"].to_pylist())

    def compare_all(self, engine: str, allowed: list[bool | None]) -> None:
        """Compares answers in the order of the rows."""
        pairs = zip(allowed, self.rows.allowed, strict=True)
        different = [row for row, (found, expected) in enumerate(pairs) if found is not expected]
        print(f"{engine}: {len(allowed)} rows: {len(different)} differences")
        assert not different, [
            (self.rows.agents[row], self.rows.urls[row], allowed[row]) for row in different[:5]
        ]


@pytest.fixture(scope="module")
def everything() -> questions.Rows:
    pytest.importorskip("verger", reason="the library is not installed")
    return questions.hostile()


@pytest.fixture(scope="module", params=["golden", "hostile"])
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    folder = tmp_path_factory.mktemp("rows")
    if request.param == "golden":
        if not (questions.CORPUS and questions.GOLDEN):
            pytest.skip("SKIPPED: the corpus and golden answers are not in ../shared")
        return Asked("golden", questions.golden(), folder)
    if not questions.HOSTILE:
        pytest.skip("SKIPPED: hostile.jsonl is not in ../shared")
    return Asked("hostile", questions.in_utf8(request.getfixturevalue("everything")), folder)


def test_hostile_bytes_in_pyarrow(everything: questions.Rows) -> None:
    """Also agents and URLs that are not UTF-8."""
    table = everything.table(pyarrow.binary())
    found = pyarrow.array(verger_arrow.check(table["robots"], table["agent"], table["url"]))
    different = [
        (everything.agents[row], everything.urls[row])
        for row, expected in enumerate(everything.allowed)
        if found[row].as_py() is not expected
    ]
    assert not different
    assert len(everything.urls) > 800


def test_pyarrow(asked: Asked) -> None:
    robots, agents, urls = (asked.table[name] for name in ("robots", "agent", "url"))
    found = verger_arrow.check(robots, agents, urls, asked.dialect)
    asked.compare_all("pyarrow", pyarrow.array(found).to_pylist())
    policies = verger_arrow.compile(robots, agents, asked.dialect)
    asked.compare_all("policies", pyarrow.array(verger_arrow.check_policies(policies, urls)).to_pylist())
    details = pyarrow.array(verger_arrow.check_detailed(robots, agents, urls, asked.dialect))
    asked.compare_all("details", pc.struct_field(details, "allowed").to_pylist())


def test_every_type(asked: Asked) -> None:
    """Each type of text in slices: the first and the last row are cut off."""
    count = min(len(asked.table), 50_000)
    plain = asked.table.slice(0, count)
    expected = asked.rows.allowed[1 : count - 1]
    texts = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()]
    octets = [pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view()]
    robots = plain["robots"].cast(pyarrow.binary())
    for text, binary in [*zip(texts, octets, strict=True), (octets[0], octets[1])]:
        columns = [robots.cast(binary), plain["agent"].cast(text), plain["url"].cast(text)]
        sliced = [column.slice(1, count - 2) for column in columns]
        found = verger_arrow.check(*sliced, asked.dialect)
        assert pyarrow.array(found).to_pylist() == expected
        chunks = [
            pyarrow.chunked_array([*column.slice(0, 3).chunks, *column.slice(3).chunks]) for column in sliced
        ]
        found = verger_arrow.check(*chunks, asked.dialect)
        assert pyarrow.array(found).to_pylist() == expected


def test_polars(asked: Asked) -> None:
    polars = pytest.importorskip("polars")
    from verger_arrow.polars import RobotsNamespace

    robots = RobotsNamespace(polars.col("robots"))
    allowed = robots.allowed(polars.col("agent"), polars.col("url"), asked.dialect)
    frame = polars.scan_parquet(asked.path).select("row", allowed=allowed).collect()
    asked.compare("Polars", frame.to_arrow())


def test_duckdb(asked: Asked) -> None:
    duckdb = pytest.importorskip("duckdb")
    import verger_arrow.duckdb

    connection = duckdb.connect()
    verger_arrow.duckdb.register(connection, asked.dialect)
    select = "SELECT row, {} AS allowed FROM '{}'"
    for call in (
        "robots_allowed(robots, agent, url)",
        "policy_allowed(robots_policy(robots, agent), url)",
    ):
        query = select.format(call, asked.path)
        found = connection.sql(query).to_arrow_table()
        asked.compare("DuckDB", found)


def test_datafusion(asked: Asked) -> None:
    datafusion = pytest.importorskip("datafusion")
    import verger_arrow.datafusion

    context = datafusion.SessionContext()
    verger_arrow.datafusion.register(context, asked.dialect)
    context.register_parquet("asked", str(asked.path))
    # DataFusion casts no dictionary by itself.
    robots = "arrow_cast(robots, 'Binary')"
    query = f"SELECT row, robots_allowed({robots}, agent, url) AS allowed FROM asked"
    asked.compare("DataFusion", context.sql(query).to_arrow_table())


@pytest.fixture(scope="module")
def session(spark):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False)
    # The default limits rows only, and a batch of large files needs too much memory.
    builder = builder.config("spark.sql.execution.arrow.maxBytesPerBatch", "32m")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def test_spark(asked: Asked, session) -> None:
    import verger_arrow.spark

    verger_arrow.spark.register(session, asked.dialect)
    frame = session.read.parquet(str(asked.path))
    found = frame.selectExpr("row", "robots_allowed(robots, agent, url) AS allowed")
    asked.compare("PySpark", found.toArrow())


@pytest.mark.parametrize("broadcast", [False, True])
def test_spark_joins(asked: Asked, session, broadcast: bool) -> None:
    """URLs joined with the policies of their files, for one crawler."""
    import verger_arrow.spark

    [(name, _)] = Counter(asked.rows.agents).most_common(1)
    agent = name.decode()
    frame = session.read.parquet(str(asked.path)).where(f"agent = '{agent}'")
    files = frame.select("origin", "robots").distinct()
    policies = verger_arrow.spark.compile_policies(files, agent, dialect=asked.dialect)
    urls = frame.select("row", "origin", "url")
    answers = verger_arrow.spark.check_urls(urls, policies, broadcast=broadcast, detailed=True)
    found = answers.toArrow().sort_by("row")
    assert found["error"].null_count == len(found)
    rows = found["row"].to_pylist()
    expected = [row for row, name in enumerate(asked.rows.agents) if name.decode() == agent]
    assert rows == expected
    assert found["allowed"].to_pylist() == [asked.rows.allowed[row] for row in rows]
    print(f"PySpark join: {len(rows)} rows: 0 differences")
