"""Exact answers about all URLs: which rules have no effect, and what a change changes.

Nothing is guessed: a question that needs too much work is undecided, with the reason. Real files
take milliseconds. The analysis is about ``Allow`` and ``Disallow`` only.

>>> from verger import parse
>>> robots = parse("User-agent: *\\nDisallow: /cart\\nAllow: /cart*\\n")
>>> dead_rules(robots, "ExampleBot").found[0].rule
<Rule line 2: Disallow: /cart>
>>> diff("User-agent: *\\nDisallow: /cart\\n", "User-agent: *\\nDisallow: /cart/\\n", "ExampleBot")
<Comparison: 1 change>
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from . import _show, _verger
from ._show import _Shown
from ._verger import Group, Record, Robots, Rule, Verdict
from .types import Agent, Dialect, Text, Url

__all__ = [
    "Change",
    "Comparison",
    "Coverage",
    "CrawlerDifferences",
    "DeadRule",
    "Example",
    "FileComparison",
    "PatternState",
    "RecordChange",
    "RedundantRule",
    "RuleFindings",
    "compare",
    "compare_files",
    "coverage",
    "dead_rules",
    "diff",
    "diff_files",
    "pattern_state",
    "redundant_rules",
]

_Found = TypeVar("_Found")


class RuleFindings(Generic[_Found]):
    """Findings about rules in file order. All of them are proved."""

    def __init__(self, found: list[_Found], undecided: list[tuple[Rule, str]]) -> None:
        self.found = found
        """The findings."""
        self.undecided = undecided
        """Rules that may also be a finding, each with the reason."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleFindings):
            return NotImplemented
        return (self.found, self.undecided) == (other.found, other.undecided)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<RuleFindings: {len(self.found)} found, {len(self.undecided)} undecided>"


class DeadRule(NamedTuple):
    """A rule that decides no URL, so it can be removed without a change."""

    rule: Rule
    """The rule."""
    cause: Literal["empty", "matches_nothing", "robots_txt", "overridden", "other"]
    """Why: it is empty, matches no URL, matches only ``/robots.txt``, or `overridden_by` others."""
    overridden_by: list[Rule]
    """The rules that decide every URL that it matches; empty with another cause."""


class RedundantRule(NamedTuple):
    """A rule that decides some URLs as others would, so it can be removed without a change."""

    rule: Rule
    """The rule."""
    because_of: list[Rule]
    """The rules that would decide the same, in file order."""
    by_default: bool
    """Whether URLs remain allowed because no other rule matches."""


class Example(NamedTuple):
    """A URL with its verdict."""

    url: str
    """The URL. Its site is ``https://example.com`` unless an origin was given."""
    is_shortest: bool
    """Whether no shorter URL with as few `//` shows the same. Otherwise the search was given up."""
    verdict: Verdict
    """The verdict, with the deciding rule."""


class PatternState(NamedTuple):
    """The answers for all URLs that a pattern matches, except for ``/robots.txt``."""

    state: Literal["open", "closed", "mixed", "empty", "undecided"]
    """All are allowed, all are disallowed, some are either, there are none, or unknown."""
    open: Example | None
    """One of the shortest allowed URLs."""
    closed: Example | None
    """One of the shortest disallowed URLs."""
    undecided: str | None
    """Why the state is unknown."""


class Change(NamedTuple):
    """The URLs that one rule decides before, and another one with the opposite answer after."""

    direction: Literal["opened", "closed"]
    """Whether the URLs were disallowed and are now allowed, or the other way round."""
    url: str
    """One of these URLs, among the shortest."""
    is_shortest: bool
    """Whether no shorter URL with as few `//` shows the same. Otherwise the search was given up."""
    before: Verdict
    """The verdict for `url` before."""
    after: Verdict
    """The verdict for `url` after."""


