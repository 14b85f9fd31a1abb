//! # split-group
//!
//! A crawler is named by more than one group.
//!
//! ## Why is this a problem?
//!
//! RFC 9309 joins these groups, but not every reader does. Some texts and vendors use only the first
//! one. Somebody who changes one group may not see the other.
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

use crate::file::{File, show};
use crate::rule::Findings;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_>) {
    let mut known = HashMap::new();
    for group in file.robots.groups() {
        for agent in group.agents().filter(|agent| !agent.name().is_empty()) {
            let (index, span) = (group.index(), agent.span());
            let mut first = match known.entry(agent.name().to_ascii_lowercase()) {
                Entry::Vacant(entry) => {
                    entry.insert((index, span));
                    continue;
                }
                Entry::Occupied(entry) => entry,
            };
            // Once for each group, also if it repeats the name.
            let (before, first_span) = *first.get();
            if before == index {
                continue;
            }
            first.insert((index, first_span));
            let message = format!("an earlier group names `{}` too", show(agent.name()));
            findings.add(span, message, |finding| finding.label(first_span, "first here"));
        }
    }
}
