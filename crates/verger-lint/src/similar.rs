//! Similar names of crawlers and rules.

use std::collections::HashMap;
use std::iter;
use std::sync::LazyLock;

use strsim::osa_distance;
use verger_registry::{Crawler, Registry};

use crate::limits::AGENT_BYTES;
use crate::rule::Rule;

/// Known names from this length on may have another letter. Shorter ones have too many neighbours:
/// `MauiBot` is not `MagiBot`.
const LONG: usize = 10;

/// The same for crawlers that document their tokens, which most files mean. For all, names of other
/// crawlers would be reported: `Roverbot` is not `rogerbot`.
const LONG_OF_DOCUMENTED: usize = 6;

/// Known names from this length on may have a letter too many or too few: `uMBot` is not `ZumBot`.
const MIDDLE: usize = 8;

/// Minimum length of a known name with two neighbours in the other order.
const SHORTEST: usize = 6;

/// The known token that an unknown name probably means: the same letters and digits with other
/// separators or a version, or one slip of the keyboard.
pub(crate) fn known_token(name: &str) -> Option<&'static str> {
    let meant = skeleton(name);
    let versionless = without_version(name).map(skeleton);
    let is_same = |known: &String| *known == meant || Some(known) == versionless.as_ref();
    if let Some((_, token)) = KNOWN.iter().find(|(known, _)| is_same(known)) {
        return Some(token);
    }
    if is_variant(name) {
        return None;
    }
    let is_slip = |known: &String, token: &str| {
        let found = Registry::bundled().find(token);
        let is_documented = found.is_some_and(Crawler::has_documented_tokens);
        let long = if is_documented { LONG_OF_DOCUMENTED } else { LONG };
        let is_candidate = known.len() >= SHORTEST && meant.len().abs_diff(known.len()) <= 1;
        // Two neighbours in the other order are a likely slip in any name.
        let is_exchange = || {
            let (mut left, mut right) = (known.clone().into_bytes(), meant.clone().into_bytes());
            left.sort_unstable();
            right.sort_unstable();
            left == right
        };
        is_candidate
            && if meant.len() == known.len() {
                known.len() >= long || is_exchange()
            } else {
                known.len() >= MIDDLE
            }
            && osa_distance(known, &meant) <= 1
    };
    KNOWN.iter().find(|(known, token)| is_slip(known, token)).map(|(_, token)| *token)
}

/// The token of the crawler that is meant by the name of a product, or by a token with a `bot` too
/// many or too few: `ChatGPT`, `Bing`, `Googlebot-Extended`.
pub(crate) fn product_token(name: &str) -> Option<&'static str> {
    static TOKENS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
        let is_documented = |token| {
            let crawler = Registry::bundled().find(token);
            crawler.is_some_and(|it| it.has_documented_tokens() && it.retired().is_none())
        };
        let known = KNOWN.iter().filter(|(_, token)| is_documented(token));
        let known = known.map(|(known, token)| (without_bot(known), *token));
        let products = Registry::bundled().crawlers().iter().flat_map(|crawler| {
            let products = crawler.products().iter();
            products.map(|product| (without_bot(&skeleton(product)), crawler.token()))
        });
        known.filter(|(name, _)| name.len() >= SHORTEST_PRODUCT).chain(products).collect()
    });
    let name = without_version(name).unwrap_or(name);
    // A dot is that of a host.
    TOKENS.get(&without_bot(&skeleton(name))).copied().filter(|_| !name.contains('.'))
}

/// Minimum length of other names, without `bot`: short ones can be those of unknown crawlers.
const SHORTEST_PRODUCT: usize = 4;

fn without_bot(skeleton: &str) -> String {
    skeleton.replace("bot", "")
}

/// The code of one of these rules that an unknown name probably means: at most two slips.
pub(crate) fn rule(name: &str, rules: &[Rule]) -> Option<&'static str> {
    let codes = rules.iter().map(|rule| rule.code);
    // Codes are short; this also bounds the time for a hostile name.
    let near = codes.filter(|code| code.len().abs_diff(name.len()) <= SLIPS_OF_CODE);
    let near = near.map(|code| (osa_distance(code, name), code));
    near.filter(|(edits, _)| *edits <= SLIPS_OF_CODE).min().map(|(_, code)| code)
}

