//! # redundant-rule
//!
//! A rule can be removed without a change: other rules, or the default, say the same.
//!
//! ## Why is this a problem?
//!
//! It is not an error. But a reader may believe that the rule has an effect, or change the other
//! rule and not this one.
//!
//! The finding is proved for all URLs, and for every crawler that obeys the rule. A rule that
//! allows everything where nothing else is said is not reported: authors write it on purpose.
//!
//! Redundant rules of a group have one finding for each kind of fix and reason. It is a warning, at
//! the `Disallow: /`, if that says the same of a part of the site, perhaps by mistake. It is also a
//! warning if an `Allow` changes nothing because it loses to a `Disallow` with a longer pattern.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! Disallow: /cart/old
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! Removes the line, if it is proved that no answer changes in any published dialect, for any
//! crawler with one name or with fallbacks. Otherwise there is no fix: of two rules that say the
//! same, only one can be removed. An `Allow` that loses to a `Disallow` has no fix either, nor has
//! the only rule of a group, a rule after a blank line below a `Disallow: /`, and one for a name of
//! several words. And there is none in a group with an unclear line, such as an unknown key: after
//! its correction, the rule may be needed. Safe if the other rules match only a part of all URLs, end
//! with no part of a word, and have no other finding, and if no comment belongs to the line. Unsafe
//! otherwise: beside a `Disallow: /` by mistake, all other rules are redundant.
//!
//! ## References
//!
//! RFC 9309 section 2.2.2, REP-MATCH-10.

use std::collections::HashMap;

use verger::diagnostic::Severity;
use verger::{Rule, RuleKind};
use verger_analysis::DeadCause;

use super::prelude::*;
use crate::limits::COMPARED_RULES;
use crate::pattern::{self, is_start_of_word};

pub(super) fn check(policies: &Policies<'_>, findings: &mut Findings<'_, '_>) {
    for (rule, policy, others) in policies.proved(|policy| redundant_rules(policies, policy)) {
        let Others { rules, by_default } = others;
        let is_repeated = |other: &Rule<'_>| {
            pattern::normalised(other.pattern()) == pattern::normalised(rule.pattern())
                && policies.is_same_group(rule, *other)
        };
        let is_explicit = rules.is_empty() && is_everything(rule.pattern());
        if is_explicit || rules.iter().any(is_repeated) {
            continue;
        }
        let name =
            |rule: &Rule<'_>| format!("{} on line {}", show_rule(rule), rule.position().line);
        let names = rules.iter().map(name);
        let default = by_default.then(|| "the default".to_owned());
        let names: Vec<String> = names.chain(default).collect();
        let says = if names.len() == 1 { "says" } else { "say" };
        let shown = show_rule(&rule);
        let message = format!("{shown} is redundant: {} {says} the same", names.join(" and "));
        let who = policy.name.map(|it| policies.file.show(it)).unwrap_or_default();
        let deciders: Vec<Rule<'_>> = rules.iter().copied().chain([rule]).collect();
        let url = policy.example(rule.pattern(), &deciders);
        let closing = rules.iter().find(|it| closes_all(it) && !closes_all(&rule));
        let is_apart = closing.is_some_and(|it| is_after_blank_line(policies, policy, rule, *it));
        let (span, message) = match closing {
            Some(closing) if is_apart => {
                let closing = name(closing);
                let message =
                    format!("{shown} is only for the group of {who}, closed by {closing}");
                (rule.span(), message)
            }
            Some(closing) => {
                let message = format!("{} makes {} redundant", show_rule(closing), name(&rule));
                (closing.span(), message)
            }
            None => (rule.span(), message),
        };
        findings.add(span, message, |mut finding| {
            let mut group = policy.groups().filter(|it| it.rules().len() == 1);
            let is_only = group.any(|it| it.rules().next().is_some_and(|it| it == rule));
            let fix = policies.file.without_line(Safety::Safe, rule.span()).filter(|_| !is_only);
            finding.url = url.map(|path| policies.file.url(&path));
            if let Some(closing) = closing {
                finding.severity = Severity::Warning;
                return if is_apart {
                    finding
                        .label(closing.span(), "decides the same without it")
                        .help("a blank line ends no group; move rules for all to `*`")
                } else {
                    finding.label(rule.span(), "changes nothing").fix(fix)
                };
            }
            for other in &rules {
                finding = finding.label(other.span(), "decides the same without it");
            }
            if let Some((winner, path)) = winner(policy, rule).filter(|_| by_default) {
                finding.message = format!("{shown} changes nothing: it loses to {}", name(&winner));
                finding.severity = Severity::Warning;
                finding.url = Some(policies.file.url(&path));
                return finding
                    .label(winner.span(), "this pattern is longer")
                    .help("the longest pattern decides: begin the `Allow` as the `Disallow` does");
            }
            let is_prefix = |it: &&Rule<'_>| is_start_of_word(it.pattern(), rule.pattern());
            if let Some(prefix) = rules.iter().find(is_prefix) {
                let folder = show(&[prefix.pattern(), b"/"].concat());
                finding.help =
                    Some(format!("it only begins with the same letters: is {folder} meant?"));
            } else if by_default && !policy.obeys_star() {
                finding.help = Some(format!("{who} never obeys the rules for `*`"));
            }
            finding.fix(fix)
        });
    }
}

