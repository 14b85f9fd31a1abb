//! # mistakable-key
//!
//! A key looks like that of a rule, a user-agent line or a sitemap, but is unknown.
//!
//! ## Why is this a problem?
//!
//! Crawlers skip the line. Google's parser reads keys that only begin like a known one, so the line
//! may have an effect there and nowhere else.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disalllow: /cart
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
//! Writes the known key, or inserts a missing colon after it. Unsafe: the line takes effect.
//!
//! ## References
//!
//! REP-SYNTAX-18, REP-SYNTAX-19, REP-AMB-40.

use verger::diagnostic::Diagnostic;

use crate::file::{File, insertion};
use crate::finding::Finding;
use crate::fix::{Fix, Safety};
use crate::syntax::is_known_key;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let key = file.part(found.span);
    // An invisible character: `byte-order-mark` or `foreign-space` reports it.
    if !key.is_ascii() {
        return None;
    }
    let word = key.iter().position(u8::is_ascii_whitespace).unwrap_or(key.len());
    if word < key.len() && is_known_key(&key[..word]) {
        let title = "insert the colon".to_owned();
        let edits = vec![insertion(found.span.start + word, ":")];
        return Some(finding.fix(Fix { title, safety: Safety::Unsafe, edits }));
    }
    let meant = KEYS.into_iter().max_by_key(|known| similarity(key, known.as_bytes()))?;
    Some(finding.fix(Fix::replace(Safety::Unsafe, format!("write `{meant}`"), found.span, meant)))
}

const KEYS: [&str; 4] = ["User-agent", "Disallow", "Allow", "Sitemap"];

/// Number of letters that both keys begin and end with, less the letters that differ.
fn similarity(key: &[u8], known: &[u8]) -> isize {
    let letters = |key: &[u8]| -> Vec<u8> {
        key.iter().filter(|octet| octet.is_ascii_alphabetic()).map(u8::to_ascii_lowercase).collect()
    };
    let (key, known) = (letters(key), letters(known));
    let start = key.iter().zip(&known).take_while(|(a, b)| a == b).count();
    let ends = key[start..].iter().rev().zip(known[start..].iter().rev());
    let common = start + ends.take_while(|(a, b)| a == b).count();
    3 * common.cast_signed() - (key.len() + known.len()).cast_signed()
}
