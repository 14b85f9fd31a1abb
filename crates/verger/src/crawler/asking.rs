//! Asking: borrowed crawlers, and the steps in which a crawler's groups are looked for.

use alloc::string::String;

use super::token::short_token;
use super::{Crawler, ProductToken};
use crate::dialect::Dialect;
use crate::search::contains_ignoring_case;

/// What can ask: a [`Crawler`], or a text taken as one literal token.
///
/// Implemented for `str`, `String`, [`ProductToken`] and [`Crawler`].
pub trait AsCrawler {
    /// The crawler, borrowed.
    fn as_crawler(&self) -> CrawlerRef<'_>;
}

/// A borrowed crawler.
#[derive(Clone, Copy, Debug)]
pub struct CrawlerRef<'a>(Inner<'a>);

#[derive(Clone, Copy, Debug)]
enum Inner<'a> {
    Token(&'a str),
    Crawler(&'a Crawler),
}

/// Tokens that are looked for together; the next step is taken when none of them is named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    tokens: Tokens<'a>,
    short: bool,
}

#[derive(Clone, Copy, Debug)]
enum Tokens<'a> {
    One(&'a str),
    All(&'a [ProductToken]),
}

impl<'a> CrawlerRef<'a> {
    /// The steps of looking for the crawler's groups, before `*`.
    pub(crate) fn steps(self, dialect: &Dialect) -> impl Iterator<Item = Step<'a>> + use<'a> {
        let short = dialect.short_tokens;
        let (one, tokens, union) = match self.0 {
            Inner::Token(token) => (Some(token), &[][..], None),
            Inner::Crawler(crawler) if crawler.union => (None, &[][..], Some(&*crawler.tokens)),
            Inner::Crawler(crawler) => (None, &*crawler.tokens, None),
        };
        let is_family = |family: &str| {
            self.tokens().any(|token| contains_ignoring_case(token.as_bytes(), family.as_bytes()))
        };
        let fallback = dialect.fallback.filter(|fallback| is_family(fallback.family));
        one.into_iter()
            .chain(tokens.iter().map(ProductToken::as_str))
            .map(Tokens::One)
            .chain(union.map(Tokens::All))
            .chain(fallback.map(|fallback| Tokens::One(fallback.name)))
            .map(move |tokens| Step { tokens, short })
    }

    /// All tokens.
    pub(crate) fn tokens(self) -> impl Iterator<Item = &'a str> {
        let (one, many) = match self.0 {
            Inner::Token(token) => (Some(token), &[][..]),
            Inner::Crawler(crawler) => (None, &*crawler.tokens),
        };
        one.into_iter().chain(many.iter().map(ProductToken::as_str))
    }

    pub(crate) fn token_count(self) -> usize {
        match self.0 {
            Inner::Token(_) => 1,
            Inner::Crawler(crawler) => crawler.tokens.len(),
        }
    }

    pub(crate) fn ignores_star(self) -> bool {
        matches!(self.0, Inner::Crawler(crawler) if crawler.ignores_star)
    }

    pub(crate) fn ignores_robots(self) -> bool {
        matches!(self.0, Inner::Crawler(crawler) if crawler.ignores_robots)
    }
}

impl<'a> Step<'a> {
    pub(crate) fn tokens(self) -> impl Iterator<Item = &'a str> {
        let (one, many) = match self.tokens {
            Tokens::One(token) => (Some(token), &[][..]),
            Tokens::All(tokens) => (None, tokens),
        };
        let tokens = one.into_iter().chain(many.iter().map(ProductToken::as_str));
        tokens.map(move |token| if self.short { short_token(token) } else { token })
    }
}

impl AsCrawler for str {
    fn as_crawler(&self) -> CrawlerRef<'_> {
        CrawlerRef(Inner::Token(self))
    }
}

impl AsCrawler for String {
    fn as_crawler(&self) -> CrawlerRef<'_> {
        CrawlerRef(Inner::Token(self))
    }
}

impl AsCrawler for ProductToken {
    fn as_crawler(&self) -> CrawlerRef<'_> {
        CrawlerRef(Inner::Token(self.as_str()))
    }
}

impl AsCrawler for Crawler {
    fn as_crawler(&self) -> CrawlerRef<'_> {
        CrawlerRef(Inner::Crawler(self))
    }
}

impl AsCrawler for CrawlerRef<'_> {
    fn as_crawler(&self) -> CrawlerRef<'_> {
        *self
    }
}

impl<T: AsCrawler + ?Sized> AsCrawler for &T {
    fn as_crawler(&self) -> CrawlerRef<'_> {
        (**self).as_crawler()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[track_caller]
    fn check_steps(crawler: &(impl AsCrawler + ?Sized), dialect: Dialect, expected: &[&[&str]]) {
        let steps: Vec<Vec<&str>> =
            crawler.as_crawler().steps(&dialect).map(|step| step.tokens().collect()).collect();
        assert_eq!(steps, expected);
    }

    #[test]
    fn a_chain_is_one_step_per_token_and_a_union_one_for_all() {
        check_steps("a", Dialect::RFC9309, &[&["a"]]);
        check_steps(&Crawler::chain(["a", "b"]), Dialect::RFC9309, &[&["a"], &["b"]]);
        check_steps(&Crawler::union(["a", "b"]), Dialect::RFC9309, &[&["a", "b"]]);
    }

    #[test]
    fn older_dialects_cut_tokens_to_their_name() {
        check_steps("FigTree/0.1 Robot/1.0", Dialect::KOSTER1996, &[&["FigTree"]]);
        check_steps(&Crawler::union(["a/1", "b c"]), Dialect::ORIG1994, &[&["a", "b"]]);
        check_steps("a/1", Dialect::GOOGLE, &[&["a/1"]]);
        check_steps("", Dialect::BOOK, &[&[""]]);
    }

    #[test]
    fn a_family_falls_back_to_its_name() {
        check_steps("YandexBot", Dialect::YANDEX, &[&["YandexBot"], &["Yandex"]]);
        check_steps("otherbot", Dialect::YANDEX, &[&["otherbot"]]);
        check_steps("BINGBOT", Dialect::BING, &[&["BINGBOT"], &["msnbot"]]);
        check_steps(
            &Crawler::union(["a", "bingbot"]),
            Dialect::BING,
            &[&["a", "bingbot"], &["msnbot"]],
        );
    }
}
