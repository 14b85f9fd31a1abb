//! # group-drops-star
//!
//! The group of a crawler does not repeat what the group for `*` says, so the crawler may do more
//! than others.
//!
//! ## Why is this a problem?
//!
//! A crawler obeys the groups that name it and nothing else. The group for `*` does not apply to it,
//! neither its rules nor its delays and statements. Authors often expect that a named group adds to
//! the group for `*`.
//!
//! The finding is proved: the crawler may fetch the URL, and other crawlers may not. A group that
//! states that everything is open (an empty `Disallow`, or only `Allow` lines) is not reported for
//! its rules, and a group that closes everything is not reported at all. Neither are the groups of
//! crawlers that never obey `*`, such as `AdsBot-Google`, and of crawlers on a list of permitted ones:
//! `*` is closed by `Disallow: /` there. A group without any rule is a `group-opens-all`.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! Disallow: /search
//!
//! User-agent: ExampleBot
//! Disallow: /images
//! ```
//!
//! Use instead, if the author meant to add a rule:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! Disallow: /search
//!
//! User-agent: ExampleBot
//! Disallow: /cart
//! Disallow: /search
//! Disallow: /images
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.2.1, REP-AGENT-20, REP-AGENT-26.

use verger::extension::{Record, RecordKind};
use verger::{Group, Rule, RuleKind};
use verger_analysis::{Change, Direction, compare};
use verger_registry::{Crawler, Registry};

use super::crawl_delay_ignored;
use super::prelude::*;
use crate::file::closing_rule;
use crate::limits::DROPPED_LABELS;

pub(super) fn check(policies: &Policies<'_>, findings: &mut Findings<'_, '_>) {
    report(policies, findings, false);
}

/// Reports the groups with rules, or those that drop the rules of `*` and have none.
pub(super) fn report(
    policies: &Policies<'_>,
    findings: &mut Findings<'_, '_>,
    is_about_empty: bool,
) {
    let Some(star) = policies.list.iter().find(|policy| policy.name.is_none()) else { return };
    let statements: Vec<Record<'_>> = policies.file.robots.records().filter(is_statement).collect();
    for policy in &policies.list {
        let Some(name) = policy.name.filter(|_| obeys_star(policy)) else { continue };
        let is_empty = policy.groups().all(|group| group.rules().len() == 0);
        let is_closed = policy.groups().all(|group| closing_rule(group).is_some());
        if is_closed || is_about_empty && !is_empty {
            continue;
        }
        let comparison = policies.ask(|budget| {
            (!opens_all(policy)).then(|| compare(&star.analysis, &policy.analysis, budget))
        });
        let changes = comparison.iter().flat_map(|it| &it.changes);
        let opened: Vec<&Change<'_, '_>> = changes.filter(|it| is_dropped(it)).collect();
        let rules = dropped_rules(&opened);
        if is_about_empty != (is_empty && !rules.is_empty()) {
            continue;
        }
        let records = dropped_records(&statements, star, policy);
        let shown = rules.iter().map(show_rule);
        let shown = shown.chain(records.iter().map(|record| show_record(policies.file, record)));
        let shown: Vec<String> = shown.collect();
        let Some(first) = shown.first() else { continue };
        let more = match shown.len() - 1 {
            0 => String::new(),
            1 => " and one more line".to_owned(),
            count => format!(" and {count} more lines"),
        };
        let crawler = show(policies.file.part(name));
        let has = if is_about_empty { "has no rules and " } else { "" };
        let message = format!("the group for {crawler} {has}drops {first}{more} of `*`");
        let url = opened.first().map(|change| policies.file.url(change.witness().target()));
        findings.add(name, message, |mut finding| {
            for rule in rules.iter().take(DROPPED_LABELS) {
                finding = finding.label(rule.span(), "does not apply to this crawler");
            }
            for record in records.iter().take(DROPPED_LABELS) {
                finding = finding.label(record.span(), "does not apply to this crawler");
            }
            finding.url = url;
            let empty = if is_about_empty { "; add an empty `Disallow` if not" } else { "" };
            finding.help(format!(
                "a crawler obeys only the groups that name it: repeat the lines if they should apply{empty}"
            ))
        });
    }
}

/// Whether a rule for some URLs does not apply. A rule for all URLs is that of a list of permitted
/// crawlers, whose groups open the site on purpose.
fn is_dropped(change: &Change<'_, '_>) -> bool {
    let rule = change.rule_before().filter(|rule| !is_everything(rule.pattern()));
    change.direction() == Direction::Opened && rule.is_some()
}

/// Whether the crawler would obey `*` without its own group.
fn obeys_star(policy: &Policy<'_>) -> bool {
    let tokens = policy.crawler.tokens();
    let known = tokens.first().and_then(|token| Registry::bundled().find(token.as_str()));
    known.is_none_or(Crawler::falls_back_to_star)
}

/// Whether the groups state on purpose that everything is open.
fn opens_all(policy: &Policy<'_>) -> bool {
    let mut rules = policy.groups().flat_map(|group: Group<'_>| group.rules()).peekable();
    rules.peek().is_some()
        && rules.all(|rule| rule.kind() == RuleKind::Allow || rule.pattern().is_empty())
}

/// The rules that close something for `*` and not for the crawler, each once.
fn dropped_rules<'f>(opened: &[&Change<'f, '_>]) -> Vec<Rule<'f>> {
    let mut rules: Vec<Rule<'f>> =
        opened.iter().filter_map(|change| change.rule_before()).collect();
    rules.sort_by_key(|rule| rule.span().start);
    rules.dedup();
    rules
}

/// The statements of `*` whose kind is missing in the groups of the crawler.
fn dropped_records<'r, 'f>(
    statements: &'r [Record<'f>],
    star: &Policy<'r>,
    policy: &Policy<'r>,
) -> Vec<&'r Record<'f>> {
    let of = |groups: &'r [usize]| {
        let is_in = move |record: &&Record<'f>| {
            record.group().is_some_and(|group| groups.binary_search(&group).is_ok())
        };
        statements.iter().filter(is_in)
    };
    let own: Vec<RecordKind> = of(policy.groups).map(Record::kind).collect();
    let token = policy.crawler.tokens().first();
    let ignores_delay =
        token.is_some_and(|token| crawl_delay_ignored::vendor(token.as_str().as_bytes()).is_some());
    let counts = |record: &&Record<'_>| {
        !(own.contains(&record.kind()) || ignores_delay && record.kind() == RecordKind::CrawlDelay)
    };
    of(star.groups).filter(counts).collect()
}

/// Whether a record says something about fetching or use to the crawlers of its group.
fn is_statement(record: &Record<'_>) -> bool {
    use RecordKind::{ContentSignal, ContentUsage, CrawlDelay, RequestRate};
    matches!(record.kind(), CrawlDelay | RequestRate | ContentSignal | ContentUsage)
}

fn show_record(file: &File<'_>, record: &Record<'_>) -> String {
    show(&[record.kind().key().as_bytes(), b": ", file.part(record.span())].concat())
}
