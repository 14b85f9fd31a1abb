//! # unusual-agent
//!
//! The name of a crawler has unusual characters.
//!
//! ## Why is this a problem?
//!
//! RFC 9309 permits letters, `-` and `_`. Google's parser ends the name at the first other
//! character. Hardly any crawler has such a name, so the group probably applies to nobody.
//!
//! Digits and dots are not reported: crawlers such as `MJ12bot` exist. `agent-cut` reports several
//! words.
//!
//! ## Example
//!
//! ```text
//! User-agent: Example!Bot
//! Disallow: /
//! ```
//!
//! Use instead the name that the crawler's documentation states:
//!
//! ```text
//! User-agent: ExampleBot
//! Disallow: /
//! ```
//!
//! ## References
//!
//! REP-AGENT-1, REP-AGENT-7, REP-AMB-11.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let ends_name = |octet: &u8| octet.is_ascii_whitespace() || b"/,;(*".contains(octet);
    let value = file.part(file.line(found.span)?.record?.value);
    let name = value.split(ends_name).next()?;
    let is_usual = |octet: &u8| octet.is_ascii_alphanumeric() || b"-_.".contains(octet);
    let is_word = !value.iter().any(u8::is_ascii_whitespace);
    (is_word && !name.iter().all(is_usual)).then_some(finding)
}
