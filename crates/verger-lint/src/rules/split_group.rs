//! # split-group
//!
//! A crawler is named by two groups with different rules.
//!
//! ## Why is this a problem?
//!
//! RFC 9309 joins these groups, but not every reader does. Some texts and vendors use only the
//! first one. An author who changes one group may overlook the other.
//!
//! ## Example
//!
//! ```text
//! User-agent: GPTBot
//! Disallow: /cart
//!
//! User-agent: *
//! Disallow: /search
//!
//! User-agent: GPTBot
//! Disallow: /private
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: GPTBot
//! Disallow: /cart
//! Disallow: /private
//!
//! User-agent: *
//! Disallow: /search
//! ```
//!
//! ## References
//!
//! REP-AGENT-26, REP-AGENT-32, REP-AMB-16.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use verger::{Agent, Group};

use super::prelude::*;
use crate::agents::is_header;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let mut known = HashMap::new();
    for group in file.robots.groups() {
        let is_name = |agent: &Agent<'_>| !agent.name().is_empty() && !is_header(agent.value());
        for agent in group.agents().filter(is_name) {
            match known.entry(agent.name().to_ascii_lowercase()) {
                Entry::Vacant(entry) => {
                    entry.insert((group, agent.span(), group.index()));
                }
                Entry::Occupied(mut entry) => {
                    let (first, span, last) = *entry.get();
                    entry.get_mut().2 = group.index();
                    if last != group.index() && !have_same_rules(first, group) {
                        let name = show(agent.name());
                        let message = format!("an earlier group names {name} too");
                        findings.add(agent.span(), message, |it| it.label(span, "first here"));
                    }
                }
            }
        }
    }
}

fn have_same_rules(left: Group<'_>, right: Group<'_>) -> bool {
    left.rules().len() == right.rules().len()
        && left
            .rules()
            .zip(right.rules())
            .all(|(left, right)| (left.kind(), left.pattern()) == (right.kind(), right.pattern()))
}
