//! # nul
//!
//! A line contains a NUL byte.
//!
//! ## Why is this a problem?
//!
//! Google's parser ends the line at the NUL. Others take it for a character of the path, which no
//! URL contains.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart␀/old
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart/old
//! ```
//!
//! ## Fix
//!
//! Removes every NUL of the line. Safe at the end of a line and in a comment, where no reader sees
//! a difference. Unsafe elsewhere: the pattern or the key changes.
//!
//! ## References
//!
//! REP-SYNTAX-6, REP-AMB-21.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Finding {
    let Some(line) = file.line(found.span) else { return finding };
    let text = file.part(line.span);
    let content = &text[..line.comment.map_or(line.span.end, |it| it.start) - line.span.start];
    let is_end = |octet: &u8| *octet == 0 || octet.is_ascii_whitespace();
    let last = content.iter().rposition(|octet| !is_end(octet)).unwrap_or(0);
    let safety = if content[..last].contains(&0) { Safety::Unsafe } else { Safety::Safe };
    let nuls = (0..text.len()).filter(|&at| text[at] == 0).map(|at| line.span.start + at);
    let edits = nuls.map(|at| removal(Span { start: at, end: at + 1 })).collect();
    finding.fix(Fix { title: "remove the NUL bytes".to_owned(), safety, edits })
}
