"""The conformance suite (`testdata/`) and hostile inputs, through every interface of the engine."""

from __future__ import annotations

import ast
import base64
import gzip
import json
import os
import zlib
from pathlib import Path
from typing import Any

import pytest
import verger
import verger.robotparser
from verger import types
from verger.protego import Protego
from verger.robotparser import RobotFileParser

ROOT = Path(__file__).resolve().parents[3]
SUITE: dict[str, Any] = json.loads((ROOT / "testdata/verger-testdata.json").read_text("utf-8"))
HOSTILE = [
    place / "shared/hostile.jsonl"
    for place in (ROOT.parent, ROOT.parent.parent)
    if (place / "shared/hostile.jsonl").is_file()
]


def decoded(case: dict[str, Any], key: str) -> bytes:
    data: bytes = case[key].encode() if key in case else base64.b64decode(case[f"{key}_b64"])
    if "repeat" in case:
        repeat = case["repeat"]
        data = data.replace(repeat["mark"].encode(), repeat["text"].encode() * repeat["count"])
    return data


def literal(agent: str, dialect: str) -> types.Agent:
    """An agent of the suite, which knows no fallbacks of known crawlers."""
    try:
        crawler = verger.Crawler._literal(agent)
    except ValueError:
        return agent
    is_whole = dialect == "google" and crawler.tokens != [agent]
    return agent if is_whole or crawler == verger.Crawler(agent) else crawler


def text(data: bytes) -> str:
    """The text of the bytes; those that are not UTF-8 are escaped."""
    return data.decode("utf-8", "surrogateescape")


def answers(dialect: str) -> list[Any]:
    cases = [case for case in SUITE["verdicts"] if dialect in case["expect"]]
    return [pytest.param(case, case["expect"][dialect], id=case["name"]) for case in cases]


def test_the_suite_has_cases_for_every_dialect() -> None:
    assert SUITE["format"] == 1
    for dialect in verger.DIALECTS:
        assert answers(dialect)


@pytest.mark.parametrize("dialect", verger.DIALECTS)
def test_every_interface_gives_the_expected_verdicts(dialect: types.Dialect) -> None:
    """Each answer through each method that takes the dialect."""
    for parameter in answers(dialect):
        case, expected = parameter.values
        name, agent = case["name"], literal(case["agent"], dialect)
        body, url = decoded(case, "robots"), decoded(case, "url")
        robots = verger.parse(body, dialect)
        verdict = robots.check(agent, url)
        allowed = expected["allowed"]
        found = (verdict.allowed, bool(verdict), verdict.line)
        assert found == (allowed, allowed, expected.get("line")), name
        if "reason" in expected:
            assert verdict.reason == expected["reason"], name
        explanation = robots.explain(agent, url)
        assert explanation.verdict == verdict, name
        assert robots.is_allowed(agent, url) == allowed, name
        assert verger.is_allowed(body, agent, url, dialect) == allowed, name
        assert robots.are_allowed(agent, [url]) == [allowed], name
        # The rules are compiled for a list of this length.
        assert robots.are_allowed(agent, [url] * 16) == [allowed] * 16, name
        for policy in (verger.compile_policy(body, agent, dialect), robots.policy(agent)):
            answer = policy.check(url)
            line = answer.rule.line if answer.rule else None
            assert (answer.allowed, line) == (allowed, expected.get("line")), name
            for again in (policy, verger.Policy(bytes(policy)), policy.without_explanation()):
                assert again.is_allowed(url) == allowed, name
                assert again.are_allowed([url, url]) == [allowed] * 2, name
        if not set(url) & set(b"\r\n"):
            lines = (url + b"\n") * 2
            assert robots.are_lines_allowed(agent, lines) == bytes([allowed] * 2), name
            assert policy.are_lines_allowed(lines) == bytes([allowed] * 2), name
        for same in (text(url), bytearray(url), memoryview(url)):
            assert robots.check(agent, same) == verdict, name
        assert verger.parse(text(body), dialect) == robots, name


