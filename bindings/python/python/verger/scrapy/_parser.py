"""The parser for Scrapy's own middleware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.robotstxt import RobotParser

from .. import Robots
from ..types import Dialect
from . import _urls

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class VergerRobotParser(RobotParser):
    """Verger as the parser of Scrapy's own robots.txt middleware. As Scrapy's parsers, it knows no
    fallbacks: ``Googlebot-Image`` does not obey the group for ``Googlebot``.

    Setting: ``ROBOTSTXT_PARSER = "verger.scrapy.VergerRobotParser"``.
    """

    robots: Robots
    """The parsed file, for verdicts with reasons and lines."""

    def __init__(self, robotstxt_body: bytes | Robots, dialect: Dialect = "rfc9309") -> None:
        if isinstance(robotstxt_body, Robots):
            self.robots = robotstxt_body._literal()
        else:
            self.robots = Robots(robotstxt_body, dialect)._literal()

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> Self:
        """Parses a robots.txt in the dialect of the setting `VERGER_DIALECT`."""
        if crawler is None:
            return cls(robotstxt_body)
        return cls(robotstxt_body, crawler.settings.get("VERGER_DIALECT") or "rfc9309")

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Returns whether the user agent may fetch the URL, also after its dot segments."""
        if not self.robots.is_allowed(user_agent, url):
            return False
        text = url.decode("utf-8", "surrogateescape") if isinstance(url, bytes) else url
        resolved = _urls.resolved(text)
        return resolved is None or self.robots.is_allowed(user_agent, resolved)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Returns the crawl delay for the user agent in seconds, ``None`` without one."""
        return self.robots.crawl_delay(user_agent)
