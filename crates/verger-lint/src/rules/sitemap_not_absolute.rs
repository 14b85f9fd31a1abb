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

use verger::diagnostic::Diagnostic;
use verger::extension::Extension;

use crate::file::File;
use crate::finding::Finding;
use crate::fix::{Fix, Safety};

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let Some(origin) = &file.origin else { return Some(finding) };
    let record = file.robots.records().find(|record| record.span() == found.span)?;
    let url = match record.extension() {
        Ok(Extension::Sitemap(map) | Extension::Agentmap(map) | Extension::Schemamap(map)) => {
            map.resolved(origin)
        }
        _ => None,
    };
    let fix = url.map(|url| {
        Fix::replace(Safety::Unsafe, format!("write `{}`", crate::file::show(url.as_bytes())), found.span, url)
    });
    Some(finding.fix(fix))
}
