//! # pattern-without-slash
//!
//! A pattern begins with neither `/` nor `*`, so it matches nothing.
//!
//! ## Why is this a problem?
//!
//! Paths begin with `/`. A pattern such as `cart` can match none of them, and the rule has no
//! effect. Some readers add the slash, others do not.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: cart
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
//! Unsafe: the rule takes effect. There is none for a whole URL (see `absolute-pattern`).
//!
//! ## References
//!
//! REP-MATCH-19, REP-AMB-9.

use verger::diagnostic::Diagnostic;

use crate::file::File;
use crate::finding::Finding;
use crate::fix::{Fix, Safety};

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let pattern = &file.text()[found.span.range()];
    let title = format!("write `/{}`", file.show(found.span));
    Some(finding.fix(Fix::replace(Safety::Unsafe, title, found.span, [b"/", pattern].concat())))
}
