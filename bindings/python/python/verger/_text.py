"""Conversion of text."""

from __future__ import annotations


def octets(text: str) -> bytes:
    """The bytes of a text. Escaped bytes (``surrogateescape``) become bytes again."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
