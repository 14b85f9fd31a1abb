//! # lower-case-escape
//!
//! An escape in a pattern has lower-case hex digits.
//!
//! ## Why is this a problem?
//!
//! RFC 3986 recommends upper case. RFC 9309 compares both as equal. Google's parser reads the
//! pattern in upper case, and the URL as it is. Readers of the standard of 1994 compare both as
//! they are. Patterns in upper case match the URLs of sites that follow the standard.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /caf%c3%a9
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /caf%C3%A9
//! ```
//!
//! ## Fix
//!
//! Unsafe: readers of the standard of 1994 match other URLs afterwards.
//!
//! ## References
//!
//! RFC 3986 section 2.1, REP-MATCH-20, REP-AMB-30.

use super::prelude::*;
use crate::pattern::{escape, is_unreserved, percents};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for rule in file.rules() {
        let edits = percents(rule.pattern()).into_iter().filter_map(|percent| {
            let octet = percent.octet.filter(|octet| !is_unreserved(*octet))?;
            let start = rule.span().start + percent.at;
            let span = Span { start, end: start + 3 };
            let is_lower = file.part(span).iter().any(u8::is_ascii_lowercase);
            is_lower.then(|| Edit { span, text: escape(&[octet]).into_bytes() })
        });
        let edits: Vec<_> = edits.collect();
        let Some(first) = edits.first() else { continue };
        let span = first.span;
        let message = format!("the escape {} has lower-case hex digits", file.show(span));
        let title = "write upper-case hex digits".to_owned();
        let fix = Fix { title, safety: Safety::Unsafe, edits };
        findings.add(span, message, |finding| finding.fix(fix));
    }
}
