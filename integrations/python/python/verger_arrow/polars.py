"""Expressions for Polars, in the namespace `robots`.

>>> import polars
>>> import verger_arrow.polars
>>> frame = polars.DataFrame({"robots": [b"User-agent: *\\nDisallow: /a\\n"], "url": ["/a/b"]})
>>> frame.select(polars.col("robots").robots.allowed("GPTBot", polars.col("url")))["robots"].to_list()
[False]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars

import verger_arrow

# An expression, or a text that is the same for every row.
Text = polars.Expr | str


@polars.api.register_expr_namespace("robots")
class RobotsNamespace:
    """Questions about a column of robots.txt files, or of compiled policies."""

    def __init__(self, column: polars.Expr) -> None:
        self._column = column

    def allowed(self, agent: Text, url: Text, dialect: str = "rfc9309") -> polars.Expr:
        """Whether the crawlers may fetch the URLs."""
        return self._call(
            lambda robots, agents, urls: verger_arrow.check(robots, agents, urls, dialect),
            [agent, url],
            polars.Boolean(),
        )

    def check(self, agent: Text, url: Text, dialect: str = "rfc9309") -> polars.Expr:
        """Verdicts as structs, with reason and deciding rule."""
        verdict = polars.Struct(
            {
                "allowed": polars.Boolean(),
                "reason": polars.Categorical(),
                "kind": polars.Categorical(),
                "pattern": polars.Binary(),
                "line": polars.UInt32(),
                "error": polars.String(),
            }
        )
        return self._call(
            lambda robots, agents, urls: verger_arrow.check_detailed(robots, agents, urls, dialect),
            [agent, url],
            verdict,
        )

    def policy(self, agent: Text, dialect: str = "rfc9309") -> polars.Expr:
        """The compiled policies of files, as bytes."""
        return self._call(
            lambda robots, agents: verger_arrow.compile(robots, agents, dialect),
            [agent],
            polars.Binary(),
        )

    def policy_allowed(self, url: Text) -> polars.Expr:
        """Whether the crawlers of compiled policies may fetch the URLs."""
        return self._call(verger_arrow.check_policies, [url], polars.Boolean())

    def _call(
        self, kernel: Callable[..., Any], others: list[Text], result: polars.DataType
    ) -> polars.Expr:
        columns = [self._column] + [
            polars.lit(other) if isinstance(other, str) else other for other in others
        ]
        named = [column.alias(f"column_{at}") for at, column in enumerate(columns)]

        def run(rows: polars.Series) -> polars.Series:
            fields = rows.struct.fields
            return polars.Series(
                rows.name, kernel(*(rows.struct.field(field) for field in fields)), dtype=result
            )

        name = self._column.meta.output_name()
        return polars.struct(named).map_batches(run, return_dtype=result).alias(name)
