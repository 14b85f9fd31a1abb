//! # crawl-delay-ignored
//!
//! A `Crawl-delay` is only for crawlers that do not honour it.
//!
//! ## Why is this a problem?
//!
//! The line has no effect. Google has never honoured it, Yandex ignores it since 22 February 2018,
//! and Apple and Amazon do not honour it.
//!
//! ## Example
//!
//! ```text
//! User-agent: Googlebot
//! Crawl-delay: 10
//! Disallow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: Googlebot
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! REP-EXT-3, REP-EXT-22.

use verger::extension::RecordKind;

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    // The last agent lines, by their start, and the first of their vendors if all ignore delays.
    let mut last = (usize::MAX, None);
    for record in file.robots.records().filter(|it| it.kind() == RecordKind::CrawlDelay) {
        let mut agents = record.agents();
        let Some(first) = agents.next() else { continue };
        if last.0 != first.span().start {
            let all_ignore = agents.all(|agent| vendor(agent.name()).is_some());
            last = (first.span().start, vendor(first.name()).filter(|_| all_ignore));
        }
        let Some(vendor) = last.1 else { continue };
        let message = format!("{vendor} does not honour `Crawl-delay`");
        let text = show(first.name());
        findings.add(record.span(), message, |finding| finding.label(first.span(), text));
    }
}

/// The vendor of a crawler that does not honour `Crawl-delay`.
pub(super) fn vendor(name: &[u8]) -> Option<&'static str> {
    let begins = |start: &str| {
        name.get(..start.len()).is_some_and(|name| name.eq_ignore_ascii_case(start.as_bytes()))
    };
    IGNORING.iter().find(|(start, _)| begins(start)).map(|(_, vendor)| *vendor)
}

/// Beginnings of names, and their vendors.
const IGNORING: [(&str, &str); 8] = [
    ("Google", "Google"),
    ("AdsBot-Google", "Google"),
    ("APIs-Google", "Google"),
    ("Mediapartners-Google", "Google"),
    ("Storebot-Google", "Google"),
    ("Yandex", "Yandex"),
    ("Applebot", "Apple"),
    ("Amazonbot", "Amazon"),
];
