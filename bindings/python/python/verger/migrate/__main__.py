"""The program ``python -m verger.migrate``."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from .. import Robots
from . import PEERS, Difference, PeerNotInstalled, _questions, differences, version
from ._causes import UNEXPLAINED

_DESCRIPTION = """\
Shows which answers change if you replace Protego or urllib.robotparser by Verger.

Asks the installed library and Verger the same questions, and reports each difference by cause, with
the file, the line, the URL, the agent, both answers, and the clause of docs/clauses.md.
"""

_EPILOG = """\
exit codes:
  0  no difference
  1  differences
  2  error: a file is missing, or Protego is not installed

Files are decoded for Protego as Scrapy does: UTF-8, without a byte order mark and without bytes
that are not UTF-8. If you call Protego.parse with response.text, other answers may change, too.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code."""
    options = _options(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Text that the encoding of the output lacks is escaped.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        versions = _versions(options.peer)
        bodies = list(_files(options.files))
        targets = None if options.urls is None else _questions.lines(_text(options.urls))
    except (PeerNotInstalled, OSError) as error:
        print(f"error: {_message(error)}", file=sys.stderr)
        return 2
    if not bodies:
        print("error: no files found in the given directories", file=sys.stderr)
        return 2
    if targets is not None and not targets:
        print(f"error: {options.urls}: no URLs found", file=sys.stderr)
        return 2
    found: list[tuple[str, Difference]] = []
    asked: dict[str, int] = dict.fromkeys(versions, 0)
    progress = _Progress(len(bodies))
    for name, body in bodies:
        robots = Robots(body)
        agents = options.agent or _questions.agents(robots, options.max_agents)
        urls = targets or _questions.urls(robots, options.max_urls)
        for peer in versions:
            asked[peer] += len(agents) * len(urls)
            found.extend((name, it) for it in differences(body, agents, urls, peer))
        progress.step()
    progress.end()
    try:
        if options.format == "json":
            _print_json(found, asked, versions, len(bodies))
        else:
            _print_text(found, asked, versions, len(bodies), options.examples)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has enough. Python must not write the rest at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1 if found else 0


def _versions(wanted: str) -> dict[str, str]:
    """The versions of the libraries to compare with. With "both", one may be absent."""
    if wanted != "both":
        return {wanted: version(wanted)}
    versions: dict[str, str] = {}
    for peer in PEERS:
        try:
            versions[peer] = version(peer)
        except PeerNotInstalled as error:
            print(f"note: {error} Compares with urllib only.", file=sys.stderr)
    return versions


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m verger.migrate",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="robots.txt, directory of such files, or - for standard input",
    )
    parser.add_argument(
        "--urls",
        metavar="FILE",
        help="URLs to ask for, one a line, without blank lines and comments (#); - for standard "
        "input; default: generated from the rules",
    )
    parser.add_argument(
        "--from",
        dest="peer",
        choices=[*PEERS, "both"],
        default="both",
        help="library that you use today; default: both that are installed",
    )
    parser.add_argument(
        "--agent",
        action="append",
        metavar="NAME",
        help="product token or User-Agent header of your crawler; may be repeated; default: agents "
        "named in the file, one that it does not name, and one header",
    )
    parser.add_argument(
        "--format", choices=["text", "json"], default="text", help="output format; default: text"
    )
    parser.add_argument(
        "--examples",
        type=_count,
        default=3,
        metavar="N",
        help="examples of each cause in text output, 0 for all; default: 3",
    )
    parser.add_argument(
        "--max-urls",
        type=_count,
        default=200,
        metavar="N",
        help="maximum number of generated URLs for a file; default: 200",
    )
    parser.add_argument(
        "--max-agents",
        type=_count,
        default=6,
        metavar="N",
        help="maximum number of agents taken from a file; default: 6",
    )
    options = parser.parse_args(arguments)
    if options.files.count("-") + (options.urls == "-") > 1:
        parser.error("standard input can be read only once")
    return options


def _count(text: str) -> int:
    if text.isascii() and text.isdigit():
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a number from 0, but found {text!r}")


def _files(names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        if name == "-":
            yield "-", sys.stdin.buffer.read()
            continue
        path = Path(name)
        if path.is_dir():
            for inner in sorted(path.rglob("*")):
                if inner.is_file():
                    yield str(inner), inner.read_bytes()
        else:
            yield name, path.read_bytes()


def _text(name: str) -> list[str]:
    body = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    return body.decode("utf-8-sig", "surrogateescape").split("\n")


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


class _Progress:
    """Progress of long work, on standard error if it is a terminal."""

    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0
        self._shown = time.monotonic()
        self._width = 0

    def step(self) -> None:
        self._done += 1
        now = time.monotonic()
        if sys.stderr.isatty() and now - self._shown > 0.5:
            text = f"{self._done} of {self._total} files"
            print(f"\r{text}", end="", file=sys.stderr, flush=True)
            self._shown, self._width = now, len(text)

    def end(self) -> None:
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)


def _word(allowed: bool | None) -> str:
    return "raises an exception" if allowed is None else "allows" if allowed else "disallows"


def _safe(text: str) -> str:
    """Text for a terminal: control characters and lone surrogates are escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def _by_cause(found: Sequence[tuple[str, Difference]]) -> list[list[tuple[str, Difference]]]:
    causes: dict[tuple[str, str], list[tuple[str, Difference]]] = {}
    for item in found:
        causes.setdefault((item[1].peer, item[1].cause), []).append(item)
    return sorted(causes.values(), key=lambda items: (items[0][1].peer, -len(items)))


