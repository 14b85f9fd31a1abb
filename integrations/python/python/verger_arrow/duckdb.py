"""Functions for DuckDB: those of `verger_arrow`, named as in every engine.

>>> import duckdb
>>> connection = duckdb.connect()
>>> register(connection)
>>> query = "SELECT robots_allowed('User-agent: *\\nDisallow: /'::BLOB, 'GPTBot', '/') AS allowed"
>>> connection.sql(query).fetchall()
[(False,)]
>>> connection.sql("SELECT url_origin('https://Shop.example:443/cart') AS origin").fetchall()
[('https://shop.example',)]
"""

from __future__ import annotations

import inspect
from typing import Any

import duckdb
import pyarrow
from verger_arrow._functions import FUNCTIONS, Function, check_dialect

__all__ = ["register"]


def register(connection: duckdb.DuckDBPyConnection, dialect: str = "rfc9309") -> None:
    """Add the functions to a connection.

    Files and policies are BLOB; `encode(text)` makes one of a VARCHAR. A call with a null is null.

    - `robots_allowed(robots, agent, url)`: whether the crawler may fetch the URL.
    - `robots_check(robots, agent, url)`: also the reason, the deciding rule and errors, as a STRUCT.
    - `robots_policy(robots, agent)`: a compiled policy, for `policy_allowed(policy, url)` and
      `policy_check(policy, url)`.
    - `robots_metrics(robots)`, `robots_statements(robots)`, `robots_sitemaps(robots)`,
      `robots_lint(robots)`, `robots_diff(before, after, agent)`.
    - `url_origin(url)`: scheme, host and port, the key that joins URLs with files.

    Args:
        connection: the connection. Its cursors have the functions, too.
        dialect: the name of a dialect, such as `"google"`.

    Raises:
        ValueError: the dialect is unknown.
        duckdb.CatalogException: the connection has the functions already.

    >>> connection = duckdb.connect()
    >>> register(connection, dialect="google")
    >>> connection.sql("SELECT robots_metrics('User-agent: *'::BLOB).agents AS agents").fetchall()
    [(1,)]
    """
    check_dialect(dialect)
    # DuckDB's types have only plain functions.
    create: Any = connection.create_function
    for function in FUNCTIONS:
        result = pyarrow.table({"result": pyarrow.array(function.null())})
        create(
            function.name,
            _in_arrow(function, dialect),
            ["BLOB" if function.is_binary(name) else "VARCHAR" for name in function.parameters],
            connection.from_arrow(result).types[0],
            type="arrow",
            null_handling="special",
        )


def _in_arrow(function: Function, dialect: str) -> Any:
    kernel = function.in_dialect(dialect)

    def run(*columns: Any) -> pyarrow.Array:
        return pyarrow.array(kernel(*columns))

    # DuckDB counts the parameters.
    kind = inspect.Parameter.POSITIONAL_ONLY
    parameters = [inspect.Parameter(name, kind) for name in function.parameters]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run
