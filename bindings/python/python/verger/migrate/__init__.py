"""Which answers change for users of Protego or `urllib.robotparser`.

``python -m verger.migrate --help`` describes the program. From Python, use `differences`:

>>> body = b"User-agent: *\\nDisallow: /*.gif$\\n"
>>> found = differences(body, ["ExampleBot"], ["https://shop.example/a.gif"], "urllib")
>>> [(it.theirs, it.ours, it.line) for it in found]
[(True, False, 2)]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .. import Robots
from ._causes import CAUSES, RAISES, TABLES, UNEXPLAINED, Cause, File
from ._peers import PeerNotInstalled, opened, reading, version
from ._questions import agents, urls

__all__ = [
    "CAUSES",
    "PEERS",
    "RAISES",
    "UNEXPLAINED",
    "Cause",
    "Difference",
    "PeerNotInstalled",
    "agents",
    "differences",
    "urls",
    "version",
]

PEERS = ("protego", "urllib")
"""The names of the peers."""


class Difference(NamedTuple):
    """A question that Verger and the peer answer differently."""

    peer: str
    """One of `PEERS`."""
    agent: str
    """The agent of the question."""
    url: str
    """The URL of the question."""
    theirs: bool | None
    """Whether the peer allows the URL; ``None`` if it raised an exception."""
    ours: bool
    """Whether Verger allows the URL."""
    line: int | None
    """The line that decides for Verger, from 1; ``None`` if no rule decides."""
    their_line: int | None
    """The line that decides for the peer, from 1; ``None`` if no rule decides."""
    explanation: str
    """The explanation of Verger's verdict."""
    causes: tuple[Cause, ...]
    """One cause; several if they explain the difference only together."""

    @property
    def cause(self) -> str:
        """The names of the causes, joined by `` + ``."""
        return " + ".join(cause.name for cause in self.causes)

    @property
    def clause(self) -> str:
        """The clauses of the causes."""
        return ", ".join(dict.fromkeys(cause.clause for cause in self.causes if cause.clause))

    @property
    def explained(self) -> bool:
        """Whether the table of causes explains the difference."""
        return self.causes != (UNEXPLAINED,)


def differences(
    body: bytes, names: Iterable[str], targets: Iterable[str], peer: str
) -> Iterator[Difference]:
    """Asks Verger and a peer, and yields each difference with its cause.

    Args:
        body: the robots.txt.
        names: agents.
        targets: URLs.
        peer: ``"protego"`` or ``"urllib"``.

    Raises:
        PeerNotInstalled: the peer is not installed.
        ValueError: the peer is unknown.
    """
    if peer not in PEERS:
        raise ValueError(f"peer: expected one of {', '.join(PEERS)}, but found {peer}")
    table = TABLES[reading(peer)]
    # As the interfaces of the peers, which read names literally.
    robots, file = Robots(body)._literal(), File(body)
    targets = list(targets)
    ask = None
    try:
        ask = opened(peer, body)
    except PeerNotInstalled:
        raise
    except Exception:  # noqa: BLE001  The peer may raise anything.
        pass
    for agent in names:
        for url, ours in zip(targets, robots.are_allowed(agent, targets), strict=True):
            theirs: bool | None
            try:
                theirs = None if ask is None else ask(agent, url)
            except Exception:  # noqa: BLE001
                theirs = None
            if theirs == ours:
                continue
            verdict = robots.check(agent, url)
            line: int | None = None
            causes: tuple[Cause, ...] = (UNEXPLAINED,)
            if theirs is None:
                causes = (RAISES,)
            else:
                analysis = file.analyse(table, agent, url, ours, theirs)
                if analysis is not None:
                    line, causes = analysis.line, analysis.causes
            yield Difference(
                peer, agent, url, theirs, ours, verdict.line, line, str(verdict), causes
            )
