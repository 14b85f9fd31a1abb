"""Answers about all URLs, and known crawlers."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import pytest
import verger
from local_site import PROGRAM
from verger import analysis, crawlers

AGENT = "ExampleBot"


def parse(*rules: str, dialect: Any = "rfc9309") -> verger.Robots:
    return verger.parse("User-agent: *\n" + "".join(f"{rule}\n" for rule in rules), dialect)


def test_dead_rules_have_a_cause() -> None:
    robots = parse(
        "Disallow: /cart", "Allow: /cart*", "Disallow:", "Allow: x", "Allow: /robots.txt$"
    )
    found = analysis.dead_rules(robots, AGENT)
    causes = {dead.rule.line: dead.cause for dead in found.found}
    assert causes == {2: "overridden", 4: "empty", 5: "matches_nothing", 6: "robots_txt"}
    assert [rule.line for rule in found.found[0].overridden_by] == [3]
    assert found.undecided == [] and repr(found) == "<RuleFindings: 4 found, 0 undecided>"
    assert pickle.loads(pickle.dumps(found)) == found


def test_the_first_matching_rule_decides_in_other_dialects() -> None:
    robots = parse("Disallow: /", "Allow: /cart", dialect="koster1996")
    assert [dead.rule.line for dead in analysis.dead_rules(robots, AGENT).found] == [3]
    assert analysis.dead_rules(parse("Disallow: /", "Allow: /cart"), AGENT).found == []


def test_redundant_rules_name_the_reason() -> None:
    robots = parse("Disallow: /a", "Disallow: /a/b", "Allow: /c")
    found = analysis.redundant_rules(robots, AGENT).found
    assert [(one.rule.line, one.by_default) for one in found] == [(3, False), (4, True)]
    assert [rule.line for rule in found[0].because_of] == [2]
    # The group of another agent.
    assert analysis.redundant_rules(verger.parse("User-agent: b\nDisallow: /"), AGENT).found == []


@pytest.mark.parametrize(
    ("pattern", "state"),
    [("/a", "closed"), ("/b", "open"), ("/", "mixed"), ("x", "empty"), (b"/a*", "closed")],
)
def test_the_state_of_a_pattern_has_examples(pattern: Any, state: str) -> None:
    robots = parse("Disallow: /a")
    found = analysis.pattern_state(robots, AGENT, pattern, "https://shop.example")
    assert (found.state, found.undecided) == (state, None)
    assert (found.open is not None) == (state in ("open", "mixed"))
    assert (found.closed is not None) == (state in ("closed", "mixed"))
    for example, allowed in ((found.open, True), (found.closed, False)):
        if example is not None:
            assert example.url.startswith("https://shop.example/") and example.is_shortest
            assert robots.is_allowed(AGENT, example.url) == bool(example.verdict) == allowed


def test_changes_have_examples_and_both_verdicts() -> None:
    found = verger.diff("User-agent: *\nDisallow: /cart\n", "User-agent: *\nDisallow: /x\n", AGENT)
    assert (found.result, found.undecided) == ("different", None)
    assert {change.direction for change in found.changes} == {"opened", "closed"}
    for change in found.changes:
        is_opened = change.direction == "opened"
        assert (bool(change.before), bool(change.after)) == (not is_opened, is_opened)
    opened = next(change for change in found.changes if change.direction == "opened")
    assert opened.url == "https://example.com/cart" and opened.before.line == 2
    assert pickle.loads(pickle.dumps(found)) == found
    assert repr(found) == "<Comparison: 2 changes>"


def test_agents_and_dialects_can_be_compared() -> None:
    robots = verger.parse("User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\nDisallow:\n")
    assert analysis.compare(robots, robots, AGENT).result == "equal"
    assert analysis.compare(robots, robots, AGENT, agent_after="GPTBot").result == "different"
    gpt = verger.Crawler("GPTBot")
    assert analysis.compare(robots, robots, AGENT, agent_after=gpt).result == "different"
    rules = ("Disallow: /", "Allow: /a")
    first, longest = parse(*rules, dialect="koster1996"), parse(*rules)
    assert analysis.compare(first, longest, AGENT).changes[0].url == "https://example.com/a"


# Whole files

BEFORE = """\
User-agent: *
Disallow: /admin
Crawl-delay: 2
Sitemap: https://shop.example/old.xml
"""
AFTER = """\
User-agent: GPTBot
User-agent: CCBot
Disallow: /blog

