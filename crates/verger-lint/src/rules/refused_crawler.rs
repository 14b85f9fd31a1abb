//! # refused-crawler
//!
//! The robots.txt allows a page to a crawler, but the server refuses the crawler.
//!
//! ## Why is this a problem?
//!
//! The file says that the crawler is welcome, and the server says the opposite, usually by a
//! firewall or bot protection that nobody meant for this crawler. The page does not appear in the
//! crawler's service. If the refusal is meant, a `Disallow` saves both sides the requests.
//!
//! Status 401, 403, 406, 429, 451 and 503 are reported, unless a browser gets the same.
//!
//! ## Example
//!
//! ```response
//! status: 200
//! content-type: text/plain
//! page: GPTBot https://shop.example/ 403
//! ```
//!
//! Use instead:
//!
//! ```response
//! status: 200
//! content-type: text/plain
//! page: GPTBot https://shop.example/ 200
//! ```
//!
//! ## References
//!
//! RFC 9309 section 3.

use super::prelude::*;

pub(super) fn check(observed: &Observation, findings: &mut Findings<'_, '_>) {
    for page in &observed.pages {
        let Some(status @ (401 | 403 | 406 | 429 | 451 | 503)) = page.status else { continue };
        if page.status_for_browser != Some(status) {
            let crawler = show(page.crawler.as_bytes());
            let message = format!("{crawler} is allowed, but gets status {status}");
            findings.add(RESPONSE, message, |finding| finding.url(&*page.url));
        }
    }
}
