"""robots.txt (RFC 9309) in columns: kernels over Arrow arrays.

A column is an Arrow array of any library (`pyarrow`, `polars`, `duckdb`, `datafusion`, …), chunked,
sliced, as a stream or with a dictionary, of text or bytes (`Utf8`, `LargeUtf8`, `Utf8View`, `Binary`,
`LargeBinary`, `BinaryView`); or a constant: a `str`, `bytes`, or `None`. All columns have the same number
of rows. Nulls stay null. A bad row never ends the call, and is never allowed.

Results are `Array`: `pyarrow.array(result)` and `polars.Series(result)` read them without a copy.

>>> import pyarrow
>>> robots = pyarrow.array([b"User-agent: *\\nDisallow: /cart\\n", None])
>>> pyarrow.array(check(robots, "ExampleBot", "https://shop.example/cart")).to_pylist()
[False, None]

All functions raise `TypeError` if a column is neither an Arrow array nor a constant, and `ValueError` if
a column is not text, the numbers of rows differ, the dialect is unknown, or a result has more than 2 GiB
(pass fewer rows at once). The interpreter is free while they run, so threads use all cores.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from verger_arrow import _verger_arrow as _native
from verger_arrow._verger_arrow import Array, __version__

__all__ = [
    "Array",
    "ArrowArray",
    "ArrowStream",
    "Column",
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
    "origins",
    "sitemaps",
    "statements",
    "tables",
]


class ArrowArray(Protocol):
    """An array of any library with the Arrow PyCapsule interface."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


