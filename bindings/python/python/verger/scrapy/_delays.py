"""Crawl delays and request rates, as delays of Scrapy's download slots."""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from scrapy.http import Request

from .. import Robots
from ._record import Agent, Record, Window

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__package__)

# Number of user agents whose delays are remembered for an origin.
_AGENTS = 16


class Delays:
    """The delays of the download slots."""

    def __init__(self, crawler: Crawler, longest: float, most_slots: int) -> None:
        self._crawler = crawler
        self._longest = longest
        self._most_slots = most_slots
        # By the key of the slot.
        self._delays: OrderedDict[str, float] = OrderedDict()

    def note(self, origin: str, record: Record, request: Request, agent: Agent, now: float) -> bool:
        """Notes the delay for the download slot of a request.

        Returns whether the limit shortens the delay of a file for the first time.
        """
        if record.robots is None or self._longest <= 0:
            return False
        if agent not in record.delays:
            if len(record.delays) >= _AGENTS:
                record.delays.clear()
            record.delays[agent] = _delays(record.robots, agent)
        minute = int(now // 60) % (24 * 60)
        delays = (delay for delay, window in record.delays[agent] if is_within(minute, window))
        asked = max(delays, default=0.0)
        if asked <= 0:
            return False
        is_capped = asked > self._longest and not record.is_capped
        if is_capped:
            record.is_capped = True
            logger.info(
                "%(origin)s/robots.txt asks for a delay of %(asked)g s; VERGER_MAX_CRAWL_DELAY "
                "limits it to %(longest)g s.",
                {"origin": origin, "asked": asked, "longest": self._longest},
                extra={"spider": self._crawler.spider},
            )
        engine: Any = self._crawler.engine
        key = engine.downloader.get_slot_key(request)
        delay = max(min(asked, self._longest), self._delays.get(key, 0.0))
        self._delays[key] = delay
        self._delays.move_to_end(key)
        while len(self._delays) > self._most_slots:
            self._delays.popitem(last=False)
        return is_capped

    def apply(self, request: Request) -> None:
        """Raises the delay of the download slot of a request."""
        key = request.meta.get("download_slot")
        delay = self._delays.get(key, 0.0) if key is not None else 0.0
        if delay <= 0:
            return
        engine: Any = self._crawler.engine
        slot = engine.downloader.slots.get(key) if engine is not None else None
        if slot is None:
            return
        has_jitter = hasattr(slot, "jitter")
        jitter = slot.jitter if has_jitter else 0.5 * bool(slot.randomize_delay)
        if slot.delay * (1 - jitter) < delay:
            slot.delay = max(slot.delay, delay)
            if has_jitter:
                slot.jitter = 0.0
            else:  # Scrapy before 2.17
                slot.randomize_delay = False
        slot.concurrency = min(slot.concurrency, 1)


def _delays(robots: Robots, agent: Agent) -> list[tuple[float, Window | None]]:
    """The crawl delay and the intervals of request rates, in seconds, with times of the day."""
    found: list[tuple[float, Window | None]] = [(robots.crawl_delay(agent) or 0.0, None)]
    for documents, seconds, window in robots.request_rates(agent):
        if documents > 0:
            found.append((seconds / documents, window))
    return found


def is_within(minute: int, window: Window | None) -> bool:
    if window is None:
        return True
    begin, end = window
    return begin <= minute <= end if begin <= end else minute >= begin or minute <= end
