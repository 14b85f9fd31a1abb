//! # non-utf-8-escape
//!
//! An escape in a pattern is a byte of another encoding than UTF-8.
//!
//! ## Why is this a problem?
//!
//! Browsers write `é` as `%C3%A9`; `%E9` is Latin-1. A pattern with `%E9` does not match such URLs.
//! It is a note, because URLs in older encodings exist.
//!
//! `invalid-utf-8` reports bytes that are not escaped.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /caf%E9
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
//! Unsafe: writes letters of Latin-1 in UTF-8. The rule matches other URLs then. There is no fix if
//! several such bytes follow each other: they are probably of another encoding.
//!
//! ## References
//!
//! RFC 9309 section 2.2.2, REP-MATCH-20.

use super::prelude::*;
use crate::pattern::{escape, percents};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for rule in file.rules() {
        let foreign = foreign_escapes(rule.pattern());
        let Some(&Foreign { at, octet, is_alone }) = foreign.first() else { continue };
        let place = |at: usize| {
            let start = rule.span().start + at;
            Span { start, end: start + 3 }
        };
        let letter = char::from(octet);
        let source = if is_alone {
            format!("which is `{letter}` in Latin-1")
        } else {
            "a byte of another encoding".to_owned()
        };
        let message = format!("expected an escape in UTF-8, but found `%{octet:02X}`, {source}");
        let utf_8 = |octet: u8| escape(char::from(octet).to_string().as_bytes());
        let edits =
            foreign.iter().map(|it| Edit { span: place(it.at), text: utf_8(it.octet).into() });
        let title = format!("write `{}` for `{letter}`", utf_8(octet));
        let fix = Fix { title, safety: Safety::Unsafe, edits: edits.collect() };
        let fix = foreign.iter().all(|it| it.is_alone).then_some(fix);
        findings.add(place(at), message, |finding| finding.fix(fix));
    }
}

/// An escape that begins no character in UTF-8.
struct Foreign {
    /// The offset of the `%` in the pattern.
    at: usize,
    octet: u8,
    /// Whether no other escape beside it is outside ASCII.
    is_alone: bool,
}

/// Returns escapes that belong to no UTF-8 character. Characters cut at an end of the pattern do
/// not count.
fn foreign_escapes(pattern: &[u8]) -> Vec<Foreign> {
    let escapes = percents(pattern).into_iter().filter_map(|it| Some((it.at, it.octet?)));
    let escapes: Vec<(usize, u8)> = escapes.collect();
    let mut found = Vec::new();
    for run in escapes.chunk_by(|(left, _), (right, _)| left + 3 == *right) {
        let octets: Vec<u8> = run.iter().map(|(_, octet)| *octet).collect();
        let mut index = 0;
        for chunk in octets.utf8_chunks() {
            index += chunk.valid().len();
            if let &[octet @ 0xC0..=0xFF] = chunk.invalid() {
                let (before, after) = (&octets[..index], &octets[index + 1..]);
                let mut beside = before.last().into_iter().chain(after.first());
                let is_alone = beside.all(u8::is_ascii);
                found.push(Foreign { at: run[index].0, octet, is_alone });
            }
            index += chunk.invalid().len();
        }
    }
    found
}
