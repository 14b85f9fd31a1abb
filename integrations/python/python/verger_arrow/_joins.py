"""The joins of `verger_arrow.spark.check_urls`, on batches of Arrow.

Each batch gets a dictionary of policies: a row has the number of its policy, so that no policy is copied
for each URL, and the kernel reads each one once.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow
import verger_arrow

pc = importlib.import_module("pyarrow.compute")
"""Its functions are made at run time, unseen by type checkers."""

BATCH_ROWS = 100_000
"""Rows of a call of the kernel, which reads each policy once in a call. With Spark's batches of 10,000,
that takes half of the time if URLs are in no order."""
BATCH_BYTES = 64 << 20
"""Bytes of such a batch: long URLs and other columns make it shorter."""

ANSWER = pyarrow.struct(
    {
        "allowed": pyarrow.bool_(),
        "reason": pyarrow.string(),
        "kind": pyarrow.string(),
        "pattern": pyarrow.binary(),
        "line": pyarrow.int64(),
        "error": pyarrow.string(),
    }
)
"""The columns of a detailed answer."""

NO_KEY = "the URL has no origin: expected an absolute URL"
NO_URL = "the URL is null"
NO_POLICY = "the origin has no policy"
NULL_POLICY = "the policy of the origin is null"
SEVERAL = "the origin has several different policies"

Columns = list[pyarrow.Array]


class Policies:
    """Policies by key. A key with several different policies has none, and an error."""

    def __init__(self, table: pyarrow.Table) -> None:
        """Policies of the columns `key`, `policy` and `error` that `distinct` returns."""
        [batch] = table.combine_chunks().to_batches() or [pyarrow.RecordBatch.from_pylist([], table.schema)]
        self.numbers = {key: number for number, key in enumerate(batch.column("key").to_pylist())}
        self.values = batch.column("policy")
        self.errors = batch.column("error")

    def answers(self, keys: pyarrow.Array, urls: pyarrow.Array, detailed: bool) -> Columns:
        """The column `allowed`, or all of `ANSWER`."""
        distinct = keys.dictionary_encode()
        found = [self.numbers.get(key) for key in distinct.dictionary.to_pylist()]
        numbers = pyarrow.array(found, pyarrow.int32()).take(distinct.indices)
        policies = pyarrow.DictionaryArray.from_arrays(numbers, self.values)
        if not detailed:
            return [pyarrow.array(verger_arrow.check_policies(policies, urls))]
        details = pyarrow.array(verger_arrow.check_policies_detailed(policies, urls))
        columns = [pc.struct_field(details, [number]) for number in range(ANSWER.num_fields)]
        why = pc.make_struct(urls.is_null(), keys.is_null(), numbers.is_null())
        known = pc.coalesce(self.errors.take(numbers), columns[-1])
        columns[-1] = pc.case_when(why, NO_URL, NO_KEY, NO_POLICY, known)
        return [column.cast(field.type) for field, column in zip(ANSWER, columns, strict=True)]


def distinct(keys: Iterable[Any], policies: Iterable[bytes | None]) -> pyarrow.Table:
    """The distinct keys that are not null, each with its policy or an error."""
    found: dict[Any, tuple[bytes | None, str | None]] = {}
    for key, policy in zip(keys, policies, strict=True):
        new = (policy, NULL_POLICY if policy is None else None)
        if key is not None and found.setdefault(key, new) != new:
            found[key] = (None, SEVERAL)
    columns = [list(found), *([pair[at] for pair in found.values()] for at in (0, 1))]
    # More than 2 GiB of policies need large offsets.
    types = [None, pyarrow.large_binary(), pyarrow.string()]
    arrays = [pyarrow.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    return pyarrow.table(arrays, ["key", "policy", "error"])


def to_bytes(table: pyarrow.Table) -> bytes:
    """A table in Arrow's stream format."""
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


_LAST: tuple[bytes, Policies] | None = None
"""The last broadcast variable of this worker, which serves many tasks."""


def of_worker(broadcast: Any) -> Policies:
    """The policies of a broadcast variable of `to_bytes`."""
    global _LAST
    data: bytes = broadcast.value
    if _LAST is None or _LAST[0] is not data:
        _LAST = (data, Policies(pyarrow.ipc.open_stream(data).read_all()))
    return _LAST[1]


def gathered(batches: Iterable[Columns]) -> Iterator[Columns]:
    """The same rows in batches of about `BATCH_ROWS`."""
    waiting: list[Columns] = []
    rows = size = 0
    for columns in filter(lambda columns: len(columns[0]), batches):
        new = sum(column.nbytes for column in columns)
        if waiting and (rows + len(columns[0]) > BATCH_ROWS or size + new > BATCH_BYTES):
            yield _concatenated(waiting)
            waiting, rows, size = [], 0, 0
        waiting.append(columns)
        rows, size = rows + len(columns[0]), size + new
    if waiting:
        yield _concatenated(waiting)


def _concatenated(parts: Iterable[Columns]) -> Columns:
    return [pyarrow.concat_arrays(column) for column in zip(*parts, strict=True)]


def by_order(
    batches: Iterable[pyarrow.RecordBatch], at: tuple[int, int], names: list[str], detailed: bool
) -> Iterator[pyarrow.RecordBatch]:
    """Answers for rows in the `order` of `spark._shuffled`: policies are directly before their URLs.

    `at` are the numbers of the columns of keys and of URLs, `names` those of the result.
    """
    key_at, url_at = at
    of_urls = len(names) - (ANSWER.num_fields if detailed else 1)
    previous: Columns | None = None
    for columns in gathered(batch.columns for batch in batches):
        order = columns[of_urls]
        is_url = pc.equal(pc.bit_wise_and(order, 1), 1)
        known = [columns[number].filter(pc.invert(is_url)) for number in (of_urls, key_at, of_urls + 1)]
        known = _concatenated([previous, known]) if previous else known
        policies = Policies(distinct(known[1].to_pylist(), known[2].to_pylist()))
        # Only the last place can continue in the next batch.
        is_last = pc.equal(known[0], pc.bit_wise_and(order[-1], -2))
        previous = [column.filter(is_last) for column in known]
        asked = [column.filter(is_url) for column in columns]
        answers = policies.answers(asked[key_at], asked[url_at], detailed)
        yield pyarrow.RecordBatch.from_arrays([*asked[:of_urls], *answers], names)
