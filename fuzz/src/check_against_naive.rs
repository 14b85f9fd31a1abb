//! Target `check_against_naive`: two independent implementations of RFC 9309, and two interfaces of
//! the engine.
//!
//! In dialect `rfc9309` the engine and the naive matcher of the testkit give the same answer, line
//! and reason. In every published dialect, and in mixtures of them, the one-shot answer equals that
//! of the parsed file. Records that are not rules never affect it (REP-EXT-1).

use verger::parse::Encoding;
use verger::{Crawler, Dialect, Reason, Robots, Verdict};
use verger_testkit::agreement::to_naive_answer;

use crate::input::{Question, mixed, published, with_tight_limits};

/// Checks these properties.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let question = Question::read(bytes);
    against_naive(&question);
    let crawler = question.crawler.to_crawler();
    let tight = with_tight_limits(question.robots.len());
    for dialect in published().chain(tight).chain(mixed(question.row)) {
        let robots = dialect.parse(&question.robots);
        let verdict = robots.check(&crawler, &question.url);
        check_shape(&verdict, &robots, &crawler);
        let once = dialect.is_allowed(&question.robots, &crawler, &question.url);
        assert_eq!(once, verdict.is_allowed(), "{dialect}: one-shot, {verdict}, {question:?}");
        without_records(&robots, &crawler, &question.url, &verdict);
    }
}

fn against_naive(question: &Question) {
    let Question { crawler: named, url, robots, .. } = question;
    if !named.is_plain_chain() {
        return;
    }
    let tokens: Vec<&str> = named.tokens.iter().map(String::as_str).collect();
    let expected = verger_naive::check(robots, &tokens, url);
    let parsed = Robots::parse(robots);
    let crawler = named.to_crawler();
    let verdict = parsed.check(&crawler, url);
    assert_eq!(to_naive_answer(&verdict), Some(expected), "{verdict}, {question:?}");
    assert_eq!(verger::is_allowed(robots, &crawler, url), expected.allowed, "{question:?}");
    if let [token] = tokens[..] {
        assert_eq!(parsed.check(token, url).is_allowed(), expected.allowed, "{question:?}");
    }
}

/// Consistency of the fields of a verdict.
fn check_shape(verdict: &Verdict<'_>, robots: &Robots, crawler: &Crawler) {
    let dialect = robots.dialect();
    let is_by_rule = verdict.reason() == Reason::Rule;
    assert_eq!(verdict.rule().is_some(), is_by_rule, "{dialect}: {verdict}");
    let is_no_url = verdict.reason() == Reason::NotAUrl;
    assert!(is_by_rule || verdict.is_allowed() != is_no_url, "{dialect}: {verdict}");
    let has_group = is_by_rule || verdict.reason() == Reason::NoRuleMatches;
    assert_eq!(verdict.group().is_some(), has_group, "{dialect}: {verdict}");
    let Some(group) = verdict.group() else {
        return;
    };
    let selected: Vec<usize> = robots.groups_for(crawler).map(|group| group.index()).collect();
    assert!(selected.contains(&group.index()), "{dialect}: {verdict}");
    if let Some(rule) = verdict.rule() {
        assert!(group.rules().any(|other| other == rule), "{dialect}: {verdict}");
    } else {
        assert_eq!(selected.first(), Some(&group.index()), "{dialect}: {verdict}");
    }
}

/// REP-EXT-1: replaces all records that are neither agents nor rules by comments.
fn without_records(robots: &Robots, crawler: &Crawler, url: &[u8], verdict: &Verdict<'_>) {
    let mut dialect: Dialect = robots.dialect();
    if dialect.crawl_delay_closes_agents || dialect.content_usage_closes_agents {
        return;
    }
    let is_decoded = dialect.utf16 && robots.encoding() != Encoding::Utf8;
    let begins_with_mark = is_decoded && robots.text().starts_with("\u{feff}".as_bytes());
    if verdict.reason() == Reason::Unavailable || begins_with_mark {
        return;
    }
    // The text is already decoded and cut at the limit.
    dialect.byte_limit = None;
    dialect.utf16 = false;
    let mut text = robots.text().to_vec();
    for record in robots.records() {
        text[record.key_span().start] = b'#';
    }
    let bare = dialect.parse(&text);
    let other = bare.check(crawler, url);
    let line = |verdict: &Verdict<'_>| verdict.rule().map(|rule| rule.position());
    assert_eq!(other.is_allowed(), verdict.is_allowed(), "{dialect}: {other}, {verdict}");
    assert_eq!(other.reason(), verdict.reason(), "{dialect}: {other}, {verdict}");
    assert_eq!(line(&other), line(verdict), "{dialect}: {other}, {verdict}");
}