@pytest.mark.parametrize(("case", "expected"), answers("rfc9309"))
def test_the_interface_of_protego_gives_the_expected_answers(
    case: dict[str, Any], expected: dict[str, Any]
) -> None:
    # Bytes outside UTF-8 come as lone surrogates, from `decode(errors="surrogateescape")`.
    content = decoded(case, "robots").decode("utf-8", "surrogateescape")
    url = text(decoded(case, "url"))
    assert Protego.parse(content).can_fetch(url, case["agent"]) == expected["allowed"]


@pytest.mark.parametrize(("case", "expected"), answers("rfc9309"))
def test_the_interface_of_urllib_gives_the_expected_answers(
    case: dict[str, Any], expected: dict[str, Any]
) -> None:
    content = decoded(case, "robots").decode("utf-8", "surrogateescape")
    url = text(decoded(case, "url"))
    parser = RobotFileParser()
    parser.parse(content.split("\n"))
    assert parser.can_fetch(case["agent"], url) == expected["allowed"]
    parser.parse(decoded(case, "robots"))
    assert parser.can_fetch(case["agent"], url) == expected["allowed"]


@pytest.mark.parametrize("case", SUITE["crawl_delays"], ids=lambda case: case["name"])
def test_crawl_delays_are_the_same_in_every_interface(case: dict[str, Any]) -> None:
    body, agent, seconds = decoded(case, "robots"), case["agent"], case["seconds"]
    assert verger.parse(body).crawl_delay(agent) == seconds
    content = body.decode("utf-8", "surrogateescape")
    assert Protego.parse(content).crawl_delay(agent) == seconds
    parser = RobotFileParser()
    parser.parse(content.split("\n"))
    assert parser.crawl_delay(agent) == seconds


@pytest.mark.parametrize("case", SUITE["sitemaps"], ids=lambda case: case["name"])
def test_sitemaps_are_the_same_in_every_interface(case: dict[str, Any]) -> None:
    body, urls = decoded(case, "robots"), case["urls"]
    assert verger.parse(body).sitemaps == urls
    content = body.decode("utf-8", "surrogateescape")
    assert list(Protego.parse(content).sitemaps) == urls
    parser = RobotFileParser()
    parser.parse(content.split("\n"))
    assert (parser.site_maps() or []) == urls


# Hostile inputs


def hostile(*layers: str) -> list[Any]:
    """The inputs of some layers as bytes, computed from their source text."""
    if not HOSTILE:
        reason = "hostile.jsonl is not in ../shared"
        return [pytest.param(b"", id="absent", marks=pytest.mark.skip(reason))]
    found = []
    for line in HOSTILE[0].read_text("utf-8").splitlines():
        entry = json.loads(line)
        if entry["layer"] in layers and "py" in entry:
            found.append(pytest.param(entry["py"], id=entry["id"]))
    return found


def octets(source: str) -> bytes:
    """The value of an expression of bytes literals, `+`, `*`, `join`, `bytes`, and the like."""
    names: dict[str, Any] = {
        name: getattr(__import__("builtins"), name)
        for name in ("bytes", "range", "len", "bytearray", "chr", "str", "list", "sorted")
    }
    names["__import__"] = lambda name, *_: {"gzip": gzip, "zlib": zlib}[name]
    tree = ast.parse(source, mode="eval")
    value = eval(compile(tree, "<hostile.jsonl>", "eval"), {"__builtins__": names})
    assert isinstance(value, bytes)
    return value


LARGE = 200_000
"""Bytes of an input from which methods that make an object for each line are not called."""

IS_THOROUGH = "VERGER_CASES" in os.environ
"""Whether large inputs are used: an engine without optimisation takes half a minute for them."""


def affordable(source: str) -> bytes:
    value = octets(source)
    if len(value) > LARGE and not IS_THOROUGH:
        pytest.skip("a large input, for the thorough suite")
    return value