/// Whether a blank line separates a rule from the one of its group that closes everything for some
/// crawlers. Then it may be meant for all.
fn is_after_blank_line(
    policies: &Policies<'_>,
    policy: &Policy<'_>,
    rule: Rule<'_>,
    closing: Rule<'_>,
) -> bool {
    let above = policies.file.lines_above(rule.span());
    let mut gap = above.take_while(|line| line.span.start > closing.span().start);
    let is_for_all = policy.groups().any(|it| it.agents().any(|it| it.is_star()));
    gap.any(|line| line.kind == LineKind::Blank)
        && policies.is_same_group(rule, closing)
        && !is_for_all
}

/// A `Disallow` that decides a path which an `Allow` with a `*` at its start matches, too.
fn winner<'f>(policy: &Policy<'f>, allow: Rule<'f>) -> Option<(Rule<'f>, String)> {
    let is_disallow = |rule: &&Rule<'f>| rule.kind() == RuleKind::Disallow;
    let text = |rule: &Rule<'f>| str::from_utf8(rule.pattern()).ok().map(pattern::example);
    let rest = allow.pattern();
    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
    let end = text(&allow).filter(|_| allow.kind() == RuleKind::Allow && rest.starts_with(b"*"))?;
    let mut rules = policy.analysis.rules().iter().filter(is_disallow).take(COMPARED_RULES);
    rules.find_map(|rule| {
        let path = format!("{}{end}", text(rule)?.trim_end_matches('/'));
        policy.is_decided_by(&path, &[*rule]).then_some((*rule, path))
    })
}

/// That which decides the same without a rule.
struct Others<'f> {
    rules: Vec<Rule<'f>>,
    by_default: bool,
}

/// The rules of a policy that are not needed, by line: redundant ones, and dead ones of which other
/// rules say the same.
fn redundant_rules<'f>(policies: &Policies<'f>, policy: &Policy<'f>) -> HashMap<usize, Others<'f>> {
    let analysis = &policy.analysis;
    let redundant = policies.ask(|budget| analysis.redundant_rules(budget)).found;
    let redundant = redundant.into_iter().map(|redundant| {
        let others = Others { rules: redundant.because_of, by_default: redundant.by_default };
        (redundant.rule.position().line, others)
    });
    let mut found: HashMap<usize, Others<'f>> = redundant.collect();
    for dead in policies.ask(|budget| analysis.dead_rules(budget)).found {
        let DeadCause::Overridden(by) = dead.cause else { continue };
        // Of two rules that say the same, only one is not needed.
        let is_other_redundant = |other: &Rule<'_>| {
            let others = found.get(&other.position().line);
            others.is_some_and(|others| others.rules.contains(&dead.rule))
        };
        if by.iter().all(|it| it.kind() == dead.rule.kind()) && !by.iter().any(is_other_redundant) {
            found.insert(dead.rule.position().line, Others { rules: by, by_default: false });
        }
    }
    found
}
