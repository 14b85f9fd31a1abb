//! # blocks-search-engine
//!
//! The file disallows everything for Googlebot or Bingbot, but not for other crawlers, or nearly
//! everything for a crawler of link previews.
//!
//! ## Why is this a problem?
//!
//! The site disappears from the results of this search engine. Often nobody meant that: a group
//! that only has a `Crawl-delay` joins the group below it, whose `Disallow: /` is for other
//! crawlers. Or the group closes an earlier name that the crawler still obeys, such as `msnbot`.
//!
//! Rules that allow the home page alone, or single files such as `/ads.txt`, do not count. For the
//! dialect `yandex`, `YandexBot` is a search engine too. `blocks-everything` reports files that
//! close the site for all. If the group for `*` closes it, the others are a list of permitted
//! crawlers, which is not reported, unless it has Bingbot without Googlebot.
//!
//! Twitterbot and others fetch a page to show a preview of links to it. A known example opens only
//! `/images` to it. Without any `Allow`, such a group is probably meant.
//!
//! ## Example
//!
//! ```text
//! User-agent: Bingbot
//! Crawl-delay: 10
//!
//! User-agent: ExampleBot
//! Disallow: /
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: Bingbot
//! Crawl-delay: 10
//! Disallow:
//!
//! User-agent: ExampleBot
//! Disallow: /
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.2.1, REP-AGENT-12, REP-AGENT-31.

use std::collections::HashSet;

use verger::{Dialect, RuleKind};
use verger_registry::{Purpose, Registry};

use super::prelude::*;
use crate::file::{EXAMPLE, SEARCH_ENGINES, closing_rule};

pub(super) fn check(policies: &Policies<'_>, findings: &mut Findings<'_, '_>) {
    let robots = &policies.file.robots;
    // This closes all search engines, or the file is a list of permitted crawlers. A list with the
    // smaller engine alone is an accident.
    let is_list = closing_rule(robots.groups_for(&policies.file.unnamed)).is_some();
    let [main, smaller] = SEARCH_ENGINES;
    if is_list && (policies.file.is_closed_for(smaller) || !policies.file.is_closed_for(main)) {
        return;
    }
    let yandex = policies.settings.portable.contains(&Dialect::YANDEX).then_some("YandexBot");
    for name in SEARCH_ENGINES.into_iter().chain(yandex) {
        let Some(crawler) = Registry::bundled().find(name) else { continue };
        let groups = || robots.groups_for(crawler.rules());
        let Some(rule) = closing_rule(groups()) else { continue };
        let is_name = |name: &[u8]| {
            crawler.tokens().iter().any(|token| name.eq_ignore_ascii_case(token.as_bytes()))
        };
        let mut agents = groups().flat_map(|group| group.agents());
        let agent = agents.find(|it| if is_list { it.is_star() } else { is_name(it.name()) });
        let Some(agent) = agent else { continue };
        let message = format!("{} closes the whole site for {name}", show_rule(&rule));
        findings.add(agent.span(), message, |finding| {
            finding
                .label(rule.span(), "the rule that closes it")
                .help("a search engine drops a site that it may not crawl")
        });
    }
    let mut known = HashSet::new();
    for name in names(policies.file) {
        let preview = name.crawler.filter(|it| it.purpose() == Purpose::Preview);
        let Some(crawler) = preview.map(verger_registry::Crawler::rules) else { continue };
        let rules = || robots.groups_for(crawler).flat_map(|group| group.rules());
        let Some(closing) = rules().find(closes_all) else { continue };
        let has_allow = rules().any(|it| it.kind() == RuleKind::Allow);
        let is_open = robots.check(crawler, &format!("{EXAMPLE}/")).is_allowed();
        if !has_allow || is_open || !known.insert(closing.span()) {
            continue;
        }
        let [rule, shown] = [show_rule(&closing), show(name.text.as_bytes())];
        let message =
            format!("{rule} closes most pages for {shown}: links to them have no preview");
        findings.add(name.span, message, |finding| {
            let help = format!("remove {rule} if all pages should have previews");
            finding.label(closing.span(), "the rule that closes them").help(help)
        });
    }
}
