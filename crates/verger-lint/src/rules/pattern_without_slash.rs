//! # pattern-without-slash
//!
//! A pattern begins with neither `/` nor `*`, so it matches nothing.
//!
//! ## Why is this a problem?
//!
//! Paths begin with `/`. A pattern such as `cart` can match none of them, and the rule has no
//! effect. Some readers add the slash, others do not. `absolute-pattern` reports whole URLs.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: cart
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
//! Inserts `/`, or `/*` before a query and before the end of a file name such as `.pdf`. Removes
//! quotes, markup, `./`, and the host of a URL; writes `/` for `\`. Unsafe: the rule takes effect.
//! There is no fix if the path is uncertain, such as for a list, an IP address, a name that may be
//! a host, or a word such as `none`.
//!
//! ## References
//!
//! REP-MATCH-19, REP-AMB-9.

use super::prelude::*;
use crate::intended_pattern::{self, is_expression, may_be_host};
use crate::pattern::split;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let pattern = file.part(found.span);
    if split(pattern).is_some() || is_expression(pattern) {
        return None;
    }
    let text = str::from_utf8(pattern).unwrap_or_default();
    let (host, path) = text.split_at(text.find('/').unwrap_or(text.len()));
    // Only the origin shows that a name is that of a host.
    let origin = file.origin.as_ref().map(|origin| origin.host().trim_start_matches("www."));
    let is_same = origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host));
    let Some(meant) = intended_pattern::pattern(if is_same { path.as_bytes() } else { pattern })
    else {
        let help = "patterns begin with `/`, and cannot name a host or an IP address";
        return Some(if may_be_host(host) { finding.help(help) } else { finding });
    };
    let title = format!("write {}", show(meant.as_bytes()));
    Some(finding.fix(Fix::replace(Safety::Unsafe, title, found.span, meant)))
}