class Comparison(_Shown):
    """The result of a comparison."""

    def __init__(
        self,
        result: Literal["equal", "different", "undecided"],
        changes: list[Change],
        undecided: str | None,
    ) -> None:
        self.result = result
        """``"equal"``: every URL has the same answer. ``"different"``: some have not.
        ``"undecided"``: no difference was found, and equality was not proved."""
        self.changes = changes
        """The changes, those with the shortest URL first; none unless `result` is
        ``"different"``."""
        self.undecided = undecided
        """Why changes may be missing; ``None`` if the answer is complete."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comparison) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self.result != "different":
            return f"<Comparison: {self.result}>"
        count = len(self.changes)
        return f"<Comparison: {count} {'change' if count == 1 else 'changes'}>"


class RecordChange(NamedTuple):
    """A record, such as ``Sitemap`` or ``Crawl-delay``, that only one of two files has."""

    record: Record
    """The record, with its line in the file that has it."""
    is_added: bool
    """Whether the second file has it. Otherwise it was removed."""


class CrawlerDifferences(NamedTuple):
    """Crawlers for which two files differ in the same way."""

    crawlers: list[str]
    """Names of the crawlers, at least one. ``"*"`` is every crawler that no group names."""
    comparison: Comparison
    """The comparison of the rules, with lines of the first crawler. If only `records` changed, its
    result is ``"equal"``."""
    records: list[RecordChange]
    """Changed records of the groups that the crawlers obey, such as ``Crawl-delay``."""
    switch: Literal["to_own_groups", "to_star"] | None
    """``"to_own_groups"``: the crawlers obeyed the groups for ``*`` and now obey groups that name
    them, so the rules for ``*`` have no effect on them any more. ``"to_star"``: the opposite."""
    groups_before: list[Group]
    """The groups that the first crawler obeys in the first file."""
    groups_after: list[Group]
    """The groups that the first crawler obeys in the second file."""


class FileComparison(NamedTuple):
    """The differences between two files for all crawlers."""

    differences: list[CrawlerDifferences]
    """Crawlers with differences, or for which equality was not proved."""
    unchanged: list[str]
    """Crawlers for which both files are proved to mean the same."""
    records: list[RecordChange]
    """Changed records for all crawlers, such as ``Sitemap``."""
    text: Literal["same", "prepended", "appended", "changed"]
    """``"prepended"``: text was added in front of the first file, as CDNs do. ``"appended"``: text
    was added after it. ``"changed"``: any other change."""
    added_lines: tuple[int, int] | None
    """The first and the last line of the added text; ``None`` unless `text` is ``"prepended"`` or
    ``"appended"``."""
    not_compared: int
    """Number of crawlers that were not compared, because the files name too many."""

    @property
    def is_complete(self) -> bool:
        """Whether no change of a rule can be missing."""
        return not self.not_compared and not any(
            found.comparison.undecided for found in self.differences
        )

    def has(self, direction: Literal["opened", "closed"]) -> bool:
        """Returns whether URLs were opened or closed for any crawler.

        If it is false and `is_complete` is false too, there may be such URLs nevertheless.
        """
        return any(
            change.direction == direction
            for found in self.differences
            for change in found.comparison.changes
        )

    def to_json(self) -> str:
        """Returns the attributes as JSON."""
        return _show.to_json(self)

    def _repr_html_(self) -> str:
        return _show.to_html(self)


@dataclass(frozen=True)
class Coverage(_Shown):
    """Numbers of URLs by the rules that decide them."""

    allowed: int
    """Allowed URLs."""
    disallowed: int
    """Disallowed URLs."""
    no_rule: int
    """URLs that are allowed because no rule matches."""
    robots_txt: int
    """URLs of the robots.txt itself."""
    not_urls: int
    """Texts that are neither a URL nor a path. They count nowhere else."""
    rules: list[tuple[Rule, int]]
    """The rules that the agent obeys, in file order, with the URLs that each decides."""
    unmentioned: list[tuple[str, int]]
    """Frequent beginnings of paths that no rule mentions, with their URLs."""


def coverage(robots: Robots, agent: Agent, urls: Iterable[Url]) -> Coverage:
    """Counts URLs, such as those of a sitemap or a log, by the rules that decide them.

    >>> from verger import parse
    >>> robots = parse("User-agent: *\\nDisallow: /cart\\nDisallow: /old\\n")
    >>> found = coverage(robots, "ExampleBot", ["/", "/cart/1", "/cart/2"])
    >>> found.disallowed, [rule.pattern for rule, urls in found.rules if not urls]
    (2, ['/old'])
    """
    return Coverage(**_verger.coverage(robots, agent, urls))


def dead_rules(robots: Robots, agent: Agent) -> RuleFindings[DeadRule]:
    """Finds the rules that decide no URL, among those that an agent obeys.

    >>> from verger import parse
    >>> robots = parse("User-agent: *\\nDisallow: /a\\nDisallow: /a\\n")
    >>> [dead.overridden_by for dead in dead_rules(robots, "ExampleBot").found]
    [[<Rule line 2: Disallow: /a>]]
    """
    found, undecided = _verger.dead_rules(robots, agent)
    return RuleFindings([DeadRule(**dead) for dead in found], undecided)


def redundant_rules(robots: Robots, agent: Agent) -> RuleFindings[RedundantRule]:
    """Finds the rules that can be removed without a change although they decide some URLs.

    Each of them can be removed alone; not always all together.

    >>> from verger import parse
    >>> robots = parse("User-agent: *\\nDisallow: /a\\nDisallow: /a/b\\n")
    >>> [redundant.rule.line for redundant in redundant_rules(robots, "ExampleBot").found]
    [3]
    """
    found, undecided = _verger.redundant_rules(robots, agent)
    return RuleFindings([RedundantRule(**redundant) for redundant in found], undecided)


def pattern_state(
    robots: Robots, agent: Agent, pattern: Text, origin: str | None = None
) -> PatternState:
    """Returns whether all URLs that a pattern matches are allowed or disallowed.

    Args:
        robots: the file.
        agent: a product token, a User-Agent header, or a `Crawler`.
        pattern: as in a rule: ``"/"`` is the whole site, ``"/cart*.html$"`` has wildcards.
        origin: a URL of the site for the examples. Default: ``https://example.com``.

    Raises:
        ValueError: the origin is not a URL.

    >>> from verger import parse
    >>> robots = parse("User-agent: *\\nDisallow: /cart\\nAllow: /cart/help\\n")
    >>> found = pattern_state(robots, "ExampleBot", "/cart")
    >>> found.state, found.closed.url, found.open.url
    ('mixed', 'https://example.com/cart', 'https://example.com/cart/help')
    """
    found = _verger.pattern_state(robots, agent, pattern, origin)
    examples = (found.pop(name) for name in ("open", "closed"))
    opened, closed = (None if one is None else Example(**one) for one in examples)
    return PatternState(open=opened, closed=closed, **found)


def compare(
    before: Robots,
    after: Robots,
    agent: Agent,
    *,
    agent_after: Agent | None = None,
    origin: str | None = None,
) -> Comparison:
    """Compares two files, two agents, or two dialects for all URLs.

    Args:
        before: a file.
        after: another file, or the same one.
        agent: a product token, a User-Agent header, or a `Crawler`.
        agent_after: the agent for `after`. Default: `agent`.
        origin: a URL of the site for the examples. Default: ``https://example.com``.

    Raises:
        ValueError: the origin is not a URL.

    >>> from verger import parse
    >>> robots = parse("User-agent: *\\nDisallow: /\\n\\nUser-agent: GPTBot\\nDisallow:\\n")
    >>> change = compare(robots, robots, "ExampleBot", agent_after="GPTBot").changes[0]
    >>> change.direction, change.url
    ('opened', 'https://example.com/')
    """
    other = agent if agent_after is None else agent_after
    return _comparison(**_verger.compare(before, after, agent, other, origin))


def compare_files(before: Robots, after: Robots, agents: Iterable[str] = ()) -> FileComparison:
    """Compares two files for all URLs and all crawlers, as the command ``verger diff`` does.

    The crawlers are those that a group of one of the files names, and ``"*"`` for all others. Known
    crawlers obey the fallbacks of their vendors, such as ``Googlebot-Image`` the group for
    ``Googlebot``.

    Args:
        before: a file.
        after: another file. Its dialect may be different.
        agents: names of further crawlers, such as ``"Googlebot-Image"``.

    Raises:
        ValueError: a name is blank.

    >>> from verger import parse
    >>> before = "User-agent: *\\nDisallow: /admin\\n"
    >>> after = "User-agent: GPTBot\\nDisallow: /blog\\n\\n" + before
    >>> found = compare_files(parse(before), parse(after))
    >>> found.unchanged, found.text, found.added_lines
    (['*'], 'prepended', (1, 3))
    >>> found.differences[0].crawlers, found.differences[0].switch
    (['GPTBot'], 'to_own_groups')
    >>> [(change.direction, change.url) for change in found.differences[0].comparison.changes]
    [('closed', 'https://example.com/blog'), ('opened', 'https://example.com/admin')]
    """
    if isinstance(agents, str):
        raise TypeError(f"agents: expected an iterable of names, but found str: {agents!r}")
    found = _verger.compare_files(before, after, list(agents))
    found["differences"] = [_crawler_differences(**it) for it in found["differences"]]
    found["records"] = _record_changes(found["records"])
    return FileComparison(**found)


def diff(
    before: Text,
    after: Text,
    agent: Agent,
    *,
    dialect: Dialect = "rfc9309",
    origin: str | None = None,
) -> Comparison:
    """Compares two versions of a file for all URLs. See `compare`.

    Args:
        before: the first version as bytes.
        after: the second version as bytes.
        agent: a product token, a User-Agent header, or a `Crawler`.
        dialect: one of `verger.DIALECTS`.
        origin: a URL of the site for the examples. Default: ``https://example.com``.

    Raises:
        ValueError: the dialect is unknown, or the origin is not a URL.

    >>> before, after = "User-agent: *\\nDisallow: /a\\n", "User-agent: *\\nDisallow: /a*\\n"
    >>> diff(before, after, "ExampleBot").result
    'equal'
    """
    first, second = (_verger.parse(body, dialect) for body in (before, after))
    return compare(first, second, agent, origin=origin)


def diff_files(
    before: Text, after: Text, agents: Iterable[str] = (), *, dialect: Dialect = "rfc9309"
) -> FileComparison:
    """Compares two versions of a file for all URLs and all crawlers. See `compare_files`.

    Args:
        before: the first version as bytes.
        after: the second version as bytes.
        agents: names of further crawlers.
        dialect: one of `verger.DIALECTS`.

    Raises:
        ValueError: the dialect is unknown, or a name is blank.

    For a check before a deployment, refuse changes that close pages, and answers that may miss one:

    >>> before, after = "User-agent: *\\nDisallow: /a\\n", "User-agent: *\\nDisallow: /\\n"
    >>> found = diff_files(before, after)
    >>> found.has("closed") or not found.is_complete
    True
    """
    first, second = (_verger.parse(body, dialect) for body in (before, after))
    return compare_files(first, second, agents)


def _comparison(
    result: Literal["equal", "different", "undecided"],
    changes: list[dict[str, Any]],
    undecided: str | None,
) -> Comparison:
    return Comparison(result, [Change(**change) for change in changes], undecided)


def _crawler_differences(
    comparison: dict[str, Any], records: list[tuple[Record, bool]], **rest: Any
) -> CrawlerDifferences:
    return CrawlerDifferences(
        comparison=_comparison(**comparison), records=_record_changes(records), **rest
    )


def _record_changes(changes: list[tuple[Record, bool]]) -> list[RecordChange]:
    return [RecordChange(record, is_added) for record, is_added in changes]
