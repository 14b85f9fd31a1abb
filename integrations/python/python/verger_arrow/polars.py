"""Expressions for Polars, in the namespace `robots`.

>>> import polars
>>> import verger_arrow.polars
>>> frame = polars.DataFrame({"robots": [b"User-agent: *\\nDisallow: /a\\n"], "url": ["/a/b"]})
>>> frame.select(polars.col("robots").robots.allowed("GPTBot", polars.col("url"))).item()
False

Type checkers do not know namespaces; `RobotsNamespace(polars.col("robots"))` is the same for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars
from verger_arrow import Array
from verger_arrow._functions import FUNCTIONS, check_dialect

__all__ = ["RobotsNamespace", "Text"]

Text = polars.Expr | str
"""An expression, or a text that is the same for every row."""


@polars.api.register_expr_namespace("robots")
class RobotsNamespace:
    """Questions about a column of robots.txt files, of compiled policies, or of URLs.

    A method `m` of files has the name `robots_m` in SQL. The result has the name of the column.
    """

    def __init__(self, column: polars.Expr) -> None:
        self._column = column

    def allowed(self, agent: Text, url: Text, dialect: str = "rfc9309") -> polars.Expr:
        """Whether the crawlers may fetch the URLs.

        >>> files = polars.Series("robots", [b"User-agent: GPTBot\\nDisallow: /\\n"]).to_frame()
        >>> files.select(RobotsNamespace(polars.col("robots")).allowed("GPTBot", "/")).item()
        False
        """
        return self._call("robots_allowed", [agent, url], dialect)

    def check(self, agent: Text, url: Text, dialect: str = "rfc9309") -> polars.Expr:
        """Verdicts as structs, with reason, deciding rule and error (`verger_arrow.check_detailed`)."""
        return self._call("robots_check", [agent, url], dialect)

    def policy(self, agent: Text, dialect: str = "rfc9309") -> polars.Expr:
        """The compiled policies of files, as bytes."""
        return self._call("robots_policy", [agent], dialect)

    def policy_allowed(self, url: Text) -> polars.Expr:
        """Whether the crawlers of compiled policies may fetch the URLs."""
        return self._call("policy_allowed", [url])

    def policy_check(self, url: Text) -> polars.Expr:
        """Verdicts of compiled policies, as `check`."""
        return self._call("policy_check", [url])

    def metrics(self, dialect: str = "rfc9309") -> polars.Expr:
        """Figures of each file as structs (`verger_arrow.metrics`)."""
        return self._call("robots_metrics", [], dialect)

    def statements(self, dialect: str = "rfc9309") -> polars.Expr:
        """Records that are neither rules nor user-agent lines (`verger_arrow.statements`)."""
        return self._call("robots_statements", [], dialect)

    def sitemaps(self, dialect: str = "rfc9309") -> polars.Expr:
        """The sitemaps of each file as written."""
        return self._call("robots_sitemaps", [], dialect)

    def lint(self) -> polars.Expr:
        """Counts of findings (`verger_arrow.lint`)."""
        return self._call("robots_lint", [])

    def diff(self, after: polars.Expr, agent: Text, dialect: str = "rfc9309") -> polars.Expr:
        """Differences between this column and another one of files (`verger_arrow.diff`)."""
        return self._call("robots_diff", [after, agent], dialect)

    def origin(self) -> polars.Expr:
        """Scheme, host and port of URLs: the key that joins them with files.

        >>> url = polars.Series("url", ["https://Shop.example:443/cart"]).to_frame()
        >>> url.select(RobotsNamespace(polars.col("url")).origin()).item()
        'https://shop.example'
        """
        return self._call("url_origin", [])

    def _call(self, name: str, others: list[Text], dialect: str = "rfc9309") -> polars.Expr:
        function = next(function for function in FUNCTIONS if function.name == name)
        result = polars.Series(function.null()).dtype
        kernel: Callable[..., Array] = function.in_dialect(dialect)
        check_dialect(dialect)
        columns = [self._column]
        columns += [polars.lit(other) if isinstance(other, str) else other for other in others]
        named = [column.alias(f"column_{at}") for at, column in enumerate(columns)]

        def run(rows: polars.Series) -> polars.Series:
            values: list[Any] = [rows.struct.field(field) for field in rows.struct.fields]
            return polars.Series(rows.name, kernel(*values), dtype=result)

        output = self._column.meta.output_name()
        return polars.struct(named).map_batches(run, return_dtype=result).alias(output)
