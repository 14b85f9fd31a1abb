//! # trailing-star
//!
//! A pattern ends with `*`, which matches nothing more.
//!
//! ## Why is this a problem?
//!
//! A pattern matches every URL that begins with it, so `/cart*` matches the same URLs as `/cart`.
//! But the `*` counts in the length: `Disallow: /cart*` wins over `Allow: /cart`. Google's pages
//! say that it does not count. Readers without wildcards look for a `*` in the URL.
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

use verger::Span;

use crate::file::{File, show};
use crate::fix::{Fix, Safety};
use crate::rule::Findings;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_>) {
    for rule in file.rules() {
        let pattern = rule.pattern();
        let Some(last) = pattern.iter().rposition(|&octet| octet != b'*') else { continue };
        let body = &pattern[..=last];
        // Without the star, a `$` would match the end of the URL: `dollar-inside` reports it.
        if body.len() == pattern.len() || body.ends_with(b"$") {
            continue;
        }
        let span = Span { start: rule.span().start + body.len(), end: rule.span().end };
        let title = format!("write `{}`", show(body));
        findings.add(span, "the `*` at the end matches nothing more", |finding| {
            finding.fix(Fix::replace(Safety::Unsafe, title, span, ""))
        });
    }
}
