//! # unknown-category
//!
//! A `Content-Usage` line has a key outside of the vocabulary, which has no effect.
//!
//! ## Why is this a problem?
//!
//! The vocabulary of the IETF's draft has `train-ai`, `ai-use` and `search`. Readers ignore all
//! other keys, so no preference is stated. `ai-train` is a key of `Content-Signal`.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Content-Usage: ai-train=n
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
//! If the key is one of `Content-Signal`. Unsafe: the statement takes effect.
//!
//! ## References
//!
//! REP-EXT-36, REP-EXT-38, REP-AMB-63.

use super::prelude::*;
use crate::statement::USAGE;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Finding {
    finding.fix(USAGE.correction(file, found.span))
}
