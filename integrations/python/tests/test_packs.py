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
PACKS = ["http-archive", "common-crawl", "consent", "crawlers", "statements"]


@pytest.fixture
def robots():
    return pyarrow.array(FILES, pyarrow.binary())


def rows(array):
    return pyarrow.array(array).to_pylist(maps_as_pydicts="strict")


def test_http_archive(robots):
    found = rows(
        verger_arrow.metrics(
            robots,
            pack="http-archive",
            status=pyarrow.array([200, 404, 200, None]),
            content_type=pyarrow.array(["text/plain", None, "text/html", None]),
            redirected=pyarrow.array([True, False, None, None]),
        )
    )
    assert found[0]["by_useragent"] == {"ccbot": {"disallow": 1}, "gptbot": {"disallow": 1}}
    assert found[0]["by_type"] == {"disallow": 1, "sitemap": 1, "user_agent": 2}
    first = {name: found[0][name] for name in ("redirected", "status", "content_type", "comment_count")}
    assert first == {"redirected": True, "status": 200, "content_type": "text/plain", "comment_count": 1}
    assert (found[1]["status"], found[1]["content_type"]) == (404, None)
    assert (found[2]["size"], found[2]["redirected"], found[2]["by_type"]) == (0, None, {})
    assert found[3] is None


def test_common_crawl(robots):
    found = rows(
        verger_arrow.metrics(robots, pack="common-crawl", status=pyarrow.array([200, 404, 200, 200]))
    )
    assert [row and row["outcome"] for row in found] == ["counted", "not_http_200", "counted", None]
    assert found[0]["rulesets"] == [
        {"agent": agent, "class": "disallow-all", "allow": [], "disallow": ["/"]}
        for agent in ("CCBot", "GPTBot")
    ]
    assert {"directive": "sitemap", "value": "/s", "count": 1} in found[0]["values"]
    assert (found[2]["bom_stripped"], found[2]["lines"]) == (True, 0)


def test_the_engine_s_packs(robots):
    consent = rows(verger_arrow.metrics(robots, pack="consent"))
    assert consent[0]["agents"][1] == {"agent": "GPTBot", "published": "all", "verger": "all"}
    assert consent[0]["all_agents"] == {"published": "some", "verger": "some"}
    crawlers = rows(verger_arrow.metrics(robots, pack="crawlers"))
    assert crawlers[0]["closed"] == crawlers[0]["named"]
    assert "GPTBot" in crawlers[0]["closed"]
    assert "training" in crawlers[0]["closed_purposes"]
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
    assert all(row is None or row["error"] is None for row in rows(found))
    assert polars.Series(found).len() == 4
    connection = duckdb.connect()
    connection.register("metrics", pyarrow.table({"metric": pyarrow.array(found)}))
    assert connection.sql("SELECT count(metric) FROM metrics").fetchall() == [(3,)]
    for name, columns in verger_arrow.tables(robots, pack).items():
        assert pyarrow.RecordBatch.from_struct_array(pyarrow.array(columns)).num_columns > 1, name


def test_tables_have_shares_of_sites(robots):
    tables = verger_arrow.tables(robots, "http-archive", status=pyarrow.array([200, 200, 404, None]))
    assert rows(tables["robots_txt_status_codes"]) == [
        {"status_code": "200", "total": 2, "pct": 0.5},
        {"status_code": None, "total": 1, "pct": 0.25},
        {"status_code": "404", "total": 1, "pct": 0.25},
    ]


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
    with pytest.raises(ValueError, match="column `status`: expected integers"):
        verger_arrow.metrics(robots, pack="http-archive", status=pyarrow.array(["200"] * 4))
    with pytest.raises(ValueError, match="column `redirected`: expected booleans"):
        verger_arrow.metrics(robots, pack="http-archive", redirected=pyarrow.array(["yes"] * 4))
    with pytest.raises(ValueError, match="column `status`: expected 4 rows or one"):
        verger_arrow.tables(robots, "http-archive", status=pyarrow.array([200, 200]))
