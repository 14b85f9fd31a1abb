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
//! in separators, in a version, or in one typing error: a letter too many or too few, two
//! neighbours in the other order, or another letter in a long or very common name.
//!
//! A product name is not a crawler name: no crawler obeys `ChatGPT`, `Gemini` or `Bing`. It is
//! reported with the crawler that is probably meant. `operator-as-agent` reports names of companies.
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

use verger_registry::Registry;

use super::operator_as_agent::crawlers_of;
use super::prelude::*;
use crate::agents::is_known;
use crate::similar::{known_token, product_token};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for name in names(file) {
        // `Google Extended`.
        let words = file.part(name.span);
        let is_words = words.iter().all(|octet| octet.is_ascii_alphanumeric() || *octet == b' ');
        let text = str::from_utf8(words).ok().filter(|_| is_words).unwrap_or(name.text);
        let Some(token) = token(text).filter(|_| !is_known(name.text)) else { continue };
        let shown = show(text.as_bytes());
        let message = format!("{shown} is not a known crawler; did you mean `{token}`?");
        let place = file.span_of(text.as_bytes());
        let fix = Fix::replace(Safety::Unsafe, format!("write `{token}`"), place, token);
        findings.add(name.span, message, |mut finding| {
            let product = known_token(text).is_none().then_some(token);
            let crawler = product.and_then(|token| Registry::bundled().find(token));
            finding.help = crawler.and_then(|crawler| {
                let operator = crawler.operator()?;
                let all =
                    || Some(format!("the crawlers of {operator} are {}", crawlers_of(operator)?));
                crawler.note().map(str::to_owned).or_else(all)
            });
            finding.fix(fix)
        });
    }
}

/// The token of the crawler that is meant by a name of no crawler.
pub(super) fn token(name: &str) -> Option<&'static str> {
    // `operator-as-agent` reports names of companies.
    let product = || product_token(name).filter(|_| crawlers_of(name).is_none());
    if is_known(name) { None } else { known_token(name).or_else(product) }
}