def everything(robots: verger.Robots, agent: str | bytes, url: str | bytes) -> None:
    """Calls every method. None may raise, and the answers must be equal."""
    verdict = robots.check(agent, url)
    assert robots.is_allowed(agent, url) == verdict.allowed
    assert robots.are_allowed(agent, [url] * 20) == [verdict.allowed] * 20
    policy = robots.policy(agent)
    assert policy.is_allowed(url) == verdict.allowed
    str(verdict), repr(verdict)
    robots.crawl_delay(agent), robots.request_rates(agent), robots.visit_times(agent)
    robots.licenses(agent), robots.content_signals(agent, url), robots.content_usage(agent, url)
    if len(robots.text) < LARGE:
        explanation = robots.explain(agent, url)
        assert explanation.verdict == verdict
        str(explanation), repr(explanation)
        robots.groups_for(agent), robots.records_for(agent)


@pytest.mark.parametrize("source", hostile("robots", "sitemap", "output"))
def test_hostile_files_get_the_same_answers_everywhere(source: str) -> None:
    body = affordable(source)
    robots = verger.parse(body)
    everything(robots, "ExampleBot", "https://shop.example/a?b#c")
    repr(robots.sitemaps), repr(robots.host)
    if len(robots.text) < LARGE:
        repr(robots.groups), repr(robots.records), repr(robots.diagnostics)
    assert verger.parse(robots.text).text == robots.text
    content = body.decode("utf-8", "surrogateescape")
    url = "https://shop.example/a"
    parser = RobotFileParser()
    # A list of millions of lines would take Python ten seconds.
    parser.parse(content.split("\n") if len(body) < 1_000_000 else content)
    expected = robots.is_allowed("ExampleBot", url)
    assert parser.can_fetch("ExampleBot", url) == expected
    assert Protego.parse(content).can_fetch(url, "ExampleBot") == expected
    if len(body) < LARGE:
        applying = {group.index for group in robots.groups_for("ExampleBot")}
        # These may not raise.
        str(parser), [entry.applies_to("ExampleBot") for entry in parser.entries]
        named = [parser.entries[index] for index in applying]
        assert all(entry.applies_to("ExampleBot") for entry in named)


FILE = verger.parse(b"User-agent: *\nDisallow: /a\nAllow: /a/b\n\nUser-agent: foo\nDisallow: /\n")


@pytest.mark.parametrize("source", hostile("url"))
def test_hostile_urls_get_the_same_answers_everywhere(source: str) -> None:
    url = affordable(source)
    everything(FILE, "ExampleBot", url)
    words = url.decode("utf-8", "surrogateescape")
    parser = RobotFileParser()
    parser.parse(FILE.text)
    expected = FILE.is_allowed("ExampleBot", url)
    assert FILE.is_allowed("ExampleBot", words) == expected
    assert parser.can_fetch("ExampleBot", words) == expected
    assert Protego.parse(FILE.text.decode()).can_fetch(words, "ExampleBot") == expected


@pytest.mark.parametrize("source", hostile("agent"))
def test_hostile_agents_get_the_same_answers_everywhere(source: str) -> None:
    agent = affordable(source)
    everything(FILE, agent, "https://shop.example/a")
    words = agent.decode("utf-8", "surrogateescape")
    everything(FILE, words, "https://shop.example/a")
    try:
        assert verger.Crawler(words).tokens
    except ValueError as error:
        assert str(error)


def test_lone_surrogates_are_not_errors() -> None:
    for lone in ("\ud800", "a\udfff", "\udc80", "\ud800\udc00"):
        robots = verger.parse(f"User-agent: *\nDisallow: /{lone}\n")
        everything(robots, "ExampleBot", f"https://shop.example/{lone}")
        everything(robots, lone, "https://shop.example/a")
        assert not robots.is_allowed("ExampleBot", f"/{lone}")


