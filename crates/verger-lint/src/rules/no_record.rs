//! # no-record
//!
//! A line is not a record: it has no colon.
//!
//! ## Why is this a problem?
//!
//! Crawlers skip the line. If it was meant as a rule, the rule has no effect. If it was meant as a
//! comment, the `#` is missing.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Rules for all crawlers
//! Disallow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! # Rules for all crawlers
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! Inserts the colon after a known key, or else a `#` at the start of the line. Unsafe: the rule
//! takes effect, and a comment hides a line that may have been meant as a rule.
//!
//! ## References
//!
//! REP-SYNTAX-1, REP-SYNTAX-14.

use super::prelude::*;
use crate::syntax::similar_colon;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Finding {
    let line = file.part(found.span);
    let start = found.span.start;
    let word = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let text = str::from_utf8(line).unwrap_or_default();
    let colon =
        similar_colon(text).filter(|colon| is_known_key(text[..colon.start].trim().as_bytes()));
    let (title, edit) = if let Some(colon) = colon {
        let span = Span { start: start + colon.start, end: start + colon.end };
        ("write a colon", Edit { span, text: b":".into() })
    } else if is_known_key(&line[..word]) {
        ("insert the colon", insertion(start + word, ":"))
    } else {
        ("turn the line into a comment", insertion(start, "# "))
    };
    finding.fix(Fix { title: title.to_owned(), safety: Safety::Unsafe, edits: vec![edit] })
}
