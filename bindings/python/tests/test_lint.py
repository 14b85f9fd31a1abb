"""The linter and the formatter."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any, get_args

import pytest
import verger
from test_vectors import hostile, octets
from verger.types import LintProfile

BODY = b"User-agent: *\nDissalow: /cart\nDisallow: /a\nDisallow: /a  \n"


def test_findings_have_places_and_fixes() -> None:
    report = verger.lint(BODY)
    assert (report[0].code, report[0].line) == ("misspelt-key", 2)
    for found in report:
        start, end = found.span
        assert report.text[:start].count(b"\n") + 1 == found.line and start <= end
        assert found.message and found.severity in ("note", "warning", "error")
    first = report[0]
    assert report.text[slice(*first.span)] == b"Dissalow"
    assert first.category == "syntax" and first.fix is not None and not first.fix.is_safe
    repeated = report[1]
    assert (repeated.code, repeated.line) == ("repeated-rule", 4)
    assert [(label.line, label.text) for label in repeated.labels] == [(3, "first here")]
    assert repeated.fix is not None and repeated.fix.is_safe


def test_safe_fixes_change_no_answer() -> None:
    report = verger.lint(BODY)
    assert report.text == BODY and report.fixed is not None and report.fixed_unsafely is not None
    agent = "ExampleBot"
    same = verger.diff(BODY, report.fixed, agent)
    assert same.result == "equal" and report.fixed != BODY
    assert b"Disallow: /cart" in report.fixed_unsafely
    clean = verger.lint(b"User-agent: *\nDisallow: /cart\n")
    assert (len(clean), clean.fixed, clean.fixed_unsafely) == (0, None, None)
    assert repr(clean) == "<LintReport: 0 findings>"


def test_all_fixes_are_those_of_several_passes() -> None:
    # The corrected lines are equal, which only a second pass sees.
    report = verger.lint(b"User-agent: *\nDissalow: /a\nDisallow: a\n")
    assert report.fixed_unsafely == b"User-agent: *\nDisallow: /a\n"


def codes(**options: Any) -> set[str]:
    return {found.code for found in verger.lint(BODY, **options)}


def test_rules_can_be_chosen() -> None:
    every = codes()
    assert codes(select=["misspelt-key"]) == {"misspelt-key"}
    assert codes(ignore=["misspelt-key"]) == every - {"misspelt-key"}
    assert "misspelt-key" not in codes(ignore=["syntax"])
    (found,) = verger.lint(BODY, select=["misspelt-key"], severity={"misspelt-key": "error"})
    assert found.severity == "error"
    # Only for dialects that are asked for.
    body = b"User-agent: *\nAllow: /a\nDisallow: /\n"
    assert not any(found.category == "portability" for found in verger.lint(body))
    (found,) = verger.lint(body, portable=["orig1994"])
    assert (found.category, found.code, found.line) == ("portability", "foreign-key", 2)


def test_a_profile_has_the_settings_for_one_reader() -> None:
    body = b"User-agent: Googlebot\nDisallow: cart\nCrawl-delay: 5\n"

    def found(**options: Any) -> dict[str, str]:
        return {it.code: it.severity for it in verger.lint(body, **options)}

    assert found() == {"pattern-without-slash": "error", "crawl-delay-ignored": "note"}
    assert found(profile="google")["crawl-delay-ignored"] == "warning"
    assert found(profile="lighthouse") == {"lighthouse": "error"}
    assert "note" not in found(profile="strict").values()
    foreign = b"User-agent: *\nAllow: /a\nDisallow: /\n"
    is_portable = {
        profile: not any(
            it.category == "portability" for it in verger.lint(foreign, profile=profile)
        )
        for profile in get_args(LintProfile)
    }
    assert is_portable.pop("strict") is False and all(is_portable.values())


def test_other_options_change_a_profile() -> None:
    body = b"User-agent: Googlebot\nDisallow: cart\nCrawl-delay: 5\n"

    def found(**options: Any) -> dict[str, str]:
        return {it.code: it.severity for it in verger.lint(body, **options)}

    only = found(profile="lighthouse", select=["crawl-delay-ignored"])
    assert only == {"crawl-delay-ignored": "note"}
    changed = found(profile="google", severity={"crawl-delay-ignored": "error"})
    assert changed["crawl-delay-ignored"] == "error"
    assert "crawl-delay-ignored" not in found(profile="google", ignore=["crawl-delay-ignored"])
    # The profile's own exceptions remain.
    large = b"User-agent: *\n" + b"Disallow: /some-path\n" * 24_000
    assert [it.code for it in verger.lint(large, select=["limits"])] == ["yandex-limit"]
    assert not verger.lint(large, profile="google", select=["limits"], ignore=["nul"])
    foreign = b"User-agent: *\nAllow: /a\nDisallow: /\n"
    (finding,) = verger.lint(foreign, profile="google", portable=["orig1994"])
    assert finding.code == "foreign-key"


def test_the_age_of_the_list_of_crawlers_counts_if_the_time_is_known() -> None:
    body = b"User-agent: GPTBot\nDisallow: /cart\n"
    assert len(verger.lint(body)) == 0
    assert [it.code for it in verger.lint(body, now=4e9)] == ["outdated-registry"]
    assert len(verger.lint(body, now=0)) == 0


def test_findings_that_are_left_out_are_counted() -> None:
    count = 3000
    report = verger.lint(b"User-agent: *\n" + b"Dissalow: /a\n" * count, select=["misspelt-key"])
    assert len(report) < count and report.omitted == {"misspelt-key": count - len(report)}
    assert verger.lint(BODY).omitted == {}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"select": ["nope"]}, ValueError, "expected a rule or a category, but found `nope`"),
        ({"ignore": ["nope"]}, ValueError, "expected a rule or a category, but found `nope`"),
        ({"severity": {"nope": "error"}}, ValueError, "but found `nope`"),
        ({"severity": {"repeated-rule": "x"}}, ValueError, "severity: expected one of note"),
        ({"portable": ["gopher"]}, ValueError, "dialect: expected"),
        ({"profile": "bong"}, ValueError, "profile: expected .*google"),
        ({"now": float("nan")}, ValueError, "now: expected a number of seconds"),
        ({"select": "repeated-rule"}, TypeError, "expected an iterable of names, but found str"),
        ({"origin": "nope"}, ValueError, "missing a scheme"),
    ],
)
def test_wrong_options_are_errors(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        verger.lint(BODY, **options)


def test_a_comment_suppresses_findings() -> None:
    body = b"User-agent: *\nDissalow: /cart # verger-lint: ignore misspelt-key\n"
    assert len(verger.lint(body)) == 0


def test_reports_can_be_copied() -> None:
    report = verger.lint(BODY)
    for other in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        assert isinstance(other, verger.LintReport)
        assert (other, other.text, other.fixed) == (report, report.text, report.fixed)


def test_every_rule_has_a_page() -> None:
    pages = verger.lint_rules()
    assert len(pages) >= 20 and {found.code for found in verger.lint(BODY)} <= pages.keys()
    for code, page in pages.items():
        assert page.startswith(f"# {code}\n")


def test_formatting_is_stable_and_changes_no_answer() -> None:
    body = b"USER-AGENT:*  \r\nDISALLOW :/cart#why\r\n\r\n\r\nuser-agent: GPTBot\r\nAllow:"
    formatted = verger.format(body)
    expected = b"User-agent: *\nDisallow: /cart #why\n\nUser-agent: GPTBot\nAllow:\n"
    assert formatted == expected.replace(b"\n", b"\r\n")
    assert verger.format(formatted) == formatted == verger.format(bytearray(body))
    for agent in ("ExampleBot", "GPTBot"):
        assert verger.diff(body, formatted, agent).result == "equal"


@pytest.mark.parametrize("source", hostile("robots"))
def test_hostile_files_are_linted_and_formatted(source: str) -> None:
    body = octets(source)
    if len(body) > 10_000:
        body = body[:10_000]
    report = verger.lint(body)
    for found in report:
        assert 0 <= found.span[0] <= found.span[1] <= len(report.text)
    formatted = verger.format(body)
    before, after = verger.parse(body), verger.parse(formatted)
    urls = ["/", "/a", "/a/b?c=d", "/cart", "/%41"]
    for agent in ("ExampleBot", "Googlebot"):
        assert before.are_allowed(agent, urls) == after.are_allowed(agent, urls)


def test_reports_as_json_and_html() -> None:
    report = verger.lint(b"User-agent: *\nDissalow: /<a>\xe9\x1b\n")
    found = json.loads(report.to_json())
    assert found["findings"][0]["code"] == report[0].code and found["omitted"] == {}
    assert "<table>" in report._repr_html_() and "<a>" not in report._repr_html_()
    assert "\x1b" not in report._repr_html_()
    assert verger.lint(b"")._repr_html_() == "no findings"
