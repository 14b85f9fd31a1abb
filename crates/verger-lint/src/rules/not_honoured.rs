//! # not-honoured
//!
//! A `Noindex` or `Nofollow` line is honoured by no crawler.
//!
//! ## Why is this a problem?
//!
//! The records were never published. Google ended its support on 1 September 2019. Pages stay in
//! the index although the file seems to exclude them. All lines of a file have one finding, or two
//! if some of the pages are also disallowed: crawlers do not fetch them, so they see no noindex
//! there.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Noindex: /search
//! Disallow: /cart
//! ```
//!
//! Use instead a robots meta element or the header `X-Robots-Tag` in the responses:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! REP-EXT-25, REP-PAGE-1, REP-PAGE-6, REP-PAGE-10.

use verger::RuleKind;

use super::prelude::*;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Finding {
    let pattern = file.line(found.span).and_then(|line| Some(file.part(line.record?.value)));
    let mut closed = file.rules().filter(|it| it.kind() == RuleKind::Disallow);
    let is_hidden = closed.any(|it| Some(it.pattern()) == pattern);
    let first = if is_hidden { "remove the `Disallow`, which hides a noindex; then " } else { "" };
    let help = "use a robots meta element or the header `X-Robots-Tag` on these pages";
    finding.help(format!("{first}{help}"))
}
