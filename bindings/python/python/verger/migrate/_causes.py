"""Causes of different answers, and their analysis.

A cause is one choice, or a few that belong together, in which a peer reads robots.txt differently.
Each cause has a clause of ``docs/clauses.md``. It explains a difference if Verger, with the peer's
reading of this point alone, would answer as the peer does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from . import _groups, _patterns, _peers, _targets
from ._groups import Groups, Line
from ._patterns import Answer, Patterns
from ._readings import PROTEGO, URLLIB, URLLIB_RFC9309, VERGER, Agents, Lines, Paths, Reading
from ._selection import select


class Cause(NamedTuple):
    """A cause of different answers."""

    name: str
    """A short name that stays the same."""
    clause: str
    """The clause that Verger follows."""
    text: str | dict[str, str]
    """A sentence on the peer and one on Verger; in a ``dict`` for each reading of a peer."""
    choices: tuple[str, ...]
    """Names of the choices of the model."""
    applies: Callable[[str], bool] | None = None
    """Further condition on the agent."""

    def sentence(self, peer: str) -> str:
        """The sentences on the installed peer, ``"protego"`` or ``"urllib"``, and on Verger."""
        text = self.text
        if not isinstance(text, str):
            name = _peers.reading(peer)
            text = text[name] if name in text else text[peer]
        return text.replace("{peer}", "Protego" if peer == "protego" else peer)


def _is_header(agent: str) -> bool:
    return re.search(r"[\s/,;(*#\0]", agent) is not None


def _is_token(agent: str) -> bool:
    return not _is_header(agent)


CAUSES: tuple[Cause, ...] = (
    Cause(
        "not-utf-8",
        "REP-SYNTAX-1",
        {
            "protego": "Protego gets the text without the bytes that are not UTF-8. Verger "
            "compares these bytes too.",
            "urllib": "`read()` raises `UnicodeDecodeError` for a file that is not UTF-8, and "
            "everything is disallowed. Verger reads the file.",
        },
        ("not_utf8",),
    ),
    Cause(
        "byte-order-mark",
        "REP-SYNTAX-3",
        "{peer} reads a byte order mark as part of the first key. Verger drops the mark.",
        ("keeps_mark",),
    ),
    Cause(
        "utf-16", "REP-AMB-20", "{peer} finds no rules in UTF-16. Verger decodes it.", ("utf16",)
    ),
    Cause(
        "size-limit",
        "REP-SYNTAX-8",
        "{peer} reads files of any size. Verger reads the first 500 KiB.",
        ("limit",),
    ),
    Cause(
        "line-ends",
        "REP-SYNTAX-4",
        "For {peer} a line also ends at U+0085, U+2028, and control characters such as FF. For "
        "Verger only CR and LF end a line.",
        ("unicode_line_ends",),
    ),
    Cause(
        "white-space",
        "REP-AMB-42",
        "{peer} trims all white space of Unicode, such as U+00A0. Verger trims that of ASCII, and "
        "NULs at the end of a line.",
        ("unicode_space",),
    ),
    Cause(
        "blank-line",
        "REP-AMB-3",
        "For {peer} a blank line ends a group. For Verger it has no effect.",
        ("blank_line_ends_group",),
    ),
    Cause(
        "missing-colon",
        "REP-AMB-41",
        {
            "protego": "Protego reads lines without a colon, such as `user agent Foo Bar`. Verger "
            "reads those of two words only: `disallow /x`.",
            "urllib": "urllib ignores lines without a colon. Verger reads those of two words: "
            "`disallow /x`.",
        },
        ("missing_colon",),
    ),
    Cause(
        "late-colon",
        "REP-SYNTAX-15",
        "{peer} reads `Disallow /a:b` as a rule. For Verger the key ends at the colon.",
        ("salvages_key",),
    ),
    Cause(
        "misspelt-key",
        "REP-AMB-40",
        "{peer} ignores misspelt keys such as `Dissalow`. Verger accepts them.",
        ("misspellings",),
    ),
    Cause(
        "rate-ends-agents",
        "REP-AMB-4",
        "For {peer} a rate such as `Crawl-delay` ends a list of user-agent lines. For Verger only "
        "a rule ends it.",
        ("closing_rates",),
    ),
    Cause(
        "unknown-key-ends-agents",
        "REP-AGENT-12",
        "For {peer} a line with an unknown key ends a list of user-agent lines. For Verger only a "
        "rule ends it.",
        ("unknown_closes",),
    ),
    Cause(
        "group-without-rules",
        "REP-AGENT-13",
        "{peer} drops a last group without rules, and the group for `*` applies. For Verger it "
        "allows everything.",
        ("drops_ruleless",),
    ),
    Cause(
        "star-and-name",
        "REP-AMB-29",
        "For {peer} a group for `*` and a name is a group for `*` only. For Verger it also names "
        "the crawler.",
        ("star_hides_names",),
    ),
    Cause(
        "empty-name",
        "REP-AGENT-5",
        "For {peer} an empty user-agent line names every crawler. For Verger it names none.",
        ("empty_name_matches",),
    ),
    Cause(
        "first-word",
        "REP-AMB-11",
        "{peer} takes the whole value for the name: `User-agent: Slurp/2.0` does not name `Slurp`. "
        "Verger takes the first word.",
        ("name", "without_star"),
    ),
    Cause(
        "user-agent-header",
        "REP-AMB-13",
        {
            "protego": "The agent is a whole User-Agent header. Protego looks for names anywhere "
            "in it. Verger reads its product tokens.",
            "urllib": "The agent is a whole User-Agent header. urllib looks for names before the "
            "first `/` only. Verger reads its product tokens.",
        },
        ("match",),
        _is_header,
    ),
    Cause(
        "part-of-name",
        "REP-AMB-1",
        {
            "protego": "For Protego the group `Foo` also names the crawler `Foo-Bar` or `Foobar`. "
            "Verger compares whole tokens.",
            "urllib": "For urllib a group names a crawler if its name is any part of the "
            "crawler's. Verger compares whole tokens.",
        },
        ("match",),
        _is_token,
    ),
    Cause(
        "one-letter-name",
        "REP-AGENT-20",
        "For {peer} a name of one letter is no more specific than `*`: the first one in the file "
        "counts. For Verger `*` counts only if no group names the crawler.",
        ("star_is_one_letter",),
    ),
    Cause(
        "first-named-group",
        "REP-AGENT-26",
        "{peer} obeys the first group that names the crawler. Verger obeys all of them.",
        ("first_group_only",),
    ),
    Cause(
        "first-star-group",
        "REP-AMB-16",
        "{peer} obeys the first group for `*`. Verger obeys all of them.",
        ("first_star_only",),
    ),
    Cause(
        "not-a-url",
        "REP-AMB-62",
        "{peer} finds a path in any text. Verger disallows text that is not a URL.",
        ("any_text_is_url",),
    ),
    Cause(
        "robots-txt",
        "REP-AMB-10",
        {
            "protego": "Protego always allows `/robots.txt`, with any query. Verger allows it only "
            "without a query.",
            "urllib": "For urllib `/robots.txt` is a path like any other. Verger always allows it.",
        },
        ("robots_txt",),
    ),
    Cause(
        "url-parts",
        "REP-MATCH-1",
        "{peer} uses `urllib.parse`, which changes URLs and rules: it removes tabs, drops the `?` "
        "of an empty query, and reads `//x` as a host. Verger compares the text as it is.",
        ("splits_url", "drops_empty_parts", "doubles_slashes"),
    ),
    Cause(
        "fragment",
        "REP-MATCH-1",
        "{peer} compares the fragment too. Verger removes it.",
        ("keeps_fragment",),
    ),
    Cause(
        "missing-path",
        "REP-MATCH-1",
        "For `https://shop.example?q`, {peer} compares `?q`. Verger compares `/?q`.",
        ("adds_slash",),
    ),
    Cause(
        "absolute-rule",
        "REP-AMB-9",
        "{peer} reads a rule `http://x` as `/http://x`. For Verger it never matches.",
        ("absolute_rules",),
    ),
    Cause(
        "empty-rule",
        "REP-AMB-2",
        "For {peer} an empty rule matches everything and allows it. For Verger it has no effect.",
        ("empty_rule_allows",),
    ),
    Cause(
        "index-html",
        "REP-AMB-24",
        "For {peer} `Allow: /d/index.html` also allows `/d/`. For Verger it does not.",
        ("index_html",),
    ),
    Cause(
        "encoded-slash",
        "REP-MATCH-20",
        "For {peer} `%2F` is `/`. For Verger they differ.",
        ("decodes_slash",),
    ),
    Cause(
        "escapes-outside-utf-8",
        "REP-MATCH-20",
        "For {peer} all escapes outside UTF-8 are equal, such as `%E9` and `%E8`. For Verger they "
        "differ.",
        ("lossy_escapes",),
    ),
    Cause(
        "stray-percent",
        "REP-AMB-31",
        "For {peer} a `%` without two hex digits differs from `%25`. For Verger they are equal.",
        ("keeps_stray_percent",),
    ),
    Cause(
        "reserved-characters",
        "REP-AMB-6",
        "For {peer} reserved characters such as `?` and `&` equal their escapes. For Verger they "
        "differ. An escape counts three octets in the length of a rule.",
        ("reserved", "equals_kept"),
    ),
    Cause(
        "dollar",
        "REP-MATCH-17",
        {
            "protego": "For Protego a final `$` is the end of the URL, or a literal. For Verger it "
            "is the end of the URL only.",
            "urllib": "For urllib `$` is a literal. For Verger a final `$` is the end of the URL.",
            "urllib-rfc9309": "urllib drops a rule with a `$` that is not at its end. For Verger "
            "this `$` is a literal.",
        },
        ("dollar",),
    ),
    Cause(
        "wildcard",
        "REP-MATCH-16",
        "{peer} takes `*` literally. For Verger it matches any text.",
        ("star",),
    ),
    Cause(
        "precedence",
        "REP-MATCH-10",
        {
            "urllib": "In urllib the first rule that matches decides. In Verger the longest "
            "decides.",
            "urllib-rfc9309": "In urllib the rule that matches the longest part of the URL "
            "decides. In Verger the longest rule decides.",
        },
        ("precedence",),
    ),
)
"""All causes, in the order in which they are tried: from the bytes of the file to the decision."""

RAISES = Cause(
    "peer-raises",
    "REP-SYNTAX-1",
    "{peer} raises an exception for this file or URL. Verger answers.",
    (),
)
"""Cause of a question without an answer of the peer."""

UNEXPLAINED = Cause(
    "unexplained", "", "No cause in the table explains this difference. Please report it.", ()
)
"""Cause of differences that the model does not explain."""


def _with(base: Reading, other: Reading, choices: tuple[str, ...]) -> Reading:
    """The base with the values of another reading for some choices."""
    return Reading(
        base.lines._replace(**_taken(other.lines, choices)),
        base.agents._replace(**_taken(other.agents, choices)),
        base.paths._replace(**_taken(other.paths, choices)),
    )


def _taken(part: Lines | Agents | Paths, choices: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(part, name) for name in choices if name in part._fields}


class Analysis(NamedTuple):
    """Causes of a difference."""

    causes: tuple[Cause, ...]
    """One cause, or several that explain the difference only together."""
    line: int | None
    """The line that decides for the peer, by the model."""


class Table:
    """The causes in which a peer differs, with a reading for each."""

    def __init__(self, peer: Reading) -> None:
        self.peer = peer
        self.causes: list[Cause] = []
        self.readings: list[Reading] = []
        for cause in CAUSES:
            reading = _with(VERGER, peer, cause.choices)
            if reading != VERGER:
                self.causes.append(cause)
                self.readings.append(reading)


TABLES: dict[str, Table] = {
    "protego": Table(PROTEGO),
    "urllib": Table(URLLIB),
    "urllib-rfc9309": Table(URLLIB_RFC9309),
}
"""The table of each reading of a peer."""


_Rules = tuple[Line, ...]


class File:
    """A robots.txt under every reading. Results are cached."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._groups: dict[Lines, Groups | None] = {}
        self._rules: dict[tuple[Lines, Agents, str], _Rules | None] = {}
        self._equal: dict[_Rules, _Rules] = {}
        self._patterns: dict[tuple[int, Paths], Patterns] = {}
        self._urls: dict[
            str, tuple[_targets.Plain, dict[Paths, tuple[bool | None, str | None]]]
        ] = {}
        self._active: dict[tuple[int, str], list[tuple[Cause, Reading]]] = {}

    def groups(self, lines: Lines) -> Groups | None:
        """The groups of the file; ``None`` if the reader refuses it."""
        if lines not in self._groups:
            self._groups[lines] = _groups.groups(self._body, lines)
        return self._groups[lines]

    def rules(self, reading: Reading, agent: str) -> _Rules | None:
        """The rules for an agent. Equal rules are one object."""
        key = (reading.lines, reading.agents, agent)
        if key not in self._rules:
            groups = self.groups(reading.lines)
            rules = None if groups is None else select(groups, agent, reading.agents)
            self._rules[key] = None if rules is None else self._equal.setdefault(rules, rules)
        return self._rules[key]

    def _target(self, url: str, paths: Paths) -> tuple[bool | None, str | None]:
        if url not in self._urls:
            if len(self._urls) > 2_000:
                self._urls.clear()
            self._urls[url] = (_targets.plain(url), {})
        plain, known = self._urls[url]
        paths = _targets.for_targets(paths)
        if paths not in known:
            allowed, text = _targets.asked(url, plain, paths), None
            if allowed is None:
                try:
                    text = _targets.target(url, paths)
                except ValueError:
                    pass  # `urllib.parse` refuses the URL.
            known[paths] = (allowed, text)
        return known[paths]

    def answer(self, reading: Reading, agent: str, url: str) -> Answer:
        """The answer of a reading."""
        rules = self.rules(reading, agent)
        if rules is None:
            return Answer(False, None)
        known, text = self._target(url, reading.paths)
        if known is not None:
            return Answer(known, None)
        if not rules:
            return Answer(True, None)
        if text is None:
            return Answer(None, None)
        # `_equal` keeps the rules, so that no other object has their id.
        key = (id(rules), _patterns.for_patterns(reading.paths))
        patterns = self._patterns.get(key)
        if patterns is None:
            if len(self._patterns) > 1_000:
                self._patterns.clear()
            patterns = self._patterns[key] = Patterns(rules, key[1])
        return patterns.decide(text, reading.paths.precedence)

    def _candidates(self, table: Table, agent: str) -> list[tuple[Cause, Reading]]:
        """The causes that may have an effect for an agent."""
        key = (id(table), agent)
        if key not in self._active:
            base = self.rules(VERGER, agent)
            self._active[key] = [
                (cause, reading)
                for cause, reading in zip(table.causes, table.readings, strict=True)
                if (cause.applies is None or cause.applies(agent))
                and (reading.paths != VERGER.paths or self.rules(reading, agent) is not base)
            ]
        return self._active[key]

    def analyse(
        self, table: Table, agent: str, url: str, ours: bool, theirs: bool
    ) -> Analysis | None:
        """The causes of a difference; ``None`` if it is unexplained."""
        peer = self.answer(table.peer, agent, url)
        if self.answer(VERGER, agent, url).allowed != ours or peer.allowed != theirs:
            return None
        for cause, reading in self._candidates(table, agent):
            found = self.answer(reading, agent, url)
            if found.allowed == theirs:
                return Analysis((cause,), peer.line)
        return Analysis(tuple(self._smallest(table, agent, url, theirs)), peer.line)

    def _smallest(self, table: Table, agent: str, url: str, theirs: bool) -> Iterator[Cause]:
        """A set of causes that together explain a difference, and of which none can be left out."""
        reading = table.peer
        needed = []
        for cause in reversed(table.causes):
            if cause.applies is not None and not cause.applies(agent):
                continue
            without = _with(reading, VERGER, cause.choices)
            if self.answer(without, agent, url).allowed == theirs:
                reading = without
            else:
                needed.append(cause)
        yield from reversed(needed)
