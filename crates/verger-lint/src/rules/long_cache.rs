//! # long-cache
//!
//! The response may be used from a cache for more than 24 hours.
//!
//! ## Why is this a problem?
//!
//! Crawlers should not use a robots.txt for more than 24 hours. Caches between, such as that of a
//! content delivery network, may keep it longer, so a new rule takes effect late.
//!
//! ## Example
//!
//! ```response
//! status: 200
//! content-type: text/plain
//! fresh-for: 604800
//! ```
//!
//! Use instead:
//!
//! ```response
//! status: 200
//! content-type: text/plain
//! fresh-for: 3600
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.4.

use std::time::Duration;

use super::prelude::*;

pub(super) fn check(observed: &Observation, findings: &mut Findings<'_, '_>) {
    let Some(fresh) = observed.fresh_for.filter(|fresh| *fresh > DAY) else { return };
    let hours = fresh.as_secs() / 3600;
    let message = format!("caches may use the response for {hours} hours; expected at most 24");
    findings.add(RESPONSE, message, |finding| finding.url(&*observed.url));
}

/// RFC 9309 section 2.4.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
