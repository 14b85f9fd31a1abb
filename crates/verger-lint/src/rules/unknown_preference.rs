//! # unknown-preference
//!
//! A statement gives a known use an unknown value, so nothing is stated for it.
//!
//! ## Why is this a problem?
//!
//! `Content-Signal` has the values `yes` and `no`, and for `use` the values `immediate`, `reference`
//! and `full`. `Content-Usage` has `y` and `n` in lower case. With any other value, nothing is stated
//! for the use.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Content-Usage: train-ai=no
//! Disallow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Content-Usage: train-ai=n
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! If the value is one of the other record, or `true` or `false`. Unsafe: the statement takes effect.
//!
//! ## References
//!
//! REP-EXT-30, REP-EXT-31, REP-EXT-32, REP-EXT-36.

use verger::extension::RecordKind;

use super::prelude::*;
use crate::statement::{SIGNALS, USAGE};

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let record = file.line(found.span)?.record?;
    let is_usage = RecordKind::of_key(file.part(record.key)) == RecordKind::ContentUsage;
    let vocabulary = if is_usage { USAGE } else { SIGNALS };
    Some(finding.fix(vocabulary.correction(file, found.span)))
}
