"""The engine's classes."""

from __future__ import annotations

import builtins
import copy
import json
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import verger
from verger import analysis, protego, robotparser, types

ROBOTS = b"""\
User-agent: *
Disallow: /cart
Allow: /cart/help
Crawl-delay: 2.5
Request-rate: 1/10s 0600-0845
Visit-time: 0600-0845

User-agent: GPTBot
Disallow: /
Content-Signal: search=yes, ai-train=no
Sitemap: /sitemap.xml
"""


@pytest.fixture
def robots() -> verger.Robots:
    return verger.parse(ROBOTS)


def test_verdicts_name_rule_line_and_group(robots: verger.Robots) -> None:
    verdict = robots.check("ExampleBot", "https://shop.example/cart/1")
    assert not verdict and not verdict.allowed
    rule, group = verdict.rule, verdict.group
    assert rule is not None and group is not None
    assert (verdict.reason, verdict.line, rule.kind) == ("rule", 2, "disallow")
    assert (rule.pattern, rule.pattern_bytes, rule.allows) == ("/cart", b"/cart", False)
    assert (rule.line, rule.column) == (2, 11)
    assert (group.agents, group.line, group.index) == (["*"], 1, 0)
    assert group.rules[0] == rule and str(rule) == "Disallow: /cart"
    assert verdict == robots.check("OtherBot", "https://shop.example/cart/2")
    assert robots.check("ExampleBot", "/").reason == "no_rule_matches"


def test_misuse_fails_closed(robots: verger.Robots) -> None:
    misuses: list[tuple[str, str | bytes]] = [
        ("ExampleBot", "shop.example/"),
        ("ExampleBot", ""),
        ("https://shop.example/", "ExampleBot"),
        ("ExampleBot", "\ud800"),
        ("ExampleBot", b"\xff"),
    ]
    for agent, url in misuses:
        verdict = robots.check(agent, url)
        assert (verdict.allowed, verdict.reason) == (False, "not_a_url"), (agent, url)
        assert not robots.is_allowed(agent, url)
    assert not robots.is_allowed("Mozilla/5.0 (compatible; GPTBot/1.2)", "/")