def _print_text(
    found: Sequence[tuple[str, Difference]],
    asked: dict[str, int],
    versions: dict[str, str],
    files: int,
    examples: int,
) -> None:
    causes = _by_cause(found)
    for peer, count in asked.items():
        mine = [items for items in causes if items[0][1].peer == peer]
        total = sum(map(len, mine))
        share = f" ({100 * total / count:.2f} %)" if count else ""
        place = "1 file" if files == 1 else f"{files} files"
        print(f"{versions[peer]}: {total} of {count} answers differ{share}, in {place}")
        for items in mine:
            _print_cause(items, examples or len(items))
        print()


def _print_cause(items: Sequence[tuple[str, Difference]], examples: int) -> None:
    first = items[0][1]
    clause = f" [{first.clause}]" if first.clause else ""
    print(f"\n  {first.cause}{clause}: {len(items)}")
    for cause in first.causes:
        print(f"    {cause.sentence(first.peer)}")
    for name, it in items[:examples]:
        line = it.line if it.line is not None else it.their_line
        place = name if line is None else f"{name}:{line}"
        theirs, ours = _word(it.theirs), _word(it.ours)
        print(f"    {_safe(place)}: {_safe(it.agent)} {_safe(it.url)}")
        decided = f" (line {it.their_line})" if it.their_line is not None else ""
        print(f"      {it.peer} {theirs}{decided}; Verger {ours}: {_safe(it.explanation)}")
    if len(items) > examples:
        print(f"    and {len(items) - examples} more (--examples 0 shows all)")


def _print_json(
    found: Sequence[tuple[str, Difference]],
    asked: dict[str, int],
    versions: dict[str, str],
    files: int,
) -> None:
    report = {
        "files": files,
        "peers": {
            peer: {
                "version": versions[peer],
                "questions": count,
                "differences": sum(it.peer == peer for _, it in found),
                "unexplained": sum(
                    it.peer == peer and it.causes == (UNEXPLAINED,) for _, it in found
                ),
            }
            for peer, count in asked.items()
        },
        "causes": [
            {
                "peer": items[0][1].peer,
                "cause": items[0][1].cause,
                "clause": items[0][1].clause,
                "count": len(items),
                "text": " ".join(it.sentence(items[0][1].peer) for it in items[0][1].causes),
            }
            for items in _by_cause(found)
        ],
        "differences": [
            {
                "peer": it.peer,
                "cause": it.cause,
                "clause": it.clause,
                "file": name,
                "line": it.line,
                "peer_line": it.their_line,
                "url": it.url,
                "agent": it.agent,
                "peer_allows": it.theirs,
                "verger_allows": it.ours,
                "explanation": it.explanation,
            }
            for name, it in found
        ],
    }
    json.dump(report, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:  # noqa: BLE001
        # Python's own exit code for it is 1, "differences".
        traceback.print_exc()
        sys.exit(2)
