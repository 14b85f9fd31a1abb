"""PySpark in local mode."""

import pytest
import verger_arrow

spark_session = pytest.importorskip("pyspark.sql").SparkSession
import verger_arrow.spark  # noqa: E402

FILES = [
    ("https://shop.example", b"User-agent: *\nDisallow: /cart\nAllow: /cart/help\n"),
    ("https://news.example:8443", b"User-agent: ExampleBot\nDisallow: /\n"),
    ("https://empty.example", b""),
    ("https://unknown.example", None),
    ("https://twice.example", b"User-agent: *\nDisallow: /a\n"),
    ("https://twice.example", b"User-agent: *\nDisallow: /b\n"),
    ("https://same.example", b"User-agent: *\nDisallow: /a\n"),
    ("https://same.example", b"User-agent: *\nDisallow: /a\n"),
    (None, b"User-agent: *\nDisallow: /\n"),
]
# URL, allowed, error.
URLS = [
    ("https://shop.example/cart/1", False, None),
    ("HTTPS://Shop.Example:443/cart/help", True, None),
    ("https://news.example:8443/", False, None),
    ("https://news.example/", None, "the origin has no policy"),
    ("https://empty.example/x?y", True, None),
    ("https://unknown.example/", None, "the policy of the origin is null"),
    ("https://twice.example/c", None, "the origin has several different policies"),
    ("https://same.example/a", False, None),
    ("/cart", None, "the URL has no origin: expected an absolute URL"),
    ("mailto:a@shop.example", None, "the URL has no origin: expected an absolute URL"),
    (None, None, "the URL is null"),
]


@pytest.fixture(scope="module")
def session(spark):
    builder = spark_session.builder.master("local[2]").config("spark.ui.enabled", False)
    # Small batches: rows of an origin are in several of them.
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", 7)
    builder = builder.config("spark.sql.shuffle.partitions", 3)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture
def policies(session):
    files = session.createDataFrame(FILES, "origin STRING, robots BINARY")
    return verger_arrow.spark.compile_policies(files, "ExampleBot")


@pytest.mark.parametrize("broadcast", [False, True])
@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("detailed", [False, True])
def test_urls_meet_the_policies_of_their_origins(session, policies, broadcast, copies, detailed):
    rows = [(at, *row) for at, row in enumerate(URLS * 20)]
    urls = session.createDataFrame([row[:2] for row in rows], "id LONG, url STRING").repartition(4)
    found = verger_arrow.spark.check_urls(
        urls, policies, broadcast=broadcast, copies=copies, detailed=detailed
    )
    details = ["reason", "kind", "pattern", "line"] if detailed else []
    assert found.columns == ["id", "url", "allowed", *details, "error"]
    collected = sorted(found.collect())
    assert [(row.id, row.url, row.allowed, row.error) for row in collected] == rows
    if detailed:
        assert collected[0][2:] == (False, "rule", "disallow", b"/cart", 2, None)
        assert collected[3][2:] == (None,) * 5 + ("the origin has no policy",)


def test_a_damaged_policy_is_an_error_of_its_rows(session):
    policies = session.createDataFrame(
        [("a", b"damaged"), ("b", b""), ("c", bytes(100))], "host STRING, policy BINARY"
    )
    urls = session.createDataFrame([("a", "/"), ("b", "/"), ("c", "/")], "host STRING, url STRING")
    for broadcast in (False, True):
        rows = verger_arrow.spark.check_urls(urls, policies, key="host", broadcast=broadcast).collect()
        assert [row.allowed for row in rows] == [None] * 3
        assert all("policy" in row.error for row in rows), rows


def test_no_urls_and_no_policies(session, policies):
    nothing = session.createDataFrame([], "url STRING")
    for broadcast in (False, True):
        check = verger_arrow.spark.check_urls
        assert check(nothing, policies, broadcast=broadcast).collect() == []
        urls = session.createDataFrame([("https://a.example/",)], "url STRING")
        [row] = check(urls, policies.limit(0), broadcast=broadcast).collect()
        assert (row.allowed, row.error) == (None, "the origin has no policy")


def test_wrong_columns_are_errors_at_once(session, policies):
    urls = session.createDataFrame([("/",)], "address STRING")
    with pytest.raises(ValueError, match="urls: expected a column `url`, but found address"):
        verger_arrow.spark.check_urls(urls, policies)
    with pytest.raises(ValueError, match="the column `error` would be there twice"):
        verger_arrow.spark.check_urls(urls.selectExpr("address AS url", "1 AS error"), policies)
    with pytest.raises(ValueError, match="files: expected a column `robots`"):
        verger_arrow.spark.compile_policies(policies, "ExampleBot")
    with pytest.raises(ValueError, match="expected a dialect"):
        verger_arrow.spark.register(session, dialect="rfc")
    with pytest.raises(ValueError, match="copies: expected at least 1"):
        verger_arrow.spark.check_urls(urls, policies, url="address", copies=0)


def test_a_url_column_with_a_strange_name(session, policies):
    urls = session.createDataFrame([("https://shop.example/cart",)], "`page url` STRING")
    for broadcast in (False, True):
        [row] = verger_arrow.spark.check_urls(urls, policies, url="page url", broadcast=broadcast).collect()
        assert row.allowed is False
