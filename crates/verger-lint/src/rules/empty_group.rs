//! # empty-group
//!
//! The last group has no rules, so it allows everything.
//!
//! ## Why is this a problem?
//!
//! If that is the purpose, an empty `Disallow` makes it visible. Often the rules were removed and the
//! user-agent line was forgotten. A group that opens what the groups for `*` close is a
//! `group-opens-all`.
//!
//! ## Example
//!
//! ```text
//! User-agent: GPTBot
//! Disallow: /cart
//!
//! User-agent: *
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: GPTBot
//! Disallow: /cart
//!
//! User-agent: *
//! Disallow:
//! ```
//!
//! ## References
//!
//! REP-AGENT-13, REP-AGENT-20.

use verger::{Group, RuleKind};

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    // Without rules, earlier groups are joined with the next one.
    let Some(group) = file.robots.groups().last().filter(|group| group.rules().len() == 0) else {
        return;
    };
    let Some(agent) = group.agents().next() else { return };
    // `group-opens-all` reports it.
    let is_for_star = |group: &Group<'_>| group.agents().any(|agent| agent.is_star());
    let mut rules = file.robots.groups().filter(is_for_star).flat_map(|group| group.rules());
    let closes_part = |rule: verger::Rule<'_>| {
        let pattern = rule.pattern();
        rule.kind() == RuleKind::Disallow && !pattern.is_empty() && !is_everything(pattern)
    };
    if !is_for_star(&group) && rules.any(closes_part) {
        return;
    }
    let message = "the group has no rules; it allows everything";
    findings.add(agent.span(), message, |finding| {
        finding.help("add an empty `Disallow` if this is the purpose")
    });
}
