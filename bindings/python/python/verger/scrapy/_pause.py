"""Waits that do not block a crawl."""

from __future__ import annotations

import asyncio
from typing import Any

from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.defer import Deferred


async def pause(seconds: float) -> None:
    """Waits with the reactor, or without one."""
    if not is_reactor_installed():
        await asyncio.sleep(seconds)
        return
    from twisted.internet import reactor as installed

    reactor: Any = installed
    waiter: Deferred[None] = Deferred()
    reactor.callLater(seconds, waiter.callback, None)
    await maybe_deferred_to_future(waiter)
