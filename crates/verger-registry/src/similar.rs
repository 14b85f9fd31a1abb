//! Names that probably mean a known crawler: other separators, versions, slips of the keyboard, and
//! names of products.

use std::collections::HashMap;

use verger::quoted;

use crate::Crawler;
use crate::limits::{
    NAME_BYTES, SHORTEST, SHORTEST_OF_DOCUMENTED, SHORTEST_PRODUCT, SHORTEST_SUFFIX, Shortest,
};

/// The name that another name probably means, from
/// [`Registry::similar`](crate::Registry::similar).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Similar<'n> {
    /// The token of a known crawler, or one of the other names.
    pub name: &'n str,
    /// Whether the unknown name is that of a product, rather than another spelling.
    pub is_product: bool,
}

impl Similar<'_> {
    /// The question whether this name is meant, with escaped foreign text.
    ///
    /// ```
    /// let similar = verger_registry::Registry::bundled().similar("GPTBto", []);
    /// assert_eq!(similar.expect("a name").question(), "did you mean `GPTBot`?");
    /// ```
    pub fn question(&self) -> String {
        format!("did you mean {}?", quoted(self.name))
    }
}

/// The names of the known crawlers, in the forms that are compared.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// The [skeletons](skeleton) of all tokens and aliases, with the positions of their crawlers.
    known: Vec<(String, usize)>,
    /// The same of products, and of documented tokens, without `bot`.
    products: HashMap<String, usize>,
}

impl Names {
    pub(crate) fn of(crawlers: &[Crawler]) -> Self {
        let (mut known, mut products) = (Vec::new(), HashMap::new());
        for (at, crawler) in crawlers.iter().enumerate() {
            let is_offered = crawler.has_documented_tokens && crawler.retired.is_none();
            for name in core::iter::once(&crawler.token).chain(&crawler.aliases) {
                let name = skeleton(name);
                let product = without_bot(&name);
                if is_offered && product.len() >= SHORTEST_PRODUCT {
                    products.insert(product, at);
                }
                known.push((name, at));
            }
        }
        for (at, crawler) in crawlers.iter().enumerate() {
            let names = crawler.products.iter().map(|product| without_bot(&skeleton(product)));
            products.extend(names.map(|name| (name, at)));
        }
        Self { known, products }
    }

    /// The position of the crawler of which a name is another spelling: the same letters and digits
    /// with other separators or a version, or one slip of the keyboard.
    pub(crate) fn spelling(&self, name: &str, crawlers: &[Crawler]) -> Option<usize> {
        let meant = skeleton(name);
        let versionless = without_version(name).map(skeleton);
        let is_same = |known: &String| *known == meant || Some(known) == versionless.as_ref();
        if let Some((_, at)) = self.known.iter().find(|(known, _)| is_same(known)) {
            return Some(*at);
        }
        let head = self.known_head(name);
        let is_likely = |(known, at): &&(String, usize)| {
            let is_documented = crawlers[*at].has_documented_tokens;
            let shortest = if is_documented { SHORTEST_OF_DOCUMENTED } else { SHORTEST };
            is_likely_slip(known, &meant, head, shortest)
        };
        self.known.iter().find(is_likely).map(|(_, at)| *at)
    }

    /// The position of the crawler that is meant by the name of a product, or by a token with a
    /// `bot` too many or too few: `ChatGPT`, `Bing`, `Googlebot-Extended`.
    pub(crate) fn product(&self, name: &str) -> Option<usize> {
        let name = without_version(name).unwrap_or(name);
        // A dot is that of a host.
        let found = self.products.get(&without_bot(&skeleton(name)));
        found.copied().filter(|_| !name.contains('.'))
    }

    /// The length of the known name with which a name begins, without separators: 10 of
    /// `SemrushBot-XY`, 0 if there is none.
    fn known_head(&self, name: &str) -> usize {
        let ends = name.match_indices(['-', '_', '.']).map(|(at, _)| at);
        let parts = ends.take_while(|at| *at <= NAME_BYTES).map(|at| skeleton(&name[..at]));
        let known = parts.filter(|part| self.known.iter().any(|(known, _)| known == part));
        known.map(|part| part.len()).max().unwrap_or(0)
    }
}

