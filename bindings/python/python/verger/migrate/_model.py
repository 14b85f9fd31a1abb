"""A model of robots.txt readers, with one choice for each point in which readers differ.

`answer` takes a `Reading`: a table row of choices. `VERGER` is the reading of Verger, and each peer
has its own. A mixed row has Verger's value for some choices and the peer's value for the others.
`_causes` uses mixed rows to find the choices that cause a difference.

The model only explains. Verdicts always come from Verger and from the installed peer; the model is
checked against both for every difference.

Text is kept as ``str``. A byte that is not UTF-8 is a lone surrogate (``surrogateescape``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple
from urllib.parse import quote, unquote, urlparse, urlsplit, urlunparse

from .. import Crawler, Robots


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


class Line(NamedTuple):
    """A rule in the file."""

    allows: bool
    value: str
    number: int


class GroupLines(NamedTuple):
    """A group in the file: values of its user-agent lines, and its rules."""

    agents: tuple[str, ...]
    rules: tuple[Line, ...]


class Answer(NamedTuple):
    """An answer of the model."""

    allowed: bool | None
    """``None`` if the reader raises an exception."""
    line: int | None
    """The line of the deciding rule."""


Groups = tuple[GroupLines, ...]

_DISALLOW = frozenset({"dissallow", "dissalow", "disalow", "diasllow", "disallaw"})
_AGENT = frozenset({"useragent", "user agent"})
_SITE = frozenset({"sitemap", "sitemaps", "site-map", "host"})
_RATES = PROTEGO.lines.closing_rates
_PLAIN = frozenset({"user-agent", "allow", "disallow"})
_KNOWN = _PLAIN | _DISALLOW | _AGENT | _SITE | _RATES
_SPACE = " \t\v\f"


def _decoded(body: bytes, choices: Lines) -> str | None:
    """The text of a file; ``None`` if the reader refuses it."""
    if choices.utf16 and body[:2] in (b"\xff\xfe", b"\xfe\xff") and b"\0" in body[2:66]:
        text = body.decode("utf-16", "replace")
        return text if choices.limit is None else _cut(text.encode(), choices.limit)
    if not choices.keeps_mark:
        body = body.removeprefix(b"\xef\xbb\xbf")
    if choices.limit is not None and len(body) > choices.limit:
        return _cut(body, choices.limit)
    if choices.not_utf8 == "octets":
        return body.decode("utf-8", "surrogateescape")
    if choices.not_utf8 == "dropped":
        return body.decode("utf-8", "ignore")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _cut(body: bytes, limit: int) -> str:
    """The first bytes of a file, without an unfinished last line."""
    if len(body) > limit:
        ended = body[limit : limit + 1] in (b"\n", b"\r")
        body = body[:limit]
        if not ended:
            body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    return body.decode("utf-8", "surrogateescape")


_GRAMMAR_LINE = re.compile("\r\n|\r|\n")


def _split(text: str, choices: Lines) -> list[str]:
    if choices.unicode_line_ends:
        return text.splitlines()
    return _GRAMMAR_LINE.split(text)


def _trimmed(text: str, choices: Lines) -> str:
    if choices.unicode_space:
        return text.strip()
    return text.rstrip(_SPACE + "\0").lstrip(_SPACE)


def _record(line: str, choices: Lines) -> tuple[str, str] | None:
    """The key in lower case and the value of a line that is not blank."""
    key, colon, value = line.partition(":")
    key = _trimmed(key, choices).lower()
    if colon:
        known = key in _KNOWN
        if known or not choices.salvages_key or not value or value[0].isspace():
            return key, _trimmed(value, choices)
    elif choices.missing_colon == "junk":
        return None
    elif choices.missing_colon == "two words":
        words = re.split("[ \t]+", line)
        if len(words) == 2 and words[0].lower() in _PLAIN | _DISALLOW | _AGENT:
            return words[0].lower(), _trimmed(words[1], choices)
        return None
    words = line.split()
    for count in (1, 2):
        first = " ".join(words[:count]).lower()
        if first in _KNOWN:
            return first, " ".join(words[count:])
    return (key, _trimmed(value, choices)) if colon else None


def groups(body: bytes, choices: Lines) -> Groups | None:
    """The groups of a file; ``None`` if the reader refuses it."""
    text = _decoded(body, choices)
    if text is None:
        return None
    found: list[GroupLines] = []
    agents: list[str] = []
    rules: list[Line] = []
    closed = False  # The next user-agent line begins a group.
    rated = False

    def end() -> None:
        nonlocal agents, rules, closed, rated
        if agents and (rules or rated or not choices.drops_ruleless):
            found.append(GroupLines(tuple(agents), tuple(rules)))
        agents, rules, closed, rated = [], [], False, False

    for number, whole in enumerate(_split(text, choices), 1):
        if not whole and choices.blank_line_ends_group:
            end()
        line = _trimmed(whole.partition("#")[0], choices)
        record = _record(line, choices) if line else None
        if record is None:
            continue
        key, value = record
        if choices.misspellings:
            key = "disallow" if key in _DISALLOW else "user-agent" if key in _AGENT else key
        if key == "user-agent":
            if closed:
                end()
            agents.append(value)
        elif key in ("allow", "disallow"):
            if agents:
                rules.append(Line(key == "allow", value, number))
                closed = True
        elif key in choices.closing_rates:
            closed = rated = bool(agents)
        elif choices.unknown_closes and key not in _SITE and key not in _RATES:
            closed = bool(agents)
    end()
    return tuple(found)


_WORD = re.compile(r"[^ \t\v\f/,;(*\0]*")


def _names(value: str, choices: Agents) -> list[str]:
    """The names of a user-agent line in lower case."""
    if choices.name == "first word":
        if value == "*" or (value.startswith("*") and value[1] in _SPACE):
            return ["*"]
        word = _WORD.match(value)
        return [_ascii_lower(word[0])] if word and word[0] else []
    if choices.name == "unquoted":
        value = unquote(value)
    name = value.lower()
    if choices.without_star and "*" in name and name != "*":
        return [part for part in (name, name.replace("*", "")) if part]
    return [name]


def _ascii_lower(text: str) -> str:
    return text.lower() if text.isascii() else re.sub("[A-Z]", lambda it: it[0].lower(), text)


def tokens(agent: str) -> list[str]:
    """The product tokens by which Verger looks for an agent."""
    try:
        return Crawler(agent).tokens
    except ValueError:
        return [agent]


def _at_boundary(name: str, header: str) -> bool:
    at = header.find(name)
    while at != -1:
        if at == 0 or not (header[at - 1].isalnum() or header[at - 1] in "-_"):
            return True
        at = header.find(name, at + 1)
    return False


def select(found: Groups, agent: str, choices: Agents) -> tuple[Line, ...]:
    """The rules for an agent, in file order."""
    named: list[tuple[list[str], tuple[Line, ...]]] = []
    stars: list[tuple[Line, ...]] = []
    letters: set[str] = set()
    for group in found:
        names = [name for value in group.agents for name in _names(value, choices)]
        if choices.star_is_one_letter:
            first = names.index("*") if "*" in names else len(names)
            names = [
                name
                for at, name in enumerate(names)
                if len(name) > 1 or name == "*" or name in letters or not (stars or at > first)
            ]
            letters.update(name for name in names if len(name) == 1)
        if "*" in names:
            stars.append(group.rules)
            names = [] if choices.star_hides_names else [name for name in names if name != "*"]
        if names:
            named.append((names, group.rules))
    chosen = _named(named, agent, choices)
    if chosen is None:
        chosen = stars[:1] if choices.first_star_only else stars
    elif choices.first_group_only:
        chosen = chosen[:1]
    return tuple(line for rules in chosen for line in rules)


def _named(
    named: list[tuple[list[str], tuple[Line, ...]]], agent: str, choices: Agents
) -> list[tuple[Line, ...]] | None:
    """The groups that name the agent; ``None`` without one."""

    def having(wanted: set[str]) -> list[tuple[Line, ...]] | None:
        return [rules for names, rules in named if not wanted.isdisjoint(names)] or None

    empty = {""} if choices.empty_name_matches else set()
    if choices.match == "tokens":
        for token in tokens(agent):
            chosen = having({_ascii_lower(token)} | empty)
            if chosen:
                return chosen
        return None
    header = agent.lower()
    if choices.match == "boundary":
        header = header.strip()
        best = max(
            (name for names, _ in named for name in names if name and _at_boundary(name, header)),
            key=len,
            default=None,
        )
        return None if best is None else having({best} | empty)
    head = header.split("/")[0]
    matching = {name for names, _ in named for name in names if (name or empty) and name in head}
    if choices.match == "part":
        return having(matching)
    exact = having({header} if header else set())
    if exact:
        return exact
    first = next((name for names, _ in named for name in names if name in matching), None)
    return None if first is None else having({first})


# Normal form


_UNITS = re.compile(rb"([A-Za-z0-9._~/-]+)|%([0-9A-Fa-f]{2})|([\0-\xff])", re.DOTALL)
_UNITS_AND_STARS = re.compile(rb"([*A-Za-z0-9._~/-]+)|%([0-9A-Fa-f]{2})|([\0-\xff])", re.DOTALL)
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_UNSAFE = frozenset(range(0x21)) | frozenset(range(0x7F, 0x100)) | frozenset(b'"<>\\^`{|}')
_SAFE_TEXT = re.compile(r"[A-Za-z0-9._~/-]*").fullmatch


def octets(text: str) -> bytes:
    """The bytes of a text."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def normal(text: str, choices: Paths, *, keeps_stars: bool = False) -> str:
    """The normal form of a pattern or target, in ASCII."""
    if _SAFE_TEXT(text):
        return text
    # Text that is its own normal form, or an octet and whether it was an escape.
    units: list[str | tuple[int, bool]] = []
    for match in (_UNITS_AND_STARS if keeps_stars else _UNITS).finditer(octets(text)):
        if match[1]:
            units.append(match[1].decode("ascii"))
        elif match[2]:
            units.append((int(match[2], 16), True))
        else:
            units.append((match[3][0], False))
    if choices.lossy_escapes:
        units = _lossy(units)
    out: list[str] = []
    query = False
    for unit in units:
        if isinstance(unit, str):
            out.append(unit)
            continue
        octet, escaped = unit
        char = chr(octet)
        if octet in _UNRESERVED:
            out.append(char)
        elif char == "/" and choices.decodes_slash:
            out.append("/")
        elif octet in _UNSAFE or char in "*$":
            out.append(f"%{octet:02X}")
        elif char == "%":
            out.append("%" if choices.keeps_stray_percent and not escaped else "%25")
        elif choices.reserved == "distinct":
            out.append(f"%{octet:02X}" if escaped else char)
        elif choices.reserved == "equal":
            out.append("=" if char == "=" and choices.equals_kept else f"%{octet:02X}")
        elif not escaped and ((char == "?" and not query) or (query and char in "=&")):
            out.append(char)
            query = True
        else:
            out.append(f"%{octet:02X}")
    return "".join(out)


