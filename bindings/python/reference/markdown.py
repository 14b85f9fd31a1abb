"""Docstrings as Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping

WIDTH = 100

_SECTIONS = {"Args": "Arguments", "Raises": "Errors", "Returns": "Result"}
_FIELD = re.compile(r"([\w.]+): +(.*)", re.DOTALL)
_ITEM = re.compile(r"(?:- |\|)")


def markdown(doc: str, links: Mapping[str, str]) -> str:
    """A docstring as Markdown. `links` has an anchor for each name, in a reading of this place."""
    return "\n\n".join(_blocks(doc, links))


def inline(text: str, links: Mapping[str, str]) -> str:
    """Text with links for names in single backticks, and for clauses."""

    def replaced(match: re.Match[str]) -> str:
        literal, name, clause = match[1], match[2], match[3]
        if literal is not None:
            return f"`` {literal.strip()} ``" if "`" in literal else f"`{literal}`"
        if clause is not None:
            return f"[{clause}](clauses.md#{clause.lower()})"
        return f"[`{name}`]({links[name]})" if name in links else f"`{name}`"

    return re.sub(r"``(.+?)``|`([^`]+)`|\b(REP-[A-Z]+-\d+)\b", replaced, text)


def filled(text: str, links: Mapping[str, str], indent: str = "") -> str:
    """A paragraph in lines."""
    plain = inline(" ".join(text.split()), links)
    # White space in code must stay.
    parts = re.sub(r"(`+).+?\1", lambda it: it[0].replace(" ", "\0"), plain)
    lines = textwrap.wrap(
        parts, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines).replace("\0", " ")


def _blocks(doc: str, links: Mapping[str, str]) -> Iterator[str]:
    blocks = iter(doc.strip("\n").split("\n\n"))
    code: list[str] = []
    for block in blocks:
        is_indented = block.startswith("    ")
        if code and not is_indented:
            yield _fenced("python", textwrap.dedent("\n\n".join(code)))
            code = []
        first, _, rest = block.partition("\n")
        if is_indented:
            code.append(block)
        elif block.startswith(">>> "):
            yield _fenced("pycon", block)
        elif first.rstrip(":") in _SECTIONS and first.endswith(":"):
            yield f"*{_SECTIONS[first.rstrip(':')]}*\n\n{_fields(textwrap.dedent(rest), links)}"
        elif block.startswith("# "):
            yield f"**{block.removeprefix('# ')}**"
        elif block.startswith("|"):
            yield inline(block, links)
        elif block.startswith("- "):
            yield _list(block, links)
        else:
            yield filled(re.sub(r"::$", ":", block), links)
    if code:
        yield _fenced("python", textwrap.dedent("\n\n".join(code)))


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def _list(block: str, links: Mapping[str, str]) -> str:
    items = re.split(r"\n(?=- )", block)
    return "\n".join(filled(item, links, "  ") for item in items)


def _fields(text: str, links: Mapping[str, str]) -> str:
    """The items of a section, or its text."""
    items = re.split(r"\n(?=\S)", text)
    fields = [_FIELD.fullmatch(item) for item in items]
    if not all(fields):
        return filled(text, links)
    return "\n".join(
        filled(
            f"- ``{it[1]}``: {it[2]}" if it[1] not in links else f"- `{it[1]}`: {it[2]}",
            links,
            "  ",
        )
        for it in fields
        if it is not None
    )
