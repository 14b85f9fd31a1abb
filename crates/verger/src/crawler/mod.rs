//! Crawlers: who asks.
//!
//! A crawler is an ordered list of product tokens, most specific first: the first one that a group
//! names decides which groups apply (REP-AMB-26). Tokens are taken literally. What vendors say of
//! their own crawlers is data in `vendors.rs`, applied only by [`Crawler::named`].

mod asking;
mod token;
mod vendors;

use alloc::boxed::Box;
use alloc::vec::Vec;

pub use asking::{AsCrawler, CrawlerRef};
pub use token::{ProductToken, TokenProblem};
pub use vendors::{VENDORS, Vendor, VendorKind};

pub(crate) use asking::Step;
pub(crate) use token::short_token;

use crate::agent::is_token_octet;

/// Who asks: product tokens, most specific first, and how they are used.
///
/// # Examples
///
/// ```
/// use verger::{Crawler, Robots};
///
/// let robots = Robots::parse("User-agent: ExampleBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n");
/// let image_bot = Crawler::chain(["ExampleBot-Image", "ExampleBot"]);
/// assert!(!robots.check(&image_bot, "/x").is_allowed());
/// // A literal token is looked for alone.
/// assert!(robots.check("ExampleBot-Image", "/x").is_allowed());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Crawler {
    tokens: Vec<ProductToken>,
    union: bool,
    ignores_star: bool,
    ignores_robots: bool,
}

impl Crawler {
    /// A crawler with one token.
    pub fn new(token: impl Into<Box<str>>) -> Self {
        Self::chain([token])
    }

    /// A crawler with several tokens, most specific first: the first one that a group names decides
    /// which groups apply (REP-AMB-26).
    pub fn chain<T: Into<Box<str>>>(tokens: impl IntoIterator<Item = T>) -> Self {
        let tokens = tokens.into_iter().map(ProductToken::new).collect();
        Self { tokens, union: false, ignores_star: false, ignores_robots: false }
    }

    /// A crawler that obeys the groups of all its tokens together, as Google's library does
    /// (REP-AGENT-22).
    pub fn union<T: Into<Box<str>>>(tokens: impl IntoIterator<Item = T>) -> Self {
        Self { union: true, ..Self::chain(tokens) }
    }

    /// A vendor's crawler with the fallbacks its vendor documents (REP-AGENT-31); ASCII case does
    /// not matter. `None` for a name that is not in [`VENDORS`].
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    ///
    /// let crawler = Crawler::named("googlebot-image").expect("a known crawler");
    /// let tokens: Vec<_> = crawler.tokens().iter().map(|token| token.as_str()).collect();
    /// assert_eq!(tokens, ["Googlebot-Image", "Googlebot"]);
    /// assert!(Crawler::named("AdsBot-Google").expect("a known crawler").ignores_star());
    /// assert!(Crawler::named("nobody").is_none());
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Vendor::named(name).map(Vendor::crawler)
    }

    /// Reads the product tokens out of a User-Agent header, in order, `own` first (REP-AMB-13).
    ///
    /// A product token is a word of letters, `-` and `_` with a `/` behind it. Headers imitate
    /// browsers and begin with `Mozilla`, so give your own token where you know it. `None` when the
    /// header has no product token and `own` is not given.
    ///
    /// # Complexity
    ///
    /// Linear in the header.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    ///
    /// let header = "Mozilla/5.0 (compatible; ExampleBot/0.1; +https://shop.example/bot/)";
    /// let crawler = Crawler::from_header(header, Some("ExampleBot")).expect("has products");
    /// let tokens: Vec<_> = crawler.tokens().iter().map(|token| token.as_str()).collect();
    /// assert_eq!(tokens, ["ExampleBot", "Mozilla"]);
    /// assert!(Crawler::from_header("no product", None).is_none());
    /// ```
    pub fn from_header(header: &str, own: Option<&str>) -> Option<Self> {
        let products = header
            .split(|c: char| c.is_ascii_whitespace() || matches!(c, '(' | ')' | ';' | ','))
            // A word with a colon is a URL, not a product.
            .filter(|word| !word.contains(':'))
            .filter_map(|word| word.split_once('/').map(|(product, _version)| product))
            .filter(|product| !product.is_empty() && product.bytes().all(is_token_octet));
        let mut tokens: Vec<&str> = Vec::new();
        for token in own.into_iter().chain(products) {
            if !tokens.iter().any(|known| known.eq_ignore_ascii_case(token)) {
                tokens.push(token);
            }
        }
        (!tokens.is_empty()).then(|| Self::chain(tokens))
    }

    /// The same crawler, obeying only groups that name it, never those for `*`.
    #[must_use]
    pub fn ignoring_star(mut self) -> Self {
        self.ignores_star = true;
        self
    }

    /// The same crawler, not following robots.txt at all: everything is allowed.
    #[must_use]
    pub fn ignoring_robots(mut self) -> Self {
        self.ignores_robots = true;
        self
    }

    /// The tokens, most specific first.
    pub fn tokens(&self) -> &[ProductToken] {
        &self.tokens
    }

    /// Whether the groups of all tokens apply together.
    pub const fn is_union(&self) -> bool {
        self.union
    }

    /// Whether groups for `*` do not apply.
    pub const fn ignores_star(&self) -> bool {
        self.ignores_star
    }

    /// Whether robots.txt is not followed at all.
    pub const fn ignores_robots(&self) -> bool {
        self.ignores_robots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, own: Option<&str>, expected: &[&str]) {
        let crawler = Crawler::from_header(header, own);
        let tokens = crawler.as_ref().map_or(&[][..], Crawler::tokens);
        assert!(tokens.iter().map(ProductToken::as_str).eq(expected.iter().copied()), "{tokens:?}");
    }

    #[test]
    fn the_header_gives_products_only() {
        check("Fig_Bot/0.1 lib-www/5.04 (a)", None, &["Fig_Bot", "lib-www"]);
        check("A/1 a/2 http://b/c 7z/1 /x", None, &["A"]);
        check("A/1", Some("a"), &["a"]);
        check("", None, &[]);
    }
}
