//! # header-as-agent
//!
//! A user-agent line has the User-Agent header of a crawler or browser instead of a product token.
//!
//! ## Why is this a problem?
//!
//! Crawlers compare their product token with the first word of the line. Here this is `Mozilla`,
//! the token of no crawler, so the group applies to nobody.
//!
//! ## Example
//!
//! ```text
//! User-agent: Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)
//! Disallow: /
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: GPTBot
//! Disallow: /
//! ```
//!
//! ## Fix
//!
//! Writes the product token, if there is exactly one in the header and it is that of a crawler.
//! Unsafe: the group takes effect.
//!
//! ## References
//!
//! RFC 9309 section 2.2.1, REP-AGENT-1, REP-AMB-11, REP-AMB-13.

use verger::Crawler;
use verger_registry::Registry;

use super::prelude::*;
use crate::agents::is_header;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let agents = file.robots.groups().flat_map(|group| group.agents());
    for agent in agents.filter(|agent| is_header(agent.value())) {
        let header = str::from_utf8(agent.value()).unwrap_or_default();
        let crawler = Crawler::from_user_agent(header);
        let tokens = crawler.as_ref().map_or(&[][..], Crawler::tokens);
        let fix = match tokens {
            [token] if is_crawler(token.as_str()) => {
                let title = format!("write `{token}`");
                Some(Fix::replace(Safety::Unsafe, title, agent.span(), token.as_str()))
            }
            _ => None,
        };
        let message = "this is a User-Agent header; only `Mozilla` counts, which names no crawler";
        findings.add(agent.span(), message, |finding| finding.fix(fix));
    }
}

/// Whether a product token is that of a crawler, and not a word of a browser's header.
fn is_crawler(token: &str) -> bool {
    let token = token.to_ascii_lowercase();
    Registry::bundled().find(&token).is_some()
        || ["bot", "crawl", "spider"].iter().any(|it| token.contains(it))
}
