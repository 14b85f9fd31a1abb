//! # hash-in-pattern
//!
//! A `#` directly after a pattern cuts it: the rest is a comment.
//!
//! ## Why is this a problem?
//!
//! A `#` starts a comment at any position. `Disallow: /help#cart` disallows `/help`, and everything
//! that begins with it. The part of a URL from its `#` on is not sent to the server, so no rule can
//! name it. A `#` in a path is written `%23`.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /help#cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /help # cart
//! ```
//!
//! ## References
//!
//! REP-SYNTAX-10, REP-MATCH-1.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for line in file.tree.lines().iter().filter(|line| matches!(line.kind, LineKind::Rule(_))) {
        let (Some(record), Some(comment)) = (line.record, line.comment) else { continue };
        let after = file.part(comment).get(1);
        let is_word = after.is_some_and(|it| it.is_ascii_alphanumeric() || b"!/?".contains(it));
        if !record.value.is_empty() && record.value.end == comment.start && is_word {
            let span = Span { start: comment.start, end: comment.start + 1 };
            let message = "the pattern ends before the `#`, which starts a comment";
            findings.add(span, message, |finding| {
                finding.help("write `%23` if the path contains a `#`, or a blank before a comment")
            });
        }
    }
}
