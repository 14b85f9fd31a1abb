"""Functions for PySpark: SQL functions named as in every engine, and joins of URLs with policies.

>>> from pyspark.sql import SparkSession
>>> session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).getOrCreate()
>>> register(session)
>>> session.sql("SELECT robots_allowed('User-agent: *\\nDisallow: /', 'GPTBot', '/') AS a").first().a
False

The package must be installed on the executors, too. A row that cannot be decided is null, with an error
in `check_urls` and in the functions with details; it never ends the job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow
import verger_arrow
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql import types as st
from verger_arrow import Array
from verger_arrow._functions import FUNCTIONS, check_dialect
from verger_arrow._joins import ANSWER, by_order, distinct, gathered, of_worker, to_bytes

__all__ = ["check_urls", "compile_policies", "register"]


_ARROW_UDF: Any = vars(sf)["arrow_udf"]
"""PySpark's types of it are incomplete."""


def register(session: SparkSession, dialect: str = "rfc9309") -> None:
    """Add the functions to a session; `verger_arrow.duckdb.register` describes them.

    Files and policies are BINARY or STRING. In the DataFrame API, call them with
    `pyspark.sql.functions.call_function("robots_allowed", robots, lit("GPTBot"), url)` or in `expr`.

    Args:
        session: the session, also one of Spark Connect.
        dialect: the name of a dialect, such as `"google"`.

    Raises:
        ValueError: the dialect is unknown.

    >>> session = SparkSession.builder.getOrCreate()
    >>> register(session)
    >>> session.sql("SELECT url_origin('https://Shop.example:443/cart') AS origin").first().origin
    'https://shop.example'
    """
    check_dialect(dialect)
    for function in FUNCTIONS:
        result = _without_dictionaries(pyarrow.array(function.null()).type)
        run = _in_arrow(function.in_dialect(dialect), result)
        session.udf.register(function.name, _ARROW_UDF(run, _spark_type(result)))


