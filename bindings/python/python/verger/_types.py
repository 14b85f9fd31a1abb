"""Types of arguments, and their conversion."""

from __future__ import annotations

import os
from typing import TypedDict, Union

from ._verger import Crawler

Text = Union[str, bytes, bytearray, memoryview]
"""Text, or its bytes."""

Agent = Union[str, bytes, Crawler]
"""A product token, a User-Agent header, or a crawler."""


def octets(text: str) -> bytes:
    """Return the bytes of a text. Escaped bytes (``surrogateescape``) become bytes again."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


class ClientOptions(TypedDict, total=False):
    """Options of a client; see `Client`."""

    from_address: str | None
    store: str | os.PathLike[str] | None
    max_store_bytes: int | None
    dialect: str | None
    access_profile: str | None
    timeout: float | None
    max_age: float | None
    offline: bool | None
    answers_while_refreshing: bool | None
    pause: float | None
    max_pause: float | None
    max_wait: float | None
    max_requests_per_site: int | None
    visit_times: bool | None
    max_connections_per_address: int | None
    proxy: str | None
    ca_files: list[str | os.PathLike[str]] | None
    allow_nets: list[str] | None
    http2_for_robots: bool | None
