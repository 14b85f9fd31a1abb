"""The engine's classes."""

import builtins
import copy
import pickle
import threading
from functools import partial

import pytest
import verger

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


def test_verdicts_name_rule_line_and_group(robots):
    verdict = robots.check("ExampleBot", "https://shop.example/cart/1")
    assert not verdict and not verdict.allowed
    assert (verdict.reason, verdict.line, verdict.rule.kind) == ("rule", 2, "disallow")
    assert (verdict.rule.pattern, verdict.rule.pattern_bytes) == ("/cart", b"/cart")
    assert (verdict.group.agents, verdict.group.line) == (["*"], 1)
    assert verdict == robots.check("OtherBot", "https://shop.example/cart/2")
    assert robots.check("ExampleBot", "/").reason == "no_rule_matches"


def test_misuse_fails_closed(robots):
    for agent, url in [
        ("ExampleBot", "shop.example/"),
        ("ExampleBot", ""),
        ("https://shop.example/", "ExampleBot"),
        ("ExampleBot", "\ud800"),
        ("ExampleBot", b"\xff"),
    ]:
        verdict = robots.check(agent, url)
        assert (verdict.allowed, verdict.reason) == (False, "not_a_url"), (agent, url)
        assert not robots.is_allowed(agent, url)
    assert not robots.is_allowed("Mozilla/5.0 (compatible; GPTBot/1.2)", "/")


@pytest.mark.parametrize("wrong", [None, 1, 1.5, [], {}, object()])
def test_wrong_types_are_type_errors(robots, wrong):
    for call in (
        lambda: verger.parse(wrong),
        lambda: robots.check(wrong, "/"),
        lambda: robots.check("a", wrong),
        lambda: robots.is_allowed("a", wrong),
        lambda: robots.are_allowed("a", [wrong]),
        lambda: verger.compile_policy(ROBOTS, wrong),
        lambda: verger.compile_policy(ROBOTS, "a").check(wrong),
    ):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("one", ["/cart", b"/cart", bytearray(b"/cart"), memoryview(b"/"), None])
def test_a_single_url_in_place_of_many_is_a_type_error(robots, one):
    calls = [partial(robots.are_allowed, "a"), robots.policy("a").are_allowed]
    for call in calls:
        with pytest.raises(TypeError, match="urls: expected an iterable of URLs, but found "):
            call(one)


def test_errors_of_an_iterator_are_passed_on(robots):
    def broken():
        yield "/"
        raise TypeError("on purpose")

    with pytest.raises(TypeError, match="on purpose"):
        robots.are_allowed("a", broken())


def test_buffers_are_texts(robots):
    for kind in (bytes, bytearray, memoryview):
        assert verger.parse(kind(ROBOTS)) == robots
        assert robots.is_allowed(b"ExampleBot", kind(b"/cart/help"))


def test_an_unknown_dialect_lists_the_known_ones():
    with pytest.raises(ValueError, match="dialect: .*rfc9309.*google"):
        verger.parse(b"", dialect="gopher")
    with pytest.raises(ValueError, match="access_profile: .*rfc9309.*google"):
        verger.State("gopher")
    assert len(verger.DIALECTS) == 9


def test_every_interface_has_the_same_answers(robots):
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


def test_lines_without_a_last_line_end_count(robots):
    assert robots.are_lines_allowed("ExampleBot", b"") == b""
    assert robots.are_lines_allowed("ExampleBot", b"/") == b"\x01"
    assert robots.are_lines_allowed("ExampleBot", b"/\n\n/cart\n") == b"\x01\x00\x00"


def test_explanations_list_the_rules_that_matched(robots):
    explanation = robots.explain("ExampleBot", "/cart/help")
    standings = [contender.standing for contender in explanation.contenders]
    assert (standings, explanation.target) == (["shorter", "decides"], "/cart/help")
    assert explanation.verdict == robots.check("ExampleBot", "/cart/help")
    assert "line 2: Disallow: /cart is shorter" in str(explanation)


def test_statements(robots):
    assert robots.crawl_delay("ExampleBot") == 2.5
    assert robots.request_rates("ExampleBot") == [(1, 10.0, (360, 525))]
    assert robots.visit_times("ExampleBot") == [(360, 525)]
    assert robots.content_signals("GPTBot", "/") == {"search": "yes", "ai-train": "no"}
    assert robots.sitemaps == ["/sitemap.xml"]
    assert robots.sitemap_urls("https://shop.example/x") == ["https://shop.example/sitemap.xml"]
    kinds = [record.kind for record in robots.records]
    assert kinds == ["Crawl-delay", "Request-rate", "Visit-time", "Content-Signal", "Sitemap"]
    with pytest.raises(ValueError):
        robots.sitemap_urls("mailto:a@shop.example")


def test_diagnostics_have_places():
    found = verger.parse(b"User-agent: *\nDissalow: /cart\n").diagnostics
    assert [(one.code, one.line, one.severity) for one in found] == [("misspelt-key", 2, "warning")]


