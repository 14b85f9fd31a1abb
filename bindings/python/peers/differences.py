"""Counts the differences between Verger and the installed Protego and urllib.robotparser, by cause.

    python -m peers.differences --write ../../docs/python-differences.md

Asks generated questions about real robots.txt files and writes a table in Markdown. Every
difference must have a cause with a clause: the exit code is 1 if one is unexplained. With the same
files and versions the table is always the same.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import verger
from verger import migrate

ROOT = Path(__file__).resolve().parents[3]


class Example(NamedTuple):
    """A difference to show. The smallest one of a cause is shown."""

    length: int
    file: str
    url: str
    agent: str
    line: int | None
    text: str
    theirs: bool | None
    ours: bool


class Row(NamedTuple):
    """Differences of a cause."""

    alone: int
    """Differences that the cause explains alone."""
    together: int
    """Differences that it explains together with other causes."""
    files: int
    example: Example


class Key(NamedTuple):
    """A cause of a peer."""

    peer: str
    cause: str


class Counts(NamedTuple):
    """Questions and differences of some files."""

    questions: int
    differences: dict[str, int]
    """Differences of each peer."""
    unexplained: int
    rows: dict[Key, Row]


class Job(NamedTuple):
    """A file and the size of its set of questions."""

    path: Path
    max_urls: int
    max_agents: int


def main() -> int:
    """Run the program and return its exit code."""
    options = _options()
    try:
        versions = {peer: migrate.version(peer) for peer in migrate.PEERS}
    except migrate.PeerNotInstalled as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="verger-differences-") as folder:
        files = sorted(_files(options.corpus, Path(folder)))
        if not files:
            print(f"error: {options.corpus}: no files found", file=sys.stderr)
            return 2
        if options.sample and options.sample < len(files):
            files = sorted(random.Random(1).sample(files, options.sample))
        jobs = [Job(path, options.max_urls, options.max_agents) for path in files]
        counts = _counted(jobs, options.processes)
    text = _markdown(len(files), counts, versions)
    if options.write:
        options.write.write_text(text, "utf-8")
    else:
        print(text)
    print(f"{len(files)} files, {counts.questions} questions for each peer", file=sys.stderr)
    if counts.unexplained:
        print(f"error: {counts.unexplained} differences are unexplained", file=sys.stderr)
    return 1 if counts.unexplained else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument(
        "--corpus",
        type=Path,
        default=_default_corpus(),
        help="folder of robots.txt files, or a .tar.gz such as Protego's sdist; "
        "default: %(default)s",
    )
    parser.add_argument("--write", type=Path, help="file for the table; default: standard output")
    parser.add_argument("--sample", type=int, metavar="N", help="number of files; default: all")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="default: 2")
    parser.add_argument(
        "--max-urls", type=int, default=260, metavar="N", help="URLs for a file; default: 260"
    )
    parser.add_argument(
        "--max-agents", type=int, default=9, metavar="N", help="agents for a file; default: 9"
    )
    return parser.parse_args()


def _default_corpus() -> Path:
    places = [ROOT.parent / "shared" / "corpus", ROOT.parent.parent / "shared" / "corpus"]
    return next((place for place in places if place.is_dir()), places[0])


def _files(corpus: Path, folder: Path) -> Iterator[Path]:
    """The files of a folder, and those of the archives in it."""
    if corpus.is_file():
        archives = [corpus]
    else:
        archives = sorted(corpus.rglob("*.tar.gz"))
        yield from (it for it in corpus.rglob("*") if it.is_file() and it not in archives)
    for number, archive in enumerate(archives):
        target = folder / str(number)
        target.mkdir()
        with tarfile.open(archive) as contents:
            for member in contents:
                # Protego's sdist has its files in tests/test_data, an archive of files only there.
                if member.isfile() and "/test_data/" in f"/{member.name}":
                    source = contents.extractfile(member)
                    if source is not None:
                        path = target / Path(member.name).name
                        path.write_bytes(source.read())
                        yield path


def _counted(jobs: list[Job], processes: int) -> Counts:
    """The counts of all files."""
    total = Counts(0, dict.fromkeys(migrate.PEERS, 0), 0, {})
    shown = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes) as pool:
        for done, some in enumerate(pool.imap_unordered(_differences, jobs, chunksize=8), 1):
            for peer, count in some.differences.items():
                total.differences[peer] += count
            for key, row in some.rows.items():
                _merge(total.rows, key, row)
            total = total._replace(
                questions=total.questions + some.questions,
                unexplained=total.unexplained + some.unexplained,
            )
            if time.monotonic() - shown > 10:
                text = f"{done} of {len(jobs)} files, {total.questions} questions"
                print(text, file=sys.stderr, flush=True)
                shown = time.monotonic()
    return total


def _merge(rows: dict[Key, Row], key: Key, row: Row) -> None:
    old = rows.get(key)
    if old is not None:
        example = min(old.example, row.example, key=lambda it: it[:4])
        row = Row(
            old.alone + row.alone, old.together + row.together, old.files + row.files, example
        )
    rows[key] = row


def _differences(job: Job) -> Counts:
    """The counts of a file."""
    body = job.path.read_bytes()
    robots = verger.Robots(body)
    agents = migrate.agents(robots, job.max_agents)
    urls = migrate.urls(robots, job.max_urls)
    counts = dict.fromkeys(migrate.PEERS, 0)
    unexplained = 0
    rows: dict[Key, Row] = {}
    for peer in migrate.PEERS:
        for it in migrate.differences(body, agents, urls, peer):
            counts[peer] += 1
            unexplained += not it.explained
            alone = len(it.causes) == 1
            line = it.line if it.line is not None else it.their_line
            name = job.path.name
            # Short examples are the best, and differences with one cause and a line.
            rank = len(it.url) + len(name) + len(it.agent)
            rank += 1_000 * (line is None) + 10_000 * (not alone)
            example = Example(rank, name, it.url, it.agent, line, "", it.theirs, it.ours)
            for cause in it.causes:
                _merge(rows, Key(peer, cause.name), Row(alone, not alone, 0, example))
    for key, row in rows.items():
        line = row.example.line
        text = "" if line is None else _line(robots, line)
        rows[key] = row._replace(files=1, example=row.example._replace(text=text))
    return Counts(len(agents) * len(urls), counts, unexplained, rows)


def _line(robots: verger.Robots, number: int) -> str:
    """The text of a line. Readers with other line ends have other lines."""
    lines = robots.text.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    every = lines.split("\n")
    return every[number - 1].strip() if number <= len(every) else ""


def _markdown(files: int, counts: Counts, versions: dict[str, str]) -> str:
    causes = {cause.name: cause for cause in (*migrate.CAUSES, migrate.RAISES, migrate.UNEXPLAINED)}
    questions = counts.questions
    out = [
        "# Differences from Protego and urllib.robotparser",
        "",
        "<!-- Generated by `python -m peers.differences` in bindings/python. Do not edit. -->",
        "",
        f"Each library answered the same {questions:,} generated questions about {files:,}",
        'real files. "Alone" counts the differences that the cause explains alone, with its share',
        'of all questions. "Together" counts those that need other causes too.',
        "",
        "CPython follows RFC 9309 since 3.13.14 and 3.14.5. The answers of its newer versions",
        "differ less: [Python](python.md#which-answers-change) has their share.",
    ]
    for peer in migrate.PEERS:
        total = counts.differences[peer]
        mine = sorted(
            ((causes[key.cause], row) for key, row in counts.rows.items() if key.peer == peer),
            key=lambda it: (-it[1].alone, -it[1].together, it[0].name),
        )
        unexplained = sum(row.alone for cause, row in mine if cause == migrate.UNEXPLAINED)
        out += [
            "",
            f"## {versions[peer]}",
            "",
            f"{total:,} answers differ ({_share(total, questions)}). {unexplained:,} of them are "
            "unexplained.",
            "",
            "| cause | clause | alone | share | together | files | example | line | answers |",
            "|---|---|--:|--:|--:|--:|---|---|---|",
        ]
        out += [_row(cause, row, questions) for cause, row in mine]
        out.append("")
        out += [f"- `{cause.name}`: {cause.sentence(peer)}" for cause, _ in mine]
    return "\n".join(out) + "\n"


def _row(cause: migrate.Cause, row: Row, questions: int) -> str:
    it = row.example
    clause = f"[{cause.clause}](clauses.md#{cause.clause.lower()})" if cause.clause else ""
    line = "" if it.line is None else f"{it.line}: {_code(it.text)}"
    theirs = "raises" if it.theirs is None else "allows" if it.theirs else "disallows"
    ours = "allows" if it.ours else "disallows"
    path = it.url.removeprefix("https://shop.example") or "(no path)"
    return (
        f"| {cause.name} | {clause} | {row.alone:,} | {_share(row.alone, questions)} "
        f"| {row.together:,} | {row.files:,} | {it.file}, {_code(it.agent)}, {_code(path)} "
        f"| {line} | {theirs}; Verger {ours} |"
    )


def _share(count: int, questions: int) -> str:
    share = 100 * count / questions if questions else 0.0
    return f"{share:.2f} %" if share >= 0.01 or not count else "< 0.01 %"


def _code(text: str) -> str:
    """Text as code in a cell of a table."""
    if len(text) > 60:
        text = f"{text[:59]}…"
    safe = "".join(it if it.isprintable() else it.encode("unicode_escape").decode() for it in text)
    return f"`` {safe} ``".replace("|", "\\|") if "`" in safe else f"`{safe}`".replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
