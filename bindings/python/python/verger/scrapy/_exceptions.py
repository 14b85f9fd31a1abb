"""Exceptions for requests that may not be sent."""

from __future__ import annotations

from datetime import datetime, timezone

from scrapy.exceptions import IgnoreRequest

from .. import Verdict
from ._turn import ServiceVerdict


class RobotsTxtForbidden(IgnoreRequest):
    """robots.txt disallows the URL. The message names the rule and its line."""

    verdict: Verdict | ServiceVerdict
    """The verdict, with the line and the reason; that of a service with its answer."""

    def __init__(self, verdict: Verdict | ServiceVerdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict

    def __str__(self) -> str:
        return f"Forbidden by robots.txt: {self.verdict}"


class RobotsTxtUnreachable(IgnoreRequest):
    """robots.txt cannot be fetched, so it is not known whether the URL is allowed."""

    verdict: Verdict | ServiceVerdict
    """The verdict: disallowed, with reason ``"unreachable"``."""

    url: str
    """The URL of the robots.txt."""

    cause: str
    """The failure: ``status 503``."""

    retry_at: float
    """The time of the next fetch in seconds since 1970. It happens with the next request."""

    def __init__(
        self, verdict: Verdict | ServiceVerdict, url: str, cause: str, retry_at: float
    ) -> None:
        super().__init__(verdict, url, cause, retry_at)
        self.verdict = verdict
        self.url = url
        self.cause = cause
        self.retry_at = retry_at

    def __str__(self) -> str:
        try:
            moment = datetime.fromtimestamp(self.retry_at, timezone.utc)
        except (OverflowError, ValueError):
            # Beyond the year 9999.
            at = f"{self.retry_at:.0f} seconds since 1970"
        else:
            at = moment.strftime("%Y-%m-%d %H:%M:%S UTC")
        return f"Unreachable robots.txt: {self.url}: {self.cause}; next fetch at {at}"
