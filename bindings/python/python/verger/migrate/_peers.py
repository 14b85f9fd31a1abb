"""The installed peers."""

from __future__ import annotations

import base64
import importlib
import urllib.robotparser
from collections.abc import Callable
from functools import cache
from typing import Any

Ask = Callable[[str, str], bool]
"""Answers whether an agent may fetch a URL."""


class PeerNotInstalled(Exception):
    """A peer is not installed."""


def version(peer: str) -> str:
    """The name and version of an installed peer.

    Raises:
        PeerNotInstalled: it is not installed.
    """
    if peer == "protego":
        _protego()
        from importlib.metadata import version as installed

        return f"Protego {installed('protego')}"
    import platform

    return f"urllib.robotparser of Python {platform.python_version()}"


@cache
def reading(peer: str) -> str:
    """The name of the reading of an installed peer."""
    if peer == "urllib":
        parser = urllib.robotparser.RobotFileParser()
        parser.parse(["User-agent: *", "Disallow: /*b"])
        if not parser.can_fetch("x", "http://h/ab"):
            return "urllib-rfc9309"
    return peer


def opened(peer: str, body: bytes) -> Ask:
    """A file in a peer.

    Protego gets the text that Scrapy gives it: UTF-8 without its byte order mark and without bytes
    that are not UTF-8. urllib reads the file itself, from a ``data:`` URL.
    """
    if peer == "protego":
        parsed = _protego().Protego.parse(body.decode("utf-8-sig", "ignore"))
        can_fetch: Callable[[str, str], bool] = parsed.can_fetch
        return lambda agent, url: can_fetch(url, agent)
    parser = urllib.robotparser.RobotFileParser()
    parser.set_url("data:text/plain;base64," + base64.b64encode(body).decode())
    try:
        parser.read()
    except UnicodeDecodeError:
        pass  # The parser has read nothing. It disallows everything.
    return parser.can_fetch


def _protego() -> Any:
    try:
        return importlib.import_module("protego")
    except ImportError as error:
        raise PeerNotInstalled("Protego is not installed. Run: pip install protego") from error