@pytest.mark.parametrize("wrong", [None, 1, 1.5, [], {}, object()])
def test_wrong_types_are_type_errors(robots: verger.Robots, wrong: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: verger.parse(wrong),
        lambda: robots.check(wrong, "/"),
        lambda: robots.check("a", wrong),
        lambda: robots.is_allowed("a", wrong),
        lambda: robots.are_allowed("a", [wrong]),
        lambda: verger.compile_policy(ROBOTS, wrong),
        lambda: verger.compile_policy(ROBOTS, "a").check(wrong),
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("one", ["/cart", b"/cart", bytearray(b"/cart"), memoryview(b"/"), None])
def test_a_single_url_in_place_of_many_is_a_type_error(robots: verger.Robots, one: Any) -> None:
    calls: list[Callable[[Any], object]] = [
        partial(robots.are_allowed, "a"),
        robots.policy("a").are_allowed,
    ]
    for call in calls:
        with pytest.raises(TypeError, match="urls: expected an iterable of URLs, but found "):
            call(one)


def test_errors_of_an_iterator_are_passed_on(robots: verger.Robots) -> None:
    def broken() -> Iterator[str]:
        yield "/"
        raise TypeError("on purpose")

    with pytest.raises(TypeError, match="on purpose"):
        robots.are_allowed("a", broken())


def test_buffers_are_texts(robots: verger.Robots) -> None:
    for kind in (bytes, bytearray, memoryview):
        assert verger.parse(kind(ROBOTS)) == robots
        assert robots.is_allowed(b"ExampleBot", kind(b"/cart/help"))


def test_an_unknown_name_lists_the_known_ones() -> None:
    unknown: Any = "gopher"
    with pytest.raises(ValueError, match="dialect: .*rfc9309.*google"):
        verger.parse(b"", dialect=unknown)
    with pytest.raises(ValueError, match="access_profile: .*rfc9309.*google"):
        verger.State(unknown)
    assert len(verger.DIALECTS) == 9


def test_every_interface_has_the_same_answers(robots: verger.Robots) -> None:
    urls = ["/", "/cart", "/cart/help", "/robots.txt", "nope", "https://shop.example/cart?a"] * 5
    for agent in ("ExampleBot", "GPTBot"):
        expected = [robots.check(agent, url).allowed for url in urls]
        policy = robots.policy(agent)
        assert robots.are_allowed(agent, urls) == expected
        assert robots.are_allowed(agent, iter(urls)) == expected
        assert robots.are_allowed(agent, urls[:5]) == expected[:5]
        assert list(robots.are_lines_allowed(agent, "\r\n".join(urls))) == expected
        assert policy.are_allowed(urls) == expected
        assert [policy.check(url).allowed for url in urls] == expected
        assert [verger.is_allowed(ROBOTS, agent, url) for url in urls] == expected


def test_lines_without_a_last_line_end_count(robots: verger.Robots) -> None:
    assert robots.are_lines_allowed("ExampleBot", b"") == b""
    assert robots.are_lines_allowed("ExampleBot", b"/") == b"\x01"
    assert robots.are_lines_allowed("ExampleBot", b"/\n\n/cart\n") == b"\x01\x00\x00"


def test_explanations_list_the_rules_that_matched(robots: verger.Robots) -> None:
    explanation = robots.explain("ExampleBot", "/cart/help")
    standings = [contender.standing for contender in explanation.contenders]
    assert (standings, explanation.target) == (["shorter", "decides"], "/cart/help")
    assert explanation.verdict == robots.check("ExampleBot", "/cart/help")
    assert "line 2: Disallow: /cart is shorter" in str(explanation)
    shorter = explanation.contenders[0]
    assert (shorter.length, shorter.rule.line, shorter.group.line) == (5, 2, 1)


def test_records_of_a_file_have_types(robots: verger.Robots) -> None:
    assert robots.crawl_delay("ExampleBot") == 2.5
    assert robots.request_rates("ExampleBot") == [(1, 10.0, (360, 525))]
    assert robots.visit_times("ExampleBot") == [(360, 525)]
    assert robots.content_signals("GPTBot", "/") == {"search": "yes", "ai-train": "no"}
    assert robots.sitemaps == ["/sitemap.xml"]
    assert robots.sitemap_urls("https://shop.example/x") == ["https://shop.example/sitemap.xml"]
    kinds = [record.kind for record in robots.records]
    assert kinds == ["Crawl-delay", "Request-rate", "Visit-time", "Content-Signal", "Sitemap"]
    record = robots.records[0]
    assert (record.key, record.value, record.value_bytes) == ("Crawl-delay", "2.5", b"2.5")
    assert (record.line, record.group) == (4, 0)
    assert robots.records_for("GPTBot") == robots.records[3:4]
    assert [group.index for group in robots.groups_for("GPTBot")] == [1]
    with pytest.raises(ValueError):
        robots.sitemap_urls("mailto:a@shop.example")


def test_preferences_and_licences_are_those_of_the_agent() -> None:
    robots = verger.parse(
        b"License: https://shop.example/license.xml\n"
        b"User-agent: *\nContent-Usage: train-ai=n, search=y\nAllow: /\nDisallow: /cart\n"
        b"Clean-param: ref&utm_source /\nHost: shop.example:8443\n"
    )
    assert robots.licenses("ExampleBot") == ["https://shop.example/license.xml"]
    assert robots.content_usage("ExampleBot", "/") == {"train-ai": "n", "search": "y"}
    assert robots.content_usage("ExampleBot", "/cart") is None
    assert verger.parse(b"").content_usage("ExampleBot", "/") == {}
    url = "https://shop.example/a?ref=1&item=2&utm_source=x"
    assert robots.clean_url(url) == "https://shop.example/a?item=2"
    assert robots.host == "shop.example:8443" and verger.parse(b"").host is None
    assert (robots.truncated, robots.dialect) == (False, "rfc9309")
    assert robots.text.startswith(b"License")


def test_diagnostics_have_places() -> None:
    (found,) = verger.parse(b"User-agent: *\n  Dissalow: /cart\n").diagnostics
    assert (found.code, found.line, found.column) == ("misspelt-key", 2, 3)
    assert found.severity == "warning" and found.message in str(found)


def test_every_exported_name_exists_and_hides_no_builtin() -> None:
    names: dict[str, object] = {}
    exec("from verger import *", names)
    assert set(verger.__all__) <= names.keys()
    assert not set(verger.__all__) & set(dir(builtins)) - {"__doc__", "__name__"}


def test_policies_are_bytes() -> None:
    policy = verger.compile_policy(ROBOTS, "ExampleBot")
    assert isinstance(policy, bytes) and memoryview(policy).nbytes == len(policy)
    for other in (pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert other == policy and other.check("/cart").rule == ("disallow", "/cart", 2)
    verdict = policy.check("/cart")
    assert (bool(verdict), verdict.line, verdict.temporary) == (False, 2, False)
    assert verdict == policy.check("/cart/1") != policy.check("/")
    with pytest.raises(AttributeError):
        verdict.allowed = True  # type: ignore[misc]
    short = policy.without_explanation()
    assert len(short) < len(policy) and not short.is_allowed("/cart")
    assert verger.Policy(memoryview(policy)) == verger.Policy(bytearray(policy)) == policy
    with pytest.raises(ValueError):
        verger.Policy(policy[:-1])
    for wrong in (1, "x", [1], None):
        with pytest.raises(TypeError):
            verger.Policy(wrong)  # type: ignore[arg-type]


def test_crawlers_obey_the_groups_of_their_tokens() -> None:
    assert verger.Crawler("Mozilla/5.0 (compatible; ExampleBot/1.0)").tokens == ["ExampleBot"]
    assert verger.Crawler.named("Googlebot-News").tokens[-1].lower() == "googlebot"
    news = verger.Crawler.chain(["googlebot-news", "googlebot"])
    robots = verger.parse("User-agent: googlebot\nDisallow: /\n\nUser-agent: *\nDisallow: /a\n")
    assert not robots.is_allowed(news, "/") and not robots.is_allowed(news.without_star(), "/")
    other = verger.Crawler("ExampleBot")
    assert not robots.is_allowed(other, "/a") and robots.is_allowed(other.without_star(), "/a")
    body = "User-agent: a\nDisallow: /x\n\nUser-agent: b\nDisallow: /y\n"
    both, first = verger.Crawler.union(["a", "b"]), verger.Crawler.chain(["a", "b"])
    assert verger.parse(body).are_allowed(both, ["/x", "/y"]) == [False, False]
    assert verger.parse(body).are_allowed(first, ["/x", "/y"]) == [False, True]
    for wrong in ("", " ", "*", "Mozilla/5.0 (X11; Linux x86_64)"):
        with pytest.raises(ValueError, match="agent: (missing|expected) a product token"):
            verger.Crawler(wrong)
    with pytest.raises(ValueError, match=r"tokens: .*`a b`; `Crawler\(…\)` reads"):
        verger.Crawler.chain(["a b"])
    with pytest.raises(ValueError, match="name: expected a known crawler .*`Nobody`"):
        verger.Crawler.named("Nobody")
    with pytest.raises(TypeError):
        verger.Crawler.chain("ab")  # type: ignore[arg-type]


def test_notes_are_those_of_known_crawlers() -> None:
    notes = {name: verger.Crawler(name).note for name in ("Google-Extended", "Googlebot", "MyBot")}
    assert notes["Googlebot"] is notes["MyBot"] is None
    assert "a control token: it crawls nothing itself" in str(notes["Google-Extended"])
    assert verger.Crawler("Google-Extended/1.0 (x)").note == notes["Google-Extended"]
    assert verger.Crawler("MyBot (like Google-Extended)").note is None


def test_a_subinterpreter_gets_a_clear_error() -> None:
    interpreters = pytest.importorskip("_interpreters", reason="needs Python 3.13")
    found = interpreters.exec(interpreters.create(), "import verger")
    assert found.type.__name__ == "ImportError"
    assert "verger._verger does not support loading in subinterpreters" in found.msg


def test_names_have_the_answers_of_the_suite() -> None:
    path = Path(__file__).parents[3] / "testdata" / "names.json"
    cases = json.loads(path.read_text(encoding="utf-8"))
    for file in cases["files"]:
        robots = verger.parse(file["robots"], file["dialect"])
        for name, answer in zip(cases["names"], file["answers"], strict=True):
            asked = (name, cases["url"])
            expected = answer == "a"
            assert robots.is_allowed(*asked) == expected, (name, file)
            assert robots.check(*asked).allowed == expected, (name, file)
            assert robots.policy(name).is_allowed(cases["url"]) == expected, (name, file)
            once = verger.is_allowed(file["robots"], *asked, file["dialect"])
            assert once == expected, (name, file)
            policy = verger.compile_policy(file["robots"], name, file["dialect"])
            assert policy.is_allowed(cases["url"]) == expected, (name, file)


def test_interfaces_of_other_libraries_read_names_literally() -> None:
    body = "User-agent: *\nAllow: /\n\nUser-agent: Googlebot\nDisallow: /img\n"
    agent, url = "Googlebot-Image", "https://shop.example/img/a.png"
    assert not verger.parse(body).is_allowed(agent, url)
    assert verger.parse(body).is_allowed(verger.Crawler.chain([agent]), url)
    assert protego.Protego.parse(body).can_fetch(url, agent)
    parser = robotparser.RobotFileParser()
    parser.parse(body.splitlines())
    assert parser.can_fetch(agent, url)
    assert pickle.loads(pickle.dumps(parser.robots)).is_allowed(agent, url)


def test_urls_have_a_robots_txt() -> None:
    assert verger.robots_url("HTTPS://Shop.Example:443/cart") == "https://shop.example/robots.txt"
    for wrong in ("data:,x", "/cart", "shop.example/cart", "https://shop.example:99999/"):
        with pytest.raises(ValueError):
            verger.robots_url(wrong)


def test_states_follow_rfc_9309() -> None:
    now = 1_700_000_000
    robots = verger.parse(ROBOTS)
    state = verger.State()
    assert state.needs_fetch(now) and state.check(None, "ExampleBot", "/", now) is None
    outcomes: list[tuple[int | types.Outcome, str]] = [
        (200, "rules"),
        (404, "allow_all"),
        (403, "allow_all"),
        (429, "disallow_all"),
        (503, "disallow_all"),
        ("network", "disallow_all"),
        ("redirect_limit", "allow_all"),
    ]
    for outcome, access in outcomes:
        assert state.after(outcome, now).access(now) == access, outcome
    fresh = state.after(200, now, [("Cache-Control", "max-age=600")])
    assert state.after(200, now, {"Cache-Control": "max-age=600"}) == fresh
    assert hash(fresh) != hash(state) and fresh != state
    wrongs: list[Any] = [["a"], [("a",)], [("a", 1)], "a: b", 1]
    for wrong in wrongs:
        with pytest.raises(TypeError, match="header"):
            state.after(200, now, wrong)
    assert repr(state) == "<State rfc9309: not fetched yet>"
    assert repr(fresh) == (
        "<State rfc9309: rules, fetched at 2023-11-14T22:13:20Z, "
        "next fetch at 2023-11-14T22:23:20Z>"
    )
    failed = repr(fresh.after(503, now + 600))
    assert "failures: 1, after the file of 2023-11-14T22:13:20Z, next fetch at " in failed
    assert "rfc9309: failures: 1, next fetch at " in repr(state.after(503, now))
    assert fresh.fresh_until == now + 600 and state.is_file(200) and not state.is_file(404)
    verdict = fresh.check(robots, "ExampleBot", "https://shop.example/cart", now)
    assert verdict is not None and verdict.line == 2
    assert (fresh.fetched_at, fresh.next_fetch) == (now, now + 600)
    assert (fresh.has_copy, fresh.failures, fresh.access_profile) == (True, 0, "rfc9309")
    assert fresh.may_answer_while_refreshing(now + 700)
    assert (state.redirects, state.follow_downgrades) == (5, True)
    assert not state.stops_at_disallowed_hop and verger.State("google").stops_at_disallowed_hop
    assert verger.State.from_bytes(bytes(fresh)) == fresh
    unknown: Any = "gone"
    with pytest.raises(ValueError, match="local_fault"):
        state.after(unknown, now)
    with pytest.raises(ValueError):
        state.needs_fetch(float("nan"))


@pytest.mark.parametrize("profile", verger.ACCESS_PROFILES)
def test_damaged_states_are_rejected(profile: types.AccessProfile) -> None:
    state = verger.State(profile).after(403, 1_700_000_000).after(503, 1_700_086_400)
    whole = bytes(state)
    found = verger.State.from_bytes(whole)
    assert found == state and found.access_profile == profile
    for at in range(len(whole)):
        for bit in range(8):
            damaged = bytearray(whole)
            damaged[at] ^= 1 << bit
            with pytest.raises(ValueError, match="data: expected the bytes of a state"):
                verger.State.from_bytes(bytes(damaged))
    for length in range(len(whole)):
        with pytest.raises(ValueError):
            verger.State.from_bytes(whole[:length])
    with pytest.raises(ValueError):
        verger.State.from_bytes(whole + b"x")


@pytest.mark.parametrize("profile", verger.ACCESS_PROFILES)
def test_a_state_without_its_file_disallows_if_it_cannot_be_fetched(
    profile: types.AccessProfile,
) -> None:
    now = 1_700_000_000
    robots = verger.parse(ROBOTS)
    state = verger.State(profile).after(200, now)
    assert state.check(robots, "ExampleBot", "/", now + 1, without_fetch=True)
    assert state.check(None, "ExampleBot", "/", now + 1) is None
    for known in (state, verger.State(profile)):
        verdict = known.check(None, "ExampleBot", "/", now + 1, without_fetch=True)
        assert not verdict and verdict.reason == "unreachable"


def test_a_panic_is_an_exception() -> None:
    from verger import _verger

    if not hasattr(_verger, "_panic"):
        pytest.skip("built without feature test-panic")
    with pytest.raises(BaseException, match="a panic for tests"):
        _verger._panic()
    assert verger.parse(b"").is_allowed("a", "/")


def test_other_threads_run_while_a_large_file_is_read() -> None:
    body = b"User-agent: *\n" + b"".join(b"Disallow: /%d*x\n" % n for n in range(15_000))
    counted = 0

    def work() -> None:
        for _ in range(20):
            verger.parse(body).policy("ExampleBot")
            verger.compile_policy(body, "ExampleBot")
            verger.is_allowed(body, "ExampleBot", "/1")

    before = sys.getswitchinterval()
    # A thread that does not release the interpreter would hold it for the whole call.
    sys.setswitchinterval(60)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            counted += 1
            time.sleep(0.001)
    finally:
        sys.setswitchinterval(before)
    assert counted > 20


def test_threads_share_values(robots: verger.Robots) -> None:
    failures = []

    def work() -> None:
        for _ in range(2000):
            if robots.is_allowed("ExampleBot", "/cart") or not robots.check("a", "/").allowed:
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_agents_in_turn_have_their_own_answers() -> None:
    names = [f"Bot{chr(65 + at)}" for at in range(12)]
    body = "".join(f"User-agent: {name}\nDisallow: /{name}\n" for name in names)
    robots = verger.parse(body)
    crawlers: list[Any] = [*names, *map(verger.Crawler, names)]
    for _ in range(30):
        for asked in crawlers:
            (token,) = asked.tokens if isinstance(asked, verger.Crawler) else (asked,)
            found = [robots.is_allowed(asked, f"/{name}") for name in names]
            assert found == [name != token for name in names]
            assert robots.policy(asked).is_allowed(f"/{token}") is False


@pytest.mark.parametrize("count", [3, 300])
def test_a_wrong_url_is_named_with_its_index(count: int) -> None:
    robots = verger.parse("User-agent: *\nDisallow: /cart\n")
    urls: list[Any] = ["/"] * count + [None]
    for call in (
        lambda: robots.are_allowed("ExampleBot", urls),
        lambda: robots.are_allowed("ExampleBot", iter(urls)),
        lambda: robots.policy("ExampleBot").are_allowed(urls),
        lambda: analysis.coverage(robots, "ExampleBot", urls),
    ):
        message = rf"urls\[{count}\]: expected str or bytes, but found NoneType"
        with pytest.raises(TypeError, match=message):
            call()


def test_a_text_is_not_a_list() -> None:
    calls: tuple[Any, ...] = (verger.Crawler.chain, verger.Crawler.union)
    for call in calls:
        message = "tokens: expected an iterable of product tokens, but found str"
        with pytest.raises(TypeError, match=message):
            call("ExampleBot")
        assert call(iter(["A", "B"])).tokens == ["A", "B"]


def test_many_urls_are_answered_while_other_threads_run() -> None:
    robots = verger.parse("User-agent: *\nDisallow: /*a*b*c*d$\n")
    urls = ["/" + "abc" * 50] * 20_000
    turns, is_over = 0, threading.Event()

    def count() -> None:
        nonlocal turns
        while not is_over.is_set():
            turns += 1
            time.sleep(0.0001)

    interval = sys.getswitchinterval()
    # This thread gives up the lock only where the call does.
    sys.setswitchinterval(3600)
    thread = threading.Thread(target=count)
    try:
        thread.start()
        before = turns
        # On a busy machine, the other thread may miss a call.
        for _ in range(100):
            assert robots.are_allowed("ExampleBot", urls) == [True] * len(urls)
            if turns > before:
                break
        assert turns > before
    finally:
        sys.setswitchinterval(interval)
        is_over.set()
        thread.join()


def test_verdicts_as_json_and_html() -> None:
    robots = verger.parse("User-agent: *\nDisallow: /<b>\n")
    verdict = robots.check("ExampleBot", "/<b>1")
    assert json.loads(verdict.to_json()) == {
        "allowed": False,
        "reason": "rule",
        "temporary": False,
        "rule": {"kind": "disallow", "pattern": "/<b>", "line": 2, "column": 11},
        "group": {"agents": ["*"], "line": 1},
    }
    assert json.loads(robots.policy("x").check("/<b>").to_json())["rule"]["line"] == 2
    shown = verdict._repr_html_()
    assert "<td>/&lt;b&gt;</td>" in shown and "<b>" not in shown
    allowed = robots.check("ExampleBot", "/")
    assert json.loads(allowed.to_json())["rule"] is None and "<table>" in allowed._repr_html_()
