//! # empty-group
//!
//! The last group has no rules, so it allows everything.
//!
//! ## Why is this a problem?
//!
//! The crawlers of the group do not obey the groups for `*`. If that is the purpose, an empty
//! `Disallow` makes it visible. Often the rules were removed and the user-agent line was forgotten.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//!
//! User-agent: GPTBot
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//!
//! User-agent: GPTBot
//! Disallow:
//! ```
//!
//! ## References
//!
//! REP-AGENT-13, REP-AGENT-20.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    // Without rules, earlier groups are joined with the next one.
    let Some(group) = file.robots.groups().last().filter(|group| group.rules().len() == 0) else {
        return;
    };
    let Some(agent) = group.agents().next() else { return };
    let message = "the group has no rules; it allows everything";
    findings.add(agent.span(), message, |finding| {
        finding.help("add an empty `Disallow` if this is the purpose")
    });
}
