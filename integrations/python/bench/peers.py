"""Functions on Protego. Workers of Spark import this module."""

from __future__ import annotations

import functools
from typing import Any

from protego import Protego


@functools.lru_cache(maxsize=1_000)
def parsed(robots: bytes) -> Protego:
    """A file, parsed once while it is among the last thousand."""
    return Protego.parse(robots.decode("utf-8", "replace"))


def protego(robots: bytes, agent: str, url: str) -> bool:
    """The function of peers: that of most programs, with a cache of parsed files."""
    return parsed(robots).can_fetch(url, agent)


_files: dict[str, bytes] = {}
_parsed: dict[str, Protego] = {}


def protego_by_origin(files: Any, origin: str, url: str, agent: str) -> bool:
    """Protego for URLs without files: a worker has all files, and parses each of them once.

    `files` is a broadcast variable of the files by origin.
    """
    global _files, _parsed
    if _files is not files.value:
        _files, _parsed = files.value, {}
    if origin not in _parsed:
        _parsed[origin] = Protego.parse(_files[origin].decode("utf-8", "replace"))
    return _parsed[origin].can_fetch(url, agent)


def protego_uncached(robots: bytes, agent: str, url: str) -> bool:
    """The same without a cache."""
    return Protego.parse(robots.decode("utf-8", "replace")).can_fetch(url, agent)
