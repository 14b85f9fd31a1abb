//! # trailing-star
//!
//! A pattern ends with `*` or `*$`, which matches nothing more.
//!
//! ## Why is this a problem?
//!
//! A pattern matches every URL that begins with it, so `/cart*` matches the same URLs as `/cart`.
//! But the `*` counts in the length: `Disallow: /cart*` wins over `Allow: /cart`. Google's pages
//! say that it does not count. Readers without wildcards look for a `*` in the URL. A `$` after it
//! changes nothing: `/cart*$` matches what `/cart` does, and is two characters longer.
//!
//! The first such pattern of a file is reported, with the number of the others. A `*` is not
//! reported if the shorter rule could lose against a rule of the other kind, or in a regular
//! expression.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart*
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
//! Unsafe: readers without wildcards obey the rule.
//!
//! ## References
//!
//! REP-MATCH-13, REP-MATCH-18, REP-AMB-8.

use std::collections::HashSet;

use verger::{Rule, RuleKind};

use super::prelude::*;
use crate::intended_pattern::is_expression;
use crate::pattern::normalised;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let mut edits = Vec::new();
    let is_kept = |rule: &Rule<'_>| superfluous(rule.pattern()) == 0;
    let mut others = file.rules().filter(|rule| !is_kept(rule)).peekable();
    if others.peek().is_none() {
        return;
    }
    let kept: HashSet<_> =
        file.rules().filter(is_kept).map(|it| (it.kind(), length(it.pattern()))).collect();
    for rule in others {
        let (end, stars) = (rule.span().end, superfluous(rule.pattern()));
        let before = length(rule.pattern());
        // An `Allow` wins over a `Disallow` of its length.
        let (other, beaten) = match rule.kind() {
            RuleKind::Allow => (RuleKind::Disallow, before - stars + 1..before + 1),
            RuleKind::Disallow => (RuleKind::Allow, before - stars..before),
        };
        if !beaten.into_iter().any(|length| kept.contains(&(other, length))) {
            edits.push(removal(Span { start: end - stars, end }));
        }
    }
    let Some(first) = edits.first().map(|edit| edit.span) else { return };
    let (what, title) = match edits.len() {
        1 => {
            let pattern = file.line(first).and_then(|line| line.record).map(|it| it.value.start);
            let body = Span { start: pattern.unwrap_or(first.start), end: first.start };
            ("pattern".to_owned(), format!("write {}", show(file.part(body))))
        }
        count => (format!("pattern (and {} more)", count - 1), "remove these `*`".to_owned()),
    };
    let end = if file.part(first).ends_with(b"$") { "`*$`" } else { "`*`" };
    let message = format!("the {end} at the end of this {what} changes nothing");
    let fix = Fix { title, safety: Safety::Unsafe, edits };
    findings.add(first, message, |finding| finding.fix(fix));
}

/// Length of the `*` or `*$` at the end that changes no match.
fn superfluous(pattern: &[u8]) -> usize {
    let stars = pattern.strip_suffix(b"$").filter(|it| it.ends_with(b"*")).unwrap_or(pattern);
    let body = stars.iter().rposition(|&octet| octet != b'*').map_or(0, |last| last + 1);
    // Without the star, a `$` would match the end of the URL: `dollar-inside` reports it. And
    // `cart*` matches nothing: `pattern-without-slash` reports it.
    let is_needed = body == 0
        || body == stars.len()
        || pattern[body - 1] == b'$'
        || !matches!(pattern, [b'/' | b'*', ..])
        || is_expression(pattern);
    if is_needed { 0 } else { pattern.len() - body }
}

/// Length that decides between rules.
fn length(pattern: &[u8]) -> usize {
    normalised(pattern).len()
}
