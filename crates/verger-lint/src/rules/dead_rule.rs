//! # dead-rule
//!
//! A rule decides no URL: another rule says the opposite about every URL that it matches.
//!
//! ## Why is this a problem?
//!
//! The rule has no effect, and probably the author does not know. By RFC 9309 the longest matching
//! pattern decides, and an `Allow` if two are equally long; the order of the rules does not count.
//!
//! The finding is proved for all URLs, and for every crawler that obeys the rule. A rule of which
//! other rules say the same is a `redundant-rule`. Contradictory rules of one group and patterns
//! that match nothing have separate findings.
//!
//! Dead rules of a group have one finding for all safe fixes and one for all unsafe fixes.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! Allow: /cart*
//! ```
//!
//! Use instead, if carts are open:
//!
//! ```text
//! User-agent: *
//! Disallow:
//! ```
//!
//! ## Fix
//!
//! Removes the line. Safe if it is proved that no answer changes in any published dialect, for any
//! crawler with one name or with fallbacks, and no comment belongs to the line. Unsafe otherwise.
//! There is no fix in a group with an unclear line, such as an unknown key: after its correction,
//! the rule may be needed.
//!
//! ## References
//!
//! RFC 9309 section 2.2.2, REP-MATCH-10, REP-MATCH-6.

use std::collections::HashMap;

use verger::{Rule, RuleKind};
use verger_analysis::DeadCause;

use super::prelude::*;
use crate::pattern;

pub(super) fn check(policies: &Policies<'_>, findings: &mut Findings<'_, '_>) {
    let file = policies.file;
    for (rule, policy, by) in policies.proved(|policy| dead_rules(policies, policy)) {
        let is_only_robots = by.is_empty();
        if !is_only_robots && by.iter().all(|other| other.kind() == rule.kind()) {
            continue;
        }
        let same = |other: &&Rule<'_>| {
            pattern::normalised(other.pattern()) == pattern::normalised(rule.pattern())
        };
        if by.iter().any(|other| same(&other) && policies.is_same_group(rule, *other)) {
            continue;
        }
        let names: Vec<String> = by.iter().map(show_rule).collect();
        let shown = show_rule(&rule);
        let message = if is_only_robots {
            format!("{shown} decides nothing: `/robots.txt` is always allowed")
        } else {
            format!("{shown} decides nothing: {} decides all that it matches", names.join(" or "))
        };
        let url = policy.example(rule.pattern(), &by);
        findings.add(rule.span(), message, |mut finding| {
            for other in &by {
                let effect = if other.kind() == RuleKind::Allow { "allows" } else { "disallows" };
                finding = finding.label(other.span(), format!("{effect} it"));
            }
            finding.url = url.filter(|_| !is_only_robots).map(|path| file.url(&path));
            finding.fix(file.without_line(Safety::Safe, rule.span()))
        });
    }
}

/// The dead rules of a policy by line, with the rules because of which.
fn dead_rules<'f>(policies: &Policies<'f>, policy: &Policy<'f>) -> HashMap<usize, Vec<Rule<'f>>> {
    let dead = policies.ask(|budget| policy.analysis.dead_rules(budget)).found;
    let dead = dead.into_iter().filter_map(|dead| match dead.cause {
        DeadCause::Overridden(by) => Some((dead.rule, by)),
        DeadCause::RobotsTxt => Some((dead.rule, Vec::new())),
        _ => None,
    });
    dead.map(|(rule, by)| (rule.position().line, by)).collect()
}
