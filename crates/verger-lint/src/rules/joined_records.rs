//! # joined-records
//!
//! A line has several records, of which only the first one counts.
//!
//! ## Why is this a problem?
//!
//! A record ends at the end of its line. The other records are a part of the first value: a name
//! with text after it, or a pattern that matches nothing. Usually a program has removed the line
//! breaks, or has written them as `\n`, and nothing in the file has the intended effect.
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
//! A comment with several records, or with one after a record, is reported only in a file without
//! rules: its line breaks are probably lost. Findings of other rules on such a line are not
//! reported.
//!
//! ## Fix
//!
//! Puts each record on a separate line. Unsafe: the records take effect. There is no fix if two
//! user-agent lines would follow each other, or if no rule is after the last one of a line: all of
//! them would obey the same rules, and `User-agent: * User-agent: GPTBot Disallow: /` would close
//! the site to everybody.
//!
//! ## References
//!
//! RFC 9309 section 2.2, REP-SYNTAX-13.

use verger::diagnostic::DiagnosticKind;

use super::prelude::*;
use crate::file::DIALECT;
use crate::fix::edited;
use crate::merged::{inner_records, trimmed};
use crate::settings::Settings;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    if file.is_foreign() {
        return;
    }
    // Whether the list of user-agent lines above has no rule yet, after the fixes.
    let mut is_open = false;
    for (line, kind) in file.tree.lines().iter().zip(kinds(file)) {
        let inner = inner_records(file, line);
        let Some(first) = inner.first() else {
            is_open = opens_list(kind).unwrap_or(is_open);
            continue;
        };
        let mut edits: Vec<Edit> =
            inner.iter().map(|gap| Edit { span: *gap, text: file.line_end().to_vec() }).collect();
        let mut places = line.record.map(|record| record.value).into_iter().chain(line.comment);
        let place = places.find(|place| first.end <= place.end).unwrap_or_default();
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
            edits.sort_by_key(|edit| edit.span.start);
        }
        let split = edited(file.text(), line.span, &edits);
        let after =
            is_open_after(is_open, &kinds(&File::new(&split, &Settings::default(), &DIALECT)));
        is_open = after.or(opens_list(kind)).unwrap_or(is_open);
        let help = if after.is_some() {
            "put each record on a separate line; only the first one of a line counts"
        } else {
            "put each record on a separate line; user-agent lines without a rule in between share the \
             rules below"
        };
        let title = "put each record on a separate line".to_owned();
        let fix = after.map(|_| Fix { title, safety: Safety::Unsafe, edits });
        let message = format!("expected a line break, but found {}", file.show(span));
        findings.add(span, message, |finding| finding.help(help).fix(fix));
    }
}

/// The kinds of all lines. A key that looks like `User-agent` counts as one.
fn kinds(file: &File<'_>) -> Vec<LineKind> {
    let mut kinds: Vec<_> = file.tree.lines().iter().map(|line| line.kind).collect();
    for found in &file.diagnostics {
        if let DiagnosticKind::MistakableKey { looks_like: "User-agent" } = found.kind
            && let Some(line) = file.line(found.span)
        {
            kinds[line.number - 1] = LineKind::UserAgent;
        }
    }
    kinds
}

/// Whether a record leaves the list of user-agent lines open; `None` if it changes nothing.
const fn opens_list(kind: LineKind) -> Option<bool> {
    match kind {
        LineKind::UserAgent => Some(true),
        LineKind::Rule(_) => Some(false),
        _ => None,
    }
}

/// Whether the list of user-agent lines is open after the records of a line; `None` if one of them
/// would share the rules of another one, although each has perhaps its own.
fn is_open_after(mut is_open: bool, records: &[LineKind]) -> Option<bool> {
    for (at, &kind) in records.iter().enumerate() {
        let is_agent = kind == LineKind::UserAgent;
        let is_last = at > 0 && records[at..].iter().all(|&it| opens_list(it) != Some(false));
        if is_agent && (is_open || is_last) {
            return None;
        }
        is_open = opens_list(kind).unwrap_or(is_open);
    }
    Some(is_open)
}
