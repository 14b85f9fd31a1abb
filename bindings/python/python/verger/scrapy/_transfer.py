"""One fetch of a robots.txt: the progress of each request, and the end."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..types import Outcome

TRANSFER = "_verger_robotstxt"
"""The meta key of requests for robots.txt. Its value is a `Transfer`."""


@dataclass(slots=True)
class Transfer:
    """Progress of one request for a robots.txt. It lies in the meta of the request."""

    received: int = 0
    answered: bool = False


@dataclass(slots=True)
class Fetched:
    """The end of a fetch, after redirects."""

    outcome: int | Outcome
    """As for `State.after`."""
    cause: str
    """A short text for messages: ``status 503``."""
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""
    url: str = ""
    """The URL that sent the file."""
    validators: dict[str, bytes] = field(default_factory=dict)
    """Request headers for the next fetch of `url`."""
    unclear: bool = False
    """Whether the failure may be the crawler's own."""
    heard: float | None = None
    """Time of the last answer of another host."""
