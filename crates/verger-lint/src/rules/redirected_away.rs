//! # redirected-away
//!
//! The robots.txt is that of another host.
//!
//! ## Why is this a problem?
//!
//! Crawlers use the file at the end of the redirects for the first host. Whoever controls the other
//! host decides about this one. A redirect between a host and its `www` host is usual, and has no
//! finding.
//!
//! ## Example
//!
//! ```response
//! status: 200
//! content-type: text/plain
//! redirect: 302 https://login.example/?back=robots.txt
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
use crate::file::host_of;

pub(super) fn check(observed: &Observation, findings: &mut Findings<'_, '_>) {
    // A relative redirect stays on its host.
    let absolute = |to: &&str| to.starts_with("//") || to.contains("://");
    let mut redirects = observed.redirects.iter().map(String::as_str);
    let Some(last) = redirects.rfind(absolute) else { return };
    let host = host_of(last.strip_prefix("//").unwrap_or(last));
    if !plain(host).eq_ignore_ascii_case(plain(host_of(&observed.url))) {
        let message = format!("the file comes from {}", show(host.as_bytes()));
        findings.add(RESPONSE, message, |finding| finding.url(last));
    }
}

/// A host without `www.`.
fn plain(host: &str) -> &str {
    match host.get(..4) {
        Some(www) if www.eq_ignore_ascii_case("www.") => &host[4..],
        _ => host,
    }
}
