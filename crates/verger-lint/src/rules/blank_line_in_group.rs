//! # blank-line-in-group
//!
//! A blank line separates user-agent lines from their rules.
//!
//! ## Why is this a problem?
//!
//! By RFC 9309 a blank line has no meaning. By the texts of 1994 and 1996, and for Yandex and
//! Baidu, it ends the group. The rules after it belong to nobody there.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//!
//! Disallow: /cart
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
//! Removes the blank lines of the group, also those between its rules. Unsafe: readers for whom a
//! blank line ends the group obey the rules afterwards.
//!
//! ## References
//!
//! REP-AGENT-14, REP-AMB-3.

use super::prelude::*;
use crate::syntax::Line;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Finding {
    let above = file.lines_above(found.span);
    let in_group = above.take_while(|line| line.kind != LineKind::UserAgent);
    let blank = in_group.filter(|line| line.kind == LineKind::Blank);
    let mut edits: Vec<_> = blank.map(|line| removal(line.whole())).collect();
    edits.reverse();
    // Those between its rules end the group as well.
    let below = &file.tree.lines()[file.line(found.span).map_or(0, |line| line.number)..];
    let end = below.iter().position(|it| it.kind == LineKind::UserAgent).unwrap_or(below.len());
    let is_record = |it: &Line| matches!(it.kind, LineKind::Rule(_) | LineKind::Other);
    let end = below[..end].iter().rposition(is_record).unwrap_or(0);
    let blank = below[..end].iter().filter(|line| line.kind == LineKind::Blank);
    edits.extend(blank.map(|line| removal(line.whole())));
    let title = if edits.len() == 1 { "remove the blank line" } else { "remove the blank lines" };
    finding.fix(Fix { title: title.to_owned(), safety: Safety::Unsafe, edits })
}
