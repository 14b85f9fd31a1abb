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
//! The first such pattern of a file is reported, with the number of the others.
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
//! Unsafe: the rule is shorter, so another rule may win, and readers without wildcards obey it.
//!
//! ## References
//!
//! REP-MATCH-13, REP-MATCH-18, REP-AMB-8.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let mut edits = Vec::new();
    for rule in file.rules() {
        let pattern = rule.pattern();
        let pattern = pattern.strip_suffix(b"$").filter(|it| it.ends_with(b"*")).unwrap_or(pattern);
        let Some(last) = pattern.iter().rposition(|&octet| octet != b'*') else { continue };
        // Without the star, a `$` would match the end of the URL: `dollar-inside` reports it. And
        // `cart*` matches nothing: `pattern-without-slash` reports it.
        let can_match = matches!(pattern, [b'/' | b'*', ..]);
        if can_match && last + 1 < pattern.len() && pattern[last] != b'$' {
            edits.push(removal(Span { start: rule.span().start + last + 1, end: rule.span().end }));
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
    let message = format!("the {end} at the end of this {what} matches nothing more");
    let fix = Fix { title, safety: Safety::Unsafe, edits };
    findings.add(first, message, |finding| finding.fix(fix));
}