@pytest.mark.parametrize(
    ("rule", "url"),
    [
        (b"/v/%F0", "/v/\udcf0"),
        (b"/v/\xf0", "/v/\udcf0"),
        (b"/caf\xe9", "/caf%E9"),
        (b"/\x80\xbf\xc0\xff", "/\udc80\udcbf\udcc0\udcff"),
        # Another lone surrogate beside it.
        (b"/\xed\xa0\x80\xf0", "/\ud800\udcf0"),
    ],
)
def test_escaped_bytes_are_bytes_in_every_interface(rule: bytes, url: str) -> None:
    body = b"User-agent: *\nDisallow: " + rule + b"\n"
    content, agent, other = text(body), "ExampleBot", url[:-1] + "\udcef"
    parser = RobotFileParser()
    for lines in (content.split("\n"), content, body):
        parser.parse(lines)
        assert not parser.can_fetch(agent, url) and parser.can_fetch(agent, other)
    entry = parser.default_entry
    assert entry is not None and not entry.allowance(url)
    assert verger.robotparser.RuleLine(text(rule), False).applies_to(url)
    assert not Protego.parse(content).can_fetch(url, agent)
    assert Protego.parse(content).can_fetch(other, agent)
    for robots in (verger.parse(content), verger.parse(body)):
        policy = robots.policy(agent)
        assert not robots.is_allowed(agent, url) and robots.is_allowed(agent, other)
        assert not robots.check(agent, url) and not robots.explain(agent, url).verdict
        assert robots.are_allowed(agent, [url, other]) == [False, True]
        assert policy.are_lines_allowed(f"{url}\n{other}\n") == b"\0\1"
        assert not policy.is_allowed(url) and not policy.check(url)
    assert not verger.is_allowed(content, agent, url)
    assert verger.lint(content) == verger.lint(body)


def test_nuls_at_the_end_of_a_line_are_ignored() -> None:
    robots = verger.parse(b"User-agent: *\0\0\nDisallow: /x\0\0\nDisallow: /a\0b\n")
    assert not robots.is_allowed("ExampleBot", "/x")
    assert not robots.is_allowed("ExampleBot", "/a\0b")
    assert robots.is_allowed("ExampleBot", "/a")
    everything(robots, "Example\0Bot", "https://shop.example/\0")


def test_huge_lines_and_files_are_cut_and_answered() -> None:
    long = b"/" + b"a" * 400_000
    robots = verger.parse(b"User-agent: *\nDisallow: " + long + b"\n")
    assert not robots.is_allowed("ExampleBot", long)
    assert robots.is_allowed("ExampleBot", long[:-1])
    everything(robots, "x" * 100_000, b"https://shop.example" + long)
    many = b"User-agent: *\n" + b"Disallow: /*a*b*c*d*e*f$\n" * 30_000
    robots = verger.parse(many)
    assert robots.truncated
    assert robots.are_lines_allowed("ExampleBot", b"/abcde\n/abcdef\n") == b"\1\0"
    stars = verger.parse(b"User-agent: *\nDisallow: /" + b"*a" * 5_000 + b"$\n")
    assert stars.is_allowed("ExampleBot", "/" + "a" * 4_999 + "b" * 4_000)


@pytest.mark.parametrize("wrong", [None, 1, 1.5, [], {}, object(), True])
def test_wrong_types_are_type_errors(wrong: Any) -> None:
    policy = FILE.policy("ExampleBot")
    parser = RobotFileParser()
    parser.parse([])
    for call in (
        lambda: verger.parse(wrong),
        lambda: verger.compile_policy(wrong, "a"),
        lambda: FILE.policy(wrong),
        lambda: FILE.check(wrong, "/"),
        lambda: FILE.check("a", wrong),
        lambda: FILE.are_lines_allowed("a", wrong),
        lambda: FILE.are_allowed("a", [wrong]),
        lambda: policy.is_allowed(wrong),
        lambda: policy.check(wrong),
        lambda: Protego.parse(wrong),
        lambda: Protego.parse("").can_fetch(wrong, "a"),
        lambda: Protego.parse("").can_fetch("/", wrong),
        lambda: parser.can_fetch(wrong, "/"),
        lambda: parser.can_fetch("a", wrong),
        lambda: parser.parse([wrong]),
    ):
        with pytest.raises(TypeError):
            call()
