//! # answers-differ
//!
//! The server sends another robots.txt to a crawler, or none.
//!
//! ## Why is this a problem?
//!
//! A change of the file does not concern this crawler. Often the reason is a firewall that refuses
//! the crawler: a robots.txt with a status from 400 to 499 counts as missing, so the crawler may
//! fetch everything, and with 500 or above it may fetch nothing.
//!
//! ## Example
//!
//! ```response
//! status: 200
//! content-type: text/plain
//! answer: GPTBot 403
//! ```
//!
//! Use instead:
//!
//! ```response
//! status: 200
//! content-type: text/plain
//! answer: GPTBot 200
//! ```
//!
//! ## References
//!
//! RFC 9309 sections 2.3.1.3 and 2.3.1.4.

use super::prelude::*;

pub(super) fn check(observed: &Observation, findings: &mut Findings<'_, '_>) {
    for answer in &observed.answers {
        let crawler = show(answer.crawler.as_bytes());
        let message = match (answer.status, observed.status) {
            (None, Some(_)) => format!("{crawler} gets no response"),
            (Some(status), other) if other != Some(status) => {
                format!("{crawler} gets status {status}{}", effect(status))
            }
            _ if answer.body != observed.body => format!("{crawler} gets another robots.txt"),
            _ => continue,
        };
        findings.add(RESPONSE, message, |finding| finding.url(&*observed.url));
    }
}

/// The effect of a status for the crawler.
const fn effect(status: u16) -> &'static str {
    match status {
        429 | 500.. => "; it treats everything as disallowed",
        400..500 => "; it treats everything as allowed",
        _ => "",
    }
}
