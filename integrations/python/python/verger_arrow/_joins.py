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

NAMES = ["allowed", "reason", "kind", "pattern", "line", "error"]
"""The columns of a detailed answer."""

NO_KEY = "the URL has no origin: expected an absolute URL"
NO_URL = "the URL is null"
NO_POLICY = "the origin has no policy"
NULL_POLICY = "the policy of the origin is null"
SEVERAL = "the origin has several different policies"


class Policies:
    """Policies by key. A key with several different policies has none, and an error."""

    def __init__(self) -> None:
        self.numbers: dict[str | None, int] = {}
        self.values: list[bytes | None] = []
        self.errors: dict[int, str] = {}

    def add(self, key: str | None, policy: bytes | None) -> None:
        """Adds a policy."""
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.values)
            self.values.append(policy)
            if policy is None:
                self.errors[number] = NULL_POLICY
        elif number not in self.errors and self.values[number] != policy:
            self.values[number] = None
            self.errors[number] = SEVERAL
        elif self.errors.get(number) == NULL_POLICY and policy is not None:
            self.errors[number] = SEVERAL

    @staticmethod
    def to_bytes(table: pyarrow.Table) -> bytes:
        """The columns `key` and `policy` in Arrow's stream format."""
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        data: bytes = sink.getvalue().to_pybytes()
        return data

    @classmethod
    def from_bytes(cls, data: bytes) -> Policies:
        """The policies that `to_bytes` has written."""
        policies = cls()
        with pyarrow.ipc.open_stream(data) as reader:
            for batch in reader:
                columns = (batch.column("key").to_pylist(), batch.column("policy").to_pylist())
                for key, policy in zip(*columns, strict=True):
                    if key is not None:
                        policies.add(key, policy)
        return policies


def by_table(
    batches: Iterable[pyarrow.RecordBatch],
    broadcast: Any,
    names: tuple[str | None, str],
    detailed: bool,
) -> Iterator[pyarrow.RecordBatch]:
    """Answers for URLs in any order, with a broadcast variable of all policies.

    `names` are the columns of keys, if there is one, and of URLs.
    """
    policies, values = _of_worker(broadcast)
    key_name, url_name = names
    for batch in batches:
        urls = batch.column(url_name)
        keys = batch.column(key_name) if key_name else pyarrow.array(verger_arrow.origins(urls))
        distinct = keys.dictionary_encode()
        found = [policies.numbers.get(key) for key in distinct.dictionary.to_pylist()]
        numbers = pyarrow.array(found, pyarrow.int32()).take(distinct.indices)
        answers = _answers(urls, keys, numbers, values, policies.errors, detailed)
        yield _joined(batch.columns, batch.schema.names, answers)


_LAST: tuple[bytes, Policies, pyarrow.Array] | None = None
"""The last broadcast variable of this worker, which serves many tasks."""


def _of_worker(broadcast: Any) -> tuple[Policies, pyarrow.Array]:
    global _LAST
    data: bytes = broadcast.value
    if _LAST is None or _LAST[0] is not data:
        policies = Policies.from_bytes(data)
        # More than 2 GiB need large offsets.
        _LAST = (data, policies, pyarrow.array(policies.values, pyarrow.large_binary()))
    return _LAST[1:]


def by_order(
    batches: Iterable[pyarrow.RecordBatch], url_name: str, detailed: bool
) -> Iterator[pyarrow.RecordBatch]:
    """Answers for rows that `_in_order` has sorted: policies are directly before their URLs."""
    known = Policies()
    last: str | None = None
    for batch in batches:
        # Only the last key of the previous batch can continue.
        previous, known = known, Policies()
        if last in previous.numbers:
            number = previous.numbers[last]
            known.numbers[last] = 0
            known.values.append(previous.values[number])
            known.errors.update({0: previous.errors[number]} if number in previous.errors else {})
        is_url = pc.equal(batch.column("role"), 1)
        files = batch.filter(pc.invert(is_url))
        for key, policy in zip(
            files.column("key").to_pylist(), files.column("policy").to_pylist(), strict=True
        ):
            known.add(key, policy)
        keys = batch.column("key")
        last = keys[-1].as_py() if len(keys) else last
        asked = batch.filter(is_url)
        row = asked.column("row")
        fields = [row.type.field(at).name for at in range(row.type.num_fields)]
        columns = row.flatten()
        keys = asked.column("key")
        distinct = keys.dictionary_encode()
        found = [known.numbers.get(key) for key in distinct.dictionary.to_pylist()]
        numbers = pyarrow.array(found, pyarrow.int32()).take(distinct.indices)
        values = pyarrow.array(known.values, pyarrow.large_binary())
        urls = columns[fields.index(url_name)]
        yield _joined(columns, fields, _answers(urls, keys, numbers, values, known.errors, detailed))


def _answers(
    urls: pyarrow.Array,
    keys: pyarrow.Array,
    numbers: pyarrow.Array,
    values: pyarrow.Array,
    errors: dict[int, str],
    detailed: bool,
) -> dict[str, pyarrow.Array]:
    """The columns of answers, for URLs with the numbers of their policies among `values`."""
    policies = pyarrow.DictionaryArray.from_arrays(numbers, values)
    allowed = pyarrow.array(verger_arrow.check_policies(policies, urls))
    details: pyarrow.StructArray | None = None
    if detailed or allowed.null_count:
        details = pyarrow.array(verger_arrow.check_policies_detailed(policies, urls))
    answers = {"allowed": allowed}
    if detailed and details is not None:
        for name in NAMES[1:-1]:
            kind = {"pattern": pyarrow.binary(), "line": pyarrow.int64()}.get(name, pyarrow.string())
            answers[name] = pc.struct_field(details, [NAMES.index(name)]).cast(kind)
    why: list[str | None] = [None] * len(urls)
    if details is not None and allowed.null_count:
        of_policies = pc.struct_field(details, [NAMES.index("error")])
        for row in pc.indices_nonzero(allowed.is_null()).to_pylist():
            if not urls[row].is_valid:
                why[row] = NO_URL
            elif not keys[row].is_valid:
                why[row] = NO_KEY
            elif not numbers[row].is_valid:
                why[row] = NO_POLICY
            else:
                why[row] = errors.get(numbers[row].as_py()) or of_policies[row].as_py()
    answers["error"] = pyarrow.array(why, pyarrow.string())
    return answers


def _joined(
    columns: list[pyarrow.Array], names: list[str], answers: dict[str, pyarrow.Array]
) -> pyarrow.RecordBatch:
    return pyarrow.RecordBatch.from_arrays([*columns, *answers.values()], [*names, *answers])
