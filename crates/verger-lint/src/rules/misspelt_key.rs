//! # misspelt-key
//!
//! A key is misspelt, but so frequently that many readers know it: `Dissalow`, `useragent`.
//!
//! ## Why is this a problem?
//!
//! Google's parser and this one read the line as it was meant. Readers without a list of typos
//! ignore it, and the rule has no effect there. `Content-Signals` is read as `Content-Signal` by
//! this parser and by crawler-commons.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Dissalow: /cart
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
//! Unsafe: readers that ignored the line obey it afterwards.
//!
//! ## References
//!
//! REP-SYNTAX-19, REP-AMB-40, REP-EXT-32.

use verger::diagnostic::DiagnosticKind;

use super::prelude::*;

pub(super) fn check(_file: &File<'_>, found: Diagnostic, finding: Finding) -> Finding {
    let DiagnosticKind::MisspeltKey { read_as } = found.kind else { return finding };
    let title = format!("write `{read_as}`");
    finding.fix(Fix::replace(Safety::Unsafe, title, found.span, read_as))
}
