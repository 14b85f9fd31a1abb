//! # crawl-delay-ignored
//!
//! A `Crawl-delay` is only for crawlers that do not honour it.
//!
//! ## Why is this a problem?
//!
//! The line has no effect. Google has never honoured it, Yandex ignores it since 22 February 2018,
//! and Apple and Amazon do not honour it. Bing documents values of 1 to 30 seconds; longer ones are
//! reported.
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

use std::time::Duration;

use verger::extension::{Extension, RecordKind};

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    // The last agent lines, by their start, the first of their vendors if all ignore delays, and
    // whether Bing is one of them, which ignores only long ones.
    let mut last = (usize::MAX, None, false);
    for record in file.robots.records().filter(|it| it.kind() == RecordKind::CrawlDelay) {
        let Some(first) = record.agents().next() else { continue };
        if last.0 != first.span().start {
            let vendor = |name| vendor(name).or_else(|| is_of_bing(name).then_some("Bing"));
            let all_ignore = record.agents().all(|agent| vendor(agent.name()).is_some());
            let has_bing = record.agents().any(|agent| is_of_bing(agent.name()));
            last = (first.span().start, vendor(first.name()).filter(|_| all_ignore), has_bing);
        }
        let (_, Some(vendor), has_bing) = last else { continue };
        let is_long =
            || matches!(record.extension(), Ok(Extension::CrawlDelay(it)) if it > LONGEST_OF_BING);
        if has_bing && !is_long() {
            continue;
        }
        let message = match vendor {
            "Bing" => "Bing documents a `Crawl-delay` of 1 to 30 seconds".to_owned(),
            _ => format!("{vendor} does not honour `Crawl-delay`"),
        };
        let text = show(first.name());
        findings.add(record.span(), message, |finding| finding.label(first.span(), text));
    }
}

/// The longest delay that Bing documents (REP-EXT-3).
const LONGEST_OF_BING: Duration = Duration::from_secs(30);

fn is_of_bing(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"bingbot") || name.eq_ignore_ascii_case(b"msnbot")
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
