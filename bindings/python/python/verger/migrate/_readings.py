"""Readings of robots.txt: one choice for each point in which readers differ.

A `Reading` is a table row of choices. `VERGER` is the reading of Verger, and each peer has its own.
A mixed row has Verger's value for some choices and the peer's value for the others. `_causes` uses
mixed rows to find the choices that cause a difference.

The other modules are the model that follows the choices: `_groups` reads a file, `_selection` finds
the rules for an agent, `_patterns` and `_targets` compare them with a URL. The model only explains.
Verdicts always come from Verger and from the installed peer; the model is checked against both for
every difference.
"""

from __future__ import annotations

from typing import NamedTuple


class Lines(NamedTuple):
    """Choices from bytes to groups."""

    not_utf8: str = "octets"
    """Bytes that are not UTF-8: ``octets``, ``dropped``, or ``refused`` with the file."""
    keeps_mark: bool = False
    """A byte order mark stays in the text."""
    utf16: bool = True
    """UTF-16 with a byte order mark is decoded."""
    limit: int | None = 512_000
    """The size limit in bytes."""
    unicode_line_ends: bool = False
    """Lines also end at VT, FF, FS, GS, RS, NEL, U+2028 and U+2029."""
    unicode_space: bool = False
    """All white space of Unicode is trimmed; NULs at the end of a line are not."""
    blank_line_ends_group: bool = False
    missing_colon: str = "two words"
    """Lines without a colon: ``two words``, ``any words``, or ``junk``."""
    salvages_key: bool = False
    """A known key before the colon ends at white space: ``Disallow /a:b``."""
    misspellings: bool = True
    """Misspelt keys are accepted."""
    closing_rates: frozenset[str] = frozenset()
    """Rates that end a list of agents."""
    unknown_closes: bool = False
    """A line with an unknown key ends a list of agents."""
    drops_ruleless: bool = False
    """A group without rules and rates is dropped."""


class Agents(NamedTuple):
    """Choices from groups to the rules for an agent."""

    name: str = "first word"
    """The name on a user-agent line: ``first word``, ``whole``, or ``unquoted``."""
    without_star: bool = False
    """A name with ``*`` is also a name without it."""
    match: str = "tokens"
    """``tokens``, ``boundary`` (Protego), ``part`` (urllib), or ``exact or part`` (new urllib)."""
    empty_name_matches: bool = False
    first_group_only: bool = False
    first_star_only: bool = False
    star_hides_names: bool = False
    """A group that names ``*`` and others is a group for ``*`` only."""
    star_is_one_letter: bool = False
    """``*`` is as specific as a name of one letter: the first of them in the file counts."""


class Paths(NamedTuple):
    """Choices from rules and a URL to the answer."""

    any_text_is_url: bool = False
    robots_txt: str = "exact"
    """``/robots.txt`` is allowed: ``exact``, ``any query``, or ``no``."""
    splits_url: bool = False
    """``urllib.parse`` splits the URL: it removes tabs and line ends, and ``//x/y`` has a host."""
    doubles_slashes: bool = False
    """A path that begins with ``//`` gets two slashes more."""
    keeps_fragment: bool = False
    drops_empty_parts: bool = False
    """An empty query, parameter or fragment is dropped, in rules and URLs."""
    adds_slash: bool = True
    """A URL without a path, but with a query, gets the path ``/``."""
    absolute_rules: bool = False
    """A rule ``http://…`` is read as ``/http://…``."""
    empty_rule_allows: bool = False
    star: bool = True
    """``*`` is a wildcard."""
    dollar: str = "end"
    """A final ``$``: ``end``, ``end or literal``, ``literal``, or ``end, else dropped``."""
    index_html: bool = False
    reserved: str = "distinct"
    """Reserved octets and their escapes: ``distinct``, ``equal``, or ``equal, = and & kept``."""
    equals_kept: bool = False
    """``=`` counts one octet where reserved characters equal their escapes."""
    decodes_slash: bool = False
    """``%2F`` is ``/``."""
    lossy_escapes: bool = False
    """Escapes that are not UTF-8 are all equal."""
    keeps_stray_percent: bool = False
    """A ``%`` without two hex digits differs from ``%25``."""
    precedence: str = "longest rule"
    """``longest rule``, ``longest match``, or ``first``."""


class Reading(NamedTuple):
    """All choices."""

    lines: Lines = Lines()
    agents: Agents = Agents()
    paths: Paths = Paths()


VERGER = Reading()

PROTEGO = Reading(
    Lines(
        not_utf8="dropped",
        utf16=False,
        limit=None,
        unicode_line_ends=True,
        unicode_space=True,
        missing_colon="any words",
        salvages_key=True,
        closing_rates=frozenset(
            {
                "crawl-delay",
                "crawl delay",
                "request-rate",
                "request rate",
                "visit-time",
                "visit time",
            }
        ),
        unknown_closes=True,
    ),
    Agents(name="whole", without_star=True, match="boundary", star_is_one_letter=True),
    Paths(
        any_text_is_url=True,
        robots_txt="any query",
        splits_url=True,
        absolute_rules=True,
        dollar="end or literal",
        index_html=True,
        reserved="equal",
        equals_kept=True,
        lossy_escapes=True,
        keeps_stray_percent=True,
    ),
)

URLLIB = Reading(
    Lines(
        not_utf8="refused",
        keeps_mark=True,
        utf16=False,
        limit=None,
        unicode_line_ends=True,
        unicode_space=True,
        blank_line_ends_group=True,
        missing_colon="junk",
        misspellings=False,
        closing_rates=frozenset({"crawl-delay", "request-rate"}),
        drops_ruleless=True,
    ),
    Agents(
        name="unquoted",
        match="part",
        empty_name_matches=True,
        first_group_only=True,
        first_star_only=True,
        star_hides_names=True,
    ),
    Paths(
        any_text_is_url=True,
        robots_txt="no",
        splits_url=True,
        keeps_fragment=True,
        drops_empty_parts=True,
        adds_slash=False,
        empty_rule_allows=True,
        star=False,
        dollar="literal",
        reserved="equal",
        decodes_slash=True,
        lossy_escapes=True,
        precedence="first",
    ),
)

URLLIB_RFC9309 = Reading(
    URLLIB.lines._replace(not_utf8="octets", blank_line_ends_group=False, drops_ruleless=False),
    Agents(name="whole", match="exact or part", empty_name_matches=True),
    Paths(
        any_text_is_url=True,
        splits_url=True,
        doubles_slashes=True,
        keeps_fragment=True,
        adds_slash=False,
        empty_rule_allows=True,
        dollar="end, else dropped",
        reserved="equal, = and & kept",
        decodes_slash=True,
        precedence="longest match",
    ),
)
"""The reading of newer versions of CPython, which follow RFC 9309."""
