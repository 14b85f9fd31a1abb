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
use crate::merged::{inner_records, trimmed};

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
        let message = format!("expected a line break, but found {}", file.show(span));
        let title = "put each record on a separate line".to_owned();
        findings.add(span, message, |finding| {
            let help = "put each record on a separate line; only the first one of a line counts";
            finding.help(help).fix(Fix { title, safety: Safety::Unsafe, edits })
        });
    }
}
