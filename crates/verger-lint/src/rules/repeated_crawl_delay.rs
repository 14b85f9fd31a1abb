//! # repeated-crawl-delay
//!
//! A group has a second `Crawl-delay` for the same crawlers.
//!
//! ## Why is this a problem?
//!
//! No standard says which one counts. This parser takes the first valid one; others take the last.
//!
//! ## Example
//!
//! ```text
//! User-agent: bingbot
//! Crawl-delay: 1
//! Disallow: /cart
//! Crawl-delay: 10
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: bingbot
//! Crawl-delay: 1
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! Removes the later line. Unsafe: readers that take the last one wait for another time.
//!
//! ## References
//!
//! REP-EXT-4, REP-AMB-4, REP-AMB-53.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Finding {
    finding.fix(file.without_line(Safety::Unsafe, found.span))
}
