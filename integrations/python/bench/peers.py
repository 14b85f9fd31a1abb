"""Functions on Protego. Workers of Spark import this module."""

from __future__ import annotations

import functools

from protego import Protego


@functools.lru_cache(maxsize=1_000)
def parsed(robots: bytes) -> Protego:
    """A file, parsed once while it is among the last thousand."""
    return Protego.parse(robots.decode("utf-8", "replace"))


def protego(robots: bytes, agent: str, url: str) -> bool:
    """The function of peers: that of most programs, with a cache of parsed files."""
    return parsed(robots).can_fetch(url, agent)


def protego_uncached(robots: bytes, agent: str, url: str) -> bool:
    """The same without a cache."""
    return Protego.parse(robots.decode("utf-8", "replace")).can_fetch(url, agent)
