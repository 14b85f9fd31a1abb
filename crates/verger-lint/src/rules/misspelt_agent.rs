//! # misspelt-agent
//!
//! A user-agent line names no known crawler, but nearly one, or a product.
//!
//! ## Why is this a problem?
//!
//! A crawler compares the whole name with its own, without regard to case only. `Googlebot-2.1`,
//! `Google-bot` and `GTPBot` name no crawler, so the group has no effect, and `*` applies.
//!
//! Known crawlers are those of `verger-registry`. A name is reported if it differs from a known one
//! in separators, in a version, or in one typing error. Short names have too many neighbours, so
//! the known name needs at least 6 letters and digits for two neighbours in the other order, 8 for
//! a letter too many or too few, and 10 for another letter; 5, 6 and 6 if the crawler documents its
//! tokens.
//!
//! A product name is not a crawler name: no crawler obeys `ChatGPT`, `Gemini` or `Bing`. It is
//! reported with the crawler that is probably meant. `operator-as-agent` reports names of
//! companies.
//!
//! ## Example
//!
//! ```text
//! User-agent: GTPBot
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
//! Writes the known name. Unsafe: the group takes effect.
//!
//! ## References
//!
//! RFC 9309 section 2.2.1, REP-AGENT-1, REP-AGENT-6.

use verger_registry::{Registry, Similar};

use super::operator_as_agent::crawlers_of;
use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for name in names(file) {
        // `Google Extended`.
        let words = file.part(name.span);
        let is_words = words.iter().all(|octet| octet.is_ascii_alphanumeric() || *octet == b' ');
        let text = str::from_utf8(words).ok().filter(|_| is_words).unwrap_or(name.text);
        let is_known = Registry::bundled().is_known(name.text);
        let Some(meant) = meant(text).filter(|_| !is_known) else { continue };
        let token = meant.name;
        let shown = show(text.as_bytes());
        let message = format!("{shown} is not a known crawler; {}", meant.question());
        let place = file.span_of(text.as_bytes());
        let fix = Fix::replace(Safety::Unsafe, format!("write `{token}`"), place, token);
        findings.add(name.span, message, |mut finding| {
            let crawler = Registry::bundled().find(token);
            finding.help = crawler.filter(|_| meant.is_product).and_then(|crawler| {
                let operator = crawler.operator()?;
                let all =
                    || Some(format!("the crawlers of {operator} are {}", crawlers_of(operator)?));
                crawler.note().map(str::to_owned).or_else(all)
            });
            finding.fix(fix)
        });
    }
}

/// The crawler that is meant by a name of no crawler.
pub(super) fn meant(name: &str) -> Option<Similar<'static>> {
    // `operator-as-agent` reports names of companies.
    let is_company = |it: &Similar<'_>| it.is_product && crawlers_of(name).is_some();
    Registry::bundled().similar(name, []).filter(|it| !is_company(it))
}
