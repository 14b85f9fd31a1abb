//! # empty-group
//!
//! The last group has no rules, so it allows everything.
//!
//! ## Why is this a problem?
//!
//! An empty group allows everything. If that is intended, an empty `Disallow` makes it visible.
//! Often the rules were removed and the user-agent line was forgotten. A group that opens what the
//! groups for `*` close is a `group-opens-all`.
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

use super::group_drops_star::opened;
use super::prelude::*;

pub(super) fn check(policies: &Policies<'_>, findings: &mut Findings<'_, '_>) {
    let Some(agent) = policies.file.empty_group else { return };
    let is_empty = |it: &&Policy<'_>| it.analysis.rules().is_empty();
    let mut empty = policies.list.iter().filter(is_empty);
    let has_better = crate::rule("group-opens-all").is_some_and(|it| policies.settings.runs(it));
    if has_better && empty.any(|policy| !opened(policies, policy).is_empty()) {
        return;
    }
    let names = policies.file.robots.groups().last().map_or(0, |group| group.agents().count());
    let of = if names > 1 { format!(" of {names} names") } else { String::new() };
    let message = format!("the group{of} has no rules; it allows everything");
    findings.add(agent, message, |finding| {
        finding.help("add an empty `Disallow` if this is the purpose")
    });
}
