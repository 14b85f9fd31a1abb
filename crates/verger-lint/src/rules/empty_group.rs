//! # empty-group
//!
//! The last group has no rules, so it allows everything to crawlers without another group.
//!
//! ## Why is this a problem?
//!
//! An empty group allows everything. If that is intended, an empty `Disallow` makes it visible.
//! Often the rules were removed and the user-agent line was forgotten. A group that opens what the
//! groups for `*` close is a `group-opens-all`. The groups of one name are merged, so a name with
//! rules in another group is a `split-group`.
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
//! REP-AGENT-13, REP-AGENT-20, REP-AGENT-26.

use std::collections::HashSet;

use verger::Agent;

use super::group_drops_star::opened;
use super::prelude::*;

pub(super) fn check(policies: &Policies<'_>, findings: &mut Findings<'_, '_>) {
    if policies.file.empty_group.is_none() {
        return;
    }
    let is_empty = |it: &&Policy<'_>| it.analysis.rules().is_empty();
    let mut empty = policies.list.iter().filter(is_empty);
    let has_better = crate::rule("group-opens-all").is_some_and(|it| policies.settings.runs(it));
    if has_better && empty.any(|policy| !opened(policies, policy).is_empty()) {
        return;
    }
    let lower = |agent: &Agent<'_>| agent.name().to_ascii_lowercase();
    let mut seen = HashSet::new();
    let last = policies.file.robots.groups().last().into_iter();
    let names: Vec<Agent<'_>> =
        last.flat_map(|it| it.agents()).filter(|it| seen.insert(lower(it))).collect();
    // REP-AGENT-26: groups of one name are merged, and only the last group is without rules.
    let ruled = policies.file.robots.groups().filter(|group| group.rules().len() > 0);
    let ruled: HashSet<Vec<u8>> = ruled.flat_map(|it| it.agents()).map(|it| lower(&it)).collect();
    let open: Vec<&Agent<'_>> = names.iter().filter(|it| !ruled.contains(&lower(it))).collect();
    let Some((first, others)) = open.split_first() else { return };
    let of = if names.len() > 1 { format!(" of {} names", names.len()) } else { String::new() };
    let to = match others.len() {
        count if count + 1 == names.len() => String::new(),
        0 => format!(" to {}", show(first.name())),
        1 => format!(" to {} and another one", show(first.name())),
        count => format!(" to {} and {count} others", show(first.name())),
    };
    let message = format!("the group{of} has no rules; it allows everything{to}");
    findings.add(first.span(), message, |mut finding| {
        if !to.is_empty() {
            finding = others.iter().fold(finding, |it, agent| it.label(agent.span(), "likewise"));
        }
        finding.help("add an empty `Disallow` if this is the purpose")
    });
}
