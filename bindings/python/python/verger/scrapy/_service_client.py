"""Requests to a service `verger-serve`, in threads, because a reactor must not wait."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.defer import Deferred

from ._turn import Turn

T = TypeVar("T")

# Questions at a time. Each waits for the service at most `WAIT_MS`, or for its fetch.
_THREADS = 32

WAIT_MS = 2_000
"""Milliseconds that the service waits for a turn before it answers that there is none yet."""

# Seconds for an answer: the wait, and a margin for a busy service.
_TIMEOUT = 30.0

# Largest answer in bytes. One has about a kilobyte.
_ANSWER_BYTES = 1024 * 1024


class ServiceError(Exception):
    """The service gives no answer, or rejects the question."""

    def __init__(self, cause: str, *, permanent: bool = False) -> None:
        super().__init__(cause)
        self.permanent = permanent
        """Whether the same question would be rejected again."""


class ServiceClient:
    """A client of the service with a connection for each thread."""

    def __init__(self, address: str, token: str | None) -> None:
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(
                f"VERGER_SERVICE: expected an address such as http://127.0.0.1:8730, but found "
                f"{address!r}"
            )
        is_secure = parts.scheme == "https"
        self._connect: Callable[..., http.client.HTTPConnection] = (
            http.client.HTTPSConnection if is_secure else http.client.HTTPConnection
        )
        self._host, self._port, self._path = parts.hostname, parts.port, parts.path.rstrip("/")
        self._headers = {"Content-Type": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._local = threading.local()
        self._releases: set[Future[None]] = set()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="verger-service")

    async def reserve(self, question: dict[str, Any]) -> dict[str, Any]:
        """Asks for a turn. The answer has the verdict, too."""
        return await self._run(lambda: self._send("/v1/turns", question))

    def release_later(
        self,
        turn: Turn,
        report: dict[str, Any] | None,
        on_lost: Callable[[ServiceError], None],
    ) -> None:
        """Ends a turn with the result of its request; ``None`` if none was sent."""
        path = f"/v1/turns/{quote(turn.name, safe='')}"

        def release() -> None:
            try:
                if report is None:
                    self._send(path, None, "DELETE")
                else:
                    self._send(f"{path}/release", report)
            except ServiceError as error:
                on_lost(error)

        future = self._pool.submit(release)
        self._releases.add(future)
        future.add_done_callback(self._releases.discard)

    async def close(self) -> None:
        """Ends after all releases."""
        for future in list(self._releases):
            await self._wait(future)
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _send(
        self, path: str, question: dict[str, Any] | None, method: str = "POST"
    ) -> dict[str, Any]:
        body = None if question is None else json.dumps(question)
        # A kept connection may be closed by now; the turn's name makes a repetition harmless.
        is_new = getattr(self._local, "connection", None) is None
        try:
            return self._exchange(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            if is_new:
                raise ServiceError(f"{type(error).__name__}: {error}") from error
        try:
            return self._exchange(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            raise ServiceError(f"{type(error).__name__}: {error}") from error

    def _exchange(self, method: str, path: str, body: str | None) -> dict[str, Any]:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect(self._host, self._port, timeout=_TIMEOUT)
            self._local.connection = connection
        try:
            connection.request(method, self._path + path, body, self._headers)
            response = connection.getresponse()
            answer = response.read(_ANSWER_BYTES)
        except (OSError, http.client.HTTPException):
            self._local.connection = None
            connection.close()
            raise
        return _read(response.status, answer)

    async def _run(self, work: Callable[[], T]) -> T:
        return await self._wait(self._pool.submit(work))

    async def _wait(self, future: Future[T]) -> T:
        if not is_reactor_installed():
            return await asyncio.wrap_future(future)
        from twisted.internet import reactor as installed

        reactor: Any = installed
        waiter: Deferred[None] = Deferred()
        future.add_done_callback(lambda _: reactor.callFromThread(waiter.callback, None))
        await maybe_deferred_to_future(waiter)
        return future.result()


def _read(status: int, answer: bytes) -> dict[str, Any]:
    try:
        found = json.loads(answer) if answer else {}
    except ValueError as error:
        raise ServiceError(f"status {status}, without JSON") from error
    if not isinstance(found, dict):
        raise ServiceError(f"status {status}, with other JSON")
    if status >= 400:
        detail = str(found.get("detail", ""))
        is_permanent = 400 <= status < 500 and status not in {408, 429}
        raise ServiceError(f"status {status}: {detail}", permanent=is_permanent)
    return found