def _lossy(units: list[str | tuple[int, bool]]) -> list[str | tuple[int, bool]]:
    """Replaces octets that are not UTF-8 by those of U+FFFD."""
    out: list[str | tuple[int, bool]] = []
    run = bytearray()
    for unit in [*units, ""]:
        if not isinstance(unit, str) and unit[0] >= 0x80:
            run.append(unit[0])
            continue
        if run:
            out.extend((byte, True) for byte in bytes(run).decode("utf-8", "replace").encode())
            run.clear()
        out.append(unit)
    return out[:-1]


# Rules


class Pattern(NamedTuple):
    """A rule to compare."""

    allows: bool
    parts: tuple[str, ...]
    """The text between wildcards."""
    anchored: bool
    length: int
    line: int

    def end(self, target: str) -> int:
        """The end of the longest match in the target; -1 if the rule does not match."""
        parts = self.parts
        if not target.startswith(parts[0]):
            return -1
        at = len(parts[0])
        if len(parts) == 1:
            return at if not self.anchored or at == len(target) else -1
        for part in parts[1:-1]:
            at = target.find(part, at)
            if at == -1:
                return -1
            at += len(part)
        last = parts[-1]
        if self.anchored:
            fits = len(target) - len(last) >= at and target.endswith(last)
            return len(target) if fits else -1
        at = target.rfind(last, at)
        return -1 if at == -1 else at + len(last)


