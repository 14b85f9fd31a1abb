"""One fetch of a robots.txt with `urllib.request`, for `verger.robotparser`.

`urllib.request.urlopen` is used because applications install openers: proxies, authentication.
"""

from __future__ import annotations

import gzip
import http.client
import io
import queue
import threading
import time
import urllib.error
import urllib.request
import zlib
from typing import Any

BODY_LIMIT = 500 * 1024
"""Bytes of a robots.txt that are read at least, by RFC 9309 section 2.5."""

TIMEOUT = 30.0
"""Seconds to wait for a part of a response; the standard library waits forever."""

DEADLINE = 120.0
"""Seconds for the whole response with its redirects."""

CODINGS = 8
"""Maximum number of content codings of one body."""


class InvalidUrl(urllib.error.URLError, ValueError):
    """A URL, perhaps that of a redirect, is invalid. The standard library raises `ValueError`."""


def fetched(url: str | urllib.request.Request) -> tuple[bytes, int]:
    """The body and status of a response.

    Raises:
        urllib.error.URLError: there is no complete response.
    """
    # The timeout of a socket limits each wait only, and a header can come byte by byte.
    results: queue.SimpleQueue[tuple[bytes, int] | BaseException] = queue.SimpleQueue()
    deadline = time.monotonic() + DEADLINE

    def fetch() -> None:
        try:
            results.put(_response(url, deadline))
        except BaseException as error:  # noqa: BLE001  The caller raises it.
            results.put(error)

    try:
        threading.Thread(target=fetch, name="robots.txt", daemon=True).start()
    except RuntimeError as error:
        raise urllib.error.URLError(error) from error
    try:
        result = results.get(timeout=DEADLINE)
    except queue.Empty:
        raise urllib.error.URLError(_too_slow()) from None
    if isinstance(result, BaseException):
        raise result
    return result


def _too_slow() -> TimeoutError:
    return TimeoutError(f"robots.txt took more than {DEADLINE:g} seconds")


def _response(url: str | urllib.request.Request, deadline: float) -> tuple[bytes, int]:
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as response:  # noqa: S310
            # Responses of `file:` and `data:` have no status.
            status = response.status or 200
            codings = response.headers.get_all("Content-Encoding", [])
            return decoded(_body(response, deadline), codings), status
    except urllib.error.HTTPError as error:
        error.close()
        return b"", error.code
    except urllib.error.URLError:
        raise
    except ValueError as error:
        raise InvalidUrl(error) from error
    except (OSError, http.client.HTTPException, EOFError, zlib.error) as error:
        raise urllib.error.URLError(error) from error


def _body(response: Any, deadline: float) -> bytes:
    """The body, cut after the size limit."""
    body = bytearray()
    while len(body) <= BODY_LIMIT:
        chunk = response.read1(65_536)
        if not chunk:
            # With a length, urllib does not notice that the connection ended early.
            missing = getattr(response, "length", None)
            if missing:
                raise http.client.IncompleteRead(bytes(body), missing)
            break
        body += chunk
        if time.monotonic() > deadline:
            raise _too_slow()
    return bytes(body)


def decoded(body: bytes, fields: list[str]) -> bytes:
    """The body without its content codings, cut after the size limit.

    Args:
        body: the body as received.
        fields: the values of all fields ``Content-Encoding``.
    """
    names = [name.strip().lower() for field in fields for name in field.split(",")]
    # The last coding was applied last.
    codings = [name for name in reversed(names) if name not in ("", "identity")]
    if len(codings) > CODINGS:
        raise urllib.error.URLError(f"{len(codings)} content codings")
    for coding in codings:
        if coding in ("gzip", "x-gzip"):
            body = _ungzipped(body)
        elif coding == "deflate":
            body = _inflated(body)
        else:
            raise urllib.error.URLError(f"unknown Content-Encoding: {coding}")
    return body


def _ungzipped(body: bytes) -> bytes:
    """All members of a gzip body (RFC 1952 section 2.2)."""
    if not body:
        raise EOFError("the compressed body is empty")
    text = bytearray()
    with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
        try:
            while len(text) <= BODY_LIMIT and (chunk := file.read1(65_536)):
                text += chunk
        except EOFError:
            # A body that was cut at the limit ends early.
            if len(body) <= BODY_LIMIT:
                raise
    return bytes(text)


def _inflated(body: bytes) -> bytes:
    decoder = zlib.decompressobj()
    text = decoder.decompress(body, BODY_LIMIT + 1)
    if not decoder.eof and len(text) <= BODY_LIMIT and len(body) <= BODY_LIMIT:
        raise EOFError("the compressed body ends early")
    return text
