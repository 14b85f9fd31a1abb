"""The robots client: fetches, caches and obeys robots.txt."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import warnings
from collections.abc import Coroutine, Generator, Iterable, Sequence
from types import TracebackType
from typing import Any, TypeVar

from ._errors import VergerError
from ._verger import ClientCore, Decision, Page, Permit
from .types import AccessProfile, Agent, Dialect, Url

logger = logging.getLogger(__package__)

_T = TypeVar("_T")
_Client = TypeVar("_Client", bound="Client")
_AsyncClient = TypeVar("_AsyncClient", bound="AsyncClient")


class _Options:
    """The constructor of both clients."""

    def __init__(
        self,
        agent: Agent,
        user_agent: str | None = None,
        *,
        from_address: str | None = None,
        store: str | os.PathLike[str] | None = None,
        max_store_bytes: int | None = None,
        dialect: Dialect = "rfc9309",
        access_profile: AccessProfile = "rfc9309",
        timeout: float | None = None,
        max_age: float | None = None,
        offline: bool = False,
        answers_while_refreshing: bool = True,
        pause: float | None = None,
        max_pause: float | None = None,
        max_wait: float | None = None,
        max_requests_per_site: int = 1,
        visit_times: bool = True,
        max_connections_per_address: int | None = None,
        proxy: str | None = None,
        ca_files: Sequence[str | os.PathLike[str]] | None = None,
        allow_nets: Sequence[str] | None = None,
        http2_for_robots: bool = False,
    ) -> None:
        """Makes a client. It sends no request yet.

        ``None`` is always the default.

        Args:
            agent: the crawler, by which groups of a robots.txt name it: a product token, a
                User-Agent header, or a `Crawler`.
            user_agent: the User-Agent header of requests. It should say where to learn more:
                ``"ExampleBot/1.0 (+https://bot.example/)"``. Default: the agent, if it is a `str`.
            from_address: an e-mail address for the ``From`` header. Default: none.
            store: path of an SQLite file that keeps records between runs. Processes may share it.
                Default: 64 MiB of memory.
            max_store_bytes: maximum size of the file in bytes. Beyond it the records that were not
                used for longest are deleted. Default: 1073741824 (1 GiB).
            dialect: reading of the files, one of `DIALECTS`. Default: ``"rfc9309"``.
            access_profile: meaning of statuses and outages, one of `ACCESS_PROFILES`. Default:
                ``"rfc9309"``.
            timeout: seconds for the whole fetch of a robots.txt or a page, 0.01 to 120. There is
                always a timeout. Default: 30.
            max_age: seconds after which a stored robots.txt is fetched again although it is fresh
                for longer. Default: the lifetime by its headers, at most 24 hours.
            offline: answer from the store only, and send no request. Default: false.
            answers_while_refreshing: answer from a robots.txt less than 24 hours old while it is
                fetched again. Default: true.
            pause: minimum pause between two requests to a site in seconds, 0 to 86400. Default: 1.
            max_pause: maximum of the pause that a robots.txt can ask for by ``Crawl-delay``,
                ``Request-rate`` or ``Max-Crawl-Rate``, in seconds, 1 to 86400. Default: 300.
            max_wait: maximum wait for a turn in seconds. A later turn raises `WaitTooLong` as soon
                as that is known. Default: no maximum; ``Visit-time`` and ``Retry-After`` can cause
                a wait of a day.
            max_requests_per_site: maximum number of concurrent requests to a site, 1 to 64. Use
                more than one only for your own sites, or with consent. Default: 1.
            visit_times: wait for the times of ``Visit-time``. Default: true.
            max_connections_per_address: maximum number of concurrent connections to one IP
                address, 1 to 256. Default: 4.
            proxy: URL of an HTTP proxy for all requests: ``"http://proxy.example:3128"``. The
                environment is not read. Default: none.
            ca_files: paths of PEM files with root certificates to trust besides Mozilla's.
                Default: none.
            allow_nets: networks that may be connected to although they are not public:
                ``["127.0.0.0/8"]``. The client refuses them otherwise (SSRF). Default: none.
            http2_for_robots: offer HTTP/2 for robots.txt, too. Pages always offer it. Default:
                false.

        Raises:
            TypeError: an option has another type, or the user agent is missing.
            ValueError: a value is invalid; the message names the option.
            OSError: the store cannot be opened, or a certificate file cannot be read.
        """
        options = {
            name: value
            for name, value in locals().items()
            if name not in {"self", "agent", "user_agent"}
        }
        if user_agent is None:
            if not isinstance(agent, str):
                raise TypeError("user_agent: required, because the agent is not a str")
            user_agent = agent
        self._core = ClientCore(agent, user_agent, options)
        self._agent = agent

    def __repr__(self) -> str:
        name = type(self).__name__
        core = getattr(self, "_core", None)
        if core is None:
            return f"<{name}>"
        return f"<{name} {self._agent!r}: {'closed' if core.closed else 'open'}>"

    def __del__(self) -> None:
        # `_core` is missing after an error of the constructor.
        core = getattr(self, "_core", None)
        if core is not None and not core.closed:
            warnings.warn(f"unclosed {self!r}", ResourceWarning, stacklevel=2, source=self)


# Messages about wrong arguments of both classes have it.
_Options.__init__.__qualname__ = "Client"


def _logged(found: _T) -> _T:
    for one in found if isinstance(found, list) else [found]:
        logger.debug("%r", one)
    return found


class Client(_Options):
    """A robots client whose calls block.

    It fetches each robots.txt once, keeps it as long as it is fresh, continues during outages, and
    limits the rate of requests to each site. Several threads may use it. Ctrl-C interrupts a call.
    After a fork, make another client in the child; the old one raises `RuntimeError` there.

    >>> with Client("ExampleBot", offline=True) as client:
    ...     print(client.check("https://shop.example/cart").reason)
    unreachable
    """

    def check(
        self, url: Url, agent: Agent | None = None, dialect: Dialect | None = None
    ) -> Decision:
        """Returns whether the URL may be fetched, with the evidence.

        Args:
            url: an absolute URL.
            agent: another crawler. Default: that of the client.
            dialect: another dialect. Default: that of the client. A file is parsed at each call
                in another dialect.

        Raises:
            InvalidUrl: the text is not a URL.
            CheckError: a limit of the client was reached; ask again later.
        """
        return _logged(self._core.check(url, None, agent, dialect))

    def check_all(self, urls: Iterable[Url]) -> list[Decision | VergerError]:
        """Returns a decision for each URL, or the exception in its place.

        The robots.txt files of several sites are fetched concurrently.

        Args:
            urls: absolute URLs.

        Returns:
            A list as long as `urls`. Look for exceptions with ``isinstance``: as a condition, an
            exception is true.
        """
        return _logged(self._core.check_all(urls))

    def turn(self, url: Url) -> Permit:
        """Waits until a URL may be requested, and returns the permission to request it once.

        The wait may be a day unless `max_wait` limits it: ``Visit-time`` and ``Retry-After``
        count.

        Raises:
            InvalidUrl: the text is not a URL, or one without a robots.txt such as ``data:``.
            Disallowed: robots.txt disallows the URL.
            Unreachable: robots.txt cannot be fetched.
            WaitTooLong: the wait is longer than `max_wait`.
            ClientBusy: too many requests wait or run.
            Offline: the client is offline.
            CheckError: a limit of the client was reached; ask again later.
        """
        return _logged(self._core.turn(url))

    def get(self, url: Url) -> Page:
        """Fetches a page politely: checks robots.txt, waits for the turn, follows redirects.

        The wait may be a day unless `max_wait` limits it, as for `turn`.

        A failed fetch of an allowed page is not an exception: `Page.ok` is false then, and
        `Page.outcome` has the failure.

        Raises:
            VergerError: the same exceptions as `turn`.
        """
        return _logged(self._core.get(url))

    def refresh(self, url: Url) -> Decision:
        """Fetches the robots.txt of a site again, even if it is fresh.

        An offline client uses the store.

        Args:
            url: any URL of the site.

        Returns:
            The new decision for the URL. `Decision.failure` says whether the fetch failed; an
            earlier file may still apply then.

        Raises:
            InvalidUrl: the text is not a URL, or one without a robots.txt such as ``data:``.
            CheckError: a limit of the client was reached; ask again later.
        """
        return _logged(self._core.refresh(url))

    def sitemaps(self, url: Url) -> list[str]:
        """Returns the URLs of the sitemaps that the robots.txt of a site names.

        An empty list means that there is no robots.txt, or that it names none.

        Args:
            url: any URL of the site.

        Raises:
            InvalidUrl: the text is not a URL, or one without a robots.txt such as ``data:``.
            Unreachable: robots.txt cannot be fetched, so its sitemaps are unknown.
            CheckError: a limit of the client was reached; ask again later.
        """
        return _logged(self._core.sitemaps(url))

    def close(self) -> None:
        """Ends all tasks, and closes the store. Calls after it raise `RuntimeError`.

        Calls that still run in other threads raise `CheckError`.
        """
        self._core.close()

    def __enter__(self: _Client) -> _Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncClient(_Options):
    """A robots client for asyncio, with the methods of `Client`.

    A cancelled call gives up its place; a fetch that other calls wait for goes on.

    >>> async def main():
    ...     async with AsyncClient("ExampleBot", offline=True) as client:
    ...         return (await client.check("https://shop.example/")).reason
    >>> asyncio.run(main())
    'unreachable'
    """

    async def check(
        self, url: Url, agent: Agent | None = None, dialect: Dialect | None = None
    ) -> Decision:
        """Returns whether the URL may be fetched. See `Client.check`."""
        found: Decision = await self._call(self._core.check, url, agent, dialect)
        return found

    async def check_all(self, urls: Iterable[Url]) -> list[Decision | VergerError]:
        """Returns a decision for each URL, or the exception in its place."""
        found: list[Decision | VergerError] = await self._call(self._core.check_all, urls)
        return found

    def turn(self, url: Url) -> AsyncTurn:
        """Waits until a URL may be requested. See `Client.turn`.

        ``async with client.turn(url) as permit`` releases the turn at the end of the block.
        """
        return AsyncTurn(self._call(self._core.turn, url))

    async def get(self, url: Url) -> Page:
        """Fetches a page politely. See `Client.get`."""
        found: Page = await self._call(self._core.get, url)
        return found

    async def refresh(self, url: Url) -> Decision:
        """Fetches the robots.txt of a site again, even if it is fresh. See `Client.refresh`."""
        found: Decision = await self._call(self._core.refresh, url)
        return found

    async def sitemaps(self, url: Url) -> list[str]:
        """Returns the URLs of the sitemaps of a site. See `Client.sitemaps`."""
        found: list[str] = await self._call(self._core.sitemaps, url)
        return found

    async def close(self) -> None:
        """Ends all tasks, and closes the store. Calls after it raise `RuntimeError`.

        Calls that still run raise `CheckError`.
        """
        ended = _Answer(_running_loop())

        def close() -> None:
            self._core.close()
            ended.done(None, None)

        # The executor of the loop may be shut down already.
        threading.Thread(target=close, name="closes a client").start()
        await ended.future

    async def __aenter__(self: _AsyncClient) -> _AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @staticmethod
    async def _call(method: Any, argument: Any, *rest: Any) -> Any:
        answer = _Answer(_running_loop())
        task = method(argument, answer.done, *rest)
        try:
            return _logged(await answer.future)
        except BaseException:
            # Cancelled, or closed by the garbage collector.
            task.cancel()
            answer.discard()
            raise


class AsyncTurn(Coroutine[Any, Any, Permit]):
    """A turn to wait for: ``await`` returns the permit; ``async with`` releases it at the end."""

    def __init__(self, coroutine: Coroutine[Any, Any, Permit]) -> None:
        self._coroutine = coroutine

    def send(self, value: Any) -> Any:
        """Continues, as every coroutine."""
        return self._coroutine.send(value)

    def throw(self, *error: Any) -> Any:
        """Raises an exception inside, as in every coroutine."""
        return self._coroutine.throw(*error)

    def close(self) -> None:
        """Gives up the place in the queue."""
        self._coroutine.close()

    def __await__(self) -> Generator[Any, Any, Permit]:
        return self._coroutine.__await__()

    async def __aenter__(self) -> Permit:
        self._permit = await self
        return self._permit

    async def __aexit__(self, *error: object) -> None:
        self._permit.release()


def _running_loop() -> asyncio.AbstractEventLoop:
    try:
        return asyncio.get_running_loop()
    except RuntimeError as error:
        raise RuntimeError(
            "AsyncClient needs the event loop of asyncio. With trio, call a Client in a thread: "
            "trio.to_thread.run_sync(client.get, url)"
        ) from error


class _Answer:
    """The result of a call, on its way from a thread of the client to an event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.future: asyncio.Future[Any] = loop.create_future()

    def done(self, result: Any, error: BaseException | None) -> None:
        """Takes the result, in any thread."""
        try:
            self._loop.call_soon_threadsafe(self._settle, result, error)
        except RuntimeError:
            # The loop is closed.
            _release(result)

    def discard(self) -> None:
        """Gives up the result, if it is there already."""
        future = self.future
        if future.done() and not future.cancelled() and future.exception() is None:
            _release(future.result())

    def _settle(self, result: Any, error: BaseException | None) -> None:
        if self.future.done():
            _release(result)
        elif error is None:
            self.future.set_result(result)
        else:
            self.future.set_exception(error)


def _release(result: Any) -> None:
    """Releases the turn of a permit that nobody will use: a reference to it may live for long."""
    if isinstance(result, Permit):
        result.release()
