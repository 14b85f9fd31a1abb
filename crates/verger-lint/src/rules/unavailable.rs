//! # unavailable
//!
//! The server does not send robots.txt, and crawlers stop.
//!
//! ## Why is this a problem?
//!
//! If the status is 500 or above, or if there is no response that can be used, crawlers must assume
//! that everything is disallowed. Google also stops for status 429. If it lasts, pages disappear
//! from search engines.
//!
//! ## Example
//!
//! ```response
//! status: 503
//! ```
//!
//! Use instead:
//!
//! ```response
//! status: 200
//! content-type: text/plain
//! ```
//!
//! If the site has no rules, status 404 says so.
//!
//! ## References
//!
//! RFC 9309 section 2.3.1.4, REP-ACCESS-41.

use super::prelude::*;

pub(super) fn check(observed: &Observation, findings: &mut Findings<'_, '_>) {
    let (cause, who) = match (observed.status, &observed.failure) {
        (None, Some(failure)) => (format!("there is no response: {failure}"), "crawlers treat"),
        (None, None) => ("there is no response".to_owned(), "crawlers treat"),
        (Some(status @ 500..), _) => (format!("the status is {status}"), "crawlers treat"),
        (Some(429), _) => ("the status is 429".to_owned(), "Google treats"),
        (Some(..400), Some(failure)) if !observed.has_many_redirects() => {
            (format!("the response cannot be used: {failure}"), "crawlers treat")
        }
        _ => return,
    };
    let message = format!("{cause}; {who} everything as disallowed");
    findings.add(RESPONSE, message, |finding| finding.url(&*observed.url));
}
