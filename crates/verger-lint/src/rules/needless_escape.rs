//! # needless-escape
//!
//! A pattern has an escape of a character that needs none.
//!
//! ## Why is this a problem?
//!
//! Letters, digits, `-`, `.`, `_` and `~` need no escape, and URLs rarely have one. RFC 9309
//! compares `%7E` and `~` as equal. Google's parser and readers of the standard of 1994 do not, so
//! the rule misses the usual URLs there.
//!
//! `&amp;` is the escape of `&` in HTML. In a pattern it is literal, and no usual URL contains it.
//! It is not reported if another rule has the same pattern with `&`.
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

use std::cell::LazyCell;
use std::collections::HashSet;

use verger::Rule;

use super::prelude::*;
use crate::pattern::{is_unreserved, percents};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let text = |rule: &Rule<'_>| String::from_utf8_lossy(rule.pattern()).into_owned();
    // Hardly any file needs them.
    let known = LazyCell::new(|| file.rules().map(|rule| text(&rule)).collect::<HashSet<_>>());
    for rule in file.rules() {
        let percents = percents(rule.pattern());
        let needless = percents.iter().filter_map(|percent| {
            let start = rule.span().start + percent.at;
            let octet = percent.octet.filter(|octet| is_unreserved(*octet))?;
            Some(Edit { span: Span { start, end: start + 3 }, text: vec![octet] })
        });
        let mut edits: Vec<_> = needless.collect();
        let windows = rule.pattern().windows(AMPERSAND.len()).enumerate();
        let ampersands = windows.filter(|(_, it)| *it == AMPERSAND.as_bytes()).map(|(at, _)| {
            let start = rule.span().start + at;
            Edit { span: Span { start, end: start + AMPERSAND.len() }, text: b"&".to_vec() }
        });
        let mut ampersands = ampersands.peekable();
        // `pattern-without-slash` reports `&amp;page=1`.
        if matches!(rule.pattern(), [b'/' | b'*', ..])
            && ampersands.peek().is_some()
            && !known.contains(&text(&rule).replace(AMPERSAND, "&"))
        {
            edits.extend(ampersands);
            edits.sort_by_key(|edit| edit.span.start);
        }
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

/// `&` in HTML.
const AMPERSAND: &str = "&amp;";
