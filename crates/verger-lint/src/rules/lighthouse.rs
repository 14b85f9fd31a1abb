//! # lighthouse
//!
//! The audit `robots-txt` of Lighthouse reports the line.
//!
//! ## Why is this a problem?
//!
//! Lighthouse then says that the robots.txt is not valid, and lowers the SEO score of the site. It
//! reads the file its own way: it knows a short list of keys, so it also reports valid lines such
//! as `Content-Usage`. The other rules say which lines are really a problem.
//!
//! The rule runs only if it is selected by name, as profile `lighthouse` does. Its findings are on
//! the same lines and of the same kinds as those of Lighthouse 13.5.0, the newest release on npm in
//! November 2026. The main branch of Lighthouse also accepts `License`, and fails for a robots.txt
//! with status 429.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Content-Usage: search=y
//! Disallow: /cart
//! ```
//!
//! Use instead, if the score counts:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! `core/audits/seo/robots-txt.js` of Lighthouse.

use super::prelude::*;
use crate::lighthouse::{audit, lines};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    // A browser has replacements for bytes that are not UTF-8. The ends of lines remain.
    let text = String::from_utf8_lossy(file.text());
    let lines: Vec<Span> = lines(file.text()).collect();
    for (at, message) in audit(&text) {
        findings.add(lines[at], message, |finding| finding);
    }
}
