//! # retired-agent
//!
//! A user-agent line has the name of a crawler that is not used any more.
//!
//! ## Why is this a problem?
//!
//! The group has no effect, unless the operator still obeys the earlier name. The crawler of today
//! has another name.
//!
//! ## Example
//!
//! ```text
//! User-agent: Claude-Web
//! Disallow: /
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: Claude-User
//! User-agent: Claude-SearchBot
//! Disallow: /
//! ```
//!
//! The dates and successors are those of `verger-registry`.
//!
//! ## References
//!
//! REP-AGENT-1.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for name in names(file) {
        let Some(crawler) = name.crawler else { continue };
        let Some(date) = crawler.retired() else { continue };
        let message = format!("{} has been retired since {date}", show(name.text.as_bytes()));
        findings.add(name.span, message, |mut finding| {
            finding.help = crawler.note().map(str::to_owned);
            finding
        });
    }
}
