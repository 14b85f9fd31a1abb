//! # pattern-without-slash
//!
//! A pattern begins with neither `/` nor `*`, so it matches nothing.
//!
//! ## Why is this a problem?
//!
//! Paths begin with `/`. A pattern such as `cart` can match none of them, and the rule has no
//! effect. Some readers add the slash, others do not. `absolute-pattern` reports whole URLs.
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
//! Inserts `/`, or `/*` before the end of a file name such as `.pdf`. Unsafe: the rule takes effect.
//!
//! ## References
//!
//! REP-MATCH-19, REP-AMB-9.

use verger::diagnostic::Diagnostic;

use super::absolute_pattern;
use crate::file::File;
use crate::finding::Finding;
use crate::fix::{Fix, Safety};

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let pattern = file.part(found.span);
    if absolute_pattern::split(pattern).is_some() {
        return None;
    }
    // An invisible character or a letter of another script: a slash may not be all that is missing.
    if !pattern.first().is_some_and(u8::is_ascii_graphic) {
        return Some(finding);
    }
    let start = if pattern.starts_with(b".") { "/*" } else { "/" };
    let title = format!("write `{start}{}`", file.show(found.span));
    let meant = [start.as_bytes(), pattern].concat();
    Some(finding.fix(Fix::replace(Safety::Unsafe, title, found.span, meant)))
}
