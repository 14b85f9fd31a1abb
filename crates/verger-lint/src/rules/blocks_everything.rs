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
//! Rules that allow the home page alone (`/$`), or single files such as `/ads.txt` and
//! `/wp-admin/admin-ajax.php`, do not count: no other page is open then.
//!
//! A file that allows more to Googlebot or Bingbot is not reported: it is a list of permitted
//! crawlers. `blocks-search-engine` reports files that close the site for one of them.
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

use verger::{Group, Rule, RuleKind};

use super::prelude::*;
use crate::file::{SEARCH_ENGINES, closing_rule};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let for_everybody = || file.robots.groups().filter(Group::is_for_everybody);
    let Some(rule) = closing_rule(for_everybody()) else { return };
    if !SEARCH_ENGINES.iter().all(|name| file.is_closed_for(name)) {
        return;
    }
    let rules = for_everybody().flat_map(|group| group.rules());
    let is_exception = |rule: &Rule<'_>| {
        rule.kind() == RuleKind::Allow && matches!(rule.pattern(), [b'/' | b'*', ..])
    };
    let exceptions: Vec<Rule<'_>> = rules.filter(is_exception).collect();
    let (but, other) = match &exceptions[..] {
        [] => (String::new(), "thing"),
        [one] => (format!(" but {}", show(one.pattern())), " other page"),
        [first, more @ ..] => {
            (format!(" but {} and {} more", show(first.pattern()), more.len()), " other page")
        }
    };
    let rest = if closing_rule(file.robots.groups()).is_some() {
        format!("and the file allows no{other}")
    } else {
        "and no group opens the site for Googlebot or Bingbot".to_owned()
    };
    let message = format!("{} disallows everything{but}, {rest}", show_rule(&rule));
    findings.add(rule.span(), message, |finding| {
        finding.help("search engines drop a site that they may not crawl")
    });
}
