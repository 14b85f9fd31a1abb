//! # yandex-limit
//!
//! The file is longer than Yandex reads, so everything is allowed there.
//!
//! ## Why is this a problem?
//!
//! Yandex ignores a file of more than 500 KB, and crawls without restriction. Its documentation
//! does not say whether 500 KB are 500,000 or 512,000 bytes. Between these numbers the rule warns.
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
//! REP-SYNTAX-8.

use super::prelude::*;
use crate::limits::{YANDEX_BYTES, YANDEX_DECIMAL_BYTES};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let length = file.bytes.len();
    let effect = if length > YANDEX_BYTES {
        "ignores it and allows everything"
    } else if length > YANDEX_DECIMAL_BYTES {
        "may ignore it and allow everything"
    } else {
        return;
    };
    let message = format!("the file has {length} bytes, more than 500 KB; Yandex {effect}");
    findings.add(file.end(), message, |finding| finding);
}
