"""The groups of a file, in a reading.

Text is kept as ``str``. A byte that is not UTF-8 is a lone surrogate (``surrogateescape``).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ._readings import PROTEGO, Lines


class Line(NamedTuple):
    """A rule in the file."""

    allows: bool
    value: str
    number: int


class GroupLines(NamedTuple):
    """A group in the file: values of its user-agent lines, and its rules."""

    agents: tuple[str, ...]
    rules: tuple[Line, ...]


Groups = tuple[GroupLines, ...]

_DISALLOW = frozenset({"dissallow", "dissalow", "disalow", "diasllow", "disallaw"})
_AGENT = frozenset({"useragent", "user agent"})
_SITE = frozenset({"sitemap", "sitemaps", "site-map", "host"})
_RATES = PROTEGO.lines.closing_rates
_PLAIN = frozenset({"user-agent", "allow", "disallow"})
_KNOWN = _PLAIN | _DISALLOW | _AGENT | _SITE | _RATES
SPACE = " \t\v\f"


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
    return text.rstrip(SPACE + "\0").lstrip(SPACE)


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
