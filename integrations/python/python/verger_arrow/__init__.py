"""robots.txt (RFC 9309) in columns: kernels over Arrow arrays.

A column is an Arrow array of any library (`pyarrow`, `polars`, `duckdb`, `datafusion`, …), chunked or
not, with text or bytes; or a constant: a `str`, `bytes`, or `None`. All columns have the same number of
rows. Nulls stay null. A bad row never ends the call, and is never allowed.

Results are `Array`: `pyarrow.array(result)` and `polars.Series(result)` read them without a copy.

>>> import pyarrow
>>> robots = pyarrow.array([b"User-agent: *\\nDisallow: /cart\\n", None])
>>> pyarrow.array(check(robots, "ExampleBot", "https://shop.example/cart")).to_pylist()
[False, None]
"""

from __future__ import annotations

from typing import Any

from verger_arrow import _verger_arrow as _native
from verger_arrow._verger_arrow import Array, __version__

__all__ = [
    "Array",
    "__version__",
    "changes",
    "check",
    "check_detailed",
    "check_policies",
    "check_policies_detailed",
    "compile",
    "diff",
    "lint",
    "metrics",
    "sitemaps",
    "statements",
    "tables",
]


def check(robots: Any, agents: Any, urls: Any, dialect: str = "rfc9309") -> Array:
    """Return whether each crawler may fetch its URL.

    Args:
        robots: files, best as bytes.
        agents: product tokens or whole User-Agent headers.
        urls: absolute URLs, or paths that begin with `/`. Any other URL is disallowed.
        dialect: the name of a dialect, such as `"google"`.

    Raises:
        TypeError: a column is no Arrow array and no constant.
        ValueError: a column is not text, lengths differ, or the dialect is unknown.
    """
    return _native.check(robots, agents, urls, dialect)


def check_detailed(robots: Any, agents: Any, urls: Any, dialect: str = "rfc9309") -> Array:
    """Return verdicts with their reasons: a struct of `allowed`, `reason`, and of the deciding rule
    `kind`, `pattern` and `line`; `error` is null unless a row could not be decided. Else as `check`.
    """
    return _native.check_detailed(robots, agents, urls, dialect)


def check_policies(policies: Any, urls: Any) -> Array:
    """Return whether the crawlers of compiled policies (`compile`) may fetch URLs. A damaged policy
    gives a null.
    """
    return _native.check_policies(policies, urls)


def check_policies_detailed(policies: Any, urls: Any) -> Array:
    """Return verdicts of compiled policies, as `check_detailed`. `error` says why a policy is refused."""
    return _native.check_policies_detailed(policies, urls)


def compile(robots: Any, agents: Any, dialect: str = "rfc9309") -> Array:
    """Return the compiled policy of each file for a crawler, as bytes that can be stored."""
    return _native.compile(robots, agents, dialect)


def metrics(
    robots: Any,
    dialect: str = "rfc9309",
    *,
    pack: str | None = None,
    status: Any = None,
    content_type: Any = None,
    detected_type: Any = None,
    redirected: Any = None,
) -> Array:
    """Return figures of each file: a struct of `bytes`, of counts (`lines`, `groups`, `agents`, `allow`,
    `disallow`, `sitemaps`, `statements`), and `truncated`.

    Args:
        robots: files, best as bytes; null if the fetch failed.
        dialect: the name of a dialect. Published packs ignore it.
        pack: the name of a metric pack, for its struct instead: `"http-archive"`, `"common-crawl"`,
            `"consent"`, `"crawlers"` or `"statements"`. `docs/metrics.md` describes their fields.
        status: HTTP statuses, as integers; only for a pack, as the following ones.
        content_type: headers `Content-Type`; null if a response had none.
        detected_type: media types that were detected from the files.
        redirected: whether redirects were followed.
    """
    if pack is None:
        return _native.metrics(robots, dialect)
    return _native.pack_metrics((robots, status, content_type, detected_type, redirected), pack, dialect)


def tables(
    robots: Any,
    pack: str,
    dialect: str = "rfc9309",
    *,
    status: Any = None,
    content_type: Any = None,
    detected_type: Any = None,
    redirected: Any = None,
) -> dict[str, Array]:
    """Return the tables of a metric pack over all files, by their names. Arguments are those of `metrics`.
    Each row counts as one site; files that a pack refuses are not counted.
    """
    columns = (robots, status, content_type, detected_type, redirected)
    return dict(_native.tables(columns, pack, dialect))


def changes(before: Any, after: Any, dialect: str = "rfc9309") -> Array:
    """Compare two columns of versions of files for all known crawlers: a struct of `edited`; of the lists
    of crawlers to which the file was `closed`, `restricted`, `relaxed` or `opened`; and of the lists of
    statements `gained` and `lost`.
    """
    return _native.changes(before, after, dialect)


def statements(robots: Any, dialect: str = "rfc9309") -> Array:
    """Return the records of each file that are neither rules nor user-agent lines: lists of structs of
    `kind`, `key`, `value`, `agents` and `line`.
    """
    return _native.statements(robots, dialect)


def sitemaps(robots: Any, dialect: str = "rfc9309") -> Array:
    """Return the sitemaps of each file as written, as lists."""
    return _native.sitemaps(robots, dialect)


def lint(robots: Any) -> Array:
    """Return the findings of the linter in each file: a struct of the counts `errors`, `warnings` and
    `notes`, and of `rules`, the codes of the rules that found something.
    """
    return _native.lint(robots)


def diff(before: Any, after: Any, agents: Any, dialect: str = "rfc9309") -> Array:
    """Compare two columns of files for crawlers: a struct of `equal` (null if not decided), `opened` and
    `closed` (a URL for each class that changes), and `undecided` (why something may be missing).
    """
    return _native.diff(before, after, agents, dialect)
