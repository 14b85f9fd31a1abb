//! # blank-in-pattern
//!
//! A pattern has a blank, such as `/my cart`.
//!
//! ## Why is this a problem?
//!
//! Clients write `%20` for a blank in a path. Verger compares both as equal, and Google's library
//! does not, so the rule matches nothing for some crawlers. The first pattern of a file is
//! reported.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /my cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /my%20cart
//! ```
//!
//! ## Fix
//!
//! Writes `%20` for blanks in the whole file, except after `/`, `*` or `$`, where a comment may
//! begin. Unsafe: the rules take effect.
//!
//! ## References
//!
//! REP-AMB-33.

use super::prelude::*;
use crate::intended_pattern::is_expression;
use crate::merged::{inner_records, patterns};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let (mut first, mut edits) = (None, Vec::new());
    for line in file.tree.lines().iter().filter(|line| matches!(line.kind, LineKind::Rule(_))) {
        let Some(record) = line.record.filter(|_| inner_records(file, line).is_empty()) else {
            continue;
        };
        let [pattern] = patterns(file.part(record.value))[..] else { continue };
        let words: Vec<&[u8]> = pattern.split(u8::is_ascii_whitespace).collect();
        // Other rules report text that is no path.
        let is_path = matches!(pattern, [b'/' | b'*', ..]) && !is_expression(pattern);
        if words.len() == 1 || !is_path {
            continue;
        }
        let start = record.value.start + words[0].len();
        first.get_or_insert(Span { start, end: start + 1 });
        // After these, the text may be a comment.
        if !matches!(words[0], [.., b'/' | b'*' | b'$']) {
            edits.push(Edit { span: record.value, text: words.join(&b"%20"[..]) });
        }
    }
    let Some(first) = first else { return };
    let title = "write `%20` for blanks".to_owned();
    let fix = (!edits.is_empty()).then_some(Fix { title, safety: Safety::Unsafe, edits });
    let message = "patterns with a blank, such as this one, match nothing for some crawlers";
    findings.add(first, message, |finding| {
        finding.help("write `%20` for a blank in a path, and `#` before a comment").fix(fix)
    });
}
