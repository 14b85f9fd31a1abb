"""URLs as Scrapy sends them: their origins, dot segments, and redirects."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from scrapy.http import Response
from w3lib.url import safe_url_string

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PORTS = {"http": 80, "https": 443, "ftp": 21}

# Maximum length of a Location in bytes.
_LOCATION_BYTES = 8 * 1024


def origin_of(url: str) -> str | None:
    """The scheme, host and port that Scrapy connects to, as the beginning of a URL.

    Not by `verger.robots_url`, which may read the host of an odd URL differently from Scrapy.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host:
        return None
    if ":" in host:
        host = f"[{host}]"
    if port is None or port == _PORTS.get(parts.scheme):
        return f"{parts.scheme}://{host}"
    return f"{parts.scheme}://{host}:{port}"


_DOT_SEGMENT = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)


def resolved(url: str) -> str | None:
    """The URL without dot segments; ``None`` if it has none.

    Clients resolve them before they send a request (REP-MATCH-4). Scrapy does not, but many servers
    do, and would serve ``/private`` for ``/x/../private``.
    """
    head, mark, query = url.partition("#")[0].partition("?")
    authority, slash, path = head.partition("://")
    host, first, path = path.partition("/")
    if not _DOT_SEGMENT.search(first + path):
        return None
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        plain = re.sub("%2e", ".", segment, flags=re.IGNORECASE)
        if plain == "..":
            del kept[-1:]
        elif plain != ".":
            kept.append(segment)
    if re.sub("%2e", ".", segments[-1], flags=re.IGNORECASE) in {".", ".."}:
        kept.append("")
    return f"{authority}{slash}{host}/{'/'.join(kept)}{mark}{query}"


def location(response: Response) -> bytes | None:
    """The target of a redirect; ``None`` if the response is none. Empty if it is broken."""
    if response.status not in _REDIRECTS:
        return None
    locations = {value.strip() for value in response.headers.getlist(b"Location")}
    return locations.pop() if len(locations) == 1 else b""


def target(base: str, location: bytes) -> str | None:
    """The URL of a redirect without credentials and fragment; ``None`` if it has none."""
    if not location or len(location) > _LOCATION_BYTES or not base.startswith("http"):
        return None
    try:
        text = location.decode("utf-8")
        if text.startswith("//") and not urlsplit(text).hostname:
            return None
        url = safe_url_string(urljoin(base, safe_url_string(text)))
        parts = urlsplit(url)
        origin = origin_of(url)
    except ValueError:
        return None
    if origin is None or parts.scheme not in {"http", "https"}:
        return None
    query = f"?{parts.query}" if parts.query else ""
    return f"{origin}{parts.path or '/'}{query}"
