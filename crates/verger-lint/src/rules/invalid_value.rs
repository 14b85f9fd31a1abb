//! # invalid-value
//!
//! The value of a record does not have the expected form, so the record has no effect.
//!
//! ## Why is this a problem?
//!
//! Crawlers that know the record skip it, or guess what it means.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Crawl-delay: 10s
//! Disallow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Crawl-delay: 10
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! REP-EXT-4, REP-EXT-10, REP-EXT-20, REP-EXT-30, REP-EXT-36, REP-EXT-40, REP-EXT-42.

use super::obsolete_record;
use super::prelude::*;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let key = file.line(found.span)?.record?.key;
    obsolete_record::reason(file.part(key)).is_none().then_some(finding)
}