def test_every_exported_name_exists_and_hides_no_builtin():
    names = {}
    exec("from verger import *", names)
    assert set(verger.__all__) <= names.keys()
    assert not set(verger.__all__) & set(dir(builtins)) - {"__doc__", "__name__"}


def test_policies_are_bytes():
    policy = verger.compile_policy(ROBOTS, "ExampleBot")
    assert isinstance(policy, bytes) and memoryview(policy).nbytes == len(policy)
    for other in (pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert other == policy and other.check("/cart").rule == ("disallow", "/cart", 2)
    verdict = policy.check("/cart")
    assert (bool(verdict), verdict.line, verdict.temporary) == (False, 2, False)
    assert verdict == policy.check("/cart/1") != policy.check("/")
    with pytest.raises(AttributeError):
        verdict.allowed = True
    short = policy.without_explanation()
    assert len(short) < len(policy) and not short.is_allowed("/cart")
    with pytest.raises(ValueError):
        verger.Policy(policy[:-1])


def test_values_can_be_pickled(robots):
    assert pickle.loads(pickle.dumps(robots)) == robots
    state = verger.State("google").after(503, 1_700_000_000)
    assert pickle.loads(pickle.dumps(state)) == state
    assert pickle.loads(pickle.dumps(verger.Crawler("GPTBot"))) == verger.Crawler("GPTBot")


def test_crawlers():
    assert verger.Crawler("Mozilla/5.0 (compatible; ExampleBot/1.0)").tokens == ["ExampleBot"]
    assert verger.Crawler.named("Googlebot-News").tokens[-1].lower() == "googlebot"
    news = verger.Crawler.chain(["googlebot-news", "googlebot"])
    robots = verger.parse("User-agent: googlebot\nDisallow: /\n")
    assert not robots.is_allowed(news, "/")
    assert robots.is_allowed(news.without_star(), "/") is False
    for wrong in ("", " ", "*", "Mozilla/5.0 (X11; Linux x86_64)"):
        with pytest.raises(ValueError, match="agent: expected a product token"):
            verger.Crawler(wrong)
    with pytest.raises(ValueError, match=r"tokens: .*`a b`; `Crawler\(…\)` reads"):
        verger.Crawler.chain(["a b"])
    with pytest.raises(ValueError, match="name: expected a known crawler .*`Nobody`"):
        verger.Crawler.named("Nobody")
    with pytest.raises(TypeError):
        verger.Crawler.chain("ab")


def test_urls_have_a_robots_txt():
    assert verger.robots_url("HTTPS://Shop.Example:443/cart") == "https://shop.example/robots.txt"
    for wrong in ("data:,x", "/cart", "shop.example/cart", "https://shop.example:99999/"):
        with pytest.raises(ValueError):
            verger.robots_url(wrong)


def test_states_follow_rfc_9309():
    now = 1_700_000_000
    robots = verger.parse(ROBOTS)
    state = verger.State()
    assert state.needs_fetch(now) and state.check(None, "ExampleBot", "/", now) is None
    for outcome, access in [
        (200, "rules"),
        (404, "allow_all"),
        (403, "allow_all"),
        (429, "disallow_all"),
        (503, "disallow_all"),
        ("network", "disallow_all"),
        ("redirect_limit", "allow_all"),
    ]:
        assert state.after(outcome, now).access(now) == access, outcome
    fresh = state.after(200, now, [("Cache-Control", "max-age=600")])
    assert state.after(200, now, {"Cache-Control": "max-age=600"}) == fresh
    assert hash(fresh) != hash(state) and fresh != state
    for wrong in (["a"], [("a",)], [("a", 1)], "a: b", 1):
        with pytest.raises(TypeError, match="header"):
            state.after(200, now, wrong)
    assert repr(state) == "<State rfc9309: not fetched yet>"
    assert repr(fresh) == (
        "<State rfc9309: rules, fetched at 2023-11-14T22:13:20Z, "
        "next fetch at 2023-11-14T22:23:20Z>"
    )
    failed = repr(fresh.after(503, now + 600))
    assert "1 failures after the file of 2023-11-14T22:13:20Z, next fetch at " in failed
    assert "rfc9309: 1 failures, next fetch at " in repr(state.after(503, now))
    assert fresh.fresh_until == now + 600 and state.is_file(200) and not state.is_file(404)
    verdict = fresh.check(robots, "ExampleBot", "https://shop.example/cart", now)
    assert verdict.line == 2
    with pytest.raises(ValueError, match="local_fault"):
        state.after("gone", now)
    with pytest.raises(ValueError):
        state.needs_fetch(float("nan"))


def test_a_panic_is_an_exception():
    from verger import _verger

    with pytest.raises(BaseException, match="a panic for tests"):
        _verger._panic()
    assert verger.parse(b"").is_allowed("a", "/")


def test_threads_share_values(robots):
    failures = []

    def work():
        for _ in range(2000):
            if robots.is_allowed("ExampleBot", "/cart") or not robots.check("a", "/").allowed:
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
