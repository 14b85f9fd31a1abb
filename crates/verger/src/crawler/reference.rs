//! Borrowed crawlers, and the steps of the group selection for a crawler.

use alloc::string::String;
use core::slice;

use super::header::{Words, is_header};
use super::{Crawler, ProductToken};
use crate::dialect::Dialect;
use crate::search::contains_ignoring_case;

/// A [`Crawler`], or a text: a product token, or a User-Agent header with product tokens in it
/// (REP-AMB-13).
///
/// Implemented for `str`, `String`, [`ProductToken`], [`Crawler`] and [`CrawlerRef`]. The trait is
/// sealed: other types cannot implement it.
///
/// # Examples
///
/// ```
/// use verger::{AsCrawler, Crawler, Robots};
///
/// fn may_fetch(robots: &Robots, crawler: &impl AsCrawler, url: &str) -> bool {
///     robots.is_allowed(crawler, url)
/// }
///
/// let robots = Robots::parse("User-agent: ExampleBot\nDisallow: /\n");
/// assert!(!may_fetch(&robots, &"ExampleBot", "/x"));
/// assert!(!may_fetch(&robots, &"ExampleBot/1.0 (+https://bot.example/)", "/x"));
/// assert!(!may_fetch(&robots, &Crawler::chain(["ExampleBot-Image", "ExampleBot"]), "/x"));
/// ```
pub trait AsCrawler: sealed::Sealed {
    /// The crawler, borrowed.
    fn as_crawler(&self) -> CrawlerRef<'_>;
}

mod sealed {
    use super::{Crawler, CrawlerRef, ProductToken, String};

    #[expect(unnameable_types, reason = "sealed: implemented only inside the crate")]
    pub trait Sealed {}

    impl Sealed for str {}
    impl Sealed for String {}
    impl Sealed for ProductToken {}
    impl Sealed for Crawler {}
    impl Sealed for CrawlerRef<'_> {}
    impl<T: Sealed + ?Sized> Sealed for &T {}
}

/// A borrowed crawler.
#[derive(Clone, Copy, Debug)]
pub struct CrawlerRef<'a>(Inner<'a>);

#[derive(Clone, Copy, Debug)]
enum Inner<'a> {
    /// One literal token.
    Token(&'a str),
    /// A text that is not a product token but contains some.
    Header(&'a str),
    Crawler(&'a Crawler),
}

/// The steps of a crawler in a dialect.
#[derive(Clone, Debug)]
pub(crate) struct Steps<'a> {
    /// One step for each name.
    names: CrawlerNames<'a>,
    union: Option<&'a [ProductToken]>,
    fallback: Option<&'static str>,
}

/// Names for the group selection.
#[derive(Clone, Debug)]
enum CrawlerNames<'a> {
    None,
    One(&'a str),
    Many(slice::Iter<'a, ProductToken>),
    Words(Words<'a>),
}

/// Tokens that are compared together. The next step follows if no group names one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TokenStep<'a> {
    One(&'a str),
    All(&'a [ProductToken]),
}

impl<'a> CrawlerRef<'a> {
    fn of_text(text: &'a str) -> Self {
        Self(if is_header(text) { Inner::Header(text) } else { Inner::Token(text) })
    }

    /// The steps of the group selection before `*`.
    pub(crate) fn steps(self, dialect: &Dialect) -> Steps<'a> {
        let is_family = |family: &str| {
            let holds = |name: &str| contains_ignoring_case(name.as_bytes(), family.as_bytes());
            self.names(dialect).any(holds)
        };
        let fallback = dialect.fallback.filter(|fallback| is_family(fallback.family));
        let fallback = fallback.map(|fallback| fallback.name);
        match self.0 {
            Inner::Crawler(crawler) if crawler.union => {
                Steps { names: CrawlerNames::None, union: Some(crawler.names(dialect)), fallback }
            }
            _ => Steps { names: self.names(dialect), union: None, fallback },
        }
    }

    /// All names, without the dialect's fallback.
    fn names(self, dialect: &Dialect) -> CrawlerNames<'a> {
        match self.0 {
            Inner::Header(text) if dialect.reads_headers => CrawlerNames::Words(Words::of(text)),
            Inner::Token(text) | Inner::Header(text) => CrawlerNames::One(text),
            Inner::Crawler(crawler) => CrawlerNames::Many(crawler.names(dialect).iter()),
        }
    }

    /// Number of names, without the dialect's fallback.
    pub(crate) fn token_count(self, dialect: &Dialect) -> usize {
        match self.0 {
            Inner::Header(text) if dialect.reads_headers => Words::of(text).count(),
            Inner::Token(_) | Inner::Header(_) => 1,
            Inner::Crawler(crawler) => crawler.names(dialect).len(),
        }
    }

    pub(crate) fn ignores_star(self) -> bool {
        matches!(self.0, Inner::Crawler(crawler) if crawler.ignores_star)
    }

    pub(crate) fn ignores_robots(self) -> bool {
        matches!(self.0, Inner::Crawler(crawler) if crawler.ignores_robots)
    }
}

impl<'a> Iterator for Steps<'a> {
    type Item = TokenStep<'a>;

    #[inline]
    fn next(&mut self) -> Option<TokenStep<'a>> {
        Some(match self.names.next() {
            Some(name) => TokenStep::One(name),
            None => match self.union.take() {
                Some(tokens) => TokenStep::All(tokens),
                None => TokenStep::One(self.fallback.take()?),
            },
        })
    }
}

impl<'a> Iterator for CrawlerNames<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        match self {
            Self::None => None,
            Self::One(name) => {
                let name = *name;
                *self = Self::None;
                Some(name)
            }
            Self::Many(tokens) => tokens.next().map(ProductToken::as_str),
            Self::Words(words) => words.next(),
        }
    }
}

