"""The interface of Protego with the answers of Verger.

Replace ``from protego import Protego`` by ``from verger.protego import Protego``. Where the answers
differ, and why, is in the guide; ``python -m verger.migrate`` shows the differences for your files.
As with Protego, a name of a crawler is its literal token, without the documented fallbacks.

>>> robots = Protego.parse("User-agent: *\\nDisallow: /cart\\nCrawl-delay: 2.5\\n")
>>> robots.can_fetch("https://shop.example/cart", "ExampleBot")
False
>>> robots.crawl_delay("ExampleBot")
2.5
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import time
from typing import TYPE_CHECKING, NamedTuple

from . import Robots

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Protego", "RequestRate", "VisitTime"]


class RequestRate(NamedTuple):
    """At most `requests` in `seconds`, from `start_time` to `end_time` in UTC if they are given."""

    requests: int
    seconds: int
    start_time: time | None
    end_time: time | None


class VisitTime(NamedTuple):
    """A time of the day in UTC at which visits are welcome."""

    start_time: time
    end_time: time


class Protego:
    """A parsed robots.txt. Unlike Verger's own methods, `can_fetch` takes the URL first."""

    robots: Robots
    """The parsed file, for verdicts with reasons and lines."""

    def __init__(self) -> None:
        self.robots = Robots(b"")._literal()

    @classmethod
    def parse(cls, content: str) -> Self:
        """Parses a robots.txt.

        Args:
            content: the decoded file. Bytes that were decoded with ``surrogateescape`` are
                restored.

        Raises:
            TypeError: `content` is not a ``str``. For bytes, use `verger.parse`.
        """
        if not isinstance(content, str):
            raise TypeError(f"Protego.parse expects str, got {type(content).__name__}")
        parsed = cls()
        parsed.robots = Robots(content)._literal()
        return parsed

    def can_fetch(self, url: str, user_agent: str) -> bool:
        """Returns whether the user agent may fetch the URL."""
        return self.robots.is_allowed(user_agent, url)

    def crawl_delay(self, user_agent: str) -> float | None:
        """Returns the crawl delay for the user agent in seconds, ``None`` without one."""
        return self.robots.crawl_delay(user_agent)

    def request_rate(self, user_agent: str) -> RequestRate | None:
        """Returns the first ``Request-rate`` or ``Max-Crawl-Rate``, ``None`` without one."""
        for documents, seconds, window in self.robots.request_rates(user_agent):
            start, end = (None, None) if window is None else map(_time, window)
            return RequestRate(documents, int(seconds), start, end)
        return None

    def visit_time(self, user_agent: str) -> VisitTime | None:
        """Returns the first visit time for the user agent, ``None`` without one."""
        for start, end in self.robots.visit_times(user_agent):
            return VisitTime(_time(start), _time(end))
        return None

    @property
    def sitemaps(self) -> Iterator[str]:
        """The values of ``Sitemap``."""
        return iter(self.robots.sitemaps)

    @property
    def preferred_host(self) -> str | None:
        """The value of ``Host``, ``None`` without one."""
        return self.robots.host


def _time(minutes: int) -> time:
    return time(minutes // 60, minutes % 60)
