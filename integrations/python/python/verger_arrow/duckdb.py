"""Functions for DuckDB.

>>> import duckdb
>>> connection = duckdb.connect()
>>> register(connection)
>>> connection.sql("SELECT robots_allowed('User-agent: *\\nDisallow: /'::BLOB, 'GPTBot', '/') AS a").fetchall()
[(False,)]
"""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow

import verger_arrow

# `robots` is a BLOB: a file in any encoding. `encode(text)` makes one of a VARCHAR.
_VERDICT = (
    "STRUCT(allowed BOOLEAN, reason VARCHAR, kind VARCHAR, pattern BLOB, line UINTEGER, error VARCHAR)"
)


def register(connection: duckdb.DuckDBPyConnection, dialect: str = "rfc9309") -> None:
    """Add the functions `robots_allowed(robots, agent, url)`, `robots_check(robots, agent, url)`,
    `robots_policy(robots, agent)`, `policy_allowed(policy, url)` and `policy_check(policy, url)`.
    """

    def allowed(robots: Any, agent: Any, url: Any) -> pyarrow.Array:
        return pyarrow.array(verger_arrow.check(robots, agent, url, dialect))

    def check(robots: Any, agent: Any, url: Any) -> pyarrow.Array:
        return pyarrow.array(verger_arrow.check_detailed(robots, agent, url, dialect))

    def policy(robots: Any, agent: Any) -> pyarrow.Array:
        return pyarrow.array(verger_arrow.compile(robots, agent, dialect))

    def policy_allowed(policy: Any, url: Any) -> pyarrow.Array:
        return pyarrow.array(verger_arrow.check_policies(policy, url))

    def policy_check(policy: Any, url: Any) -> pyarrow.Array:
        return pyarrow.array(verger_arrow.check_policies_detailed(policy, url))

    # DuckDB counts the parameters of each function.
    functions: list[tuple[str, Any, list[str], str]] = [
        ("robots_allowed", allowed, ["BLOB", "VARCHAR", "VARCHAR"], "BOOLEAN"),
        ("robots_check", check, ["BLOB", "VARCHAR", "VARCHAR"], _VERDICT),
        ("robots_policy", policy, ["BLOB", "VARCHAR"], "BLOB"),
        ("policy_allowed", policy_allowed, ["BLOB", "VARCHAR"], "BOOLEAN"),
        ("policy_check", policy_check, ["BLOB", "VARCHAR"], _VERDICT),
    ]
    for name, function, parameters, result in functions:
        connection.create_function(
            name, function, parameters, result, type="arrow", null_handling="special"
        )
