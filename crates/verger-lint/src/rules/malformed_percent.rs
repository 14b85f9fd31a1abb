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
//! Unsafe: readers that compare the `%` as it is match other URLs afterwards. There is no fix for
//! one hex digit before a `*` or the end: in Google's parser, `%2*` matches `%2F`.
//!
//! ## References
//!
//! REP-MATCH-20, REP-AMB-31.

use super::prelude::*;
use crate::pattern::percents;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let pattern = file.line(found.span)?.record?.value;
    let text = file.part(pattern);
    let percents = percents(text).into_iter().filter(|percent| percent.octet.is_none());
    let malformed: Vec<usize> = percents.map(|percent| percent.at + 1).collect();
    let is_cut = |&at: &usize| {
        text.get(at).is_some_and(u8::is_ascii_hexdigit)
            && matches!(text.get(at + 1), None | Some(b'*'))
    };
    if malformed.iter().any(is_cut) {
        return Some(finding.help("write whole escapes: not every reader matches a part of one"));
    }
    let edits = malformed.iter().map(|at| insertion(pattern.start + at, "25")).collect();
    Some(finding.fix(Fix { title: "write `%25`".to_owned(), safety: Safety::Unsafe, edits }))
}
