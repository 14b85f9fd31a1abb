//! # names-nobody
//!
//! A user-agent line names no crawler.
//!
//! ## Why is this a problem?
//!
//! An empty value is not `*`, and `*` directly before text is not a wildcard. If no other line of
//! the group names a crawler, its rules apply to nobody.
//!
//! ## Example
//!
//! ```text
//! User-agent: *bot
//! Disallow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! Removes the stars around a specific name. Unsafe: the group takes effect. There is no fix for an
//! empty value and for words such as `bot` and `AI`: no crawler has this name.
//!
//! ## References
//!
//! REP-AGENT-5, REP-AMB-27.

use super::prelude::*;
use crate::agents::is_generic;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let value = file.line(found.span)?.record?.value;
    let name = file.part(value).strip_prefix(b"*").unwrap_or_default();
    let name = name.strip_suffix(b"*").unwrap_or(name);
    let is_name = |octet: &u8| octet.is_ascii_alphanumeric() || b"-_.".contains(octet);
    if name.is_empty() || is_generic(name) || !name.iter().all(is_name) {
        return Some(finding);
    }
    let title = format!("write {}", show(name));
    Some(finding.fix(Fix::replace(Safety::Unsafe, title, value, name)))
}
