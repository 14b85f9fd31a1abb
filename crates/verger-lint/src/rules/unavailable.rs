//! # unavailable
//!
//! The server does not send robots.txt, and crawlers stop.
//!
//! ## Why is this a problem?
//!
//! If the status is 500 or above, or if there is no response, crawlers must assume that everything
//! is disallowed. Google also stops for status 429. If it lasts, pages disappear from search engines.
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
    let message = match observed.status {
        None => {
            let failure = observed.failure.as_ref().map(|it| format!(": {it}")).unwrap_or_default();
            format!("there is no response{failure}; crawlers treat everything as disallowed")
        }
        Some(status @ 500..) => {
            format!("the status is {status}; crawlers treat everything as disallowed")
        }
        Some(429) => "the status is 429; Google treats everything as disallowed".to_owned(),
        Some(_) => return,
    };
    findings.add(RESPONSE, message, |finding| finding.url(&*observed.url));
}
