//! # truncated
//!
//! The file is longer than 500 KiB, and its end has no effect.
//!
//! ## Why is this a problem?
//!
//! RFC 9309 requires crawlers to read only the first 500 KiB. Rules after that are lost, and so is
//! the line that the limit cuts. Crawlers that read more obey rules that others do not know.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /search?q=apples
//! Disallow: /search?q=bananas
//! ```
//!
//! and ten thousand lines more. Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /search?
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.5, REP-SYNTAX-8, REP-AMB-22.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, _found: Diagnostic, finding: Finding) -> Finding {
    let (read, length) = (file.text().len(), file.bytes.len());
    finding.help(format!("only {read} of {length} bytes are read; shorter patterns save bytes"))
}
