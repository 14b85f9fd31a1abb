//! # needless-escape
//!
//! A pattern has an escape of a character that needs none.
//!
//! ## Why is this a problem?
//!
//! Letters, digits, `-`, `.`, `_` and `~` need no escape, and URLs rarely have one. RFC 9309 compares
//! `%7E` and `~` as equal. Google's parser and readers of the standard of 1994 do not, so the rule
//! misses the usual URLs there.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /%7Ejoe/
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /~joe/
//! ```
//!
//! ## Fix
//!
//! Unsafe: readers that compare escapes as they are match other URLs afterwards. There is no fix if
//! the pattern also has a malformed `%`.
//!
//! ## References
//!
//! RFC 9309 section 2.2.2, REP-MATCH-20, REP-AMB-30.

use super::prelude::*;
use crate::pattern::{is_unreserved, percents};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for rule in file.rules() {
        let percents = percents(rule.pattern());
        let needless = percents.iter().filter_map(|percent| {
            let start = rule.span().start + percent.at;
            let octet = percent.octet.filter(|octet| is_unreserved(*octet))?;
            Some(Edit { span: Span { start, end: start + 3 }, text: vec![octet] })
        });
        let edits: Vec<_> = needless.collect();
        let Some(first) = edits.first() else { continue };
        let (span, character) = (first.span, char::from(first.text[0]));
        let title = format!("write `{character}`");
        // After a malformed `%`, a decoded digit could complete an escape.
        let is_whole = percents.iter().all(|percent| percent.octet.is_some());
        let fix = is_whole.then_some(Fix { title, safety: Safety::Unsafe, edits });
        let message = format!("{} is the escape of `{character}`", file.show(span));
        findings.add(span, message, |finding| finding.fix(fix));
    }
}
