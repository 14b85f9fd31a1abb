//! # obsolete-record
//!
//! A record has an obsolete key that no crawler is known to honour.
//!
//! ## Why is this a problem?
//!
//! The line has no effect. Yandex read `Host` until 2018. `Visit-time`, `Robot-version` and
//! `Comment` were proposed in 1996, the records of ACAP (`ACAP-crawler`) by publishers in 2007,
//! `LLM-Policy` in a draft that has expired. `Domain`, `Revisit-after` and `Noarchive` were never
//! part of any text.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! Host: shop.example
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
//! Removes the line. Unsafe: crawlers of which we know nothing may read it.
//!
//! ## References
//!
//! REP-SYNTAX-20, REP-EXT-10, REP-EXT-22.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    if file.is_foreign() {
        return;
    }
    for record in file.robots.records() {
        if let Some(reason) = reason(record.key()) {
            let fix = file.without_line(Safety::Unsafe, record.key_span());
            findings.add(record.key_span(), reason, |finding| finding.fix(fix));
        }
    }
}

/// The message for an obsolete key; `None` for any other key.
pub(super) fn reason(key: &[u8]) -> Option<&'static str> {
    let is = |keys: &[&str]| keys.iter().any(|known| key.eq_ignore_ascii_case(known.as_bytes()));
    if is(&["Host"]) {
        return Some("Yandex ended its support of `Host` in 2018, and no other crawler reads it");
    }
    if is(&["Visit-time", "Robot-version", "Comment"]) {
        return Some("no crawler is known to honour this record of 1996");
    }
    if is(&["LLM-Policy"]) {
        return Some("the draft that proposed this record has expired");
    }
    if key.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"ACAP-")) {
        return Some("no crawler is known to honour ACAP, a protocol of publishers of 2007");
    }
    is(&["Domain", "Revisit-after", "Noarchive"]).then_some("no crawler reads this record")
}
