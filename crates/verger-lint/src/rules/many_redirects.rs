//! # many-redirects
//!
//! More redirects lead to the robots.txt than crawlers follow.
//!
//! ## Why is this a problem?
//!
//! RFC 9309 asks crawlers to follow at least five redirects. After more, they may assume that there
//! is not a file, and everything is allowed.
//!
//! ## Example
//!
//! ```response
//! status: 200
//! content-type: text/plain
//! redirect: 301 https://shop.example/1
//! redirect: 301 https://shop.example/2
//! redirect: 301 https://shop.example/3
//! redirect: 301 https://shop.example/4
//! redirect: 301 https://shop.example/5
//! redirect: 301 https://shop.example/6
//! ```
//!
//! Use instead:
//!
//! ```response
//! status: 200
//! content-type: text/plain
//! redirect: 301 https://www.shop.example/robots.txt
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.3.1.2.

use super::prelude::*;
use crate::observation::FOLLOWED;

pub(super) fn check(observed: &Observation, findings: &mut Findings<'_, '_>) {
    if observed.has_many_redirects() {
        let count = match observed.redirects.len() {
            FOLLOWED => format!("more than {FOLLOWED}"),
            count => count.to_string(),
        };
        let message =
            format!("there are {count} redirects; crawlers need to follow only {FOLLOWED}");
        findings.add(RESPONSE, message, |finding| finding.url(&*observed.url));
    }
}
