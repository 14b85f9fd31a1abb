"""Answers about all URLs, and known crawlers."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
import verger
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
    assert not robots.is_allowed(found.crawler, "/") and robots.is_allowed("Googlebot-Image", "/")
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
