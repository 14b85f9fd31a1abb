//! # unknown-preference
//!
//! A statement gives a known use an unknown value, so nothing is stated for it.
//!
//! ## Why is this a problem?
//!
//! `Content-Signal` has the values `yes` and `no`, and for `use` the values `immediate`,
//! `reference` and `full`. `Content-Usage` has `y` and `n` in lower case. With any other value,
//! nothing is stated for the use. Commas separate uses. After a `;` in `Content-Usage` is a
//! parameter of the use before it, which states nothing; in `Content-Signal` it is a part of the
//! value.
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
//! If the value is one of the other record, or `true` or `false`; and a comma for the `;`. Unsafe:
//! the statement takes effect.
//!
//! ## References
//!
//! REP-EXT-30, REP-EXT-31, REP-EXT-32, REP-EXT-36.

use super::prelude::*;
use crate::statement::Vocabulary;

pub(super) fn check(file: &File<'_>, found: Diagnostic, mut finding: Finding) -> Option<Finding> {
    let vocabulary = Vocabulary::of_key(file.part(file.line(found.span)?.record?.key))?;
    if let Some((place, message)) = vocabulary.without_effect(file, found.span) {
        (finding.span, finding.message) = (place, format!("{message}; it states nothing"));
    }
    Some(finding.fix(vocabulary.correction(file, found.span)))
}
