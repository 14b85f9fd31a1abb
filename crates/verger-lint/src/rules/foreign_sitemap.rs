//! # foreign-sitemap
//!
//! A sitemap is on another host than the robots.txt.
//!
//! ## Why is this a problem?
//!
//! This is permitted, but often it is a mistake: the file was copied from another site, or the site
//! has moved. Crawlers accept URLs of this site from a sitemap elsewhere only because this line
//! names it.
//!
//! The rule needs the setting `origin`.
//!
//! ## Example
//!
//! The robots.txt of `https://shop.example`:
//!
//! ```text
//! Sitemap: https://staging.shop.example/sitemap.xml
//! ```
//!
//! Use instead:
//!
//! ```text
//! Sitemap: https://shop.example/sitemap.xml
//! ```
//!
//! ## References
//!
//! REP-SYNTAX-40.

use super::prelude::*;
use crate::file::host_of;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let Some(origin) = &file.origin else { return };
    for (span, url) in file.sitemaps() {
        let host = host_of(url);
        if !host.eq_ignore_ascii_case(origin.host()) {
            let host = show(host.as_bytes());
            let message = format!("the sitemap is on {host}, and not on `{}`", origin.host());
            findings.add(span, message, |finding| finding);
        }
    }
}
