//! Target `explain`: the explanation of a verdict agrees with the verdict, and is correct in every
//! detail.
//!
//! Target, groups, matching rules, their lengths and the reasons why they lose are computed again
//! from the clauses (`plain`), in every published dialect and in mixtures of them. All displayed
//! text is inert.

use verger::dialect::Oversize;
use verger::{Contender, Crawler, Explanation, Reason, Robots, Rule, Standing, Verdict};

use crate::inert::assert_shown_inert;
use crate::input::{Question, mixed, published};
use crate::plain;

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
        if let Some(problem) = token.problem() {
            assert_shown_inert(&problem);
        }
    }
    for dialect in published().chain(mixed(question.row)) {
        let robots = dialect.parse(&question.robots);
        let verdict = robots.check(&crawler, &question.url);
        let explanation = robots.explain(&crawler, &question.url);
        is_the_verdict(&explanation.verdict, &verdict);
        check_groups(&robots, &crawler);
        check_target(&explanation, &robots, &crawler, &question.url);
        check_contenders(&explanation, &robots, &crawler);
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
    let found: Vec<usize> = robots.groups_for(crawler).map(|group| group.index()).collect();
    assert_eq!(found, plain::selected(robots, crawler), "{dialect}: {crawler:?}");
    for group in robots.groups_for(crawler) {
        let by = group.found_by();
        let is_member = by.is_none_or(|by| group.agents().any(|agent| agent.span() == by.span()));
        assert!(is_member, "{dialect}: found by an agent of another group");
        assert!(by.is_some() || group.agents().next().is_none(), "{dialect}: found by no agent");
    }
}

fn check_target(explanation: &Explanation<'_>, robots: &Robots, crawler: &Crawler, url: &[u8]) {
    let dialect = robots.dialect();
    let target = plain::target(url, &dialect);
    let reason = explanation.verdict.reason();
    let expected = match &target {
        _ if crawler.ignores_robots() => Reason::CrawlerIgnoresRobots,
        Err(reason) => *reason,
        Ok(target) if target == b"/robots.txt" && dialect.robots_txt_always_allowed => {
            Reason::RobotsTxtItself
        }
        Ok(_) if robots.is_truncated() && dialect.oversize == Oversize::AllowAll => {
            Reason::Unavailable
        }
        Ok(_) if robots.groups_for(crawler).len() == 0 => Reason::NoGroup,
        Ok(_) if explanation.contenders.is_empty() => Reason::NoRuleMatches,
        Ok(_) => Reason::Rule,
    };
    assert_eq!(reason, expected, "{dialect}: {url:?}");
    let is_asked = matches!(reason, Reason::Rule | Reason::NoRuleMatches);
    assert_eq!(explanation.target, target.ok().filter(|_| is_asked), "{dialect}: {url:?}");
}

fn check_contenders(explanation: &Explanation<'_>, robots: &Robots, crawler: &Crawler) {
    let dialect = robots.dialect();
    let Some(target) = &explanation.target else {
        assert!(explanation.contenders.is_empty(), "{dialect}");
        return;
    };
    let rules: Vec<Rule<'_>> = robots.groups_for(crawler).flat_map(|group| group.rules()).collect();
    let offered = rules.iter().map(|rule| (rule.kind(), rule.pattern()));
    let expected = plain::contest(offered, target, &dialect);
    let found = &explanation.contenders;
    assert_eq!(found.len(), expected.len(), "{dialect}: {found:?}, {expected:?}");
    for (found, expected) in found.iter().zip(&expected) {
        let rule = rules[expected.rule];
        assert_eq!(found.rule, rule, "{dialect}");
        assert_eq!(found.length, expected.length, "{dialect}: {found:?}");
        assert_eq!(found.by_directory, expected.by_directory, "{dialect}: {found:?}");
        assert_eq!(found.standing, expected.standing, "{dialect}: {found:?}");
        assert!(found.group.rules().any(|other| other == rule), "{dialect}: {found:?}");
    }
    let decides = |contender: &&Contender<'_>| contender.standing == Standing::Decides;
    let deciding: Vec<Rule<'_>> = found.iter().filter(decides).map(|it| it.rule).collect();
    assert_eq!(deciding, Vec::from_iter(explanation.verdict.rule()), "{dialect}");
    let allows = expected.iter().find(|it| it.standing == Standing::Decides);
    let is_allowed = allows.is_none_or(|it| it.allows);
    assert_eq!(explanation.verdict.is_allowed(), is_allowed, "{dialect}");
}

fn check_display(explanation: &Explanation<'_>) {
    let verdict = &explanation.verdict;
    assert_shown_inert(verdict);
    assert_shown_inert(&verdict.reason());
    for Contender { rule, group, standing, .. } in &explanation.contenders {
        assert_shown_inert(rule);
        assert_shown_inert(group);
        assert_shown_inert(standing);
    }
}
