//! # sitemap-not-absolute
//!
//! The value of a sitemap line is not an absolute URL.
//!
//! ## Why is this a problem?
//!
//! Google ignores a relative sitemap URL, and so do others.
//!
//! ## Example
//!
//! ```text
//! Sitemap: /sitemap.xml
//! ```
//!
//! Use instead:
//!
//! ```text
//! Sitemap: https://shop.example/sitemap.xml
//! ```
//!
//! ## Fix
//!
//! If the setting `origin` names the site, writes the whole URL. Unsafe: crawlers fetch the sitemap
//! afterwards.
//!
//! ## References
//!
//! REP-SYNTAX-34, REP-SYNTAX-40, REP-SYNTAX-41.

use verger::Robots;

use super::prelude::*;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Finding {
    let Some(origin) = &file.origin else { return finding };
    let line = Robots::parse(&[b"Sitemap: ", file.part(found.span)].concat());
    let url = line.sitemaps().next().and_then(|sitemap| sitemap.resolved(origin));
    finding.fix(url.map(|url| {
        let title = format!("write {}", show(url.as_bytes()));
        Fix::replace(Safety::Unsafe, title, found.span, url)
    }))
}
