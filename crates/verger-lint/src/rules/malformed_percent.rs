//! # malformed-percent
//!
//! A pattern has a `%` without two hex digits after it.
//!
//! ## Why is this a problem?
//!
//! Such a `%` cannot occur in a valid URL. This parser compares it with `%25`, the escape of `%`;
//! Google's parser only with a single `%`.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /100%/
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /100%25/
//! ```
//!
//! ## Fix
//!
//! Unsafe: readers that compare the `%` as it is match other URLs afterwards.
//!
//! ## References
//!
//! REP-MATCH-20, REP-AMB-31.

use super::prelude::*;
use crate::pattern::percents;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let pattern = file.line(found.span)?.record?.value;
    let percents = percents(file.part(pattern)).into_iter();
    let malformed = percents.filter(|percent| percent.octet.is_none());
    let edits = malformed.map(|percent| insertion(pattern.start + percent.at + 1, "25")).collect();
    Some(finding.fix(Fix { title: "write `%25`".to_owned(), safety: Safety::Unsafe, edits }))
}