/// Maximum number of slips in the code of a rule: codes are less similar than names of crawlers.
const SLIPS_OF_CODE: usize = 2;

/// Whether a name is a known one with a suffix, such as `SemrushBot-SA`: probably another crawler
/// of the same operator.
fn is_variant(name: &str) -> bool {
    let ends = name.match_indices(['-', '_', '.']).map(|(at, _)| at);
    let parts = ends.take_while(|at| *at <= AGENT_BYTES).map(|at| skeleton(&name[..at]));
    parts.into_iter().any(|part| KNOWN.iter().any(|(known, _)| *known == part))
}

/// All tokens and aliases, with their skeletons.
static KNOWN: LazyLock<Vec<(String, &'static str)>> = LazyLock::new(|| {
    let crawlers = Registry::bundled().crawlers().iter();
    let names = crawlers.flat_map(|crawler| {
        iter::once(crawler.token()).chain(crawler.aliases().iter().map(String::as_str))
    });
    names.map(|name| (skeleton(name), name)).collect()
});

/// Letters and digits in lower case.
fn skeleton(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// A name without a version at its end: `ExampleBot` of `ExampleBot-2.1` and `ExampleBot_v2`.
fn without_version(name: &str) -> Option<&str> {
    let rest = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.strip_suffix(['v', 'V']).filter(|it| it.ends_with(['-', '_'])).unwrap_or(rest);
    let rest = rest.trim_end_matches(['-', '_']);
    (rest.len() < name.len()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_rule_may_have_two_slips() {
        for (name, expected) in [
            ("mispelt-key", Some("misspelt-key")),
            ("dead_rules", Some("dead-rule")),
            ("spelling", None),
        ] {
            assert_eq!(rule(name, crate::RULES), expected, "{name}");
        }
    }

    #[test]
    fn products_lead_to_the_token_that_is_meant() {
        for (name, expected) in [
            ("ChatGPT", Some("GPTBot")),
            ("chatgpt-bot", Some("GPTBot")),
            ("GPT-5", Some("GPTBot")),
            ("Claude", Some("ClaudeBot")),
            ("Gemini", Some("Google-Extended")),
            ("GeminiBot", Some("Google-Extended")),
            ("Bing", Some("bingbot")),
            ("Googlebot-Extended", Some("Google-Extended")),
            ("Apple-Extended", Some("Applebot-Extended")),
            ("msn", None),
            ("yandex.com", None),
            ("ExampleBot", None),
            ("Bot", None),
        ] {
            assert_eq!(product_token(name), expected, "{name}");
        }
    }

    #[test]
    fn the_time_is_linear_in_a_name_with_many_separators() {
        assert_eq!(known_token(&"a-".repeat(1_000_000)), None);
        assert!(KNOWN.iter().all(|(known, _)| known.len() < AGENT_BYTES));
    }

    #[test]
    fn versions_separators_and_slips_lead_to_the_token() {
        for (name, expected) in [
            ("Googlebot-2.1", Some("Googlebot")),
            ("ClaudeBot_v1", Some("ClaudeBot")),
            ("Google-bot", Some("Googlebot")),
            ("GTPBot", Some("GPTBot")),
            ("PerplexityBott", Some("PerplexityBot")),
            ("acebookexternalhit", Some("facebookexternalhit")),
            ("Baidusbider", Some("Baiduspider")),
            ("Gogglebot", Some("Googlebot")),
            ("Googlebit", Some("Googlebot")),
            ("Claudebut", Some("ClaudeBot")),
            ("YandexBod", Some("YandexBot")),
            ("GPTBut", Some("GPTBot")),
            ("ExampleBot", None),
            ("SemrushBot-XY", None),
            ("MauiBot", None),
            ("Roverbot", None),
            ("uMBot", None),
            ("AIBot", None),
            ("gbot", None),
        ] {
            assert_eq!(known_token(name), expected, "{name}");
        }
    }
}
