"""Questions for a robots.txt, generated from its rules."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator

from .. import Robots
from .._verger import octets

UNNAMED = "ExampleBot"
"""An agent that files do not name, so that the group for ``*`` applies."""

HEADERS = (
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 "
    "Safari/537.36",
    "Scrapy/2.19.0 (+https://scrapy.org)",
)
"""User-Agent headers."""

MAX_PATH = 2_000
"""Characters of a generated path. Few servers accept more, and the model takes milliseconds for
each reading of such a path."""

_ALWAYS = ("/", "", "/robots.txt", "/robots.txt?x=1", "/index.html", "/?q=1", "?q=1", "/a", "/#top")


def agents(robots: Robots, limit: int) -> list[str]:
    """Agents to ask for: names in the file, an unnamed one, and a header."""
    found: dict[str, None] = {UNNAMED: None}
    for group in robots.groups:
        for value in group.agents:
            word = re.match(r"[^\s/,;(*]*", value)
            if word and word[0] and word[0].isascii() and word[0].isprintable():
                found.setdefault(word[0])
    names = list(found)
    if len(names) > limit:
        chooser = random.Random(len(robots.text))
        names = [names[0], *chooser.sample(names[1:], max(0, limit - 1))]
    header = HEADERS[len(robots.text) % len(HEADERS)]
    return [*names, header]


def urls(robots: Robots, limit: int, site: str = "https://shop.example") -> list[str]:
    """URLs near the rules of a file."""
    found = dict.fromkeys(site + path for path in _ALWAYS)
    patterns = dict.fromkeys(rule.pattern for group in robots.groups for rule in group.rules)
    for pattern in patterns:
        near = (path for path in paths(pattern) if len(path) <= MAX_PATH)
        found.update(dict.fromkeys(site + path for path in near))
    every = list(found)
    if len(every) > limit:
        chooser = random.Random(len(robots.text))
        fixed = min(limit, len(_ALWAYS))
        every = every[:fixed] + chooser.sample(every[fixed:], limit - fixed)
    return every


def paths(pattern: str) -> Iterator[str]:
    """Paths near a pattern."""
    if not pattern:
        return
    anchored = pattern.endswith("$")
    base = pattern[:-1] if anchored else pattern
    if not base.startswith(("/", "*")):
        base = f"/{base}"
    for filler in ("", "x", "a/b.html?c=d") if "*" in base else ("",):
        if len(base) + base.count("*") * len(filler) > 2 * MAX_PATH:
            continue
        path = base.replace("*", filler)
        if not path.startswith("/"):
            path = f"/{path}"
        yield from _neighbours(path)
    if "*" in base or anchored:
        yield pattern if pattern.startswith("/") else f"/{pattern}"


def _neighbours(path: str) -> Iterator[str]:
    yield path
    yield path + "x"
    yield path + "/"
    yield path + "/page.html"
    yield path[:-1] or "/"
    yield path + ("&p=1" if "?" in path else "?p=1")
    yield path + "#part"
    if "?" in path:
        yield path.partition("?")[0]
        yield path.partition("?")[0] + "?"
    else:
        yield path + "?"
    if path.endswith("/"):
        yield path + "index.html"
    yield from _escaped(path)
    if not path.islower():
        yield path.lower()


def _escaped(path: str) -> Iterator[str]:
    """The path in other percent-encoded forms."""
    at = max((i for i, char in enumerate(path) if char.isalnum() and char.isascii()), default=-1)
    if at != -1:
        yield f"{path[:at]}%{ord(path[at]):02X}{path[at + 1 :]}"
    if not path.isascii():
        yield "".join(
            char if char.isascii() else "".join(f"%{octet:02X}" for octet in octets(char))
            for char in path
        )
    reserved = re.search(r"[:?#\[\]@!$&'()+,;=]", path)
    if reserved:
        yield re.sub(r"[:?#\[\]@!$&'()+,;=]", lambda it: f"%{ord(it[0]):02X}", path)
        yield re.sub(r"[=&:]", lambda it: f"%{ord(it[0]):02x}", path)
    if path.count("/") > 1:
        last = path.rstrip("/").rfind("/")
        if last > 0:
            yield f"{path[:last]}%2F{path[last + 1 :]}"
    if "%" in path:
        yield re.sub(r"%[0-9A-Fa-f]{2}", lambda it: it[0].lower(), path)
        yield re.sub(r"%[2-7][0-9A-Fa-f]", lambda it: chr(int(it[0][1:], 16)), path)


def lines(text: Iterable[str]) -> list[str]:
    """The URLs of a list: one a line, without blank lines and comments."""
    stripped = (line.strip() for line in text)
    return [line for line in stripped if line and not line.startswith("#")]
