"""Compare the speed of verger with Protego and urllib.robotparser, side by side in one run.

    pip install verger protego
    python bench.py FOLDER

FOLDER contains files of robots.txt, for example the ones in Protego's sdist. Every round runs all
libraries one after the other, so that a slow moment of the machine hits all of them; the table
shows medians of the rounds.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
import urllib.robotparser
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import protego
import verger

AGENTS = ("ExampleBot", "Googlebot", "GPTBot", "bingbot")
URLS_PER_FILE = 30
# Number of URLs of an array.
ARRAY = 1000

# The work of each library, with the number of answers or files.
Works = dict[str, tuple[int, Callable[[], object]]]


def urls_for(robots: verger.Robots, rng: random.Random) -> list[str]:
    """Return paths that the rules speak about, and others."""
    paths = ["/", "/index.html", "/a/b/c?d=e"]
    for group in robots.groups:
        paths += [rule.pattern.replace("*", "x").rstrip("$") for rule in group.rules]
    paths = [path for path in paths if path.startswith("/")]
    rng.shuffle(paths)
    return ["https://shop.example" + path for path in paths[:URLS_PER_FILE]]


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def one_after_another(parse: Callable[[Any], object], files: Iterable[object]) -> None:
    """Parse every file, and keep none: memory for all files at once is not of interest."""
    for file in files:
        parse(file)


def parse_with_urllib(text: str) -> None:
    urllib.robotparser.RobotFileParser().parse(text.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=400, help="number of files (default 400)")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds (default 5)")
    arguments = parser.parse_args()

    rng = random.Random(1)
    paths = sorted(path for path in arguments.folder.rglob("*") if path.is_file())
    if not paths:
        print(f"{arguments.folder}: no files", file=sys.stderr)
        return 2
    rng.shuffle(paths)
    files = [path.read_bytes()[: 500 * 1024] for path in paths[: arguments.files]]
    texts = [data.decode("utf-8", "replace") for data in files]

    ours = [verger.parse(data) for data in files]
    theirs = [protego.Protego.parse(text) for text in texts]
    stdlib = [urllib.robotparser.RobotFileParser() for _ in texts]
    for parser_, text in zip(stdlib, texts, strict=True):
        parser_.parse(text.splitlines())
    questions = [urls_for(robots, rng) for robots in ours]
    count = sum(map(len, questions)) * len(AGENTS)
    lines = ["\n".join(urls).encode() for urls in questions]
    # Many URLs of a site in one call. The peers have no such call, so that they need no repetition.
    arrays = [urls * (ARRAY // max(1, len(urls))) for urls in questions]
    blocks = ["\n".join(urls).encode() for urls in arrays]
    in_arrays = sum(map(len, arrays))
    one_by_one = sum(map(len, questions))

    def check(ask: Callable[[int, str, str], object]) -> Callable[[], None]:
        def run() -> None:
            for at, urls in enumerate(questions):
                for agent in AGENTS:
                    for url in urls:
                        ask(at, agent, url)

        return run

    def in_turn(ask: Callable[[int, str, str], object]) -> Callable[[], None]:
        def run() -> None:
            for at, urls in enumerate(questions):
                for url in urls:
                    for agent in AGENTS:
                        ask(at, agent, url)

        return run

    def each(ask: Callable[[int, str], object]) -> Callable[[], None]:
        def run() -> None:
            for at, urls in enumerate(questions):
                for url in urls:
                    ask(at, url)

        return run

    peers: Works = {
        "protego": (one_by_one, each(lambda at, url: theirs[at].can_fetch(url, "GPTBot"))),
        "urllib": (one_by_one, each(lambda at, url: stdlib[at].can_fetch("GPTBot", url))),
    }
    rows: list[tuple[str, Works]] = [
        (
            "parse a file",
            {
                "verger": (len(files), lambda: one_after_another(verger.parse, files)),
                "protego": (len(files), lambda: one_after_another(protego.Protego.parse, texts)),
                "urllib": (len(files), lambda: one_after_another(parse_with_urllib, texts)),
            },
        ),
        (
            "check one URL",
            {
                "verger": (count, check(lambda at, agent, url: ours[at].is_allowed(agent, url))),
                "protego": (count, check(lambda at, agent, url: theirs[at].can_fetch(url, agent))),
                "urllib": (count, check(lambda at, agent, url: stdlib[at].can_fetch(agent, url))),
            },
        ),
        (
            "check, agents in turn",
            {
                "verger": (count, in_turn(lambda at, agent, url: ours[at].is_allowed(agent, url))),
                "protego": (
                    count,
                    in_turn(lambda at, agent, url: theirs[at].can_fetch(url, agent)),
                ),
            },
        ),
        (
            "verdict with rule and line",
            {
                "verger": (count, check(lambda at, agent, url: ours[at].check(agent, url))),
                "protego": (count, check(lambda at, agent, url: theirs[at].can_fetch(url, agent))),
            },
        ),
        (
            "a list of URLs, each",
            {
                "verger": (
                    in_arrays,
                    lambda: [
                        robots.are_allowed("GPTBot", urls)
                        for robots, urls in zip(ours, arrays, strict=True)
                    ],
                ),
                **peers,
            },
        ),
        (
            "lines of URLs, each",
            {
                "verger": (
                    in_arrays,
                    lambda: [
                        robots.are_lines_allowed("GPTBot", block)
                        for robots, block in zip(ours, blocks, strict=True)
                    ],
                ),
                **peers,
            },
        ),
        (
            "parse and check 30 URLs",
            {
                "verger": (
                    len(files),
                    lambda: [
                        verger.compile_policy(data, "GPTBot").are_lines_allowed(urls)
                        for data, urls in zip(files, lines, strict=True)
                    ],
                ),
                "protego": (
                    len(files),
                    lambda: [
                        [parsed.can_fetch(url, "GPTBot") for url in urls]
                        for parsed, urls in zip(
                            map(protego.Protego.parse, texts), questions, strict=True
                        )
                    ],
                ),
            },
        ),
    ]
    print(f"{len(files)} files, {count} questions, Python {sys.version.split()[0]}\n")
    print("| work | verger | Protego | ratio | urllib | ratio |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, works in rows:
        times: dict[str, list[float]] = {library: [] for library in works}
        for _ in range(arguments.rounds):
            for library, (units, work) in works.items():
                times[library].append(timed(work) / units)
        medians = {library: statistics.median(values) for library, values in times.items()}
        cells = [name, _micro(medians["verger"])]
        for library in ("protego", "urllib"):
            if library in medians:
                ratio = statistics.median(
                    theirs_ / ours_
                    for theirs_, ours_ in zip(times[library], times["verger"], strict=True)
                )
                cells += [_micro(medians[library]), f"{ratio:.0f} x"]
            else:
                cells += ["", ""]
        print("| " + " | ".join(cells) + " |")
    return 0


def _micro(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} µs"


if __name__ == "__main__":
    sys.exit(main())
