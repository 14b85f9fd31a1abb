//! # pattern-list
//!
//! A rule has a list of patterns, which is read as a single pattern.
//!
//! ## Why is this a problem?
//!
//! A rule has one pattern, up to the end of its line. No usual URL contains the whole list, so the
//! rule matches none of the paths in it.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart, /search
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! Disallow: /search
//! ```
//!
//! ## Fix
//!
//! Gives each pattern a separate line. Unsafe: the rules take effect. There is none if one of them
//! would match everything, or contains a blank.
//!
//! ## References
//!
//! RFC 9309 section 2.2.2, REP-SYNTAX-13.

use super::joined_records;
use crate::check::Findings;
use crate::file::File;
use crate::fix::{Fix, Safety};
use crate::pattern::is_everything;
use crate::syntax::LineKind;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for line in file.tree.lines().iter().filter(|line| matches!(line.kind, LineKind::Rule(_))) {
        let Some(record) = line.record else { continue };
        let patterns = patterns(file.part(record.value));
        if patterns.len() < 2 || !joined_records::inner_records(file, line).is_empty() {
            continue;
        }
        let key = file.part(record.key);
        // In `/a to /b`, more than the ends of lines is missing.
        let is_doubtful = |it: &&[u8]| is_everything(it) || it.iter().any(u8::is_ascii_whitespace);
        let fix = (!patterns.iter().any(is_doubtful)).then(|| {
            let lines = patterns.join(&[file.line_end(), key, b": "].concat()[..]);
            let title = "give each pattern a separate line";
            Fix::replace(Safety::Unsafe, title, record.value, lines)
        });
        let message = "expected one pattern, but found a list, which is read as a single pattern";
        findings.add(record.value, message, |finding| {
            finding.help("give each pattern a separate line").fix(fix)
        });
    }
}

/// The patterns of a list; a single one if the text is no list.
///
/// A comma, a semicolon or a bar separates, and so do blanks before a path. Paths can contain all
/// of these characters, so the next pattern must begin like one. In a list of words, a blank is after
/// each mark.
pub(crate) fn patterns(text: &[u8]) -> Vec<&[u8]> {
    let separates = |octet: &u8| b",;|".contains(octet) || octet.is_ascii_whitespace();
    let (mut list, mut done, mut at) = (Vec::new(), 0, 0);
    while let Some(next) = text[at..].iter().position(separates) {
        let start = at + next;
        at = start + text[start..].iter().take_while(|octet| separates(octet)).count();
        let gap = &text[start..at];
        let has_blank = gap.iter().any(u8::is_ascii_whitespace);
        let is_word = has_blank && !gap.trim_ascii().is_empty() && !begins_path(text, true);
        if start > done && at < text.len() && (is_word || begins_path(&text[at..], has_blank)) {
            list.push(&text[done..start]);
            done = at;
        }
    }
    list.push(&text[done..]);
    list
}

/// Whether a text begins with a path, perhaps in quotes, or with a URL. After a mark without a
/// blank, `*` can be a part of the same path.
fn begins_path(text: &[u8], has_blank: bool) -> bool {
    let inside = text.strip_prefix(b"\"").unwrap_or(text);
    let is = |start: &[u8]| inside.starts_with(start);
    is(b"/") || is(b"http://") || is(b"https://") || has_blank && is(b"*") && inside.len() > 1
}
