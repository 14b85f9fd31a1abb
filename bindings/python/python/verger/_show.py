"""Answers as JSON, and as tables for notebooks."""

from __future__ import annotations

import html
import json
from typing import Any

# The attributes of native classes, by the name of the class. Keys that `docs/json.md` also has mean
# the same.
_KEYS = {
    "Group": ("agents", "line"),
    "Record": ("kind", "key", "value", "line"),
    "Rule": ("kind", "pattern", "line", "column"),
    "Verdict": ("allowed", "reason", "temporary", "rule", "group"),
}


class _Shown:
    """A result with the forms of this module."""

    def to_json(self) -> str:
        """Returns the attributes as JSON."""
        return to_json(self)

    def _repr_html_(self) -> str:
        return to_html(self)


def to_json(value: Any) -> str:
    """Returns an answer as JSON in ASCII."""
    return json.dumps(_plain(value))


def to_html(value: Any) -> str:
    """Returns an answer as a table of HTML."""
    return _cell(_plain(value))


def _plain(value: Any) -> Any:
    """The value as JSON has it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    names = _KEYS.get(type(value).__name__) or getattr(value, "_fields", ())
    if not names and not isinstance(value, (dict, list, tuple)):
        names = [name for name in vars(value) if not name.startswith("_")]
    if names:
        value = {name: getattr(value, name) for name in names}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value]


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        rows = (f"<tr><th>{_cell(key)}</th><td>{_cell(it)}</td></tr>" for key, it in value.items())
        return f"<table>{''.join(rows)}</table>"
    if isinstance(value, list):
        return "<br>".join(map(_cell, value))
    text = "" if value is None else str(value)
    # No character may reorder or hide others.
    return html.escape(
        "".join(it if it.isprintable() else it.encode("unicode_escape").decode() for it in text)
    )
