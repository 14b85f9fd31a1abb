//! # joined-records
//!
//! A line has several records, of which only the first one counts.
//!
//! ## Why is this a problem?
//!
//! A record ends at the end of its line. The other records are a part of the first value: a name with
//! text after it, or a pattern that matches nothing. Usually a program has removed the line breaks, or
//! has written them as `\n`, and nothing in the file has the intended effect.
//!
//! ## Example
//!
//! ```text
//! User-agent: * Disallow: /cart
//! ```
//!
//! This allows everything. Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! A comment with several records is reported only in a file without rules: its line breaks are
//! probably lost. Findings of other rules on such a line are not reported.
//!
//! ## Fix
//!
//! Puts each record on a separate line. Unsafe: the records take effect.
//!
//! ## References
//!
//! RFC 9309 section 2.2, REP-SYNTAX-13.

use verger::Span;

use crate::check::Findings;
use crate::file::{File, removal};
use crate::fix::{Edit, Fix, Safety};
use crate::syntax::{Line, LineKind, is_known_key};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    if file.is_foreign() {
        return;
    }
    for line in file.tree.lines() {
        let inner = inner_records(file, line);
        let Some(first) = inner.first() else { continue };
        let mut edits: Vec<Edit> =
            inner.iter().map(|gap| Edit { span: *gap, text: file.line_end().to_vec() }).collect();
        let place = line.record.map_or(line.comment.unwrap_or_default(), |record| record.value);
        // A doubled key: `Disallow: Disallow: /cart`.
        if let Some(key) =
            line.record.map(|record| record.key).filter(|_| first.start == place.start)
            && let Some(inner) = file.text().get(first.end..first.end + key.end - key.start)
            && inner.eq_ignore_ascii_case(file.part(key))
        {
            edits[0] = removal(Span { start: key.start, end: first.end });
        }
        let rest = Span { start: first.end, end: place.end };
        let span = Span { end: first.end + trimmed(file.part(rest)), ..rest };
        if span.end < rest.end {
            edits.push(removal(Span { start: span.end, end: rest.end }));
        }
        let message = format!("expected a line break, but found `{}`", file.show(span));
        let title = "put each record on a separate line".to_owned();
        findings.add(span, message, |finding| {
            let help = "put each record on a separate line; only the first one of a line counts";
            finding.help(help).fix(Fix { title, safety: Safety::Unsafe, edits })
        });
    }
}

/// The gaps before the records inside the value of a record, or inside a comment: the separators,
/// up to the key. Empty for all other lines.
pub(crate) fn inner_records(file: &File<'_>, line: &Line) -> Vec<Span> {
    let is_agent = line.kind == LineKind::UserAgent;
    match (line.record, line.comment) {
        (Some(record), _) if is_structured(line.kind, file.part(record.key)) => {
            gaps(file, record.value, is_agent)
        }
        (None, Some(comment)) if file.rules().next().is_none() => {
            Some(gaps(file, comment, false)).filter(|gaps| gaps.len() > 1).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Whether the values of a record with this key are no prose.
fn is_structured(kind: LineKind, key: &[u8]) -> bool {
    kind != LineKind::Other || is_known_key(key) && !key.eq_ignore_ascii_case(b"comment")
}

fn gaps(file: &File<'_>, place: Span, is_agent: bool) -> Vec<Span> {
    let text = file.part(place);
    let mut gaps = Vec::new();
    let mut done = 0;
    for end in (1..text.len()).filter(|&at| matches!(text[at], b':' | b' ' | b'\t')) {
        let rest = text[end..].trim_ascii_start();
        let is_record = rest.starts_with(b":")
            || is_agent && (rest.starts_with(b"/") || rest.starts_with(b"*"));
        let Some(start) = is_record.then(|| key_start(text, done, end, is_agent)).flatten() else {
            continue;
        };
        let gap = done + trimmed(&text[done..start]);
        gaps.push(Span { start: place.start + gap, end: place.start + start });
        done = end;
    }
    gaps
}

/// The start of the longest known key that ends at an offset.
///
/// After a separator it may have any case. Without one, it is written as usual, and a blank is
/// after its colon: `/wiki/Sitemap:x` is a path.
fn key_start(text: &[u8], from: usize, end: usize, is_agent: bool) -> Option<usize> {
    let starts = end.saturating_sub(LONGEST_KEY).max(from)..end;
    let start = starts.into_iter().find(|&start| is_known_key(&text[start..end]))?;
    let before = &text[from..start];
    let usual: [&[u8]; 5] = [b"User-agent", b"User-Agent", b"Disallow", b"Allow", b"Sitemap"];
    let has_blank = text.get(end + 1).is_none_or(u8::is_ascii_whitespace);
    let is_separated = before.is_empty() || trimmed(before) < before.len();
    (is_separated || usual.contains(&&text[start..end]) && (is_agent || has_blank)).then_some(start)
}

/// Number of letters in `Content-Signals`, the longest known key.
const LONGEST_KEY: usize = 15;

/// The length of a text without the separators at its end: spaces, marks of lists, and written line
/// breaks.
fn trimmed(mut text: &[u8]) -> usize {
    const MARKS: [&str; 11] =
        [" ", "\t", ",", ";", "|", "\\r", "\\n", "<br>", "<br/>", "\u{a0}", "\u{2028}"];
    while let Some(rest) = MARKS.iter().find_map(|mark| text.strip_suffix(mark.as_bytes())) {
        text = rest;
    }
    text.len()
}