/// Whether a known name with one slip is an unknown one, and long enough for this slip. `head` is
/// the length of the known name with which the unknown one begins.
fn is_likely_slip(known: &str, meant: &str, head: usize, shortest: Shortest) -> bool {
    if known.len() < head + SHORTEST_SUFFIX || !is_slip(known.as_bytes(), meant.as_bytes()) {
        return false;
    }
    let [left, right] = [known, meant].map(|name| {
        let mut letters = name.as_bytes().to_vec();
        letters.sort_unstable();
        letters
    });
    let least = if left == right {
        shortest.exchange
    } else if left.len() == right.len() {
        if head > 0 {
            // `SemrushBot-SB` is probably another crawler of the operator of `SemrushBot-SA`.
            return false;
        }
        shortest.other_letter
    } else {
        shortest.length
    };
    known.len() >= least
}

/// Whether two names differ in one letter, or in the order of two neighbours.
pub(crate) fn is_slip(left: &[u8], right: &[u8]) -> bool {
    let is_same = |(left, right): &(&u8, &u8)| left.eq_ignore_ascii_case(right);
    let head = left.iter().zip(right).take_while(is_same).count();
    let (left, right) = (&left[head..], &right[head..]);
    let tail = left.iter().rev().zip(right.iter().rev()).take_while(is_same).count();
    match (&left[..left.len() - tail], &right[..right.len() - tail]) {
        ([] | [_], [_]) | ([_], []) => true,
        ([a, b], [c, d]) => is_same(&(a, d)) && is_same(&(b, c)),
        _ => false,
    }
}

/// Letters and digits in lower case.
fn skeleton(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

fn without_bot(skeleton: &str) -> String {
    skeleton.replace("bot", "")
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
    use crate::Registry;
    use crate::limits::NAME_BYTES;

    #[track_caller]
    fn check(name: &str, expected: Option<&str>, is_product: bool) {
        let found = Registry::bundled().similar(name, []);
        assert_eq!(found.map(|it| it.name), expected, "{name}");
        assert!(found.is_none_or(|it| it.is_product == is_product), "{name}");
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
            check(name, expected, true);
        }
    }

    #[test]
    fn versions_separators_and_slips_lead_to_the_token() {
        for (name, expected) in [
            ("Googlebot-2.1", Some("Googlebot")),
            ("ClaudeBot_v1", Some("ClaudeBot")),
            ("Google-bot", Some("Googlebot")),
            ("GTPBot", Some("GPTBot")),
            ("GPTBt", Some("GPTBot")),
            ("PerplexityBott", Some("PerplexityBot")),
            ("acebookexternalhit", Some("facebookexternalhit")),
            ("Baidusbider", Some("Baiduspider")),
            ("Gogglebot", Some("Googlebot")),
            ("Googlebit", Some("Googlebot")),
            ("Claudebut", Some("ClaudeBot")),
            ("YandexBod", Some("YandexBot")),
            ("GPTBut", Some("GPTBot")),
            ("CCBto", Some("CCBot")),
            ("Naver-Bot", Some("Yeti")),
            ("Applebot-Extendd", Some("Applebot-Extended")),
            ("Googlebot-Imge", Some("Googlebot-Image")),
            ("Googlebot-New", Some("Googlebot-News")),
            ("Googlebot-Vdieo", Some("Googlebot-Video")),
            ("Googlebot-X", None),
            ("ExampleBot", None),
            ("SemrushBot-XY", None),
            ("SemrushBot-SA", None),
            ("MauiBot", None),
            ("Roverbot", None),
            ("uMBot", None),
            ("AIBot", None),
            ("gbot", None),
        ] {
            check(name, expected, false);
        }
    }

    #[test]
    fn names_that_a_crawler_obeys_mean_no_other_one() {
        for name in ["gptbot", "NaverBot", "Yandex", "Slurp"] {
            check(name, None, false);
        }
        assert_eq!(Registry::bundled().similar("GPTBto", ["gptbto"]), None);
    }

    #[test]
    fn the_time_is_linear_in_a_name_with_many_separators() {
        check(&"a-".repeat(1_000_000), None, false);
        let crawlers = Registry::bundled().crawlers();
        assert!(crawlers.iter().all(|crawler| crawler.token().len() < NAME_BYTES));
    }
}
