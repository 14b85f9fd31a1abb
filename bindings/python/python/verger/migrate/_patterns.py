"""The patterns of rules, and the rule that decides a target, in a reading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple
from urllib.parse import quote, unquote, urlparse, urlunparse

from ._groups import Line
from ._normal import normal
from ._readings import Paths


class Answer(NamedTuple):
    """An answer of the model."""

    allowed: bool | None
    """``None`` if the reader raises an exception."""
    line: int | None
    """The line of the deciding rule."""


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
