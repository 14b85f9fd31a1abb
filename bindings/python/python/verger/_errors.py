"""Exceptions of the client."""

from __future__ import annotations

from . import _verger


class VergerError(Exception):
    """Base class of the client's exceptions. The URL must not be fetched."""

    temporary: bool = False
    """Whether the same call may succeed later."""

    # All arguments are in `args`, so that exceptions can be pickled.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class InvalidUrl(VergerError, ValueError):
    """The text is not a URL that has a robots.txt."""


class CheckError(VergerError):
    """There is no decision: a limit of the client was reached, or the answer came too late."""

    temporary = True


class TurnError(VergerError):
    """There is no turn for a request."""


class Disallowed(TurnError):
    """robots.txt disallows the URL."""

    def __init__(self, message: str, decision: _verger.Decision) -> None:
        super().__init__(message, decision)
        self.decision = decision
        """The decision, with the deciding rule."""


class Unreachable(TurnError):
    """robots.txt cannot be fetched, so nothing may be fetched for now."""

    def __init__(self, message: str, decision: _verger.Decision, retry_in: float | None) -> None:
        super().__init__(message, decision, retry_in)
        self.temporary = retry_in is not None
        self.decision = decision
        """The decision, with the failure."""
        self.retry_in = retry_in
        """Seconds until robots.txt is fetched again. `None` if another try makes no sense, because
        the client refuses the address or the URL cannot be requested."""


class WaitTooLong(TurnError):
    """The turn comes later than `max_wait` allows."""

    temporary = True

    def __init__(self, message: str, retry_in: float) -> None:
        super().__init__(message, retry_in)
        self.retry_in = retry_in
        """Seconds until the turn comes at the earliest."""


class ClientBusy(TurnError):
    """A limit of the client was reached: too many requests wait or run."""

    temporary = True


class Offline(TurnError):
    """The client is offline: no request may be sent."""