class ArrowStream(Protocol):
    """Chunks of arrays of any library with the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


Column: TypeAlias = ArrowArray | ArrowStream | str | bytes | None
"""A column of a call: an array, chunks of arrays, or a constant."""


def check(robots: Column, agents: Column, urls: Column, dialect: str = "rfc9309") -> Array:
    """Return whether each crawler may fetch its URL, as booleans.

    Args:
        robots: files, best as bytes: the engine detects their encoding.
        agents: product tokens or whole User-Agent headers.
        urls: absolute URLs, or paths that begin with `/`. Any other URL is disallowed.
        dialect: the name of a dialect, such as `"google"`.

    Raises:
        TypeError: a column is neither an Arrow array nor a constant.
        ValueError: a column is not text, lengths differ, or the dialect is unknown.

    >>> import pyarrow
    >>> urls = pyarrow.array(["https://shop.example/cart", "/help", "shop", None])
    >>> pyarrow.array(check("User-agent: *\\nDisallow: /cart", "ExampleBot", urls)).to_pylist()
    [False, True, False, None]
    """
    return _native.check(robots, agents, urls, dialect)


def check_detailed(robots: Column, agents: Column, urls: Column, dialect: str = "rfc9309") -> Array:
    """Return verdicts with their reasons. Arguments and errors are those of `check`.

    Each row is a struct: `allowed`; `reason`, such as `"rule"` or `"no_group"`; of the deciding rule its
    `kind` (`"allow"`, `"disallow"`), its `pattern` as bytes and its `line` from 1, all null without one;
    `error`, null unless the row could not be decided.

    >>> import pyarrow
    >>> rows = pyarrow.array(check_detailed("User-agent: *\\nDisallow: /cart", "ExampleBot", "/cart/1"))
    >>> {name: rows[0].as_py()[name] for name in ("allowed", "reason", "kind", "pattern", "line")}
    {'allowed': False, 'reason': 'rule', 'kind': 'disallow', 'pattern': b'/cart', 'line': 2}
    """
    return _native.check_detailed(robots, agents, urls, dialect)


def check_policies(policies: Column, urls: Column) -> Array:
    """Return whether the crawlers of compiled policies may fetch URLs, as booleans.

    A policy that is damaged, or written by a newer version, gives a null.

    Args:
        policies: bytes that `compile` has returned.
        urls: as in `check`.

    Raises:
        TypeError: a column is neither an Arrow array nor a constant.
        ValueError: a column is not text, or lengths differ.

    >>> import pyarrow
    >>> policies = pyarrow.array(compile("User-agent: *\\nDisallow: /cart", "ExampleBot"))
    >>> pyarrow.array(check_policies(policies, pyarrow.array(["/cart", "/"]))).to_pylist()
    [False, True]
    >>> pyarrow.array(check_policies(b"damaged", "/")).to_pylist()
    [None]
    """
    return _native.check_policies(policies, urls)


def check_policies_detailed(policies: Column, urls: Column) -> Array:
    """Return verdicts of compiled policies: structs as those of `check_detailed`.

    Arguments and errors are those of `check_policies`.

    >>> import pyarrow
    >>> print(pyarrow.array(check_policies_detailed(b"damaged", "/"))[0].as_py()["error"])
    not a compiled policy
    """
    return _native.check_policies_detailed(policies, urls)


def compile(robots: Column, agents: Column, dialect: str = "rfc9309") -> Array:
    """Return the compiled policy of each file for a crawler, as bytes that can be stored.

    A policy is smaller than its file, and a check with it needs no parsing.

    Args:
        robots: files, best as bytes.
        agents: product tokens or whole User-Agent headers.
        dialect: the name of a dialect, such as `"google"`.

    Raises:
        TypeError: a column is neither an Arrow array nor a constant.
        ValueError: a column is not text, lengths differ, the dialect is unknown, or the policies have
            more than 2 GiB.

    >>> import pyarrow
    >>> pyarrow.array(compile("User-agent: *\\nDisallow: /cart", "ExampleBot")).type
    DataType(binary)
    """
    return _native.compile(robots, agents, dialect)


def metrics(
    robots: Column,
    dialect: str = "rfc9309",
    *,
    pack: str | None = None,
) -> Array:
    """Return figures of each file.

    Each row is a struct: `bytes`; counts of `lines`, `groups`, `agents` (user-agent lines), `allow` and
    `disallow` rules, `sitemaps`, and `statements` (records that are neither rules nor user-agent lines);
    `truncated`, whether the file is longer than the dialect reads.

    Args:
        robots: files, best as bytes; null if the fetch failed.
        dialect: the name of a dialect.
        pack: the name of a metric pack, for its struct instead: `"consent"`, `"crawlers"` or
            `"statements"`. `docs/metrics.md` describes their fields.

    Raises:
        TypeError: the column is neither an Arrow array nor a constant.
        ValueError: the column is not text, or the dialect or the pack is unknown.

    >>> import pyarrow
    >>> rows = pyarrow.array(metrics("User-agent: a\\nUser-agent: b\\nDisallow: /\\nSitemap: /s"))
    >>> {name: rows[0].as_py()[name] for name in ("groups", "agents", "disallow", "sitemaps")}
    {'groups': 1, 'agents': 2, 'disallow': 1, 'sitemaps': 1}
    """
    if pack is None:
        return _native.metrics(robots, dialect)
    return _native.pack_metrics(robots, pack, dialect)


def tables(robots: Column, pack: str, dialect: str = "rfc9309") -> dict[str, Array]:
    """Return the tables of a metric pack over all files, by their names. Arguments are those of `metrics`.
    Each row counts as one site; a null is not counted.
    """
    return dict(_native.tables(robots, pack, dialect))


def changes(before: Column, after: Column, dialect: str = "rfc9309") -> Array:
    """Compare two columns of versions of files for all known crawlers: a struct of `edited`; of the lists
    of crawlers to which the file was `closed`, `restricted`, `relaxed` or `opened`; and of the lists of
    statements `gained` and `lost`.
    """
    return _native.changes(before, after, dialect)


def statements(robots: Column, dialect: str = "rfc9309") -> Array:
    """Return the records of each file that are neither rules nor user-agent lines.

    Each row is a list of structs: `kind`, the usual spelling of the key or null; `key` and `value` as
    written; `agents`, the names of its group; `line`. Errors are those of `metrics`.

    >>> import pyarrow
    >>> rows = pyarrow.array(statements("User-agent: *\\nCrawl-delay: 2"))
    >>> [(item["kind"], item["value"], item["agents"]) for item in rows[0].as_py()]
    [('Crawl-delay', b'2', ['*'])]
    """
    return _native.statements(robots, dialect)


def sitemaps(robots: Column, dialect: str = "rfc9309") -> Array:
    """Return the sitemaps of each file as written, as lists of strings. Errors are those of `metrics`.

    >>> import pyarrow
    >>> pyarrow.array(sitemaps("Sitemap: https://shop.example/sitemap.xml")).to_pylist()
    [['https://shop.example/sitemap.xml']]
    """
    return _native.sitemaps(robots, dialect)


def lint(robots: Column) -> Array:
    """Return the findings of the linter in each file.

    Each row is a struct: the counts `errors`, `warnings` and `notes`, and `rules`, the codes of the rules
    that found something. Errors are those of `metrics`.

    >>> import pyarrow
    >>> "misspelt-key" in pyarrow.array(lint("User-agent: *\\nDissalow: /a"))[0].as_py()["rules"]
    True
    """
    return _native.lint(robots)


def diff(before: Column, after: Column, agents: Column, dialect: str = "rfc9309") -> Array:
    """Compare two columns of files for crawlers.

    Each row is a struct: `equal`, whether both files mean the same, null if not decided; `opened` and
    `closed`, a URL for each class of URLs that changes; `undecided`, why something may be missing. Errors
    are those of `compile`.

    >>> import pyarrow
    >>> before, after = "User-agent: *\\nDisallow: /a", "User-agent: *\\nDisallow: /b"
    >>> rows = pyarrow.array(diff(before, after, "ExampleBot"))
    >>> rows[0].as_py()["opened"], rows[0].as_py()["closed"]
    (['https://example.com/a'], ['https://example.com/b'])
    """
    return _native.diff(before, after, agents, dialect)


def origins(urls: Column) -> Array:
    """Return the origin of each URL: scheme, host and port, the scope of one robots.txt.

    Names are in lower case and Punycode, default ports are removed. A text that is not an absolute URL, or
    has no host, gives a null. Errors are those of `check_policies`.

    >>> import pyarrow
    >>> urls = pyarrow.array(["https://Shop.example:443/cart", "http://shop.example:8080/", "/cart"])
    >>> pyarrow.array(origins(urls)).to_pylist()
    ['https://shop.example', 'http://shop.example:8080', None]
    """
    return _native.origins(urls)
