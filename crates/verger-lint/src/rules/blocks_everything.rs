//! # blocks-everything
//!
//! The file disallows everything for every crawler, or for all that no group names and for the main
//! search engines.
//!
//! ## Why is this a problem?
//!
//! This is right for a test site. If the file reaches the public site, the site disappears from
//! search engines.
//!
//! A file that allows something to Googlebot or Bingbot is not reported: it is a list of permitted
//! crawlers.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.2.2, REP-ACCESS-41.

use verger::{Group, Rule};
use verger_registry::Registry;

use super::prelude::*;
use crate::file::closing_rule;

/// Crawlers without which hardly anybody finds a site.
const SEARCH_ENGINES: [&str; 2] = ["Googlebot", "Bingbot"];

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let Some(rule) = closing_rule_of(file.robots.groups().filter(Group::is_for_everybody)) else {
        return;
    };
    let is_closed = |name: &&str| {
        let crawler = Registry::bundled().find(name);
        crawler.is_some_and(|it| closing_rule_of(file.robots.groups_for(it.rules())).is_some())
    };
    if !SEARCH_ENGINES.iter().all(is_closed) {
        return;
    }
    let is_total = file.robots.groups().all(|group| closing_rule(group).is_some());
    let rest = if is_total {
        "and the file allows nothing"
    } else {
        "and no group opens the site for Googlebot or Bingbot"
    };
    let message = format!("{} disallows everything, {rest}", show_rule(&rule));
    findings.add(rule.span(), message, |finding| {
        finding.help("search engines drop a site that they may not crawl")
    });
}

/// The first closing rule of groups that allow nothing.
fn closing_rule_of<'f>(mut groups: impl Iterator<Item = Group<'f>>) -> Option<Rule<'f>> {
    let first = closing_rule(groups.next()?)?;
    groups.all(|group| closing_rule(group).is_some()).then_some(first)
}
