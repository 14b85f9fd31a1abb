//! # mistakable-key
//!
//! A key looks like a known one, but is unknown.
//!
//! ## Why is this a problem?
//!
//! Crawlers skip the line. If it is a user-agent line, the rules below it belong to the group
//! above, and `Disallow: /` closes the site to other crawlers. Google's parser reads keys that only
//! begin like a known one, so the line may have an effect there and nowhere else.
//!
//! Word processors and web pages write hyphens, colons, blanks and letters that only look like
//! those of ASCII, such as U+2011 in `User‑agent`. `foreign-space` reports a space at an end of the
//! key. Digits look like letters as well, as in `Disa11ow`.
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
//! Writes the known key, or the colon after it. Unsafe: the line takes effect. There is no fix for
//! a line with markup of HTML or Markdown, and none for a key with a further word, such as
//! `DisallowAITraining`: the rule would be for every purpose and every crawler of the group.
//!
//! ## References
//!
//! REP-SYNTAX-18, REP-SYNTAX-19, REP-AMB-40.

use std::ops::Range;

use verger::diagnostic::{DiagnosticKind, is_foreign_space};

use super::prelude::*;
use crate::syntax::similar_colon;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let DiagnosticKind::MistakableKey { looks_like } = found.kind else { return Some(finding) };
    let value = file.line(found.span)?.record?.value;
    let key = file.part(found.span);
    let text = str::from_utf8(key).unwrap_or_default();
    // `byte-order-mark` or `foreign-space` reports the character.
    let rest = text.strip_prefix(is_foreign_space).or_else(|| text.strip_suffix(is_foreign_space));
    if rest.is_some_and(|rest| is_known_key(rest.as_bytes())) {
        return None;
    }
    // In HTML and Markdown, more than the key is wrong. A `*` with a blank after it is that of a
    // list.
    let is_marked = key.starts_with(b"`") || key.starts_with(b"_") || key.starts_with(b"**");
    if is_marked || file.part(value).contains(&b'<') {
        return Some(finding.help(format!("write `{looks_like}`, without any markup")));
    }
    let word = key.iter().position(u8::is_ascii_whitespace).unwrap_or(key.len());
    if let Some(further) = further_word(text, looks_like) {
        let help = format!("the key is `{looks_like}` alone, and Google reads this line as one");
        if !["ai", "llm", "train"].iter().any(|it| further.contains(it)) {
            return Some(finding.help(help));
        }
        let token = if looks_like == "Allow" { "y" } else { "n" };
        let training = format!("the preference for training is `Content-Usage: train-ai={token}`");
        return Some(finding.help(format!("{help}; {training}")));
    }
    if word < key.len() && is_known_key(&key[..word]) {
        let title = "insert the colon".to_owned();
        let edits = vec![insertion(found.span.start + word, ":")];
        return Some(finding.fix(Fix { title, safety: Safety::Unsafe, edits }));
    }
    let is_whole = |colon: &Range<usize>| letters(&text[..colon.start]) + 1 >= letters(looks_like);
    let (end, colon) = match similar_colon(text).filter(is_whole) {
        Some(colon) => (found.span.start + colon.end, ":"),
        None => (found.span.end, ""),
    };
    let (title, meant) = (format!("write `{looks_like}`"), format!("{looks_like}{colon}"));
    Some(finding.fix(Fix::replace(Safety::Unsafe, title, Span { end, ..found.span }, meant)))
}

/// The word in lower case after the key of a user-agent line or a rule. `Disallowed` and
/// `allowance` are forms of one word.
fn further_word(key: &str, looks_like: &str) -> Option<String> {
    const ENDINGS: [&str; 4] = ["ance", "ed", "ing", "s"];
    let (start, rest) = key.split_at_checked(looks_like.len())?;
    let rest = rest.trim_start_matches(['-', '_', ' ', '\t']).to_ascii_lowercase();
    let is_word = rest.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_key = start.eq_ignore_ascii_case(looks_like) && looks_like != "Sitemap";
    (is_key && is_word && !ENDINGS.contains(&&*rest)).then_some(rest)
}

/// Number of letters.
fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphabetic()).count()
}
