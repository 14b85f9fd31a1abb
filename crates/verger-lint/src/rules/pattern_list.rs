//! # pattern-list
//!
//! A rule has a list of patterns, which is read as a single pattern.
//!
//! ## Why is this a problem?
//!
//! A rule has one pattern, up to the end of its line. No usual URL contains the whole list, so the
//! rule matches none of the paths in it.
//!
//! The first pattern with a blank, such as `/my cart`, is reported, too. Clients write `%20` for a
//! blank in a path. Verger compares both as equal, and Google's library does not.
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
//! Gives each pattern a separate line. Unsafe: the rules take effect. There is no fix if one of
//! them would match everything, or contains a blank. Otherwise writes `%20` for blanks, except after
//! `/`, `*` or `$`, where a comment may begin.
//!
//! ## References
//!
//! RFC 9309 section 2.2.2, REP-SYNTAX-13, REP-AMB-33.

use super::prelude::*;
use crate::intended_pattern::is_expression;
use crate::merged::{inner_records, patterns};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let (mut first, mut edits) = (None, Vec::new());
    for line in file.tree.lines().iter().filter(|line| matches!(line.kind, LineKind::Rule(_))) {
        let Some(record) = line.record.filter(|_| inner_records(file, line).is_empty()) else {
            continue;
        };
        let patterns = patterns(file.part(record.value));
        if let [pattern] = patterns[..] {
            let words: Vec<&[u8]> = pattern.split(u8::is_ascii_whitespace).collect();
            // Other rules report text that is no path.
            let is_path = matches!(pattern, [b'/' | b'*', ..]) && !is_expression(pattern);
            if words.len() > 1 && is_path {
                let start = record.value.start + words[0].len();
                first.get_or_insert(Span { start, end: start + 1 });
                // After these, the text may be a comment.
                if !matches!(words[0], [.., b'/' | b'*' | b'$']) {
                    edits.push(Edit { span: record.value, text: words.join(&b"%20"[..]) });
                }
            }
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
    let Some(first) = first else { return };
    let title = "write `%20` for blanks".to_owned();
    let fix = (!edits.is_empty()).then_some(Fix { title, safety: Safety::Unsafe, edits });
    let message = "patterns with a blank, such as this one, match nothing for some crawlers";
    findings.add(first, message, |finding| {
        finding.help("write `%20` for a blank in a path, and `#` before a comment").fix(fix)
    });
}
