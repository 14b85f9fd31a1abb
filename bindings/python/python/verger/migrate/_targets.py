"""The target of a URL, and the answers for URLs without regard to rules, in a reading."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple
from urllib.parse import quote, unquote, urlparse, urlsplit, urlunparse

from .. import Robots
from ._normal import normal
from ._readings import Paths

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
    if choices.doubles_slashes and text.startswith("//"):
        text = f"//{text}"
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
