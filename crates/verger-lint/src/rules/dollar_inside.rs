//! # dollar-inside
//!
//! A `$` is not the last character of a pattern, so it is a literal `$`.
//!
//! ## Why is this a problem?
//!
//! Only at the end of a pattern does `$` mean the end of the URL. Anywhere else it matches a `$` in
//! the URL, which few URLs contain. The rule then matches nothing.
//!
//! A `$` before a word, as in `/*$history`, is not reported unless it follows a file name: such
//! URLs exist.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /*.pdf$*
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /*.pdf$
//! ```
//!
//! or, if the URLs do contain a `$`, its escape `%24`.
//!
//! ## References
//!
//! REP-MATCH-17, REP-MATCH-19a, REP-AMB-34.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for rule in file.rules() {
        let pattern = rule.pattern();
        let dollars = (0..pattern.len() - 1).filter(|&at| pattern[at] == b'$');
        let mut suspicious = dollars.filter(|&at| {
            let after = &pattern[at + 1..];
            ends_with_extension(&pattern[..at])
                || !after.iter().any(u8::is_ascii_alphanumeric)
                || pattern[..at].last().is_some_and(u8::is_ascii_alphanumeric)
                    && matches!(after[0], b'*' | b'/' | b'?' | b'&' | b'|')
        });
        let Some(at) = suspicious.next() else { continue };
        let start = rule.span().start + at;
        let message = "a `$` before the end of the pattern is a literal `$`";
        findings.add(Span { start, end: start + 1 }, message, |finding| {
            finding.help("end the pattern here, or write `%24` if the URLs contain a `$`")
        });
    }
}

/// Whether a text ends as a file name does: `.pdf`.
fn ends_with_extension(text: &[u8]) -> bool {
    // Extensions are short.
    let end = &text[text.len().saturating_sub(6)..];
    let dot = end.iter().rposition(|&octet| octet == b'.');
    let extension = dot.map_or(&[][..], |dot| &end[dot + 1..]);
    !extension.is_empty() && extension.iter().all(u8::is_ascii_alphanumeric)
}
