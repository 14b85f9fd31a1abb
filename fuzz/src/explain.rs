//! Target `explain`: the explanation of a verdict agrees with the verdict and with itself.
//!
//! In every published dialect and in mixtures of them the deciding rule is the one that the lengths
//! and kinds of the matching rules select, and the others lose for the reason given. In dialect
//! `rfc9309` a rule matches if, and only if, it decides alone for the naive matcher. All displayed
//! text is inert.

use verger::dialect::{EmptyRule, Oversize, Precedence};
use verger::{
    Contender, Crawler, Dialect, Explanation, Reason, Robots, Rule, RuleKind, Standing, Verdict,
};

use crate::inert::assert_shown_inert;
use crate::input::{Question, mixed, published};

/// Checks explanations.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let question = Question::read(bytes);
    let crawler = question.crawler.to_crawler();
    for token in crawler.tokens() {
        assert_shown_inert(token);
    }
    for dialect in published().chain(mixed(question.row)) {
        let robots = dialect.parse(&question.robots);
        let verdict = robots.check(&crawler, &question.url);
        let explanation = robots.explain(&crawler, &question.url);
        is_the_verdict(&explanation.verdict, &verdict);
        check_groups(&robots, &crawler);
        check_reason(&explanation, &robots, &crawler);
        check_contenders(&explanation, &robots, &crawler);
        if dialect == Dialect::RFC9309 {
            check_matches(&explanation, &robots, &crawler, &question.url);
        }
        check_display(&explanation);
    }
}

fn is_the_verdict(explained: &Verdict<'_>, verdict: &Verdict<'_>) {
    assert_eq!(explained.is_allowed(), verdict.is_allowed());
    assert_eq!(explained.reason(), verdict.reason());
    assert_eq!(explained.rule(), verdict.rule());
    let group = |verdict: &Verdict<'_>| verdict.group().map(|group| group.index());
    assert_eq!(group(explained), group(verdict));
    assert_eq!(explained.to_string(), verdict.to_string());
}

fn check_groups(robots: &Robots, crawler: &Crawler) {
    let dialect = robots.dialect();
    for group in robots.groups_for(crawler) {
        let by = group.found_by();
        let is_member = by.is_none_or(|by| group.agents().any(|agent| agent.span() == by.span()));
        assert!(is_member, "{dialect}: found by an agent of another group");
        assert!(by.is_some() || group.agents().next().is_none(), "{dialect}: found by no agent");
    }
}

fn check_reason(explanation: &Explanation<'_>, robots: &Robots, crawler: &Crawler) {
    let dialect = robots.dialect();
    let reason = explanation.verdict.reason();
    let is_asked = matches!(reason, Reason::Rule | Reason::NoRuleMatches);
    assert_eq!(explanation.target.is_some(), is_asked, "{dialect}: {reason:?}");
    let expected = match reason {
        _ if crawler.ignores_robots() => Reason::CrawlerIgnoresRobots,
        Reason::NotAUrl | Reason::NoRobotsForScheme => reason,
        Reason::RobotsTxtItself if dialect.robots_txt_always_allowed => reason,
        _ if robots.is_truncated() && dialect.oversize == Oversize::AllowAll => Reason::Unavailable,
        _ if robots.groups_for(crawler).len() == 0 => Reason::NoGroup,
        _ if explanation.contenders.is_empty() => Reason::NoRuleMatches,
        _ => Reason::Rule,
    };
    assert_eq!(reason, expected, "{dialect}");
}

fn check_contenders(explanation: &Explanation<'_>, robots: &Robots, crawler: &Crawler) {
    let dialect = robots.dialect();
    let found = &explanation.contenders;
    let rules: Vec<Rule<'_>> = robots.groups_for(crawler).flat_map(|group| group.rules()).collect();
    let mut rest = rules.iter();
    let is_first_match = dialect.precedence == Precedence::FirstMatch;
    let allows = |it: &Contender<'_>| {
        // REP-AMB-2.
        let is_open = it.rule.pattern().is_empty() && dialect.empty_rule == EmptyRule::Allows;
        it.rule.kind() == RuleKind::Allow || is_open
    };
    // The longest rule; of several, one that allows; of several, the first one.
    let winner = match found.iter().rev().max_by_key(|it| (it.length, allows(it))) {
        Some(_) if is_first_match => found.first(),
        winner => winner,
    };
    assert_eq!(winner.map(|it| it.rule), explanation.verdict.rule(), "{dialect}: {found:?}");
    if let Some(winner) = winner {
        assert_eq!(explanation.verdict.is_allowed(), allows(winner), "{dialect}: {found:?}");
    }
    for contender in found {
        let Some(winner) = winner else { continue };
        assert!(rest.any(|rule| *rule == contender.rule), "{dialect}: {found:?}");
        assert!(contender.group.rules().any(|rule| rule == contender.rule), "{dialect}");
        let expected = match () {
            () if contender.rule == winner.rule => Standing::Decides,
            () if is_first_match => Standing::Later,
            () if contender.length < winner.length => Standing::Shorter,
            () if allows(contender) != allows(winner) => Standing::LosesTie,
            () => Standing::Repeats,
        };
        assert_eq!(contender.standing, expected, "{dialect}: {found:?}");
    }
}

/// A rule matches if, and only if, it decides alone for the naive matcher.
fn check_matches(explanation: &Explanation<'_>, robots: &Robots, crawler: &Crawler, url: &[u8]) {
    if explanation.target.is_none() {
        return;
    }
    for rule in robots.groups_for(crawler).flat_map(|group| group.rules()) {
        let alone = [b"user-agent: a\ndisallow: ", rule.pattern(), b"\n"].concat();
        let expected = verger_naive::check(&alone, &["a"], url).line.is_some();
        let found = explanation.contenders.iter().any(|it| it.rule == rule);
        assert_eq!(found, expected, "{rule}");
    }
}

fn check_display(explanation: &Explanation<'_>) {
    let verdict = &explanation.verdict;
    assert_shown_inert(verdict);
    for Contender { rule, group, standing, .. } in &explanation.contenders {
        assert_shown_inert(rule);
        assert_shown_inert(group);
        assert_shown_inert(standing);
    }
}
