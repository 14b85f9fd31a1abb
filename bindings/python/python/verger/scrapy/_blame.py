"""Whose fault a failed fetch is: the site's, the crawler's, or unclear (REP-CACHE-28)."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Any, Literal

from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request

from ._transfer import TRANSFER, Transfer

Blame = Literal["site", "unclear", "crawler"]


def proxy_of(request: Request) -> str:
    """The URL of the proxy of a request; empty without one."""
    proxy = request.meta.get("proxy")
    return proxy if isinstance(proxy, str) else ""


def of_response(status: int, headers: Any, request: Request) -> Blame:
    """Whether a response is the site's, perhaps of the proxy, or the proxy's own (REP-CACHE-28).

    The site's status can allow everything, so in doubt it is the proxy's.
    """
    if not proxy_of(request) or not request.url.startswith("http:"):
        return "site"
    has_error = any(b"error=" in value.lower() for value in headers.getlist(b"Proxy-Status"))
    if status == 407 or has_error or b"X-Squid-Error" in headers:
        return "crawler"
    # A proxy adds Via to every response that it passes on.
    may_be_own = 400 <= status < 500 and status not in {404, 410, 429}
    if may_be_own and b"Via" not in headers and request.meta.get(TRANSFER) is not None:
        return "crawler"
    return "unclear" if status == 429 or status >= 500 else "site"


_NO_RESOURCES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EAGAIN})
_OWN_ERRNOS = _NO_RESOURCES | {errno.EADDRNOTAVAIL, errno.EACCES, errno.EPERM}
_SITE_ERRNOS = frozenset({errno.ECONNREFUSED, errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE})

# Names of exceptions, because they differ between versions of Scrapy and download handlers.
_OWN = frozenset(
    {
        "CancelledError",
        "ConnectBindError",
        "DownloadCancelledError",
        "NotConfigured",
        "NotImplementedError",
        "NotSupported",
        "SchemeNotSupported",
        "UnsupportedURLSchemeError",
    }
)
_UNRESOLVED = frozenset({"CannotResolveHostError", "DNSLookupError", "gaierror"})
_TIMEOUTS = frozenset({"DownloadTimeoutError", "TimeoutError", "TCPTimedOutError"})
_REFUSED = frozenset({"DownloadConnectionRefusedError", "ConnectionRefusedError"})
_CLOSED = frozenset(
    {
        "ConnectionDone",
        "ConnectionLost",
        "ConnectionResetError",
        "DownloadFailedError",
        "ResponseDataLossError",
        "ResponseFailed",
    }
)


def of_failure(error: Exception, request: Request, transfer: Transfer) -> Blame:
    """Whose fault a failed request is, as far as it can be known (REP-CACHE-28)."""
    if isinstance(error, IgnoreRequest):
        # From the middleware for compressed bodies: too large. Others refused the request.
        return "site" if transfer.answered and error.__cause__ is not None else "crawler"
    chain = list(_causes(error))
    if _is_tls(chain):
        # A proxy can end or intercept the connection.
        return "crawler" if proxy_of(request) and not transfer.answered else "site"
    names = {cls.__name__ for found in chain for cls in type(found).__mro__}
    numbers = {number for found in chain if (number := _errno(found)) is not None}
    if numbers & _OWN_ERRNOS or not _OWN.isdisjoint(cls.__name__ for cls in type(error).__mro__):
        return "crawler"
    if transfer.answered:
        return "site"
    if proxy_of(request):
        return _blame_proxy(error, names)
    if names & (_UNRESOLVED | _TIMEOUTS):
        return "unclear"
    if names & _REFUSED:
        # Some handlers report every failed connection as refused.
        return "unclear" if numbers and not numbers & _SITE_ERRNOS else "site"
    return "site" if names & _CLOSED or numbers & _SITE_ERRNOS else "unclear"


def _blame_proxy(error: Exception, names: set[str]) -> Blame:
    """The proxy is part of the crawler's network. Perhaps it could not reach the site."""
    if "TunnelError" in names:
        # Scrapy's text holds the status: "… [{'status': 502, …}]".
        return "unclear" if "'status': 5" in str(error) else "crawler"
    if names & (_UNRESOLVED | _REFUSED):
        return "crawler"
    return "unclear" if names & (_TIMEOUTS | _CLOSED) else "crawler"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception with its causes. Twisted has them in lists of failures."""
    found, seen = [error], 0
    while found and seen < 32:
        seen += 1
        current = found.pop()
        yield current
        if current.__cause__ is not None:
            found.append(current.__cause__)
        reasons = getattr(current, "reasons", None)
        for reason in reasons if isinstance(reasons, list) else ():
            value = getattr(reason, "value", reason)
            if isinstance(value, BaseException):
                found.append(value)


def _errno(error: BaseException) -> int | None:
    for name in ("errno", "osError"):
        number = getattr(error, name, None)
        if isinstance(number, int):
            return number
    return None


def _is_tls(chain: list[BaseException]) -> bool:
    roots = {type(found).__module__.split(".", 1)[0] for found in chain}
    return not roots.isdisjoint({"OpenSSL", "ssl", "service_identity"})


def described(error: Exception) -> str:
    """An exception for a message."""
    name, text = type(error).__name__, shown(str(error).strip())
    return f"{name}: {text}" if text else name


def shown(text: str | bytes) -> str:
    """Foreign text for a message: printable and short."""
    shown = text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text
    shown = "".join(char if char.isprintable() else " " for char in shown)
    return shown if len(shown) <= 200 else f"{shown[:200]}…"
