//! # byte-order-mark
//!
//! A line begins with a byte order mark that is part of its key.
//!
//! ## Why is this a problem?
//!
//! Crawlers remove one mark at the start of the file. A second mark, or one in the middle after two
//! files were joined, makes the key of its line unknown. The line has no effect, although it looks
//! correct in an editor.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! \u{feff}Disallow: /cart
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
//! Unsafe: the line takes effect.
//!
//! ## References
//!
//! REP-SYNTAX-3, REP-AMB-39.

use super::prelude::*;

pub(super) fn check(_file: &File<'_>, found: Diagnostic, finding: Finding) -> Finding {
    finding.fix(Fix::replace(Safety::Unsafe, "remove the mark", found.span, ""))
}
