//! # google-limit
//!
//! The file is longer than Google reads.
//!
//! ## Why is this a problem?
//!
//! Google's service reads 500 KiB (512,000 bytes) and ignores the rest. Rules after that have no
//! effect for Googlebot.
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
//! A file that is too long for several readers has one finding: that of `counts-as-none` or
//! `truncated`, with the other limits as help.
//!
//! ## References
//!
//! REP-SYNTAX-8; Google's pages on robots.txt (GDOC).

use super::prelude::*;
use crate::limits::GOOGLE_BYTES;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let length = file.bytes.len();
    if length > GOOGLE_BYTES {
        let message = format!("Google reads {GOOGLE_BYTES} bytes; the file has {length}");
        findings.add(file.end(), message, |finding| finding);
    }
}
