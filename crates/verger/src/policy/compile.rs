//! Compiling a policy from a parsed robots.txt, or from its bytes.

use super::head::{Head, WithoutRule};
use super::{Policy, rules, tree};
use crate::crawler::{AsCrawler, CrawlerRef};
use crate::dialect::Dialect;
use crate::limits;
use crate::parse::Input;
use crate::robots::{Outline, Robots, outline_for};

impl Robots {
    /// Compiles this robots.txt for a crawler.
    ///
    /// The policy gives the verdicts of [`check`](Self::check) for this crawler, without
    /// allocations and without the robots.txt.
    ///
    /// # Complexity
    ///
    /// See the [module](crate::policy).
    pub fn policy<C: AsCrawler + ?Sized>(&self, crawler: &C) -> Policy {
        compile(self.outline(), crawler.as_crawler(), self.allows_all)
    }
}

impl Dialect {
    /// Compiles a robots.txt for a crawler, in this dialect. The result is the policy of
    /// [`Robots::policy`], byte for byte. Use it if you need nothing else of the file: it copies
    /// nothing, and skips rules of groups for other crawlers.
    ///
    /// # Complexity
    ///
    /// Reading each line, comparing each user-agent line with each token of the crawler, and the
    /// cost in the [module](crate::policy).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Dialect;
    ///
    /// let text = "User-agent: Googlebot\nDisallow: /*.pdf$\n";
    /// let policy = Dialect::GOOGLE.policy(text, "Googlebot");
    /// assert!(!policy.is_allowed("https://shop.example/a.pdf"));
    /// assert_eq!(policy, Dialect::GOOGLE.parse(text).policy("Googlebot"));
    /// ```
    pub fn policy<B, C>(&self, robots: &B, crawler: &C) -> Policy
    where
        B: AsRef<[u8]> + ?Sized,
        C: AsCrawler + ?Sized,
    {
        self.policy_once(robots.as_ref(), crawler.as_crawler())
    }

    fn policy_once(&self, robots: &[u8], crawler: CrawlerRef<'_>) -> Policy {
        if crawler.token_count(self) > limits::FILTERED_TOKENS {
            return self.parse(robots).policy(&crawler);
        }
        let input = Input::read(robots, self);
        outline_for(&input, self, crawler, |outline| compile(outline, crawler, input.allows_all()))
    }
}

/// Compiles the policy for a crawler. The outline has at least the groups that may apply to it.
fn compile(outline: Outline<'_>, crawler: CrawlerRef<'_>, allows_all: bool) -> Policy {
    let empty = |reason| Policy::of(Head::of(outline.dialect, reason), &[], &[]);
    if crawler.ignores_robots() {
        return empty(WithoutRule::CrawlerIgnoresRobots);
    }
    if allows_all {
        return empty(WithoutRule::Unavailable);
    }
    let groups = outline.select(crawler);
    if groups.is_empty() {
        return empty(WithoutRule::NoGroup);
    }
    let (rules, explanation) = rules::read(outline, &groups);
    let tree = tree::build(rules, outline.dialect.precedence);
    let head = Head::of(outline.dialect, WithoutRule::NoRuleMatches);
    Policy::of(head, tree.as_slice(), explanation.bytes.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Crawler;
    use alloc::format;
    use alloc::string::String;

    const FILE: &str = "Disallow: /orphan\nUser-agent: other\nDisallow: /o\n\n\
        User-agent: other\nUser-agent: bot-image, x\nUser-agent: Bot/1.0\nCrawl-delay: 1\nDisallow: /1\n\
        User-agent: other\nAllow: /2\nDisallow\nDisalow: /3*\n\nAllow: /4\nUser-agent: *\nUser-agent: bot\n\
        Disallow:\nDisallow: /5$\nUser-agent: *bot\nUser-agent:\nAllow: /6\nUser-agent: *\nDisallow: /\n";

    /// The bytes and the parsed file give the same policy.
    #[track_caller]
    fn check(text: &[u8], crawler: &Crawler) {
        for published in Dialect::PUBLISHED {
            for agent_lists in [false, true] {
                let dialect = Dialect { agent_lists, ..published };
                let expected = dialect.parse(text).policy(crawler);
                assert_eq!(dialect.policy(text, crawler), expected, "{dialect}: {crawler:?}");
            }
        }
    }

    #[test]
    fn groups_for_others_have_no_effect_at_any_place() {
        let many: [String; limits::FILTERED_TOKENS + 1] =
            core::array::from_fn(|at| format!("bot{at}"));
        let lines: alloc::vec::Vec<&str> = FILE.lines().collect();
        // Each line may be the first one.
        for start in (0..lines.len()).step_by(if cfg!(miri) { 13 } else { 1 }) {
            let text = lines[start..].join("\n");
            for crawler in [
                Crawler::new("bot"),
                Crawler::new("nobody"),
                Crawler::new(""),
                Crawler::chain(["bot-image", "bot"]),
                Crawler::union(["x", "other"]),
                Crawler::new("Mozilla/5.0 (compatible; nobody; bot/2.0)"),
                Crawler::union(["Other/1 (x)", "bot-image/1.0"]),
                Crawler::chain(many.iter().map(String::as_str)),
                Crawler::new("nobody").without_star(),
                Crawler::new("bot").without_robots(),
            ] {
                check(text.as_bytes(), &crawler);
            }
        }
    }

    #[test]
    fn encodings_and_limits_are_those_of_parsing() {
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let encoded: alloc::vec::Vec<u8> = utf16(&format!("\u{feff}{FILE}"));
        let marked = format!("\u{feff}{FILE}");
        for text in [&encoded[..], marked.as_bytes(), b"", b"\xff", b"User-agent: bot"] {
            check(text, &Crawler::new("bot"));
        }
        for limit in (0..FILE.len()).step_by(if cfg!(miri) { 211 } else { 1 }) {
            for mut dialect in [Dialect::RFC9309, Dialect::YANDEX] {
                dialect.byte_limit = Some(limit);
                let expected = dialect.parse(FILE).policy("bot");
                assert_eq!(dialect.policy(FILE, "bot"), expected, "{dialect}: {limit}");
            }
        }
    }
}
