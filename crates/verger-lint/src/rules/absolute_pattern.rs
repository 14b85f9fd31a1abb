//! # absolute-pattern
//!
//! A rule has a whole URL as its pattern, so it matches nothing.
//!
//! ## Why is this a problem?
//!
//! Patterns are compared with the path and query of a URL, never with its host. A robots.txt speaks
//! only for its own host: each other host, also each subdomain, needs a separate file.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: https://shop.example/cart
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
//! Writes the path. Unsafe: the rule takes effect. There is no fix if the host is known to be
//! another one, or if the path matches everything or contains another URL.
//!
//! ## References
//!
//! REP-MATCH-19, REP-ACCESS-2, REP-AMB-9.

use super::prelude::*;
use crate::intended_pattern;
use crate::pattern::split;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    // Also outside of groups, where `pattern-without-slash` leaves URLs to this rule as well.
    let rules = file.tree.lines().iter().filter(|line| matches!(line.kind, LineKind::Rule(_)));
    for span in rules.filter_map(|line| Some(line.record?.value)) {
        let Some((host, path)) = split(file.part(span)) else { continue };
        let is_foreign = file.origin.as_ref().is_some_and(|origin| {
            let host = host.strip_prefix(b"www.").unwrap_or(host);
            !host.eq_ignore_ascii_case(origin.host().trim_start_matches("www.").as_bytes())
        });
        if is_foreign {
            let message = format!(
                "the pattern is a URL of {}; only the robots.txt there can name it",
                show(host)
            );
            findings.add(span, message, |finding| finding);
            continue;
        }
        let fix = intended_pattern::pattern(path).map(|meant| {
            let title = format!("write {}", show(meant.as_bytes()));
            Fix::replace(Safety::Unsafe, title, span, meant)
        });
        findings.add(span, "the pattern is a whole URL, so it matches nothing", |finding| {
            finding.help("patterns begin with the path").fix(fix)
        });
    }
}
