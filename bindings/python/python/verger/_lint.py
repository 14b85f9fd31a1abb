"""The linter and the formatter."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from . import _show, _verger
from .types import Dialect, LintProfile, Severity, Text


class LintFix(NamedTuple):
    """A change that removes a problem."""

    title: str
    """The change in words: ``write `Disallow` ``."""
    is_safe: bool
    """Whether no crawler gets another answer, in any dialect: this is proved. Otherwise some may
    get one, probably the one that the author meant."""


class LintLabel(NamedTuple):
    """Another place that belongs to a problem."""

    text: str
    """The remark."""
    line: int
    """The line, from 1."""
    column: int
    """The column in bytes, from 1."""
    span: tuple[int, int]
    """First byte, and the byte after the last one, in `LintReport.text`."""


class LintFinding(NamedTuple):
    """A problem of a file."""

    code: str
    """The rule of the linter, a name that stays the same: ``"repeated-rule"``."""
    severity: Severity
    """``"note"``, ``"warning"`` or ``"error"``."""
    category: str
    """The subject: ``"syntax"``, ``"groups"``, ``"rules"``, ``"statements"``, ``"limits"``,
    ``"policy"``, ``"portability"`` or ``"audit"``."""
    message: str
    """The problem in one sentence."""
    line: int
    """The line, from 1."""
    column: int
    """The column in bytes, from 1."""
    span: tuple[int, int]
    """First byte, and the byte after the last one, in `LintReport.text`."""
    labels: tuple[LintLabel, ...]
    """Other places, and why they matter."""
    url: str | None
    """A URL that shows the problem."""
    help: str | None
    """A hint for the author."""
    fix: LintFix | None
    """A change that removes the problem."""


class LintReport(tuple[LintFinding, ...]):
    """The findings of a file, in its order."""

    text: bytes
    """The text that spans refer to: the file, or its UTF-8 form if it is in UTF-16."""
    omitted: dict[str, int]
    """Codes of rules with more findings than a report has, and the numbers of the missing ones."""
    _settings: dict[str, Any]

    # Worked out when they are read: the file is linted again after each round of fixes.
    @cached_property
    def fixed(self) -> bytes | None:
        """The file with all safe fixes; ``None`` if there are none."""
        return _verger.fixed(self.text, self._settings, False)

    @cached_property
    def fixed_unsafely(self) -> bytes | None:
        """The file with all fixes; ``None`` if there are none."""
        return _verger.fixed(self.text, self._settings, True)

    def __repr__(self) -> str:
        return f"<LintReport: {len(self)} findings>"

    def to_json(self) -> str:
        """Returns the findings as JSON."""
        return _show.to_json({"findings": list(self), "omitted": self.omitted})

    def _repr_html_(self) -> str:
        return _show.to_html(list(self)) if self else "no findings"


def lint(
    robots_txt: Text,
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Mapping[str, Severity] | None = None,
    portable: Iterable[Dialect] = (),
    origin: str | None = None,
    profile: LintProfile | None = None,
    now: float | None = None,
) -> LintReport:
    """Finds problems in a robots.txt: lines without effect, misspelt keys, repeated rules.

    A comment ``# verger-lint: ignore repeated-rule`` in the file suppresses findings.

    Args:
        robots_txt: the file as bytes.
        select: codes or categories of the rules to run. Default: those of the profile, otherwise
            all except category ``"audit"``.
        ignore: codes or categories of the rules to skip, in addition to those of the profile. It
            outranks `select`.
        severity: severities by code, instead of those of the profile or the default ones.
        portable: dialects that must read the file as RFC 9309 does. Rules of category
            ``"portability"`` run only for them. Default: those of the profile, otherwise none.
        origin: a URL of the site, for rules about absolute URLs.
        profile: settings for one reader of the file, which the arguments above change. Default:
            none.
        now: the time in seconds since 1970, such as ``time.time()``. A note says that the list of
            known crawlers is outdated then. Default: the age of the list does not count.

    Raises:
        ValueError: a code, a category, a severity, a dialect or a profile is unknown, the origin is
            not a URL, or the time is not finite.

    >>> report = lint(b"User-agent: *\\nDissalow: /cart\\n")
    >>> [(found.code, found.line) for found in report]
    [('misspelt-key', 2)]
    >>> report.fixed_unsafely
    b'User-agent: *\\nDisallow: /cart\\n'
    >>> body = b"User-agent: Googlebot\\nCrawl-delay: 5\\nDisallow: /cart\\n"
    >>> [(found.code, found.severity) for found in lint(body, profile="google")]
    [('crawl-delay-ignored', 'warning')]
    """
    settings = {
        "select": _names(select),
        "ignore": _names(ignore),
        "severity": dict(severity or {}),
        "portable": _names(portable),
        "origin": origin,
        "profile": profile,
        "now": now,
    }
    text, found = _verger.lint(robots_txt, settings)
    parsed = json.loads(found)
    report = LintReport(map(_finding, parsed["findings"]))
    report.text = text
    report.omitted = parsed.get("omitted", {})
    report._settings = settings
    return report


def format(robots_txt: Text) -> bytes:
    """Formats a robots.txt: one form of keys, spaces and blank lines, the line end of most lines.

    No verdict and no record changes, in any dialect. Comments and unknown lines keep their text. A
    file in UTF-16 is returned unchanged.

    >>> format(b"USER-AGENT:*  \\nDISALLOW :/cart#why\\n")
    b'User-agent: *\\nDisallow: /cart #why\\n'
    """
    return _verger.format(robots_txt)


def lint_rules() -> dict[str, str]:
    """Returns the codes of the linter's rules, each with the page about it in Markdown.

    >>> print(lint_rules()["misspelt-key"].partition("\\n")[0])
    # misspelt-key
    """
    return {code: page for code, _, page in _verger.lint_rules()}


def _names(names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise TypeError(f"expected an iterable of names, but found str: {names!r}")
    return list(names)


def _finding(found: dict[str, Any]) -> LintFinding:
    fix = found.get("fix")
    return LintFinding(
        code=found["code"],
        severity=found["severity"],
        category=found["category"],
        message=found["message"],
        **_place(found),
        labels=tuple(LintLabel(it["message"], **_place(it)) for it in found.get("labels", ())),
        url=found.get("url"),
        help=found.get("help"),
        fix=None if fix is None else LintFix(fix["title"], fix["safety"] == "safe"),
    )


def _place(found: dict[str, Any]) -> dict[str, Any]:
    return {"line": found["line"], "column": found["column"], "span": tuple(found["span"])}
