//! # absolute-pattern
//!
//! A rule has a whole URL as its pattern, so it matches nothing.
//!
//! ## Why is this a problem?
//!
//! Patterns are compared with the path and query of a URL, never with its host. A robots.txt speaks
//! only for its own host: each other host, also each subdomain, needs a separate file. The lines of
//! a group that have no fix have one finding.
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
//! Writes the path. Unsafe: the rule takes effect. There is no fix if the host is another one, or
//! if the path matches everything or contains another URL. The hosts of the file are that of its
//! origin or, if that is unknown, those of its sitemaps. Without both, URLs of several hosts are
//! taken for those of others.
//!
//! ## References
//!
//! REP-MATCH-19, REP-ACCESS-2, REP-AMB-9.

use std::collections::BTreeSet;

use super::prelude::*;
use crate::file::host_of;
use crate::intended_pattern;
use crate::pattern::split;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    // Also outside of groups, where `pattern-without-slash` leaves URLs to this rule as well.
    let rules = file.tree.lines().iter().filter(|line| matches!(line.kind, LineKind::Rule(_)));
    let rules = rules.filter_map(|line| Some(line.record?.value));
    let urls: Vec<_> = rules.filter_map(|it| Some((it, split(file.part(it))?))).collect();
    let own: BTreeSet<String> = match &file.origin {
        Some(origin) => [site(origin.host().as_bytes())].into(),
        None => file.sitemaps().map(|(_, url)| site(host_of(url).as_bytes())).collect(),
    };
    // Without a host of the file, only a single one of paths can be its own.
    let hosts = urls.iter().map(|(_, (host, _))| site(host)).filter(|host| !host.ends_with(':'));
    let is_single = own.is_empty() && hosts.collect::<BTreeSet<_>>().len() <= 1;
    for &(span, (host, path)) in &urls {
        let is_site = path.is_empty() || is_everything(path);
        // A scheme that is written twice is no host.
        let is_foreign = !own.contains(&site(host)) && !host.ends_with(b":");
        if is_foreign && (is_site || !is_single) {
            let host = show(host);
            let message =
                format!("the pattern is a URL of {host}; only the robots.txt there can name it");
            findings.add(span, message, |finding| finding);
            continue;
        }
        let fix = intended_pattern::pattern(path).map(|meant| {
            let title = format!("write {}", show(meant.as_bytes()));
            Fix::replace(Safety::Unsafe, title, span, meant)
        });
        let help = if is_site { "`/` is the whole site" } else { "patterns begin with the path" };
        findings.add(span, "the pattern is a whole URL, so it matches nothing", |finding| {
            finding.help(help).fix(fix)
        });
    }
}

/// A host in lower case, without `www.`.
fn site(host: &[u8]) -> String {
    let host = String::from_utf8_lossy(host).to_ascii_lowercase();
    host.trim_start_matches("www.").to_owned()
}
