//! # control-token
//!
//! A user-agent line has a name that controls the use of pages, not their fetches.
//!
//! ## Why is this a problem?
//!
//! It is not an error. But no crawler with this name exists: another crawler fetches the pages, and
//! its own group decides which ones. The rules of this group decide only how they are used.
//!
//! ## Example
//!
//! ```text
//! User-agent: Google-Extended
//! Disallow: /
//! ```
//!
//! To stop fetches, use instead:
//!
//! ```text
//! User-agent: Googlebot
//! Disallow: /
//! ```
//!
//! ## References
//!
//! REP-AGENT-1.

use verger_registry::Purpose;

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for name in names(file) {
        let Some(crawler) = name.crawler.filter(|it| it.purpose() == Purpose::ControlToken) else {
            continue;
        };
        let message = format!("{} fetches nothing", show(name.text.as_bytes()));
        findings.add(name.span, message, |mut finding| {
            finding.help = crawler.note().map(str::to_owned);
            finding
        });
    }
}
