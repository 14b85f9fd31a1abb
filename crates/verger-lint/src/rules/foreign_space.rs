//! # foreign-space
//!
//! A key or value begins or ends with a character that looks like a blank, but is not one.
//!
//! ## Why is this a problem?
//!
//! Only blanks and tabs are removed around keys and values. A no-break space or a zero-width
//! character, usually copied from a web page, becomes part of the key or of the pattern. The key is
//! then unknown, or the pattern matches nothing.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart\u{a0}
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
//! Unsafe: the line takes another effect, probably the intended one.
//!
//! ## References
//!
//! REP-SYNTAX-11, REP-AMB-42.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    // A byte order mark at the start of a line: `byte-order-mark` reports it.
    let is_mark = file.part(found.span) == "\u{feff}".as_bytes()
        && file.line(found.span).is_some_and(|line| line.span.start == found.span.start);
    let fix = Fix::replace(Safety::Unsafe, "remove the character", found.span, "");
    (!is_mark).then(|| finding.fix(fix))
}
