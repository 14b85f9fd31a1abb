//! # repeated-rule
//!
//! A rule has the same pattern and the same kind as an earlier rule of its group.
//!
//! ## Why is this a problem?
//!
//! The second rule has no effect. An author who changes one of them may overlook the other. The
//! repeated rules of a group have one finding for all safe fixes and one for all unsafe fixes.
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
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! Disallow: /search
//! ```
//!
//! ## Fix
//!
//! Safe: removes the later line. Unsafe if a comment belongs to it, if some readers do not know the
//! earlier one, because its key is misspelt or its colon is missing, or if an escape has another
//! case, which matters to readers in Perl. There is no fix in a group with an unclear line, such as
//! an unknown key: after its correction, the rule may be needed.
//!
//! ## References
//!
//! REP-MATCH-15.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::prelude::*;
use crate::pattern::normalised;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for group in file.robots.groups() {
        let mut known = HashMap::new();
        for rule in file.twins(group) {
            match known.entry((rule.kind(), normalised(rule.pattern()))) {
                Entry::Vacant(entry) => {
                    entry.insert(rule.span());
                }
                Entry::Occupied(first) => {
                    let message = format!("the rule {} is repeated", show_rule(&rule));
                    let is_known = is_known_to_all(file, *first.get());
                    let safety = if is_known { Safety::Safe } else { Safety::Unsafe };
                    let fix = file.without_line(safety, rule.span());
                    findings.add(rule.span(), message, |finding| {
                        finding.label(*first.get(), "first here").fix(fix)
                    });
                }
            }
        }
    }
}

/// Whether every reader knows the rule: its key is not misspelt, and it has a colon.
fn is_known_to_all(file: &File<'_>, rule: Span) -> bool {
    let record = file.line(rule).and_then(|line| line.record);
    record.is_some_and(|record| !record.colon_missing && is_known_key(file.part(record.key)))
}
