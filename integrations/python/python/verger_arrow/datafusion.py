"""Functions for DataFusion: those of `verger_arrow`, named as in every engine.

>>> import datafusion
>>> context = datafusion.SessionContext()
>>> register(context)
>>> query = "SELECT robots_allowed(arrow_cast('User-agent: *', 'Binary'), 'GPTBot', '/') AS a"
>>> context.sql(query).to_pydict()
{'a': [True]}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import datafusion
import pyarrow
from verger_arrow import Array
from verger_arrow._functions import FUNCTIONS, check_dialect

__all__ = ["register"]


def register(context: datafusion.SessionContext, dialect: str = "rfc9309") -> None:
    """Add the functions to a context; `verger_arrow.duckdb.register` describes them.

    Files and policies are `BinaryView`, as in Parquet, `Binary`, `LargeBinary`, or a dictionary of one of
    them; `arrow_cast(column, 'Binary')` makes one of a string.

    Args:
        context: the context.
        dialect: the name of a dialect, such as `"google"`.

    Raises:
        ValueError: the dialect is unknown.

    >>> context = datafusion.SessionContext()
    >>> register(context, dialect="google")
    >>> context.sql("SELECT url_origin('https://Shop.example/cart') AS origin").to_pydict()
    {'origin': ['https://shop.example']}
    """
    check_dialect(dialect)
    for function in FUNCTIONS:
        # DataFusion converts every other type of bytes to views, and none from them.
        parameters = [
            pyarrow.binary_view() if function.is_binary(name) else pyarrow.string_view()
            for name in function.parameters
        ]
        result = pyarrow.array(function.null()).type
        kernel = _in_arrow(function.in_dialect(dialect))
        context.register_udf(datafusion.udf(kernel, parameters, result, "immutable", function.name))


def _in_arrow(kernel: Callable[..., Array]) -> Callable[..., Any]:
    def run(*columns: Any) -> pyarrow.Array:
        return pyarrow.array(kernel(*columns))

    return run
