//! Crawlers: ordered lists of product tokens.
//!
//! The first token that a group names decides which groups apply (REP-AMB-26). A text that is not a
//! product token is read as a User-Agent header, in `header.rs` (REP-AMB-13). The documented
//! fallbacks of known crawlers are data of `verger-registry`.

mod header;
mod reference;
mod token;

use alloc::boxed::Box;
use alloc::vec::Vec;

pub use reference::{AsCrawler, CrawlerRef};
pub use token::{ProductToken, TokenError, TokenProblem};

pub(crate) use reference::TokenStep;
pub(crate) use token::short_token;

use self::header::{Words, end_of_name};
use crate::dialect::Dialect;

/// A crawler: its product tokens, most specific first, and their use.
///
/// # Examples
///
/// ```
/// use verger::{Crawler, Robots};
///
/// let robots = Robots::parse("User-agent: ExampleBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n");
/// let image_bot = Crawler::chain(["ExampleBot-Image", "ExampleBot"]);
/// assert!(!robots.check(&image_bot, "/x").is_allowed());
/// // A product token is compared as it is.
/// assert!(robots.check("ExampleBot-Image", "/x").is_allowed());
/// // Any other text is read as a User-Agent header.
/// assert!(!robots.check(&Crawler::new("ExampleBot/1.0"), "/x").is_allowed());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Crawler {
    tokens: Vec<ProductToken>,
    /// The tokens, with the product tokens of each header in place of the header. `None` if no
    /// token is a header.
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
    /// A text that is not a product token, such as `ExampleBot/1.0 (+https://bot.example/)`, is
    /// replaced by the product tokens in it if the dialect [reads headers](Dialect::reads_headers)
    /// (REP-AMB-13).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Crawler, Robots};
    ///
    /// let robots = Robots::parse(
    ///     "User-agent: ExampleBot\nDisallow: /\n\nUser-agent: ExampleBot-News\nDisallow: /drafts\n",
    /// );
    /// let news = Crawler::chain(["ExampleBot-News", "ExampleBot"]);
    /// assert!(robots.is_allowed(&news, "/x"), "only the group for ExampleBot-News applies");
    /// let image = Crawler::chain(["ExampleBot-Image", "ExampleBot"]);
    /// assert!(!robots.is_allowed(&image, "/x"), "no group names ExampleBot-Image");
    /// ```
    pub fn chain<T: Into<Box<str>>>(tokens: impl IntoIterator<Item = T>) -> Self {
        let tokens: Vec<_> = tokens.into_iter().map(ProductToken::new).collect();
        let read = read(&tokens);
        Self { tokens, read, union: false, ignores_star: false, ignores_robots: false }
    }

    /// A crawler that obeys the groups of all its tokens together, as Google's library does
    /// (REP-AGENT-22).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Crawler, Robots};
    ///
    /// let robots = Robots::parse("User-agent: a\nDisallow: /x\n\nUser-agent: b\nDisallow: /y\n");
    /// let both = Crawler::union(["a", "b"]);
    /// assert!(!robots.is_allowed(&both, "/x") && !robots.is_allowed(&both, "/y"));
    /// ```
    pub fn union<T: Into<Box<str>>>(tokens: impl IntoIterator<Item = T>) -> Self {
        Self { union: true, ..Self::chain(tokens) }
    }

    /// A crawler from its product token or its User-Agent header (REP-AMB-13).
    ///
    /// A product token is used unchanged. From any other text the product tokens are used, in
    /// order: words of ASCII letters, digits, `-`, `_` and `.`, with or without a version after a
    /// `/`. Words in comments come before the others. URLs and the names that browsers share, such
    /// as `Mozilla`, are omitted. Check the [`tokens`](Self::tokens) of an unusual header, or state
    /// them with [`chain`](Self::chain).
    ///
    /// [`Crawler::new`] stores the text instead: dialects other than `google` read it in the same
    /// way when they select groups, and dialect `google` finds no group for a header.
    ///
    /// # Errors
    ///
    /// If the text contains no product token. No group could name the crawler, so only groups for
    /// `*` would apply.
    ///
    /// # Complexity
    ///
    /// Linear in the text. At most 256 tokens in comments
    /// and as many outside are used.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Crawler, Robots};
    ///
    /// let robots = Robots::parse("User-agent: ExampleBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n");
    /// for text in [
    ///     "ExampleBot",
    ///     "ExampleBot/0.1",
    ///     "Mozilla/5.0 (compatible; ExampleBot/0.1; +https://bot.example/)",
    /// ] {
    ///     let crawler = Crawler::from_user_agent(text)?;
    ///     assert_eq!(crawler, Crawler::new("ExampleBot"));
    ///     assert!(!robots.check(&crawler, "https://shop.example/").is_allowed());
    /// }
    ///
    /// // Any word may be the name.
    /// let crawler = Crawler::from_user_agent("MyBot/2.0 (part of ExampleBot)")?;
    /// let tokens: Vec<_> = crawler.tokens().iter().map(|token| token.as_str()).collect();
    /// assert_eq!(tokens, ["part", "of", "ExampleBot", "MyBot"]);
    ///
    /// // The header of a browser, `*` and an empty text name no crawler.
    /// assert!(Crawler::from_user_agent("Mozilla/5.0 (X11; Linux x86_64)").is_err());
    /// assert!(Crawler::from_user_agent("*").is_err());
    /// assert!(Crawler::from_user_agent("").is_err());
    /// # Ok::<(), verger::TokenError>(())
    /// ```
    pub fn from_user_agent(text: &str) -> Result<Self, TokenError> {
        if text.is_empty() {
            return Err(TokenError::new(Some(TokenProblem::Empty), text));
        }
        if end_of_name(text).is_none() {
            return Ok(Self::new(text));
        }
        let mut tokens: Vec<&str> = Vec::new();
        for token in Words::of(text) {
            if !tokens.iter().any(|known| known.eq_ignore_ascii_case(token)) {
                tokens.push(token);
            }
        }
        if tokens.is_empty() {
            return Err(TokenError::new(None, text));
        }
        Ok(Self::chain(tokens))
    }

    /// Fails if a group cannot name every token of the crawler.
    ///
    /// [`Crawler::new`], [`chain`](Self::chain) and [`union`](Self::union) accept any text, because
    /// every check needs an answer. A robots client calls this at startup, so that a typing error
    /// does not leave only the groups for `*`. A crawler that [ignores
    /// robots.txt](Self::ignores_robots) needs no token.
    ///
    /// # Errors
    ///
    /// If a token is empty or contains a character that ends a name on a user-agent line
    /// ([`TokenProblem::NeverNamed`]); the error has the first such token. Also if there is no
    /// token.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    ///
    /// assert!(Crawler::new("ExampleBot").check_tokens().is_ok());
    /// for text in ["ExampleBot/1.0", "Example Bot", "*", ""] {
    ///     assert!(Crawler::new(text).check_tokens().is_err());
    /// }
    /// assert!(Crawler::chain::<&str>([]).check_tokens().is_err());
    /// ```
    pub fn check_tokens(&self) -> Result<(), TokenError> {
        if self.ignores_robots {
            return Ok(());
        }
        if self.tokens.is_empty() {
            return Err(TokenError::new(Some(TokenProblem::Empty), ""));
        }
        self.tokens.iter().try_for_each(ProductToken::check_named)
    }

    /// The same crawler, obeying only groups that name it, not those for `*`.
    #[must_use]
    pub fn without_star(mut self) -> Self {
        self.ignores_star = true;
        self
    }

    /// The same crawler, without robots.txt: everything is allowed.
    #[must_use]
    pub fn without_robots(mut self) -> Self {
        self.ignores_robots = true;
        self
    }

    /// The tokens as passed, most specific first.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    ///
    /// let crawler = Crawler::union(["ExampleBot-News", "ExampleBot"]).without_star();
    /// assert_eq!(crawler.tokens()[0].as_str(), "ExampleBot-News");
    /// assert!(crawler.is_union() && crawler.ignores_star() && !crawler.ignores_robots());
    /// ```
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

    /// The names for the selection of groups in a dialect.
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
    fn check(text: &str, expected: Result<&[&str], Option<TokenProblem>>) {
        let crawler = Crawler::from_user_agent(text);
        let tokens = crawler
            .as_ref()
            .map(|crawler| crawler.tokens().iter().map(ProductToken::as_str).collect::<Vec<_>>());
        let tokens = tokens.as_deref().map_err(|error| error.problem());
        assert_eq!(tokens, expected, "{text:?}");
        if let Ok(crawler) = crawler {
            assert_eq!(crawler.check_tokens(), Ok(()), "{text:?}");
        }
    }

    #[test]
    fn a_header_gives_its_products_once() {
        check("Fig_Bot/0.1 lib-www/5.04 (a)", Ok(&["a", "Fig_Bot", "lib-www"]));
        check("A/1 a/2 http://b/c 7z/1 /x", Ok(&["A", "7z"]));
        check("Mozilla/5.0 (compatible; A/1)", Ok(&["A"]));
        check(" A\t", Ok(&["A"]));
    }

    #[test]
    fn a_product_token_is_used_unchanged() {
        for text in ["A", "MJ12bot", "Mozilla", "é", "a.b:c"] {
            check(text, Ok(&[text]));
        }
    }

    #[test]
    fn a_text_without_a_product_token_is_an_error() {
        check("", Err(Some(TokenProblem::Empty)));
        for text in ["*", " ", "/1.0", "Mozilla/5.0 (X11)", "(+http://x/)"] {
            check(text, Err(None));
        }
    }

    #[test]
    fn a_token_that_no_group_can_name_is_an_error() {
        let error = Crawler::union(["A", "B/1"]).check_tokens().expect_err("`B/1` is no token");
        let problem = Some(TokenProblem::NeverNamed { at: 1 });
        assert_eq!((error.problem(), error.found()), (problem, "B/1"));
    }
}
