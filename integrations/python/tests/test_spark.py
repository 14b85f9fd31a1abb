"""PySpark in local mode."""

import pyarrow
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
    details = ["reason", "kind", "pattern", "line", "error"] if detailed else []
    assert found.columns == ["id", "url", "allowed", *details]
    collected = sorted(found.collect())
    assert [(row.id, row.url, row.allowed) for row in collected] == [row[:3] for row in rows]
    if detailed:
        assert [row.error for row in collected] == [row[3] for row in rows]
        assert collected[0][2:] == (False, "rule", "disallow", b"/cart", 2, None)
        assert collected[3][2:] == (None,) * 5 + ("the origin has no policy",)


QUERIES = [
    (lambda answers: answers.where("allowed"), 2),
    (lambda answers: answers.where("NOT allowed"), 3),
    (lambda answers: answers.where("allowed IS NULL"), 6),
    (lambda answers: answers.where("allowed AND url LIKE '%help'"), 1),
    (lambda answers: answers.where("url LIKE '%news%'").where("NOT allowed"), 1),
    (lambda answers: answers.orderBy("url").where("allowed"), 2),
    (lambda answers: answers.distinct().where("allowed"), 2),
    (lambda answers: answers.repartition(5, "allowed").where("allowed"), 2),
    (lambda answers: answers.groupBy("allowed").count(), 3),
    (lambda answers: answers.limit(2), 2),
    (lambda answers: answers.union(answers).where("allowed"), 4),
    (lambda answers: answers.join(answers.select("url"), "url").where("allowed"), 2),
]


@pytest.mark.parametrize("broadcast", [False, True])
@pytest.mark.parametrize(("query", "rows"), QUERIES)
def test_queries_of_answers_change_no_answer(session, policies, broadcast, query, rows):
    urls = session.createDataFrame([row[:1] for row in URLS], "url STRING")
    answers = verger_arrow.spark.check_urls(urls, policies, broadcast=broadcast)
    assert query(answers).count() == rows


@pytest.mark.parametrize(("limit", "is_shuffled"), [(0, True), (1_000_000, False)])
def test_small_policies_are_broadcast(session, policies, monkeypatch, capsys, limit, is_shuffled):
    monkeypatch.setattr(verger_arrow.spark, "BROADCAST_BYTES", limit)
    urls = session.createDataFrame([("https://shop.example/cart",)], "url STRING")
    answers = verger_arrow.spark.check_urls(urls, policies)
    answers.explain()
    assert ("Exchange" in capsys.readouterr().out) == is_shuffled
    assert answers.collect() == [("https://shop.example/cart", False)]


# The place of a key, which is even for a policy and odd for a URL; the key; disallowed path; URL, answer.
# The keys `c` and `d` have the same place.
IN_ORDER = [
    (2, "a", "/x", None, None),
    (3, "a", None, "/x", False),
    (3, "a", None, "/y", True),
    (4, "b", "/y", None, None),
    (6, "c", "/x", None, None),
    (6, "d", "/y", None, None),
    (7, "c", None, "/x", False),
    (7, "d", None, "/x", True),
    (7, "d", None, "/y", False),
    (7, "c", None, "/y", True),
    (9, "e", None, "/x", None),
    (11, None, None, "/x", None),
]


@pytest.mark.parametrize("rows_of_batch", [1, 2, 5, 100])
@pytest.mark.parametrize("limits", [(1, 1), (3, 1_000_000), (100_000, 1_000_000)])
def test_policies_meet_urls_in_later_batches(monkeypatch, rows_of_batch, limits):
    monkeypatch.setattr(verger_arrow._joins, "BATCH_ROWS", limits[0])
    monkeypatch.setattr(verger_arrow._joins, "BATCH_BYTES", limits[1])
    order, keys, paths, urls, allowed = zip(*IN_ORDER, strict=True)
    files = pyarrow.array([path and f"User-agent: *\nDisallow: {path}" for path in paths])
    policies = pyarrow.array(verger_arrow.compile(files, "ExampleBot"))
    columns = [pyarrow.array(urls), pyarrow.array(order), policies, pyarrow.array(keys)]
    table = pyarrow.table(columns, ["url", "order", "policy", "key"])
    batches = [pyarrow.RecordBatch.from_pylist([], table.schema), *table.to_batches(rows_of_batch)]
    found = list(verger_arrow._joins.by_order(batches, (3, 0), ["url", "allowed"], False))
    answers = [row["allowed"] for batch in found for row in batch.to_pylist()]
    assert answers == [answer for url, answer in zip(urls, allowed, strict=True) if url]


def test_a_damaged_policy_is_an_error_of_its_rows(session):
    policies = session.createDataFrame(
        [("a", b"damaged"), ("b", b""), ("c", bytes(100))], "host STRING, policy BINARY"
    )
    urls = session.createDataFrame([("a", "/"), ("b", "/"), ("c", "/")], "host STRING, url STRING")
    for broadcast in (False, True):
        rows = verger_arrow.spark.check_urls(
            urls, policies, key="host", broadcast=broadcast, detailed=True
        ).collect()
        assert [row.allowed for row in rows] == [None] * 3
        assert all("policy" in row.error for row in rows), rows


def test_no_urls_and_no_policies(session, policies):
    nothing = session.createDataFrame([], "url STRING")
    for broadcast in (False, True):
        check = verger_arrow.spark.check_urls
        assert check(nothing, policies, broadcast=broadcast).collect() == []
        urls = session.createDataFrame([("https://a.example/",)], "url STRING")
        [row] = check(urls, policies.limit(0), broadcast=broadcast, detailed=True).collect()
        assert (row.allowed, row.error) == (None, "the origin has no policy")


def test_wrong_columns_are_errors_at_once(session, policies):
    urls = session.createDataFrame([("/",)], "address STRING")
    with pytest.raises(ValueError, match="urls: expected a column `url`, but found address"):
        verger_arrow.spark.check_urls(urls, policies)
    for name in ("allowed", "error"):
        with pytest.raises(ValueError, match=f"the column `{name}` would be there twice"):
            columns = urls.selectExpr("address AS url", f"1 AS {name}")
            verger_arrow.spark.check_urls(columns, policies, detailed=True)
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
