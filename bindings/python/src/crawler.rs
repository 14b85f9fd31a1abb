//! Crawlers.

use std::borrow::Cow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use verger::limits::QUOTED_CHARS;
use verger::{AsCrawler, CrawlerRef, TokenErrorKind, Untrusted};

use crate::pickle::{Reduced, reduced};
use crate::text;

/// A crawler: product tokens by which groups of a robots.txt name it.
///
/// Every function that takes an agent also takes a `str`; a `Crawler` saves reading it again, and
/// can have several tokens.
///
/// Args:
///     agent: a User-Agent header, or a bare product token (REP-AMB-13).
///
/// Raises:
///     ValueError: there is no product token in it.
///
/// >>> Crawler("Mozilla/5.0 (compatible; ExampleBot/1.0)").tokens
/// ['ExampleBot']
#[pyclass(frozen, eq, hash, module = "verger")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Crawler(pub(crate) verger::Crawler);

#[pymethods]
impl Crawler {
    #[new]
    fn new(agent: &Bound<'_, PyAny>) -> PyResult<Self> {
        let agent = text::bytes("agent", agent)?;
        Agent::Text(String::from_utf8_lossy(&agent)).to_crawler().map(Self)
    }

    /// Returns a well-known crawler with the vendor's fallbacks: `Googlebot-News` also obeys the
    /// group for `Googlebot`.
    ///
    /// Raises:
    ///     ValueError: the name is unknown.
    #[staticmethod]
    fn named(name: &str) -> PyResult<Self> {
        verger::Crawler::named(name).map(Self).ok_or_else(|| {
            let found = Untrusted::new(name).limited_to(QUOTED_CHARS);
            let expected = "name: expected a known crawler such as `Googlebot-News`";
            PyValueError::new_err(format!("{expected}, but found `{found}`"))
        })
    }

    /// Returns a crawler that obeys the groups of the first token that any group names.
    ///
    /// Raises:
    ///     ValueError: there is no token, or one that no group can name.
    #[staticmethod]
    fn chain(tokens: &Bound<'_, PyAny>) -> PyResult<Self> {
        checked(verger::Crawler::chain(self::tokens(tokens)?))
    }

    /// Returns a crawler that obeys the groups of all its tokens together.
    ///
    /// Raises:
    ///     ValueError: there is no token, or one that no group can name.
    #[staticmethod]
    fn union(tokens: &Bound<'_, PyAny>) -> PyResult<Self> {
        checked(verger::Crawler::union(self::tokens(tokens)?))
    }

    /// Returns this crawler without the fallback to the group for `*`.
    fn without_star(&self) -> Self {
        Self(self.0.clone().without_star())
    }

    /// The product tokens, the most specific first.
    #[getter]
    fn tokens(&self) -> Vec<String> {
        self.0.tokens().iter().map(|token| token.as_str().to_owned()).collect()
    }

    fn __repr__(&self) -> String {
        let tokens = self.tokens();
        if self.0.ignores_robots() {
            return "<Crawler that ignores robots.txt>".to_owned();
        }
        let made = match (&tokens[..], self.0.is_union()) {
            ([token], _) => format!("Crawler({token:?})"),
            (_, true) => format!("Crawler.union({tokens:?})"),
            (_, false) => format!("Crawler.chain({tokens:?})"),
        };
        if self.0.ignores_star() { format!("{made}.without_star()") } else { made }
    }

    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Reduced<'_, Parts>> {
        let Self(crawler) = &*slf;
        let parts =
            (slf.tokens(), crawler.is_union(), crawler.ignores_star(), crawler.ignores_robots());
        reduced::<Self, _>(slf.py(), parts)
    }

    #[staticmethod]
    fn _restore(
        tokens: Vec<String>,
        is_union: bool,
        ignores_star: bool,
        ignores_robots: bool,
    ) -> Self {
        let mut crawler =
            if is_union { verger::Crawler::union(tokens) } else { verger::Crawler::chain(tokens) };
        if ignores_star {
            crawler = crawler.without_star();
        }
        if ignores_robots {
            crawler = crawler.without_robots();
        }
        Self(crawler)
    }
}

/// The parts of a pickled crawler: tokens, whether it is a union, ignores `*`, ignores robots.txt.
type Parts = (Vec<String>, bool, bool, bool);

fn tokens(tokens: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    text::items("tokens", "product tokens", tokens)?.map(|token| token?.extract()).collect()
}

fn checked(crawler: verger::Crawler) -> PyResult<Crawler> {
    crawler.check_tokens().map_err(|error| match error.kind() {
        TokenErrorKind::NeverNamed => {
            let found = Untrusted::new(error.found()).limited_to(QUOTED_CHARS);
            PyValueError::new_err(format!(
                "tokens: expected product tokens such as `ExampleBot`, but found `{found}`; \
                 `Crawler(…)` reads a User-Agent header"
            ))
        }
        _ => text::value_error(format!("tokens: {error}")),
    })?;
    Ok(Crawler(crawler))
}

/// An argument that names a crawler: a `Crawler`, or text.
pub(crate) enum Agent<'a> {
    Crawler(PyRef<'a, Crawler>),
    Text(Cow<'a, str>),
}

impl<'a> Agent<'a> {
    /// # Errors
    ///
    /// `TypeError` for anything but a `Crawler`, a `str` or bytes.
    pub(crate) fn of(object: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(crawler) = object.cast::<Crawler>() {
            return Ok(Self::Crawler(crawler.borrow()));
        }
        Ok(Self::Text(match text::bytes("agent", object)? {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }))
    }

    /// # Errors
    ///
    /// `ValueError`: there is no product token in the text.
    pub(crate) fn to_crawler(&self) -> PyResult<verger::Crawler> {
        match self {
            Self::Crawler(crawler) => Ok(crawler.0.clone()),
            Self::Text(text) => {
                let crawler = verger::Crawler::from_user_agent(text);
                crawler.map_err(|error| text::value_error(format!("agent: {error}")))
            }
        }
    }

    pub(crate) fn as_ref(&self) -> CrawlerRef<'_> {
        match self {
            Self::Crawler(crawler) => crawler.0.as_crawler(),
            Self::Text(text) => text.as_crawler(),
        }
    }
}
