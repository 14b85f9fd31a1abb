//! # content-type
//!
//! The robots.txt does not have the media type `text/plain`.
//!
//! ## Why is this a problem?
//!
//! Often the response is not a robots.txt but a web page: an error page with status 200, or a
//! login. RFC 9309 requires `text/plain`, and some crawlers ignore other types.
//!
//! ## Example
//!
//! ```response
//! status: 200
//! content-type: text/html; charset=utf-8
//! ```
//!
//! Use instead:
//!
//! ```response
//! status: 200
//! content-type: text/plain; charset=utf-8
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.3.

use super::prelude::*;

pub(super) fn check(observed: &Observation, findings: &mut Findings<'_, '_>) {
    if !observed.is_success() {
        return;
    }
    let message = match &observed.content_type {
        None => "the response has no `Content-Type`; expected `text/plain`".to_owned(),
        Some(value) => {
            let media_type = value.split(';').next().unwrap_or_default().trim();
            if media_type.eq_ignore_ascii_case("text/plain") {
                return;
            }
            format!("expected the type `text/plain`, but found {}", show(media_type.as_bytes()))
        }
    };
    findings.add(RESPONSE, message, |finding| finding.url(&*observed.url));
}
