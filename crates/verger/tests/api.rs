//! Properties of the API as a whole: threads, borrows, serialised forms.

use verger::access::{Access, Fetched, Profile, State, Timestamp};
use verger::diagnostic::Diagnostics;
use verger::extension::{Extension, Record, Sitemap};
use verger::policy::PolicyError;
use verger::{
    Agent, Contender, Crawler, CrawlerRef, DetachedVerdict, Dialect, Explanation, Group, LineIndex,
    Origin, OriginError, Permission, Policy, ProductToken, Reason, RobotRules, Robots, Rule,
    RulePattern, Standing, TokenError, UnknownName, Verdict,
};

const fn is_for_threads<T: Send + Sync + 'static>() {}

#[test]
fn values_are_shared_between_threads() {
    is_for_threads::<Access>();
    is_for_threads::<Agent<'static>>();
    is_for_threads::<Contender<'static>>();
    is_for_threads::<Crawler>();
    is_for_threads::<CrawlerRef<'static>>();
    is_for_threads::<DetachedVerdict>();
    is_for_threads::<Diagnostics>();
    is_for_threads::<Dialect>();
    is_for_threads::<Explanation<'static>>();
    is_for_threads::<Extension<'static>>();
    is_for_threads::<Fetched>();
    is_for_threads::<Group<'static>>();
    is_for_threads::<LineIndex>();
    is_for_threads::<Origin>();
    is_for_threads::<OriginError>();
    is_for_threads::<Permission<'static>>();
    is_for_threads::<Policy>();
    is_for_threads::<PolicyError>();
    is_for_threads::<Policy<&'static [u8]>>();
    is_for_threads::<ProductToken>();
    is_for_threads::<Profile>();
    is_for_threads::<Record<'static>>();
    is_for_threads::<RobotRules>();
    is_for_threads::<Robots>();
    is_for_threads::<Rule<'static>>();
    is_for_threads::<RulePattern<'static>>();
    is_for_threads::<State>();
    is_for_threads::<Timestamp>();
    is_for_threads::<TokenError>();
    is_for_threads::<UnknownName>();
    is_for_threads::<Verdict<'static>>();
}

/// Items of a file borrow only from the file, so that a function can return them.
mod returned {
    use super::*;

    pub(crate) fn sitemaps(robots: &Robots) -> impl Iterator<Item = &str> {
        robots.sitemaps().filter_map(|sitemap| sitemap.url())
    }

    pub(crate) fn raw_sitemaps(robots: &Robots) -> Vec<&[u8]> {
        robots.sitemaps().map(|sitemap: Sitemap<'_>| sitemap.raw()).collect()
    }

    pub(crate) fn agents(robots: &Robots) -> impl Iterator<Item = &[u8]> {
        robots.groups().flat_map(|group| group.agents()).map(|agent| agent.name())
    }

    pub(crate) fn patterns<'r>(
        robots: &'r Robots,
        crawler: &str,
    ) -> impl Iterator<Item = &'r [u8]> {
        robots.groups_for(crawler).flat_map(|group| group.rules()).map(|rule| rule.pattern())
    }

    pub(crate) fn keys<'r>(robots: &'r Robots, crawler: &str) -> impl Iterator<Item = &'r [u8]> {
        robots.records_for(crawler).map(|record| record.key())
    }

    pub(crate) fn decider<'r>(robots: &'r Robots, crawler: &str, url: &str) -> Option<&'r [u8]> {
        Some(robots.check(crawler, url).rule()?.pattern())
    }

    pub(crate) fn losers<'r>(robots: &'r Robots, url: &str) -> Vec<Rule<'r>> {
        let contenders = robots.explain("a", url).contenders;
        contenders
            .into_iter()
            .filter(|it| it.standing != Standing::Decides)
            .map(|it| it.rule)
            .collect()
    }

    pub(crate) fn decider_of_policy<'p>(policy: &'p Policy, url: &str) -> Option<&'p [u8]> {
        Some(policy.check(url).rule()?.pattern())
    }
}

#[test]
fn results_borrow_only_from_the_file() {
    let robots = Robots::parse(
        "Sitemap: https://h/s\nUser-agent: a\nCrawl-delay: 1\nDisallow: /x\nDisallow: /xy\n",
    );
    assert!(returned::sitemaps(&robots).eq(["https://h/s"]));
    assert_eq!(returned::raw_sitemaps(&robots), [b"https://h/s"]);
    assert!(returned::agents(&robots).eq([b"a"]));
    let patterns: Vec<_> = returned::patterns(&robots, &String::from("a")).collect();
    assert_eq!(patterns, [&b"/x"[..], b"/xy"]);
    assert!(returned::keys(&robots, &String::from("a")).eq([b"Crawl-delay"]));
    assert_eq!(returned::decider(&robots, "a", &String::from("/xy")), Some(&b"/xy"[..]));
    assert_eq!(returned::losers(&robots, &String::from("/xy"))[0].pattern(), b"/x");
    let policy = robots.policy("a");
    let decider = returned::decider_of_policy(&policy, &String::from("/xy"));
    assert_eq!(decider, Some(&b"/xy"[..]));
}

#[test]
fn files_are_equal_by_text_and_dialect() {
    let text = "User-agent: *\nDisallow: /x\n";
    let robots = Robots::parse(text);
    assert_eq!(robots, Robots::parse(text.as_bytes()));
    assert_eq!(robots, robots.clone());
    assert_ne!(robots, Robots::parse(&format!("{text}#")));
    assert_ne!(robots, Dialect::GOOGLE.parse(text));
    assert_ne!(robots, Dialect::RFC9309.parse_cut(text), "perhaps there was more");
    for dialect in Dialect::PUBLISHED {
        let nothing = dialect.parse("User-agent: *\nDisallow: /\n");
        assert!(!nothing.is_allowed("a", "http://h/x"), "{dialect}");
        assert!(dialect.parse("").is_allowed("a", "http://h/x"), "{dialect}");
    }
}

#[test]
fn a_detached_verdict_has_no_rule_of_another_file() {
    let robots = Robots::parse("User-agent: a\nUser-agent: b\nDisallow: /x\n");
    let verdict = robots.check("b", "/x").detach();
    assert_eq!(verdict.attach(&robots).to_string(), robots.check("b", "/x").to_string());
    let empty = Robots::parse("");
    let other = verdict.attach(&empty);
    assert_eq!((other.is_allowed(), other.reason()), (false, Reason::Rule));
    assert!(other.rule().is_none() && other.group().is_none());
}
