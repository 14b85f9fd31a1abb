"""The robots client: fetches, caches and obeys robots.txt."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._errors import VergerError
from ._types import ClientOptions
from ._verger import ClientCore, Decision, Page, Permit

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from ._types import Agent, Text

_OPTIONS = """
    Args:
        agent: the crawler, by which groups of a robots.txt name it: a product token, a User-Agent
            header, or a `Crawler`.
        user_agent: the User-Agent header of requests. It should say where to learn more:
            ``"ExampleBot/1.0 (+https://bot.example/)"``. Default: the agent.
        from_address: an e-mail address for the ``From`` header. Default: none.
        store: path of an SQLite file that keeps records between runs; processes may share it.
            Default: memory.
        max_store_bytes: maximum size of the store in bytes.
        dialect: one of `DIALECTS`. Default: ``"rfc9309"``.
        access_profile: meaning of statuses and outages, one of `ACCESS_PROFILES`. Default: ``"rfc9309"``.
        timeout: seconds for the whole fetch of a robots.txt or a page.
        max_age: seconds after which a stored robots.txt is fetched again, if it is fresh longer.
        offline: answer from the store only, send no request. Default: false.
        answers_while_refreshing: answer from a robots.txt less than 24 hours old while it is
            fetched again. Default: true.
        pause: seconds between requests to one site without a crawl delay.
        max_pause: maximum of the pause that a crawl delay can cause, in seconds.
        max_wait: maximum wait for a turn, in seconds.
        max_requests_per_site: maximum number of concurrent requests to one site. Default: 1.
        visit_times: wait for the times of ``Visit-time``. Default: true.
        max_connections_per_address: maximum number of concurrent connections to one IP address.
        proxy: URL of a proxy for all requests.
        ca_files: paths of PEM files with root certificates to trust besides Mozilla's.
        allow_nets: networks that may be connected to although they are not public:
            ``["127.0.0.0/8"]``. By default the client refuses them (SSRF).
        http2_for_robots: offer HTTP/2 for robots.txt, too. Default: false.

    Raises:
        ValueError: an option is invalid.
        OSError: the store cannot be opened, or a certificate file cannot be read.
