"""The functions of SQL: their names and parameters are the same in every engine."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import verger_arrow
from verger_arrow import Array

_FILES = ("robots", "policy", "before", "after")


@dataclass(frozen=True)
class Function:
    """A function of SQL and its kernel."""

    name: str
    parameters: tuple[str, ...]
    kernel: Callable[..., Array]
    has_dialect: bool = True

    def in_dialect(self, dialect: str) -> Callable[..., Array]:
        """The kernel as a function of columns only."""
        return functools.partial(self.kernel, dialect=dialect) if self.has_dialect else self.kernel

    def is_binary(self, parameter: str) -> bool:
        """Whether a parameter is a file or a policy. The others are text."""
        return parameter in _FILES

    def null(self) -> Array:
        """One row with a null, in the type of the results."""
        return self.kernel(*[None] * len(self.parameters))


FUNCTIONS = (
    Function("robots_allowed", ("robots", "agent", "url"), verger_arrow.check),
    Function("robots_check", ("robots", "agent", "url"), verger_arrow.check_detailed),
    Function("robots_policy", ("robots", "agent"), verger_arrow.compile),
    Function("policy_allowed", ("policy", "url"), verger_arrow.check_policies, has_dialect=False),
    Function("policy_check", ("policy", "url"), verger_arrow.check_policies_detailed, has_dialect=False),
    Function("robots_metrics", ("robots",), verger_arrow.metrics),
    Function("robots_statements", ("robots",), verger_arrow.statements),
    Function("robots_sitemaps", ("robots",), verger_arrow.sitemaps),
    Function("robots_lint", ("robots",), verger_arrow.lint, has_dialect=False),
    Function("robots_diff", ("before", "after", "agent"), verger_arrow.diff),
    Function("url_origin", ("url",), verger_arrow.origins, has_dialect=False),
)


def check_dialect(dialect: str) -> None:
    """Raise ValueError if a dialect is unknown: at once, not in the first query."""
    verger_arrow.check("", "", "", dialect)
