//! # operator-as-agent
//!
//! A user-agent line names a company, or all crawlers in words, instead of a crawler.
//!
//! ## Why is this a problem?
//!
//! A crawler compares the name with its product token. No crawler has the token `OpenAI`, so the
//! group has no effect, and `*` applies. Neither has one a name such as `AI`, `all` or `crawlers`.
//! It is a note, because a crawler that `verger-registry` does not know may have the name of its
//! operator.
//!
//! ## Example
//!
//! ```text
//! User-agent: OpenAI
//! Disallow: /
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: GPTBot
//! User-agent: OAI-SearchBot
//! Disallow: /
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.2.1, REP-AGENT-1.

use std::fmt::Write as _;

use verger_registry::{Crawler, Purpose, Registry};

use super::prelude::*;
use crate::agents::{Name, is_generic};
use crate::limits::OPERATOR_CRAWLERS;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let is_whole = |name: &Name<'_>| file.part(name.span) == name.text.as_bytes();
    let is_known = |name: &Name<'_>| Registry::bundled().is_known(name.text);
    for name in names(file).filter(|name| is_whole(name) && !is_known(name)) {
        let shown = show(name.text.as_bytes());
        if is_generic(name.text.as_bytes()) {
            let message = format!("{shown} is the name of no crawler");
            let help = "name each crawler on a separate line; `*` names all others";
            findings.add(name.span, message, |finding| finding.help(help));
        }
        let Some(crawlers) = crawlers_of(name.text) else { continue };
        let message = format!("{shown} is the name of an operator, not of a known crawler");
        let help = format!("its crawlers are {crawlers}");
        findings.add(name.span, message, |finding| finding.help(help));
    }
}

/// The tokens of an operator's crawlers for messages, most common purposes first; `None` if no
/// crawler has this operator.
pub(super) fn crawlers_of(operator: &str) -> Option<String> {
    let crawlers = Registry::bundled().crawlers().iter().filter(|it| it.retired().is_none());
    // `Mistral` for Mistral AI.
    let is_its = |it: &&Crawler| {
        let its = it.operator().unwrap_or_default();
        let its = its.strip_suffix(" AI").filter(|it| it.len() == operator.len()).unwrap_or(its);
        its.eq_ignore_ascii_case(operator)
    };
    let mut crawlers: Vec<&Crawler> = crawlers.filter(is_its).collect();
    let rank = |purpose| Purpose::ALL.iter().position(|it| *it == purpose);
    crawlers.sort_by_key(|crawler| rank(crawler.purpose()));
    let tokens =
        crawlers.iter().take(OPERATOR_CRAWLERS).map(|crawler| format!("`{}`", crawler.token()));
    let mut list = tokens.collect::<Vec<_>>().join(", ");
    if let Some(more @ 1..) = crawlers.len().checked_sub(OPERATOR_CRAWLERS) {
        // Writing to a string does not fail.
        let _ = write!(list, ", and {more} more");
    }
    (!list.is_empty()).then_some(list)
}