def compiled(rule: Line, choices: Paths) -> list[Pattern]:
    """The patterns of a rule."""
    value = rule.value
    if not value:
        if choices.empty_rule_allows:
            return [Pattern(True, ("",), False, 0, rule.number)]
        return []
    if choices.absolute_rules and value.startswith(("http://", "https://")):
        value = f"/{value}"
    if choices.drops_empty_parts:
        if choices.decodes_slash and choices.reserved == "equal" and not choices.star:
            # All of it at once, as urllib does.
            path = quote(urlunparse(urlparse(unquote(value))))
            return [Pattern(rule.allows, (path,), False, len(path), rule.number)]
        value = urlunparse(urlparse(value))
    found = []
    if choices.dollar == "end or literal" and "$" in value:
        found.append(_pattern(value.replace("$", "%24"), False, rule, choices))
    if choices.dollar == "end, else dropped":
        value = re.sub(r"[$][$*]+", "$", value)
        if "$" in value[:-1]:
            return []
    anchored = choices.dollar != "literal" and value.endswith("$")
    found.append(_pattern(value[:-1] if anchored else value, anchored, rule, choices))
    if choices.index_html and rule.allows:
        for pattern in found[:]:
            last = pattern.parts[-1]
            if last.endswith("/index.html") and not pattern.anchored:
                parts = (*pattern.parts[:-1], last.removesuffix("index.html"))
                found.append(
                    pattern._replace(parts=parts, anchored=True, length=pattern.length - 9)
                )
    return found


