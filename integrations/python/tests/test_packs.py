"""Metric packs through every library that reads columns."""

import duckdb
import polars
import pyarrow
import pytest
import verger_arrow

FILES = [
    b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: / # all\nSitemap: /s\n",
    b"User-agent: *\nDisallow: /cart\nContent-Signal: ai-train=no\nfoo: x\n",
    b"\xef\xbb\xbf",
    None,
]
PACKS = ["consent", "crawlers", "statements"]


@pytest.fixture
def robots():
    return pyarrow.array(FILES, pyarrow.binary())


def rows(array):
    return pyarrow.array(array).to_pylist(maps_as_pydicts="strict")


def test_rows_of_each_pack(robots):
    consent = rows(verger_arrow.metrics(robots, pack="consent"))
    assert consent[0]["agents"][1] == {"agent": "GPTBot", "restriction": "all"}
    assert (consent[0]["star"], consent[0]["all_agents"]) == ("none", "some")
    crawlers = rows(verger_arrow.metrics(robots, pack="crawlers"))
    assert crawlers[0]["closed"] == crawlers[0]["named"]
    assert "GPTBot" in crawlers[0]["closed"]
    assert "training" in crawlers[0]["closed_purposes"]
    assert [row and row["site_closed"] for row in crawlers] == [False, False, False, None]
    assert "Googlebot" in crawlers[1]["partly_closed"]
    statements = rows(verger_arrow.metrics(robots, pack="statements"))
    assert statements[1]["counts"] == {"Content-Signal": 1, "other": 1}
    assert statements[1]["preferences"] == [
        {"vocabulary": "Content-Signal", "use": "ai-train", "answer": "no"}
    ]


@pytest.mark.parametrize("pack", PACKS)
def test_every_pack_has_nulls_and_tables(robots, pack):
    found = verger_arrow.metrics(robots, pack=pack)
    assert [row is None for row in rows(found)] == [False, False, False, True]
    assert polars.Series(found).len() == 4
    connection = duckdb.connect()
    connection.register("metrics", pyarrow.table({"metric": pyarrow.array(found)}))
    assert connection.sql("SELECT count(metric) FROM metrics").fetchall() == [(3,)]
    for name, columns in verger_arrow.tables(robots, pack).items():
        assert pyarrow.RecordBatch.from_struct_array(pyarrow.array(columns)).num_columns > 1, name


def test_tables_count_files(robots):
    tables = verger_arrow.tables(robots, "consent")
    everyone = {"agent": "*All Agents*", "observed": 3, "all": 0, "some": 2, "none": 1, "undecided": 0}
    assert rows(tables["consent"])[0] == everyone


def test_changes_between_versions(robots):
    later = pyarrow.array([b"", FILES[1], b"User-agent: GPTBot\nDisallow: /", b""], pyarrow.binary())
    found = rows(verger_arrow.changes(robots, later))
    assert "GPTBot" in found[0]["opened"]
    assert found[0]["lost"] == ["Sitemap"]
    assert not found[1]["edited"]
    assert found[2]["closed"] == ["GPTBot"]
    assert found[3] is None


def test_a_wrong_column_is_an_error(robots):
    with pytest.raises(ValueError, match="expected a metric pack .* but found `almanac`"):
        verger_arrow.metrics(robots, pack="almanac")
    with pytest.raises(ValueError, match="column `robots`: expected text"):
        verger_arrow.metrics(pyarrow.array([1]), pack="consent")
