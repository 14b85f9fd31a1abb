//! # not-honoured
//!
//! A `Noindex` or `Nofollow` line is honoured by no crawler.
//!
//! ## Why is this a problem?
//!
//! The records were never published. Google ended its support on 1 September 2019. Pages stay in the
//! index although the file seems to exclude them. All lines of a file have one finding.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Noindex: /search
//! Disallow: /cart
//! ```
//!
//! Use instead a robots meta element or the header `X-Robots-Tag` in the responses:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! REP-EXT-25, REP-PAGE-1, REP-PAGE-10.

use super::prelude::*;

pub(super) fn check(_file: &File<'_>, _found: Diagnostic, finding: Finding) -> Finding {
    finding.help("use a robots meta element or the header `X-Robots-Tag` on these pages")
}
