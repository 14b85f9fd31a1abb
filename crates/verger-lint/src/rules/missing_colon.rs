//! # missing-colon
//!
//! A key and its value are separated by white space instead of a colon.
//!
//! ## Why is this a problem?
//!
//! Google's parser and Verger read the line if it has exactly two words. Others skip it, and the
//! rule has no effect there.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow /cart
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
//! Unsafe: readers that skipped the line obey it afterwards.
//!
//! ## References
//!
//! REP-SYNTAX-14, REP-AMB-41.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let line = file.line(found.span)?;
    let record = line.record?;
    // Two words of other text: `unknown-key` reports them.
    if line.kind == LineKind::Other && !is_known_key(file.part(record.key)) {
        return None;
    }
    let gap = Span { start: record.key.end, end: record.value.start };
    Some(finding.fix(Fix::replace(Safety::Unsafe, "insert the colon", gap, ": ")))
}
