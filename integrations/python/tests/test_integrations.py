"""Every interface gives the answers of the kernels."""

import doctest
import importlib

import duckdb
import polars
import pyarrow
import pyarrow.parquet
import pytest
import verger_arrow
import verger_arrow.datafusion
import verger_arrow.duckdb
import verger_arrow.polars

FILES = [
    b"User-agent: *\nDisallow: /cart\nAllow: /cart/help\n",
    b"User-agent: GPTBot\nDisallow: /\n",
    b"\xff\xfeU\x00",
    b"",
    None,
]
AGENTS = ["ExampleBot", "GPTBot", "GPTBot/1.0 (+https://bot.example)", "b", "c"]
URLS = ["https://shop.example/cart/1", "/", "x", None, "/y"]


@pytest.fixture
def table():
    return pyarrow.table(
        {
            "robots": pyarrow.array(FILES, pyarrow.binary()),
            "agent": pyarrow.array(AGENTS),
            "url": pyarrow.array(URLS),
        }
    )


@pytest.fixture
def expected(table):
    return pyarrow.array(verger_arrow.check(*table.columns)).to_pylist()


def test_answers(expected):
    assert expected == [False, False, False, None, None]


def test_a_wrong_column_is_an_error():
    with pytest.raises(TypeError, match="column `urls`: expected an Arrow array"):
        verger_arrow.check("", "a", 3)
    with pytest.raises(ValueError, match="column `agents`: expected text"):
        verger_arrow.check("", pyarrow.array([1]), "/")
    with pytest.raises(ValueError, match="expected a dialect"):
        verger_arrow.check("", "a", "/", "rfc")


def test_chunks_and_dictionaries_and_views(table, expected):
    chunked = pyarrow.chunked_array([FILES[:2], FILES[2:]], pyarrow.binary())
    dictionary = table["robots"].combine_chunks().dictionary_encode()
    views = table["robots"].combine_chunks().cast(pyarrow.binary_view())
    empty = pyarrow.chunked_array([], pyarrow.binary())
    for robots in (chunked, dictionary, views):
        found = verger_arrow.check(robots, table["agent"], table["url"])
        assert pyarrow.array(found).to_pylist() == expected
    assert len(verger_arrow.check(empty, "a", "/")) == 0


def test_a_result_is_read_twice(table, expected):
    found = verger_arrow.check(*table.columns)
    assert len(found) == 5
    assert pyarrow.array(found).to_pylist() == expected
    assert polars.Series(found).to_list() == expected


def test_duckdb(table, expected):
    connection = duckdb.connect()
    verger_arrow.duckdb.register(connection)
    connection.register("pages", table)
    rows = connection.sql("SELECT robots_allowed(robots, agent, url) FROM pages").fetchall()
    assert [row[0] for row in rows] == expected
    again = "SELECT policy_allowed(robots_policy(robots, agent), url) FROM pages"
    assert [row[0] for row in connection.sql(again).fetchall()] == expected
    verdict = connection.sql("SELECT robots_check(robots, agent, url) FROM pages").fetchall()
    assert verdict[0][0]["line"] == 2
    assert verdict[4][0] is None


def test_duckdb_on_many_rows():
    connection = duckdb.connect()
    verger_arrow.duckdb.register(connection)
    query = """
        SELECT count(*) FILTER (robots_allowed(encode('User-agent: *\nDisallow: /1'), 'a', '/' || i))
        FROM range(100000) AS numbers(i)
    """
    # 1, 10 to 19, … 10000 to 19999 are disallowed.
    assert connection.sql(query).fetchall() == [(100_000 - 11_111,)]


def test_polars(table, expected):
    frame = polars.from_arrow(table)
    robots = polars.col("robots").robots
    found = frame.select(robots.allowed(polars.col("agent"), polars.col("url")))
    assert found["robots"].to_list() == expected
    lazy = frame.lazy().select(robots.policy(polars.col("agent")).robots.policy_allowed(polars.col("url")))
    assert lazy.collect()["robots"].to_list() == expected
    verdicts = frame.select(robots.check("ExampleBot", polars.col("url")))["robots"].to_list()
    assert (verdicts[0]["kind"], verdicts[0]["pattern"]) == ("disallow", b"/cart")


def test_datafusion(table, expected):
    datafusion = pytest.importorskip("datafusion")
    context = datafusion.SessionContext()
    verger_arrow.datafusion.register(context)
    context.register_record_batches("pages", [table.to_batches()])
    found = context.sql("SELECT robots_allowed(robots, agent, url) AS a FROM pages").to_pydict()
    assert found["a"] == expected
    again = "SELECT policy_allowed(robots_policy(robots, agent), url) AS a FROM pages"
    assert context.sql(again).to_pydict()["a"] == expected


TYPES = [
    (pyarrow.binary(), pyarrow.string()),
    (pyarrow.large_binary(), pyarrow.large_string()),
    (pyarrow.binary_view(), pyarrow.string_view()),
    (
        pyarrow.dictionary(pyarrow.int32(), pyarrow.binary()),
        pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
    ),
]


@pytest.mark.parametrize(("files", "texts"), TYPES, ids=str)
def test_datafusion_on_parquet_and_columns_of_any_type(table, expected, files, texts, tmp_path):
    datafusion = pytest.importorskip("datafusion")
    types = {"robots": files, "agent": texts, "url": texts}

    def cast(name, kind):
        column = table[name].combine_chunks()
        if not pyarrow.types.is_dictionary(kind):
            return column.cast(kind)
        return column.dictionary_encode().cast(kind)

    typed = pyarrow.table({name: cast(name, kind) for name, kind in types.items()})
    pyarrow.parquet.write_table(typed, tmp_path / "pages.parquet")
    context = datafusion.SessionContext()
    verger_arrow.datafusion.register(context)
    context.register_record_batches("pages", [typed.to_batches()])
    context.register_parquet("stored", str(tmp_path / "pages.parquet"))
    for source in ("pages", "stored"):
        query = f"""
            SELECT robots_allowed(robots, agent, url) AS one,
                policy_allowed(robots_policy(robots, agent), url) AS two,
                robots_check(robots, agent, url)['allowed'] AS three,
                robots_metrics(robots)['agents'] AS metrics, robots_sitemaps(robots) AS sitemaps,
                robots_statements(robots) AS statements, robots_lint(robots) AS lint,
                robots_diff(robots, robots, agent)['equal'] AS equal, url_origin(url) AS origin
            FROM {source}
        """
        found = context.sql(query).to_pydict()
        assert found["one"] == found["two"] == found["three"] == expected
        assert found["equal"] == [True, True, True, True, None]
        assert found["origin"][0] == "https://shop.example"


@pytest.mark.parametrize("name", ["", ".duckdb", ".polars", ".datafusion", ".spark"])
def test_examples(name, request):
    if name == ".spark":
        request.getfixturevalue("spark")
    module = importlib.import_module(f"verger_arrow{name}")
    found = doctest.testmod(module)
    assert (found.failed, found.attempted > 2) == (0, True)