"""


def _core(agent: Agent, user_agent: str | None, options: dict[str, Any]) -> ClientCore:
    unknown = options.keys() - _NAMES
    if unknown:
        names = ", ".join(sorted(_NAMES))
        raise TypeError(f"unknown option {min(unknown)!r}; the options are {names}")
    if user_agent is None:
        if not isinstance(agent, str):
            raise TypeError("user_agent: required, because the agent is not a str")
        user_agent = agent
    return ClientCore(agent, user_agent, options)


_NAMES = frozenset(ClientOptions.__annotations__)


class Client:
    __doc__ = f"""A robots client whose calls block.

    It fetches each robots.txt once, keeps it as long as it is fresh, survives outages, and gives
    turns for polite requests. It can be used from several threads at once. Ctrl-C interrupts a
    call. After a fork, make another client in the child; the old one raises `RuntimeError` there.
    {_OPTIONS}
    >>> with Client("ExampleBot", offline=True) as client:
    ...     print(client.check("https://shop.example/cart").reason)
    unreachable
    """

    def __init__(
        self, agent: Agent, user_agent: str | None = None, **options: Unpack[ClientOptions]
    ) -> None:
        self._core = _core(agent, user_agent, dict(options))

    def check(
        self, url: Text, agent: Agent | None = None, dialect: str | None = None
    ) -> Decision:
        """Return whether the URL may be fetched, with the evidence.

        Args:
            url: an absolute URL.
            agent: another crawler. Default: that of the client.
            dialect: another dialect. Default: that of the client. A file is parsed at each call
                in another dialect.

        Raises:
            InvalidUrl: the text is not a URL.
            CheckError: a limit of the client was reached; ask again later.
        """
        return self._core.check(url, None, agent, dialect)

    def check_all(self, urls: Iterable[Text]) -> list[Decision | VergerError]:
        """Return a decision for each URL, or the exception in its place.

        The robots.txt files of several sites are fetched concurrently.

        Args:
            urls: absolute URLs.

        Returns:
            A list as long as `urls`. Look for exceptions with ``isinstance``: as a condition, an
            exception is true.
        """
        return self._core.check_all(urls)

    def turn(self, url: Text) -> Permit:
        """Wait until a URL may be requested, and return the permission to request it once.

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
        return self._core.turn(url)

    def get(self, url: Text) -> Page:
        """Fetch a page politely: check robots.txt, wait for the turn, follow redirects.

        The wait may be a day unless `max_wait` limits it, as for `turn`.

        A failed fetch of an allowed page is not an exception: `Page.ok` is false then, and
        `Page.outcome` has the failure.

        Raises:
            VergerError: the same exceptions as `turn`.
        """
        return self._core.get(url)

    def refresh(self, url: Text) -> Decision:
        """Fetch the robots.txt of a site again, even if it is fresh.

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
        return self._core.refresh(url)

    def sitemaps(self, url: Text) -> list[str]:
        """Return the URLs of the sitemaps that the robots.txt of a site names.

        An empty list means that there is no robots.txt, or that it names none.

        Args:
            url: any URL of the site.

        Raises:
            InvalidUrl: the text is not a URL, or one without a robots.txt such as ``data:``.
            Unreachable: robots.txt cannot be fetched, so its sitemaps are unknown.
            CheckError: a limit of the client was reached; ask again later.
        """
        return self._core.sitemaps(url)

    def close(self) -> None:
        """End all tasks, and close the store. Calls after it raise `RuntimeError`."""
        self._core.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncClient:
    __doc__ = f"""A robots client for asyncio. See `Client`.

    A cancelled call gives up its place; a fetch that other calls wait for goes on.
    {_OPTIONS}
    >>> async def main():
    ...     async with AsyncClient("ExampleBot", offline=True) as client:
    ...         return (await client.check("https://shop.example/")).reason
    >>> asyncio.run(main())
    'unreachable'
    """

    def __init__(
        self, agent: Agent, user_agent: str | None = None, **options: Unpack[ClientOptions]
    ) -> None:
        self._core = _core(agent, user_agent, dict(options))

    async def check(
        self, url: Text, agent: Agent | None = None, dialect: str | None = None
    ) -> Decision:
        """Return whether the URL may be fetched. See `Client.check`."""
        found: Decision = await self._call(self._core.check, url, agent, dialect)
        return found

    async def check_all(self, urls: Iterable[Text]) -> list[Decision | VergerError]:
        """Return a decision for each URL, or the exception in its place."""
        found: list[Decision | VergerError] = await self._call(self._core.check_all, urls)
        return found

    async def turn(self, url: Text) -> Permit:
        """Wait until a URL may be requested. See `Client.turn`."""
        found: Permit = await self._call(self._core.turn, url)
        return found

    async def get(self, url: Text) -> Page:
        """Fetch a page politely. See `Client.get`."""
        found: Page = await self._call(self._core.get, url)
        return found

    async def refresh(self, url: Text) -> Decision:
        """Fetch the robots.txt of a site again, even if it is fresh. See `Client.refresh`."""
        found: Decision = await self._call(self._core.refresh, url)
        return found

    async def sitemaps(self, url: Text) -> list[str]:
        """Return the URLs of the sitemaps of a site. See `Client.sitemaps`."""
        found: list[str] = await self._call(self._core.sitemaps, url)
        return found

    async def close(self) -> None:
        """End all tasks, and close the store. Calls after it raise `RuntimeError`."""
        await asyncio.get_running_loop().run_in_executor(None, self._core.close)

    async def __aenter__(self) -> Self:
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
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def settle(result: Any, error: BaseException | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        def done(result: Any, error: BaseException | None) -> None:
            # Called by the thread of the client. The loop may be closed already.
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, result, error)

        task = method(argument, done, *rest)
        try:
            return await future
        except asyncio.CancelledError:
            task.cancel()
            raise
