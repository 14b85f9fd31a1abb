//! # group-drops-star
//!
//! The group of a crawler does not repeat what the group for `*` says, so the crawler may do more
//! than others.
//!
//! ## Why is this a problem?
//!
//! A crawler obeys the groups that name it and nothing else. The group for `*` does not apply to
//! it, neither its rules nor its delays and statements. Authors often expect that a named group
//! adds to the group for `*`.
//!
//! The finding is proved: other crawlers may not fetch the URL, and no rule of the group is about
//! it. It is a warning for rules that Googlebot or Bingbot does not obey. A group that states that
//! everything is open (an empty `Disallow` or `Allow: /`, and no rule that closes anything) is not
//! reported for its rules, and a group that closes everything is not reported at all. Neither are
//! the groups of crawlers that never obey `*`, such as `AdsBot-Google`, and of crawlers on a list
//! of permitted ones: `*` is closed by `Disallow: /` there. A group that closes nothing is a
//! `group-opens-all`, a name of no crawler a `misspelt-agent`.
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

use verger::diagnostic::Severity;
use verger::extension::{Record, RecordKind};
use verger::{Rule, RuleKind};
use verger_analysis::{Change, Direction, compare};

use super::prelude::*;
use super::{crawl_delay_ignored, misspelt_agent};
use crate::file::{SEARCH_ENGINES, closing_rule};
use crate::limits::DROPPED_LABELS;

pub(super) fn check(policies: &Policies<'_>, findings: &mut Findings<'_, '_>) {
    report(policies, findings, Dropped::Part);
}

/// The part of the policy for `*` that does not apply to a crawler.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dropped {
    /// Rules, but its own groups close something; or only statements.
    Part,
    /// Rules, and its own groups close nothing.
    All,
}

/// Reports groups that drop a part of the policy for `*`, or all of it.
pub(super) fn report(policies: &Policies<'_>, findings: &mut Findings<'_, '_>, reported: Dropped) {
    let Some(star) = star(policies) else { return };
    let statements: Vec<Record<'_>> = policies.file.robots.records().filter(is_statement).collect();
    for policy in &policies.list {
        let Some(name) = policy.name.filter(|_| may_drop(policy)) else { continue };
        // To the crawler that is meant, `*` applies.
        let token = policy.crawler.tokens().first();
        if token.is_some_and(|token| misspelt_agent::meant(token.as_str()).is_some()) {
            continue;
        }
        let opened = opened(policies, policy);
        let is_all = !opened.is_empty() && !policy.analysis.rules().iter().any(closes);
        if is_all != (reported == Dropped::All) {
            continue;
        }
        let records = dropped_records(&statements, star, policy);
        let shown = opened.iter().map(|(rule, _)| show_rule(rule));
        let shown = shown.chain(records.iter().map(|record| show_record(policies.file, record)));
        let shown: Vec<String> = shown.collect();
        let Some(first) = shown.first() else { continue };
        let crawler = show(policies.file.part(name));
        let more = match shown.len() - 1 {
            0 => format!("{first} for `*` does"),
            1 => format!("{first} and one more line for `*` do"),
            count => format!("{first} and {count} more lines for `*` do"),
        };
        let group = match policy.analysis.rules().first() {
            _ if !is_all => "",
            Some(_) => ", whose group closes nothing",
            None => ", whose group has no rules",
        };
        let message = format!("{more} not apply to {crawler}{group}");
        let is_engine = |it: &str| policies.file.part(name).eq_ignore_ascii_case(it.as_bytes());
        let is_severe = !opened.is_empty() && SEARCH_ENGINES.into_iter().any(is_engine);
        findings.add(name, message, |mut finding| {
            if is_severe {
                finding.severity = Severity::Warning;
            }
            let rules = opened.iter().take(DROPPED_LABELS).map(|(rule, _)| rule.span());
            let records = records.iter().take(DROPPED_LABELS).map(|record| record.span());
            for place in rules.chain(records) {
                finding = finding.label(place, "does not apply to this crawler");
            }
            finding.url = opened.first().map(|(_, target)| policies.file.url(target));
            let purpose = if is_all { "; add an empty `Disallow` if not" } else { "" };
            finding.help(format!(
                "a crawler obeys only the groups that name it: repeat the lines if they should \
                 apply{purpose}"
            ))
        });
    }
}

/// The rules that close something for `*` and not for a crawler, because no rule of the crawler's
/// groups is about it. Each once, with an example, in file order.
pub(super) fn opened<'f>(policies: &Policies<'f>, policy: &Policy<'f>) -> Vec<(Rule<'f>, String)> {
    let Some(star) = star(policies).filter(|_| may_drop(policy) && !is_open_on_purpose(policy))
    else {
        return Vec::new();
    };
    let comparison = policies.ask(|budget| compare(&star.analysis, &policy.analysis, budget));
    let is_dropped =
        |it: &&Change<'_, '_>| it.direction() == Direction::Opened && it.rule_after().is_none();
    let dropped = comparison.changes.iter().filter(is_dropped);
    let rule = |it: &Change<'f, '_>| Some((it.rule_before()?, it.witness().target().to_owned()));
    let mut rules: Vec<(Rule<'f>, String)> = dropped.filter_map(rule).collect();
    rules.sort_by_key(|(rule, _)| rule.span().start);
    rules.dedup_by_key(|(rule, _)| *rule);
    rules
}

/// The policy for `*`. If it closes all, the file is a list of permitted crawlers, whose groups
/// open the site on purpose.
fn star<'p, 'f>(policies: &'p Policies<'f>) -> Option<&'p Policy<'f>> {
    let star = policies.list.iter().find(|policy| policy.name.is_none())?;
    (!star.analysis.rules().iter().any(closes_all)).then_some(star)
}

/// Whether the groups of a crawler are instead of those for `*`, and do not close everything.
fn may_drop(policy: &Policy<'_>) -> bool {
    policy.name.is_some() && policy.obeys_star() && closing_rule(policy.groups()).is_none()
}

/// Whether the groups state on purpose that everything is open.
fn is_open_on_purpose(policy: &Policy<'_>) -> bool {
    let opens_all = |rule: &Rule<'_>| match rule.kind() {
        RuleKind::Allow => is_everything(rule.pattern()),
        RuleKind::Disallow => rule.pattern().is_empty(),
    };
    policy.analysis.rules().iter().any(opens_all) && !policy.analysis.rules().iter().any(closes)
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
    let needs_no_rate = own.iter().copied().any(is_rate)
        || is_open_on_purpose(policy)
        || token.is_some_and(|it| crawl_delay_ignored::vendor(it.as_str().as_bytes()).is_some());
    let counts = |record: &&Record<'_>| match record.kind() {
        kind if is_rate(kind) => !needs_no_rate,
        kind => !own.contains(&kind),
    };
    of(star.groups).filter(counts).collect()
}

/// Whether a kind of record limits the rate of requests. All of them are one kind of statement.
const fn is_rate(kind: RecordKind) -> bool {
    matches!(kind, RecordKind::CrawlDelay | RecordKind::RequestRate | RecordKind::MaxCrawlRate)
}

/// Whether a record says something about fetching or use to the crawlers of its group.
fn is_statement(record: &Record<'_>) -> bool {
    is_rate(record.kind())
        || matches!(record.kind(), RecordKind::ContentSignal | RecordKind::ContentUsage)
}

fn show_record(file: &File<'_>, record: &Record<'_>) -> String {
    show(&[record.kind().key().as_bytes(), b": ", file.part(record.span())].concat())
}