User-agent: *
Disallow: /admin
Sitemap: https://shop.example/new.xml
"""


def test_files_are_compared_for_all_crawlers() -> None:
    found = verger.diff_files(BEFORE, AFTER)
    named, others = found.differences
    if named.crawlers == ["*"]:
        named, others = others, named
    assert named.crawlers == ["GPTBot", "CCBot"] and named.switch == "to_own_groups"
    changes = [(it.direction, it.url) for it in named.comparison.changes]
    assert sorted(changes) == [
        ("closed", "https://example.com/blog"),
        ("opened", "https://example.com/admin"),
    ]
    assert [group.line for group in named.groups_before] == [1]
    assert [group.line for group in named.groups_after] == [1]
    # The rules for all others are the same; a delay was removed.
    assert (others.crawlers, others.comparison.result, others.switch) == (["*"], "equal", None)
    (delay,) = others.records
    assert (delay.record.kind, delay.record.line, delay.is_added) == ("Crawl-delay", 3, False)
    sitemaps = [(it.record.value, it.record.line, it.is_added) for it in found.records]
    assert sitemaps == [
        ("https://shop.example/old.xml", 4, False),
        ("https://shop.example/new.xml", 7, True),
    ]
    assert found.unchanged == [] and (found.text, found.added_lines) == ("changed", None)
    assert found.is_complete and found.not_compared == 0
    assert found.has("opened") and found.has("closed")
    assert pickle.loads(pickle.dumps(found)) == found


def test_every_change_of_a_file_is_confirmed_by_both_verdicts() -> None:
    before, after = verger.parse(BEFORE), verger.parse(AFTER)
    for found in analysis.compare_files(before, after).differences:
        for change in found.comparison.changes:
            for name in found.crawlers:
                answers = (before.is_allowed(name, change.url), after.is_allowed(name, change.url))
                assert answers == (bool(change.before), bool(change.after))
                assert answers == (change.direction == "closed", change.direction == "opened")


def test_added_text_has_lines() -> None:
    same = verger.diff_files(BEFORE, BEFORE)
    assert (same.text, same.added_lines, same.unchanged) == ("same", None, ["*"])
    assert same.differences == [] and same.records == [] and not same.has("closed")
    block = "User-agent: GPTBot\nDisallow: /\n\n"
    found = verger.diff_files(BEFORE, block + BEFORE)
    assert (found.text, found.added_lines) == ("prepended", (1, 3))
    found = verger.diff_files(BEFORE, BEFORE + "\n" + block)
    assert (found.text, found.added_lines) == ("appended", (5, 8))


def test_further_crawlers_have_the_fallbacks_of_their_vendors() -> None:
    before = "User-agent: Googlebot\nDisallow: /\n"
    found = verger.diff_files(before, "", ["Googlebot-Image", "googlebot", "ExampleBot"])
    (difference,) = found.differences
    assert difference.crawlers == ["Googlebot-Image", "googlebot"]
    assert found.unchanged == ["*", "ExampleBot"]


def test_crawlers_that_no_group_names_are_one() -> None:
    # In this dialect, a group name is searched for in the name of the crawler.
    before, after = "User-agent: Google*\nDisallow: /\n", "User-agent: *\nDisallow: /\n"
    found = verger.diff_files(before, after, dialect="koster1996")
    others = next(it for it in found.differences if "*" in it.crawlers)
    assert others.comparison.changes[0].direction == "closed"


def test_a_comparison_for_too_many_crawlers_is_incomplete() -> None:
    before = "".join(f"User-agent: bot{number}\n" for number in range(20_000)) + "Disallow: /a\n"
    found = verger.diff_files(before, before.replace("/a", "/b"), ["ExampleBot"])
    assert found.not_compared > 0 and not found.is_complete
    # Those that were asked for are compared first.
    assert {"*", "ExampleBot"} <= set(found.unchanged)


@pytest.mark.parametrize(
    ("agents", "error", "message"),
    [
        ("GPTBot", TypeError, "expected an iterable of names, but found str"),
        ([" "], ValueError, "expected names of crawlers, but found"),
        ([1], TypeError, "'int' object is not an instance of 'str'"),
    ],
)
def test_wrong_names_are_errors(agents: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        verger.diff_files(BEFORE, AFTER, agents)


@pytest.mark.skipif(PROGRAM is None, reason="the program `verger` is not built")
def test_the_program_finds_the_same(tmp_path: Path) -> None:
    files = [tmp_path / "before.txt", tmp_path / "after.txt"]
    for file, text in zip(files, (BEFORE, AFTER), strict=True):
        file.write_text(text)
    command = [str(PROGRAM), "diff", *map(str, files), "--format", "json"]
    program = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    found = verger.diff_files(BEFORE, AFTER)
    assert [it["crawlers"] for it in program["crawlers"]] == [
        it.crawlers for it in found.differences
    ]
    for theirs, ours in zip(program["crawlers"], found.differences, strict=True):
        assert theirs.get("switch") == ours.switch
        assert sorted((it["direction"], it["target"]) for it in theirs["changes"]) == sorted(
            (it.direction, it.url.removeprefix("https://example.com"))
            for it in ours.comparison.changes
        )
        assert len(theirs["records"]) == len(ours.records)
    assert (program["text"], program["unchanged"]) == (found.text, found.unchanged)
    assert len(program["records"]) == len(found.records)


def test_wrong_arguments_are_errors() -> None:
    robots = parse("Disallow: /a")
    with pytest.raises(ValueError):
        analysis.pattern_state(robots, AGENT, "/", "nope")
    wrong: Any = b"User-agent: *\n"
    with pytest.raises(TypeError):
        analysis.dead_rules(wrong, AGENT)


# Known crawlers


def test_known_crawlers_can_be_found_and_obey_their_fallbacks() -> None:
    every = crawlers.all_crawlers()
    assert len(every) >= 100 and len({crawler.token.lower() for crawler in every}) == len(every)
    found = crawlers.find("googlebot-image")
    assert found is not None and found in every and found.operator == "Google"
    robots = verger.parse("User-agent: googlebot\nDisallow: /\n")
    assert not robots.is_allowed(found.crawler, "/")
    assert not robots.is_allowed("Googlebot-Image", "/")
    assert robots.is_allowed(verger.Crawler.chain(["Googlebot-Image"]), "/")
    assert found.sources[0].field == "" and found.sources[0].url.startswith("https://")
    assert crawlers.find("Nobody") is None
    assert pickle.loads(pickle.dumps(found)) == found
    for crawler in every:
        if crawler.obeys_robots_txt is not False:
            assert crawler.crawler.tokens, crawler.token


def test_headers_are_identified() -> None:
    header = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1)"
    (found,) = crawlers.identify(header)
    assert (found.token, found.purpose, found.obeys_robots_txt) == ("GPTBot", "training", True)
    assert crawlers.identify("") == []
    assert crawlers.DATE[:2] == "20"


def test_coverage_counts_urls_by_rule() -> None:
    robots = parse("Disallow: /cart", "Disallow: /old", "Allow: /cart/help")
    urls: list[Any] = [
        "/",
        "/cart",
        "/cart/help",
        b"https://shop.example/help/1",
        "/help/2",
        "/robots.txt",
        "x",
    ]
    found = analysis.coverage(robots, AGENT, iter(urls))
    assert (found.allowed, found.disallowed, found.no_rule) == (5, 1, 3)
    assert (found.robots_txt, found.not_urls) == (1, 1)
    assert [(rule.line, count) for rule, count in found.rules] == [(2, 1), (3, 0), (4, 1)]
    assert ("/help/", 2) in found.unmentioned
    with pytest.raises(TypeError, match="urls: expected an iterable of URLs, but found str"):
        analysis.coverage(robots, AGENT, "/")


def test_results_as_json_and_html() -> None:
    before, after = b"User-agent: *\nDisallow: /<a>\n", b"User-agent: *\nAllow: /\n"
    compared = verger.diff(before, after, AGENT)
    files = verger.diff_files(before, after)
    covered = analysis.coverage(verger.parse(before), AGENT, ["/<a>"])
    change = json.loads(compared.to_json())["changes"][0]
    assert (change["direction"], change["before"]["rule"]["pattern"]) == ("opened", "/<a>")
    assert json.loads(files.to_json())["differences"][0]["crawlers"] == ["*"]
    rule, count = json.loads(covered.to_json())["rules"][0]
    assert (rule["line"], count) == (2, 1)
    for shown in (compared._repr_html_(), files._repr_html_(), covered._repr_html_()):
        assert "/&lt;a&gt;" in shown and "<a>" not in shown