def _pattern(value: str, anchored: bool, rule: Line, choices: Paths) -> Pattern:
    form = normal(value, choices, keeps_stars=choices.star)
    parts = tuple(form.split("*")) if choices.star else (form,)
    return Pattern(rule.allows, parts, anchored, len(form) + anchored, rule.number)


# Targets


_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_NOTHING = Robots(b"")


def target(url: str, choices: Paths) -> str:
    """The text that patterns are compared with."""
    if choices.drops_empty_parts and choices.decodes_slash and choices.keeps_fragment:
        # All of it at once, as urllib does.
        parts = urlparse(unquote(url))
        whole = quote(urlunparse(("", "", *parts[2:])))
        if choices.adds_slash and not whole.startswith("/"):
            whole = f"/{whole}"
        return whole or "/"
    if not choices.keeps_fragment:
        url = url.partition("#")[0]
    if choices.splits_url:
        text = _split_path(url)
    else:
        authority = _ABSOLUTE.match(url)
        text = url[authority.end() :] if authority else url
    if choices.drops_empty_parts:
        text = urlunparse(("", "", *urlparse(text)[2:]))
    if choices.adds_slash and not text.startswith("/"):
        text = f"/{text}"
    if choices.keeps_fragment:
        text = text.replace("#", "%23")
    return normal(text, choices) or "/"


_PLAIN_PATH = re.compile(r"/(?!/)[A-Za-z0-9._~=/-]*").fullmatch


def _split_path(url: str) -> str:
    """Path, query and fragment as `urllib.parse` splits them."""
    try:
        split = urlsplit(url)
    except ValueError:
        # Protego does not split a URL with a plain path: its host may be anything.
        authority = _ABSOLUTE.match(url)
        path = url[authority.end() :] if authority else ""
        if _PLAIN_PATH(path):
            return path
        raise
    text = split.path
    if "?" in url.partition("#")[0]:
        text += f"?{split.query}"
    if "#" in url:
        text += f"#{split.fragment}"
    return text


class Plain(NamedTuple):
    """Verger's opinion of a URL without regard to rules."""

    reason: str
    allowed: bool


def plain(url: str) -> Plain:
    """Verger's opinion of a URL without regard to rules."""
    verdict = _NOTHING.check("x", url)
    return Plain(verdict.reason, verdict.allowed)


def asked(url: str, verdict: Plain, choices: Paths) -> bool | None:
    """The answer for a URL without regard to rules; ``None`` if rules decide."""
    if verdict.reason in ("not_a_url", "no_robots_for_scheme"):
        return None if choices.any_text_is_url else verdict.allowed
    if choices.robots_txt == "exact":
        if choices.keeps_fragment and "#" in url:
            return None  # The fragment makes it another path.
        return True if verdict.reason == "robots_txt_itself" else None
    if choices.robots_txt == "any query" and "/robots.txt" in url:
        return True if urlparse(url).path == "/robots.txt" else None
    return None


@cache
def for_targets(choices: Paths) -> Paths:
    """The choices with a constant for each one that has no effect on targets."""
    return choices._replace(
        absolute_rules=False,
        empty_rule_allows=False,
        star=True,
        dollar="end",
        index_html=False,
        precedence="first",
    )


@cache
def for_patterns(choices: Paths) -> Paths:
    """The choices with a constant for each one that has no effect on patterns."""
    return choices._replace(
        any_text_is_url=False,
        robots_txt="no",
        splits_url=False,
        keeps_fragment=False,
        adds_slash=False,
        precedence="first",
    )


class Patterns:
    """The patterns of some rules in the order of the file, with an index of their first octets."""

    _KEY = 4

    def __init__(self, rules: Sequence[Line], choices: Paths) -> None:
        self._all = [pattern for rule in rules for pattern in compiled(rule, choices)]
        self._by_key: dict[str, list[Pattern]] = {}

    def _near(self, text: str) -> list[Pattern]:
        key = text[: self._KEY]
        found = self._by_key.get(key)
        if found is None:
            found = [it for it in self._all if key.startswith(it.parts[0][: self._KEY])]
            self._by_key[key] = found
        return found

    def decide(self, text: str, precedence: str) -> Answer:
        """The answer for a target."""
        best: tuple[int, bool] = (-1, False)
        line: int | None = None
        for pattern in self._near(text):
            end = pattern.end(text)
            if end == -1:
                continue
            if precedence == "first":
                return Answer(pattern.allows, pattern.line)
            rank = (pattern.length if precedence == "longest rule" else end, pattern.allows)
            if rank > best:
                best, line = rank, pattern.line
        return Answer(line is None or best[1], line)
