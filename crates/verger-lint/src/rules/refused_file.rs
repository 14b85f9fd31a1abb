//! # refused-file
//!
//! The server refuses to send robots.txt, so crawlers may fetch everything.
//!
//! ## Why is this a problem?
//!
//! Status 401 or 403 looks like a prohibition. But a robots.txt with a status from 400 to 499
//! counts as missing, and everything is allowed. Status 404 is the usual way to have no file, and
//! has no finding.
//!
//! ## Example
//!
//! ```response
//! status: 403
//! ```
//!
//! Use instead:
//!
//! ```response
//! status: 200
//! content-type: text/plain
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.3.1.3.

use super::prelude::*;

pub(super) fn check(observed: &Observation, findings: &mut Findings<'_, '_>) {
    let Some(status @ 400..500) = observed.status else { return };
    // REP-ACCESS: 429 is a request to wait; see `unavailable`.
    if matches!(status, 404 | 410 | 429) {
        return;
    }
    let message = format!("the status is {status}; crawlers treat everything as allowed");
    findings.add(RESPONSE, message, |finding| finding.url(&*observed.url));
}
