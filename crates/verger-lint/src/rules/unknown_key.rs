//! # unknown-key
//!
//! The key of a line is unknown, so the line has no effect.
//!
//! ## Why is this a problem?
//!
//! Usually it is harmless: crawlers may define records, and others skip them. But the line may be a
//! mistake, such as a URL or a sentence with a colon in it. All lines of a file have one finding.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Forbidden: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.2.4, REP-SYNTAX-20.

use super::obsolete_record;
use super::prelude::*;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    obsolete_record::reason(file.part(found.span)).is_none().then_some(finding)
}