impl<'a> TokenStep<'a> {
    pub(crate) fn tokens(self) -> impl Iterator<Item = &'a str> {
        let (one, many) = match self {
            Self::One(token) => (Some(token), &[][..]),
            Self::All(tokens) => (None, tokens),
        };
        one.into_iter().chain(many.iter().map(ProductToken::as_str))
    }
}

impl AsCrawler for str {
    fn as_crawler(&self) -> CrawlerRef<'_> {
        CrawlerRef::of_text(self)
    }
}

impl AsCrawler for String {
    fn as_crawler(&self) -> CrawlerRef<'_> {
        CrawlerRef::of_text(self)
    }
}

impl AsCrawler for ProductToken {
    fn as_crawler(&self) -> CrawlerRef<'_> {
        CrawlerRef::of_text(self.as_str())
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
    fn texts_that_are_not_tokens_are_read_as_headers_except_by_google() {
        let header = "FigTree/0.1 Robot/1.0";
        for dialect in Dialect::PUBLISHED {
            let chain = Crawler::chain([header, "c", "*"]);
            let union = Crawler::union([header, "c"]);
            if dialect == Dialect::GOOGLE {
                check_steps(header, dialect, &[&[header]]);
                check_steps(&chain, dialect, &[&[header], &["c"], &["*"]]);
                check_steps(&union, dialect, &[&[header, "c"]]);
            } else {
                check_steps(header, dialect, &[&["FigTree"], &["Robot"]]);
                check_steps(&chain, dialect, &[&["FigTree"], &["Robot"], &["c"], &["*"]]);
                check_steps(&union, dialect, &[&["FigTree", "Robot", "c"]]);
            }
            for literal in ["", "*", "Mozilla/5.0", "a"] {
                check_steps(literal, dialect, &[&[literal]]);
            }
        }
    }

    #[test]
    fn all_names_of_the_selection_are_counted() {
        let header = "FigTree/0.1 Robot/1.0";
        for dialect in Dialect::PUBLISHED {
            for crawler in [Crawler::new(header), Crawler::union([header, "b"]), Crawler::new("b")]
            {
                let steps = crawler.as_crawler().steps(&dialect);
                let count = steps.flat_map(TokenStep::tokens).count();
                assert_eq!(crawler.as_crawler().token_count(&dialect), count, "{dialect}");
            }
            let steps = header.as_crawler().steps(&dialect).count();
            assert_eq!(header.as_crawler().token_count(&dialect), steps, "{dialect}");
        }
    }

    #[test]
    fn a_family_falls_back_to_its_name() {
        check_steps("YandexBot", Dialect::YANDEX, &[&["YandexBot"], &["Yandex"]]);
        check_steps("otherbot", Dialect::YANDEX, &[&["otherbot"]]);
        check_steps(
            "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
            Dialect::YANDEX,
            &[&["YandexBot"], &["Yandex"]],
        );
        check_steps("a (+http://yandex.com/)", Dialect::YANDEX, &[&["a"]]);
        check_steps("BINGBOT", Dialect::BING, &[&["BINGBOT"], &["msnbot"]]);
        check_steps(
            &Crawler::union(["a", "bingbot"]),
            Dialect::BING,
            &[&["a", "bingbot"], &["msnbot"]],
        );
    }
}
