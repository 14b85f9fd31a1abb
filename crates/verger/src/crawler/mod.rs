//! Crawlers: who asks.
//!
//! A crawler is an ordered list of product tokens, most specific first: the first one that a group
//! names decides which groups apply (REP-AMB-26). A text that is no product token is read as a
//! User-Agent header, in `header.rs` (REP-AMB-13). What vendors say of their own crawlers is data in
//! `vendors.rs`, applied only by [`Crawler::named`].

mod asking;
mod header;
mod token;
mod vendors;

use alloc::boxed::Box;
use alloc::vec::Vec;

pub use asking::{AsCrawler, CrawlerRef};
pub use token::{ProductToken, TokenProblem};
pub use vendors::{VENDORS, Vendor, VendorKind};

pub(crate) use asking::Step;
pub(crate) use token::short_token;

use self::header::Words;
use crate::dialect::Dialect;

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
/// // A product token is looked for alone.
/// assert!(robots.check("ExampleBot-Image", "/x").is_allowed());
/// // Any other text is read as a User-Agent header.
/// assert!(!robots.check(&Crawler::new("ExampleBot/1.0"), "/x").is_allowed());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Crawler {
    tokens: Vec<ProductToken>,
    /// The tokens with each header among them replaced by the product tokens in it. `None`: no token is a
    /// header.
    read: Option<Box<[ProductToken]>>,
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
    ///
    /// A text that is no product token, such as `ExampleBot/1.0 (+https://bot.example/)`, is replaced by the
    /// product tokens in it where the dialect [reads headers](Dialect::reads_headers) (REP-AMB-13).
    pub fn chain<T: Into<Box<str>>>(tokens: impl IntoIterator<Item = T>) -> Self {
        let tokens: Vec<_> = tokens.into_iter().map(ProductToken::new).collect();
        let read = read(&tokens);
        Self { tokens, read, union: false, ignores_star: false, ignores_robots: false }
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
    /// A product token is a word of ASCII letters, digits, `-`, `_` and `.`, with or without a version after
    /// a `/`. Words in comments come before the others. URLs and the names that browsers share, such as
    /// `Mozilla`, are left out. Give your own token if you know it. `None` when the header has no product
    /// token and `own` is not given.
    ///
    /// A text that is no product token is read in the same way wherever a crawler is expected.
    ///
    /// # Complexity
    ///
    /// Linear in the header. At most [`HEADER_WORDS`](crate::limits::HEADER_WORDS) words count.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    ///
    /// let header = "Mozilla/5.0 (compatible; ExampleBot/0.1; +https://shop.example/bot/)";
    /// let crawler = Crawler::from_header(header, Some("ExampleBot")).expect("has products");
    /// let tokens: Vec<_> = crawler.tokens().iter().map(|token| token.as_str()).collect();
    /// assert_eq!(tokens, ["ExampleBot"]);
    ///
    /// let header = "MyBot/2.0 (part of ExampleBot)";
    /// let crawler = Crawler::from_header(header, None).expect("has products");
    /// let tokens: Vec<_> = crawler.tokens().iter().map(|token| token.as_str()).collect();
    /// assert_eq!(tokens, ["part", "of", "ExampleBot", "MyBot"]);
    ///
    /// assert!(Crawler::from_header("Mozilla/5.0 (X11; Linux x86_64)", None).is_none());
    /// ```
    pub fn from_header(header: &str, own: Option<&str>) -> Option<Self> {
        let mut tokens: Vec<&str> = Vec::new();
        for token in own.into_iter().chain(Words::of(header)) {
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

    /// The tokens as they were given, most specific first.
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

    /// The names that are looked for in a dialect.
    fn names(&self, dialect: &Dialect) -> &[ProductToken] {
        match &self.read {
            Some(names) if dialect.reads_headers => names,
            _ => &self.tokens,
        }
    }
}

/// Replaces each header among the tokens by the product tokens in it; `None` if there is no header.
fn read(tokens: &[ProductToken]) -> Option<Box<[ProductToken]>> {
    let is_header = |token: &ProductToken| header::is_header(token.as_str());
    if !tokens.iter().any(is_header) {
        return None;
    }
    let mut names = Vec::with_capacity(tokens.len());
    for token in tokens {
        if is_header(token) {
            names.extend(Words::of(token.as_str()).map(ProductToken::new));
        } else {
            names.push(token.clone());
        }
    }
    Some(names.into())
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
    fn the_header_gives_its_products_once() {
        check("Fig_Bot/0.1 lib-www/5.04 (a)", None, &["a", "Fig_Bot", "lib-www"]);
        check("A/1 a/2 http://b/c 7z/1 /x", None, &["A", "7z"]);
        check("Mozilla/5.0 (compatible; A/1)", Some("B"), &["B", "A"]);
        check("A/1", Some("a"), &["a"]);
        check("", None, &[]);
    }
}
