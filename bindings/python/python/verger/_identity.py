"""`identify`: who sent a request?"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from . import _verger

if TYPE_CHECKING:
    from collections.abc import Mapping


def identify(
    user_agent: str | None = None,
    ip: str | None = None,
    *,
    at: str | int | None = None,
    headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Verifies who sent a request, by the addresses that operators publish. Nothing is looked up.

    The result is the JSON of ``verger identify --offline``. `ip` is the address of the client, and
    `at` the time: a text, or seconds since 1970; by default now. Without `user_agent`, that of
    `headers` counts. `headers` are those of the request.

    >>> agent = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"
    >>> identify(agent, "20.171.206.10", at="2026-09-10")["verdict"]
    'verified'
    >>> identify(agent, "203.0.113.9", at="2026-09-10")["claims"][0]["addresses"]["reason"]
    'not_listed'

    Raises `ValueError` if a value is invalid.
    """
    request = {"user_agent": user_agent, "ip": ip, "at": at, "headers": dict(headers or {})}
    found: dict[str, Any] = json.loads(_verger.identify(json.dumps(request), int(time.time())))
    return found
