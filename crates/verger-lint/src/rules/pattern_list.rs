//! # pattern-list
//!
//! A rule has a list of patterns, which is read as a single pattern.
//!
//! ## Why is this a problem?
//!
//! A rule has one pattern, up to the end of its line. No usual URL contains the whole list, so the
//! rule matches none of the paths in it.
//!
//! A pattern with a blank, such as `/my cart`, is reported too. Clients write `%20` for a blank in a
//! path. Verger compares both as equal, and Google's library does not.
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
    for line in file.tree.lines().iter().filter(|line| matches!(line.kind, LineKind::Rule(_))) {
        let Some(record) = line.record else { continue };
        let patterns = patterns(file.part(record.value));
        if !inner_records(file, line).is_empty() {
            continue;
        }
        if patterns.len() < 2 {
            report_blank(file, record.value, findings);
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

/// Reports blanks inside of a pattern.
fn report_blank(file: &File<'_>, value: Span, findings: &mut Findings<'_, '_>) {
    let pattern = file.part(value);
    let blanks = value.range().filter(|&at| matches!(file.text()[at], b' ' | b'\t'));
    let edit = |at| Edit { span: Span { start: at, end: at + 1 }, text: b"%20".into() };
    let edits: Vec<Edit> = blanks.map(edit).collect();
    // Other rules report text that is no path.
    let is_path = matches!(pattern, [b'/' | b'*', ..]) && !is_expression(pattern);
    let Some(first) = edits.first().filter(|_| is_path).map(|edit| edit.span) else { return };
    let may_end = b"/*$".contains(&file.text()[first.start - 1]);
    let title = "write `%20`".to_owned();
    let fix = (!may_end).then_some(Fix { title, safety: Safety::Unsafe, edits });
    let message = "the pattern contains a blank, so it matches nothing for some crawlers";
    findings.add(first, message, |finding| {
        finding.help("write `%20` for a blank in a path, and `#` before a comment").fix(fix)
    });
}
