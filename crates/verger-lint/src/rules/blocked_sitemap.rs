//! # blocked-sitemap
//!
//! The file disallows the URL of a sitemap that it names.
//!
//! ## Why is this a problem?
//!
//! Crawlers fetch a sitemap only if they may fetch its URL. A blocked sitemap is not read.
//!
//! The rule looks at Googlebot, and at crawlers that no group names. Crawlers that may fetch nothing
//! are left out. If the setting `origin` names the site, sitemaps on other hosts are left out, too.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /media
//!
//! Sitemap: https://shop.example/media/sitemap.xml
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /media
//! Allow: /media/sitemap.xml
//!
//! Sitemap: https://shop.example/media/sitemap.xml
//! ```
//!
//! ## References
//!
//! REP-SYNTAX-40; Google's pages on robots.txt (GDOC).

use crate::file::{CRAWLERS, File, closing_rule, host_of};
use crate::rule::Findings;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_>) {
    let robots = &file.robots;
    let is_open = |token: &&(&str, &str)| {
        let mut groups = robots.groups_for(token.0);
        groups.len() > 0 && groups.any(|group| closing_rule(group).is_none())
    };
    let crawlers: Vec<_> = CRAWLERS.iter().filter(is_open).collect();
    for (span, url) in file.sitemaps() {
        let origin = file.origin.as_ref();
        if origin.is_some_and(|origin| !host_of(url).eq_ignore_ascii_case(origin.host())) {
            continue;
        }
        let (mut names, mut rules) = (Vec::new(), Vec::new());
        for (token, name) in &crawlers {
            if let Some(rule) = robots.check(*token, url).rule().filter(|_| !robots.is_allowed(*token, url)) {
                names.push(*name);
                rules.push(rule);
            }
        }
        rules.dedup();
        let Some(rule) = rules.first() else { continue };
        let message = format!("`{rule}` blocks the sitemap for {}", names.join(" and for "));
        findings.add(span, message, |finding| {
            rules.iter().fold(finding, |finding, rule| finding.label(rule.span(), "by this rule"))
        });
    }
}
