//! # rule-outside-group
//!
//! A rule precedes every user-agent line, so it belongs to no group.
//!
//! ## Why is this a problem?
//!
//! RFC 9309 says that crawlers ignore such a rule. Readers of the standard of 1994 obey it, whoever
//! they are.
//!
//! ## Example
//!
//! ```text
//! Disallow: /cart
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
//! Inserts `User-agent: *` before the first rule. Unsafe: all crawlers obey the rule afterwards.
//! There is no fix if an unknown line is above it: perhaps that should name a crawler.
//!
//! ## References
//!
//! REP-AGENT-10, REP-AMB-28.

use super::prelude::*;
use crate::syntax::Line;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    // One user-agent line is enough for all rules below it.
    if file.lines_above(found.span).any(|line| matches!(line.kind, LineKind::Rule(_))) {
        return Some(finding);
    }
    let is_unclear = |line: &Line| match line.record {
        Some(record) => !is_known_key(file.part(record.key)),
        None => line.kind == LineKind::Junk,
    };
    if file.lines_above(found.span).any(is_unclear) {
        return Some(finding);
    }
    let at = file.line(found.span)?.span.start;
    let title = "insert `User-agent: *`".to_owned();
    let edits = vec![insertion(at, [b"User-agent: *", file.line_end()].concat())];
    Some(finding.fix(Fix { title, safety: Safety::Unsafe, edits }))
}
