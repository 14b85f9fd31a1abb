"""The rules of a file for an agent, in a reading."""

from __future__ import annotations

import re
from urllib.parse import unquote

from .. import Crawler
from ._groups import SPACE, Groups, Line
from ._readings import Agents

_WORD = re.compile(r"[^ \t\v\f/,;(*\0]*")


def _names(value: str, choices: Agents) -> list[str]:
    """The names of a user-agent line in lower case."""
    if choices.name == "first word":
        if value == "*" or (value.startswith("*") and value[1] in SPACE):
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
    """The product tokens by which the interfaces of other libraries look for an agent."""
    try:
        return Crawler._literal(agent).tokens
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
