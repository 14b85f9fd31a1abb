//! # invalid-utf-8
//!
//! A line contains bytes that are not UTF-8.
//!
//! ## Why is this a problem?
//!
//! The file is probably in an older encoding such as Latin-1. A pattern matches only URLs with
//! exactly these bytes. Most sites use UTF-8 in their URLs, so the rule matches none of them.
//! Google's service ignores such bytes, and perhaps the rule. In comments they are harmless, and
//! not reported.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /caf\xE9
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /café
//! ```
//!
//! ## Fix
//!
//! Only in patterns. Safe: writes each byte as an escape, `%E9`, which all dialects read in the
//! same way. If the URLs of the site are in UTF-8, save the file as UTF-8 instead.
//!
//! ## References
//!
//! REP-ACCESS-30, REP-ACCESS-31.

use super::prelude::*;
use crate::pattern::escape;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let line = file.line(found.span)?;
    // In a comment they have no effect.
    if line.comment.is_some_and(|comment| comment.start <= found.span.start) {
        return None;
    }
    let LineKind::Rule(_) = line.kind else {
        let message = "these bytes are not UTF-8; save the file as UTF-8".to_owned();
        return Some(Finding { message, ..finding });
    };
    let fix = line.record.and_then(|record| escapes(file, record.value));
    let help = "save the file as UTF-8 if the URLs of the site are in UTF-8";
    Some(finding.help(help).fix(fix))
}

fn escapes(file: &File<'_>, pattern: Span) -> Option<Fix> {
    // A no-break space of Latin-1 at an end is no part of the path.
    if let [0xA0, ..] | [.., 0xA0] = file.part(pattern) {
        return None;
    }
    let (mut edits, mut start) = (Vec::new(), pattern.start);
    for chunk in file.part(pattern).utf8_chunks() {
        start += chunk.valid().len();
        let span = Span { start, end: start + chunk.invalid().len() };
        if !span.is_empty() {
            edits.push(Edit { span, text: escape(chunk.invalid()).into_bytes() });
        }
        start = span.end;
    }
    let title = "write the bytes as escapes".to_owned();
    (!edits.is_empty()).then_some(Fix { title, safety: Safety::Safe, edits })
}
