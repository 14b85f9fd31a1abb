"""The last answers of hosts: they show that the crawler's own network works (REP-CACHE-28)."""

from __future__ import annotations

from collections import OrderedDict

from scrapy.http import Request
from scrapy.utils.httpobj import urlparse_cached

from . import _blame

# Number of proxies for which the last answers are remembered.
_PROXIES = 256


class Hosts:
    """The last two hosts that answered, for each proxy."""

    def __init__(self) -> None:
        # The last one first.
        self._heard: OrderedDict[str, list[tuple[str, float]]] = OrderedDict()

    def note(self, host: str, request: Request, now: float) -> None:
        """Notes an answer of a host."""
        proxy = _blame.proxy_of(request)
        heard = self._heard.get(proxy, [])
        if heard and heard[0][0] == host:
            heard[0] = (host, now)
        else:
            heard = [(host, now), *heard[:1]]
        self._heard[proxy] = heard
        self._heard.move_to_end(proxy)
        while len(self._heard) > _PROXIES:
            self._heard.popitem(last=False)

    def other_answer(self, request: Request, now: float) -> float | None:
        """The time of the last answer of another host through the same proxy."""
        host = urlparse_cached(request).hostname
        heard = self._heard.get(_blame.proxy_of(request), [])
        times = [at for other, at in heard if other != host and at <= now]
        return max(times, default=None)
