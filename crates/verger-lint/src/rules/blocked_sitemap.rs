//! # blocked-sitemap
//!
//! The file disallows the URL of a sitemap that it names.
//!
//! ## Why is this a problem?
//!
//! Crawlers fetch a sitemap only if they may fetch its URL. A blocked sitemap is not read.
//!
//! The rule checks Googlebot, and crawlers that no group names. Crawlers that may fetch nothing are
//! left out, and unnamed crawlers that `Disallow: /` stops. If the setting `origin` names the site,
//! sitemaps on other hosts are left out, too.
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

use verger::{Crawler, Policy};

use super::prelude::*;
use crate::file::{UNNAMED, closing_rule, host_of};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let mut sitemaps = file.sitemaps().peekable();
    if sitemaps.peek().is_none() {
        return;
    }
    let crawlers = crawlers(file);
    let origin = file.origin.as_ref();
    let is_here = |url| origin.is_none_or(|it| host_of(url).eq_ignore_ascii_case(it.host()));
    for (span, url) in sitemaps.filter(|(_, url)| is_here(*url)) {
        let (mut names, mut rules) = (Vec::new(), Vec::new());
        for (name, policy) in &crawlers {
            let verdict = policy.check(url);
            let rule = verdict.line().filter(|_| !verdict.is_allowed());
            let Some(rule) = rule.and_then(|line| file.value_on(line)) else { continue };
            // A list of permitted crawlers, with a few pages for the others.
            let is_unnamed = *name == UNNAMED;
            if rules.is_empty() && is_unnamed && is_everything(file.part(rule)) {
                continue;
            }
            names.push(*name);
            rules.push(rule);
        }
        rules.dedup();
        let Some(first) = rules.first() else { continue };
        let names = names.join(" and for ");
        let rule = show(&[b"Disallow: ", file.part(*first)].concat());
        let message = format!("{rule} blocks the sitemap for {names}");
        findings.add(span, message, |finding| {
            rules.iter().fold(finding, |finding, rule| finding.label(*rule, "by this rule"))
        });
    }
}

/// The crawlers that may fetch something, with their names in messages.
fn crawlers(file: &File<'_>) -> Vec<(&'static str, Policy)> {
    let robots = &file.robots;
    let is_open = |crawler: &Crawler| {
        let groups = robots.groups_for(crawler);
        groups.len() > 0 && closing_rule(groups).is_none()
    };
    let crawlers = file.crawlers().into_iter().filter(|(crawler, _)| is_open(crawler));
    crawlers.map(|(crawler, name)| (name, robots.policy(&crawler).without_explanation())).collect()
}
