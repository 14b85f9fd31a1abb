//! # blocks-everything
//!
//! The file disallows everything for every crawler.
//!
//! ## Why is this a problem?
//!
//! This is right for a test site. If the file reaches the public site, the site disappears from
//! search engines.
//!
//! A file that allows something to any crawler is not reported.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.2.2, REP-ACCESS-41.

use verger::Group;

use crate::file::{File, closing_rule};
use crate::check::Findings;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let mut everybody = file.robots.groups().filter(Group::is_for_everybody);
    let Some(rule) = everybody.next().and_then(closing_rule) else { return };
    if file.robots.groups().all(|group| closing_rule(group).is_some()) {
        let message = format!("`{rule}` disallows everything, and the file allows nothing");
        findings.add(rule.span(), message, |finding| {
            finding.help("search engines drop a site that they may not crawl")
        });
    }
}