def compile_policies(
    files: DataFrame,
    agent: str,
    *,
    robots: str = "robots",
    policy: str = "policy",
    dialect: str = "rfc9309",
) -> DataFrame:
    """Replace a column of files by compiled policies for a crawler.

    Policies are smaller than files, and a check with one needs no parsing. Store them as Parquet.

    Args:
        files: the files, and any other columns.
        agent: a product token, or a whole User-Agent header.
        robots: the name of the column with files, as BINARY or STRING.
        policy: the name of the new column.
        dialect: the name of a dialect, such as `"google"`.

    Raises:
        ValueError: the column is missing, or the dialect is unknown.

    >>> session = SparkSession.builder.getOrCreate()
    >>> row = ("https://shop.example", b"User-agent: *\\nDisallow: /cart")
    >>> files = session.createDataFrame([row], "origin STRING, robots BINARY")
    >>> compile_policies(files, "ExampleBot").columns
    ['origin', 'policy']
    """
    check_dialect(dialect)
    _expect(files, [robots], "files")
    others = [field for field in files.schema.fields if field.name != robots]
    names = [field.name for field in others]

    def run(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            columns = [batch.column(name) for name in names]
            columns.append(pyarrow.array(verger_arrow.compile(batch.column(robots), agent, dialect)))
            yield pyarrow.RecordBatch.from_arrays(columns, [*names, policy])

    return files.mapInArrow(run, st.StructType([*others, st.StructField(policy, st.BinaryType())]))


def check_urls(
    urls: DataFrame,
    policies: DataFrame,
    *,
    key: str = "origin",
    url: str = "url",
    policy: str = "policy",
    broadcast: bool | None = None,
    copies: int = 1,
    detailed: bool = False,
) -> DataFrame:
    """Join URLs with the policies of their origins, and add the answers.

    The result has the rows and columns of `urls`, and `allowed`, which is null if a row could not be
    decided, such as one of an origin without a policy; with `detailed`, an error says why. For an origin
    whose robots.txt does not exist (status 404), add the policy of an empty file.

    If policies are broadcast, each Python worker gets all of them, and URLs stay where they are. Otherwise,
    URLs and policies are shuffled: the URLs of an origin meet its policy in one partition, and memory
    does not depend on the number of origins.

    Args:
        urls: URLs, and any other columns. If the column `key` is missing, it is the origin of the URL.
        policies: the columns `key` and `policy`, one row for each key.
        key: the name of the column that joins both.
        url: the name of the column with absolute URLs or paths.
        policy: the name of the column with compiled policies.
        broadcast: whether to send all policies to all workers. By default, a job measures the policies,
            and they are sent if they have up to 64 MiB; of more, Spark keeps a copy for the shuffle.
            Spark Connect always shuffles.
        copies: the number of partitions over which the URLs of one origin are shuffled. Increase it if
            large origins make some tasks slow. Each policy is copied as often.
        detailed: whether to add `reason`, `kind`, `pattern` and `line`, as `robots_check`, and `error`.

    Raises:
        ValueError: a column is missing, or `urls` has a column with the name of a result.

    >>> session = SparkSession.builder.getOrCreate()
    >>> row = ("https://shop.example", b"User-agent: *\\nDisallow: /cart")
    >>> files = session.createDataFrame([row], "origin STRING, robots BINARY")
    >>> urls = session.createDataFrame([("https://shop.example/cart",), ("/cart",)], "url STRING")
    >>> policies = compile_policies(files, "ExampleBot")
    >>> for answer in sorted(check_urls(urls, policies).collect(), reverse=True):
    ...     print(*answer, sep=", ")
    https://shop.example/cart, False
    /cart, None
    >>> answers = check_urls(urls, policies, detailed=True)
    >>> answers.where("allowed IS NULL").first().error
    'the URL has no origin: expected an absolute URL'
    """
    _expect(urls, [url], "urls")
    _expect(policies, [key, policy], "policies")
    added = [st.StructField(field.name, _spark_type(field.type)) for field in ANSWER]
    added = added if detailed else added[:1]
    for field in added:
        if field.name in urls.columns:
            raise ValueError(
                f"urls: the column `{field.name}` would be there twice\n"
                "hint: rename it with `withColumnRenamed`"
            )
    if copies < 1:
        raise ValueError(f"copies: expected at least 1, but found {copies}")
    known = policies.select(_column(key).alias("key"), _column(policy).alias("policy"))
    # Spark Connect has no context.
    if broadcast is None and hasattr(urls.sparkSession, "sparkContext"):
        # The measurement can parse all files: keep its result. A shuffle reads it after this function has
        # returned, so it stays until Spark drops it.
        known = known.persist()
        size = known.select(sf.sum(sf.octet_length("key") + sf.octet_length("policy"))).first()
        broadcast = size is not None and (size[0] or 0) <= BROADCAST_BYTES
    if broadcast:
        answers = _broadcast(urls, known, key, url, added, detailed)
        known.unpersist()
        return answers
    return _shuffled(urls, known, key, url, copies, added, detailed)


BROADCAST_BYTES = 64 << 20
"""Limit of keys and policies that are broadcast by default: some 40,000 origins. The Python workers of four
cores hold it within the memory that Spark adds to an executor (384 MiB)."""


def _broadcast(
    urls: DataFrame, known: DataFrame, key: str, url: str, added: list[st.StructField], detailed: bool
) -> DataFrame:
    table = known.toArrow()
    content = to_bytes(distinct(table["key"].to_pylist(), table["policy"].to_pylist()))
    sent = urls.sparkSession.sparkContext.broadcast(content)
    has_key = key in urls.columns

    def run(batches: Iterator[tuple[pyarrow.Array, ...]]) -> Iterator[pyarrow.Array]:
        policies = of_worker(sent)
        for keys, asked in gathered(map(list, batches)):
            keys = keys if has_key else pyarrow.array(verger_arrow.origins(asked))
            columns = policies.answers(keys, asked, detailed)
            yield pyarrow.StructArray.from_arrays(columns, fields=list(ANSWER)) if detailed else columns[0]

    # Only these two columns are sent to Python, and a constant in place of a key that is the origin. If it
    # were deterministic, `where("allowed")` would call it twice before Spark 4.2.
    function = _ARROW_UDF(run, st.StructType(added) if detailed else added[0].dataType)
    answer = function.asNondeterministic()(_column(key) if has_key else sf.lit(0), _column(url))
    names = _names(urls)
    answers = urls.select("*", answer).toDF(*names, "answer")
    renamed = [sf.col(name).alias(other) for name, other in zip(names, urls.columns, strict=True)]
    fields = [sf.col(f"answer.{field.name}") for field in added]
    return answers.select(*renamed, *(fields if detailed else [sf.col("answer").alias("allowed")]))


def _shuffled(
    urls: DataFrame,
    known: DataFrame,
    key: str,
    url: str,
    copies: int,
    added: list[st.StructField],
    detailed: bool,
) -> DataFrame:
    """Rows of policies and of URLs. In each partition, policies are directly before their URLs."""
    names = _names(urls)
    asked = urls.toDF(*names)
    url_at = urls.columns.index(url)
    asked_url = names[url_at]
    if key in urls.columns:
        key_at, asked_key, other = urls.columns.index(key), names[urls.columns.index(key)], []
    else:
        key_at, asked_key, other = len(names) + 2, "key", ["key"]
        asked = asked.withColumn("key", _origin(sf.col(asked_url)))

    def order(key: SparkColumn, copy: SparkColumn, role: int) -> SparkColumn:
        # Numbers are sorted faster than texts. Keys with the same number are neighbours.
        place = sf.xxhash64(key, copy.cast("int"))
        return sf.shiftleft(place, 1).bitwiseOR(sf.lit(role)).alias("order")

    # URLs without a key are spread by themselves.
    spread = sf.coalesce(sf.col(asked_key).cast("string"), sf.col(asked_url).cast("string"))
    copy = sf.pmod(sf.xxhash64(asked_url), sf.lit(copies))
    nothing = sf.lit(None).cast(st.BinaryType()).alias("policy")
    asked = asked.select(*names, order(spread, copy, 1), nothing, *other)
    known = known.where("key IS NOT NULL").select(
        "*", sf.explode(sf.sequence(sf.lit(0), sf.lit(copies - 1))).alias("copy")
    )
    known = known.select(
        sf.col("key").alias(asked_key), order(sf.col("key").cast("string"), sf.col("copy"), 0), "policy"
    )
    both = asked.unionByName(known, allowMissingColumns=True)
    both = both.repartition(sf.shiftright("order", 1)).sortWithinPartitions("order")
    schema = st.StructType([*urls.schema.fields, *added])
    at, results = (key_at, url_at), schema.names

    def run(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        return by_order(batches, at, results, detailed)

    return both.mapInArrow(run, schema)


def _names(frame: DataFrame) -> list[str]:
    """Names of columns that differ from each other, and from those of a join."""
    return [f"column{number}" for number in range(len(frame.columns))]


def _origin(url: SparkColumn) -> SparkColumn:
    run = _in_arrow(verger_arrow.origins, pyarrow.string())
    column: SparkColumn = _ARROW_UDF(run, st.StringType())(url)
    return column


def _column(name: str) -> SparkColumn:
    """The column with exactly this name, which can contain dots."""
    return sf.col("`" + name.replace("`", "``") + "`")


def _expect(frame: DataFrame, names: list[str], argument: str) -> None:
    for name in names:
        if name not in frame.columns:
            found = ", ".join(frame.columns)
            raise ValueError(f"{argument}: expected a column `{name}`, but found {found}")


def _in_arrow(kernel: Callable[..., Array], result: pyarrow.DataType) -> Callable[..., Any]:
    def run(*columns: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.array(kernel(*columns)).cast(result)

    return run


def _without_dictionaries(kind: pyarrow.DataType) -> pyarrow.DataType:
    """The Arrow type of a result for Spark, which has neither dictionaries nor unsigned numbers."""
    if pyarrow.types.is_dictionary(kind):
        return kind.value_type
    if pyarrow.types.is_unsigned_integer(kind):
        return pyarrow.int64()
    if pyarrow.types.is_list(kind):
        return pyarrow.list_(_without_dictionaries(kind.value_type))
    if pyarrow.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        return pyarrow.struct([(field.name, _without_dictionaries(field.type)) for field in fields])
    return kind


def _spark_type(kind: pyarrow.DataType) -> st.DataType:
    if pyarrow.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        return st.StructType([st.StructField(field.name, _spark_type(field.type)) for field in fields])
    if pyarrow.types.is_list(kind):
        return st.ArrayType(_spark_type(kind.value_type))
    plain: dict[pyarrow.DataType, st.DataType] = {
        pyarrow.bool_(): st.BooleanType(),
        pyarrow.int64(): st.LongType(),
        pyarrow.string(): st.StringType(),
        pyarrow.binary(): st.BinaryType(),
    }
    return plain[kind]
