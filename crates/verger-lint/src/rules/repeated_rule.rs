//! # repeated-rule
//!
//! A rule has the same pattern and the same kind as an earlier rule of its group.
//!
//! ## Why is this a problem?
//!
//! The second rule has no effect. Somebody who changes one of them may not see the other.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! Disallow: /search
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! Safe: removes the later line.
//!
//! ## References
//!
//! REP-MATCH-10.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::file::File;
use crate::fix::{Fix, Safety};
use crate::rule::Findings;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_>) {
    for group in file.robots.groups() {
        let mut known = HashMap::new();
        for rule in group.rules().filter(|rule| !rule.pattern().is_empty()) {
            let Entry::Occupied(first) = known.entry((rule.kind(), rule.pattern())) else {
                known.insert((rule.kind(), rule.pattern()), rule.span());
                continue;
            };
            let message = format!("the rule `{rule}` is repeated");
            let line = file.tree.line_at(rule.span().start);
            let fix = line.map(|line| Fix::replace(Safety::Safe, "remove the line", line.whole(), ""));
            findings.add(rule.span(), message, |finding| {
                finding.label(*first.get(), "first here").fix(fix)
            });
        }
    }
}
