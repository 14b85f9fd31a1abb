//! Compiling: from a parsed robots.txt, or from its bytes.

use super::head::{Head, WithoutRule};
use super::{Policy, rules, tree};
use crate::crawler::{AsCrawler, CrawlerRef};
use crate::dialect::Dialect;
use crate::limits;
use crate::parse::Input;
use crate::robots::{Outline, Robots, of_one_crawler};

impl Robots {
    /// Compiles what this robots.txt means for a crawler.
    ///
    /// The policy gives the verdicts of [`check`](Self::check) for this crawler, without allocating and
    /// without the robots.txt.
    ///
    /// # Complexity
    ///
    /// As the [module](crate::policy) says.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Crawler, Dialect};
    ///
    /// let robots = Dialect::GOOGLE.parse("User-agent: Googlebot\nDisallow: /*.pdf$\n");
    /// let policy = robots.policy(&Crawler::chain(["Googlebot-Image", "Googlebot"]));
    /// assert!(!policy.is_allowed("https://shop.example/a.pdf"));
    /// assert!(policy.is_allowed("https://shop.example/a.pdf?page=2"));
    /// ```
    pub fn policy<C: AsCrawler + ?Sized>(&self, crawler: &C) -> Policy {
        compile(self.outline(), crawler.as_crawler(), self.allows_all())
    }
}

impl Dialect {
    /// Compiles what a robots.txt means for a crawler, in this dialect: the policy of [`Robots::policy`], byte for
    /// byte, for whoever needs nothing else of the file.
    ///
    /// # Complexity
    ///
    /// As parsing, of which all is left out that concerns other crawlers, and as the [module](crate::policy) says.
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
        let crawler = crawler.as_crawler();
        if crawler.token_count() > limits::ONE_SHOT_TOKENS {
            return self.parse(robots).policy(&crawler);
        }
        let input = Input::read(robots.as_ref(), self);
        of_one_crawler(&input, self, crawler, |outline| {
            compile(outline, crawler, input.allows_all())
        })
    }
}

/// The policy for a crawler, of a text of which at least the groups that may apply to it are known.
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
    Policy::of(head, tree.as_slice(), explanation.as_slice())
}
