//! # license-in-group
//!
//! A `License` line after the rules of a group is only for the crawlers of this group.
//!
//! ## Why is this a problem?
//!
//! A licence for the whole file is often written at the end. There it belongs to the last group,
//! because blank lines do not end a group. Only before the first user-agent line is it for
//! everybody.
//!
//! ## Example
//!
//! ```text
//! User-agent: GPTBot
//! Disallow: /cart
//!
//! License: https://shop.example/license.xml
//! ```
//!
//! Use instead:
//!
//! ```text
//! License: https://shop.example/license.xml
//!
//! User-agent: GPTBot
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! Moves the line before the first user-agent line. Unsafe: the licence is then for more crawlers.
//!
//! ## References
//!
//! REP-EXT-40, REP-EXT-41.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let line = file.line(found.span)?;
    let end = file.line_end();
    let moved = [file.part(line.span), end, end].concat();
    let edits = vec![insertion(file.first_agent?, moved), removal(line.whole())];
    let title = "move the line before the first user-agent line".to_owned();
    Some(finding.fix(Fix { title, safety: Safety::Unsafe, edits }))
}
