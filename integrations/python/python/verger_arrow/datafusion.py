"""Functions for DataFusion.

>>> import datafusion
>>> context = datafusion.SessionContext()
>>> register(context)
>>> query = "SELECT robots_allowed(arrow_cast('User-agent: *', 'Binary'), 'GPTBot', '/') AS a"
>>> context.sql(query).to_pydict()
{'a': [True]}
"""

from __future__ import annotations

from typing import Any

import datafusion
import pyarrow

import verger_arrow


def register(context: datafusion.SessionContext, dialect: str = "rfc9309") -> None:
    """Add the functions `robots_allowed(robots, agent, url)`, `robots_policy(robots, agent)` and
    `policy_allowed(policy, url)`. `robots` and `policy` are `Binary`.
    """
    binary, text = pyarrow.binary(), pyarrow.string()
    functions: list[tuple[str, Any, list[pyarrow.DataType], pyarrow.DataType]] = [
        (
            "robots_allowed",
            lambda robots, agent, url: verger_arrow.check(robots, agent, url, dialect),
            [binary, text, text],
            pyarrow.bool_(),
        ),
        (
            "robots_policy",
            lambda robots, agent: verger_arrow.compile(robots, agent, dialect),
            [binary, text],
            binary,
        ),
        ("policy_allowed", verger_arrow.check_policies, [binary, text], pyarrow.bool_()),
    ]
    for name, kernel, parameters, result in functions:
        function = datafusion.udf(_as_pyarrow(kernel), parameters, result, "immutable", name)
        context.register_udf(function)


def _as_pyarrow(kernel: Any) -> Any:
    def run(*columns: Any) -> pyarrow.Array:
        return pyarrow.array(kernel(*columns))

    return run
