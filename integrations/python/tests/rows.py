"""Rows of questions with the answers of the library: real files, hostile ones, and the suite's."""

from __future__ import annotations

import ast
import base64
import gzip
import json
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow

ROOT = Path(__file__).resolve().parents[3]
SHARED = next((place / "shared" for place in ROOT.parents if (place / "shared").is_dir()), None)
CORPUS, GOLDEN, HOSTILE = (
    SHARED / name if SHARED and (SHARED / name).exists() else None
    for name in (
        "corpus/robots-4231.tar.gz",
        "golden/google-verdicts.jsonl.gz",
        "hostile.jsonl",
    )
)


@dataclass
class Rows:
    """Columns of questions, and the expected answers."""

    origins: list[str] = field(default_factory=list)
    robots: list[bytes] = field(default_factory=list)
    agents: list[bytes] = field(default_factory=list)
    urls: list[bytes] = field(default_factory=list)
    allowed: list[bool] = field(default_factory=list)

    def add(self, origin: str, robots: bytes, agent: bytes, url: bytes, allowed: bool) -> None:
        self.origins.append(origin)
        self.robots.append(robots)
        self.agents.append(agent)
        self.urls.append(url)
        self.allowed.append(allowed)

    def table(self, text: pyarrow.DataType | None = None) -> pyarrow.Table:
        """The rows with numbers; agents and URLs are strings, or in another type."""
        text = text or pyarrow.string()
        binary = pyarrow.binary()
        return pyarrow.table(
            {
                "row": pyarrow.array(range(len(self.urls)), pyarrow.int64()),
                "origin": pyarrow.array(self.origins).dictionary_encode(),
                # Each file once: all rows have 1.6 GB.
                "robots": dictionary(self.robots),
                "agent": pyarrow.array(self.agents, binary).cast(text),
                "url": pyarrow.array(self.urls, binary).cast(text),
            }
        )


def dictionary(values: list[bytes]) -> pyarrow.DictionaryArray:
    """A dictionary of binary values."""
    numbers: dict[bytes, int] = {}
    indices = [numbers.setdefault(value, len(numbers)) for value in values]
    distinct = pyarrow.array(list(numbers), pyarrow.binary())
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(indices, pyarrow.int32()), distinct)


def corpus() -> dict[str, bytes]:
    """The real files by site."""
    files = {}
    with tarfile.open(CORPUS) as archive:
        for member in archive:
            opened = archive.extractfile(member) if member.isfile() else None
            if opened is not None:
                files[Path(member.name).name] = opened.read()
    return files


def golden() -> Rows:
    """The questions to Google's library, and its answers."""
    files, rows = corpus(), Rows()
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as lines:
        for line in lines:
            about = json.loads(line)
            robots = files[about["file"]]
            for agent, bits in about["verdicts"].items():
                for url, bit in zip(about["urls"], bits, strict=True):
                    rows.add(about["file"], robots, agent.encode(), url.encode(), bit == "1")
    return rows


FILE = b"User-agent: *\nDisallow: /a\nAllow: /a/b\n\nUser-agent: foo\nDisallow: /\n"
URLS = [b"https://shop.example/a?b#c", b"/a/b", b"not a URL"]
AGENTS = [b"ExampleBot", b"foo/1.0"]


def hostile() -> Rows:
    """Hostile files, agents and URLs, each with ordinary others; the suite's questions."""
    import verger

    asked: list[tuple[bytes, bytes, bytes]] = []
    for case in json.loads((ROOT / "testdata/verger-testdata.json").read_text("utf-8"))["verdicts"]:
        asked.append((decoded(case, "robots"), case["agent"].encode(), decoded(case, "url")))
    layers = {
        "robots": "robots",
        "sitemap": "robots",
        "output": "robots",
        "agent": "agent",
        "url": "url",
    }
    for layer, value in entries() if HOSTILE else ():
        kind = layers.get(layer)
        if kind == "robots":
            asked += [(value, agent, url) for agent in AGENTS for url in URLS]
        elif kind == "agent":
            asked += [(FILE, value, url) for url in URLS]
        elif kind == "url":
            asked += [(FILE, agent, value) for agent in AGENTS]
    rows = Rows()
    for at, (robots, agent, url) in enumerate(asked):
        # Columns hold literal tokens.
        allowed = verger.parse(robots)._literal().check(agent, url).allowed
        rows.add(str(at), robots, agent, url, allowed)
    return rows


def in_utf8(rows: Rows) -> Rows:
    """The rows whose agents and URLs can be strings."""
    found = Rows()
    columns = (rows.origins, rows.robots, rows.agents, rows.urls, rows.allowed)
    for row in zip(*columns, strict=True):
        try:
            row[2].decode(), row[3].decode()
        except UnicodeDecodeError:
            continue
        found.add(*row)
    return found


def decoded(case: dict[str, Any], key: str) -> bytes:
    data: bytes = case[key].encode() if key in case else base64.b64decode(case[f"{key}_b64"])
    if "repeat" in case:
        repeat = case["repeat"]
        data = data.replace(repeat["mark"].encode(), repeat["text"].encode() * repeat["count"])
    return data


def entries() -> Iterator[tuple[str, bytes]]:
    """The layer and the bytes of each hostile input that has an expression."""
    names: dict[str, Any] = {
        name: getattr(__import__("builtins"), name)
        for name in ("bytes", "range", "len", "bytearray", "chr", "str", "list", "sorted")
    }
    names["__import__"] = lambda name, *_: {"gzip": gzip, "zlib": zlib}[name]
    for line in HOSTILE.read_text("utf-8").splitlines():
        entry = json.loads(line)
        if "py" in entry and entry["layer"] in ("robots", "sitemap", "output", "agent", "url"):
            tree = ast.parse(entry["py"], mode="eval")
            value = eval(compile(tree, "<hostile.jsonl>", "eval"), {"__builtins__": names})
            yield entry["layer"], value
