//! # control-token
//!
//! A group for crawlers also has a name that controls the use of pages, not their fetches.
//!
//! ## Why is this a problem?
//!
//! It is not an error. But no crawler with this name exists: another crawler fetches the pages, and
//! its own group decides which ones. The rules of this group decide only how they are used. Where
//! such names have a group of their own, that is clear, and not reported.
//!
//! ## Example
//!
//! ```text
//! User-agent: GPTBot
//! User-agent: Google-Extended
//! Disallow: /
//! ```
//!
//! To stop fetches of Google, use instead:
//!
//! ```text
//! User-agent: GPTBot
//! User-agent: Googlebot
//! Disallow: /
//! ```
//!
//! ## References
//!
//! REP-AGENT-1.

use verger_registry::{Crawler, Purpose};

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for group in file.robots.groups() {
        let is_token = |it: &&Crawler| it.purpose() == Purpose::ControlToken;
        let names = names_of(&group);
        let tokens: Vec<_> =
            names.filter_map(|name| Some((name.crawler.filter(is_token)?, name))).collect();
        if tokens.len() == group.agents().count() {
            continue;
        }
        for (crawler, name) in tokens {
            let message = format!("{} fetches nothing", show(name.text.as_bytes()));
            findings.add(name.span, message, |mut finding| {
                finding.help = crawler.note().map(str::to_owned);
                finding
            });
        }
    }
}
