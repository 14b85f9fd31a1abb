//! Crawlers.

use std::borrow::Cow;
use std::cell::OnceCell;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use verger::limits::QUOTED_CHARS;
use verger::{AsCrawler, CrawlerRef, Dialect, TokenProblem, Untrusted};
use verger_registry::Registry;

use crate::pickle::{Reduced, reduced};
use crate::text;

/// A crawler: product tokens by which groups of a robots.txt name it.
///
/// Every function that takes an agent also takes a `str`; a `Crawler` saves reading it again, and
/// can have several tokens.
///
/// A known crawler (`verger.crawlers`) has its documented fallbacks and special rules:
/// `Googlebot-News` obeys the group for `Googlebot` if it has none of its own.
/// `Crawler.chain([token])` has no fallbacks.
///
/// Args:
///     agent: the name of a crawler, or a User-Agent header (REP-AMB-13).
///
/// Raises:
///     ValueError: there is no product token in it.
///
/// >>> Crawler("Mozilla/5.0 (compatible; ExampleBot/1.0)").tokens
/// ['ExampleBot']
/// >>> Crawler("Googlebot-News").tokens
/// ['Googlebot-News', 'Googlebot']
#[pyclass(frozen, eq, hash, module = "verger")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Crawler(pub(crate) verger::Crawler);

#[pymethods]
impl Crawler {
    #[new]
    fn new(agent: &Bound<'_, PyAny>) -> PyResult<Self> {
        Agent::of(agent, Names::of(&Dialect::RFC9309))?.to_crawler().map(Self)
    }

    /// Returns a known crawler, as `Crawler` does, but refuses any other name.
    ///
    /// Raises:
    ///     ValueError: the name is unknown.
    #[staticmethod]
    fn named(name: &str) -> PyResult<Self> {
        let known = Registry::bundled().with_token(name);
        known.map(|known| Self(known.rules().clone())).ok_or_else(|| {
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

    /// Returns the crawler of a name or header for the interfaces of other libraries, which know no
    /// fallbacks.
    #[staticmethod]
    fn _literal(agent: &str) -> PyResult<Self> {
        let crawler = verger::Crawler::from_user_agent(agent);
        crawler.map(Self).map_err(|error| text::value_error(format!("agent: {error}")))
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

    /// A remark on a known crawler: it sends no requests itself, or does not promise to obey
    /// robots.txt. `None` without one, and for an unknown crawler.
    #[getter]
    fn note(&self) -> Option<String> {
        let known = Registry::bundled().find(self.0.tokens().first()?.as_str())?;
        if *known.rules() == self.0 { known.caveat() } else { None }
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
    #[pyo3(signature = (*parts))]
    fn _restore(parts: Parts) -> Self {
        let (tokens, is_union, ignores_star, ignores_robots) = parts;
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
    crawler.check_tokens().map_err(|error| match error.problem() {
        Some(TokenProblem::NeverNamed { .. }) => {
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

/// The reading of a text that names a crawler.
#[derive(Clone, Copy)]
pub(crate) enum Names {
    /// Literal, without documented fallbacks: for the interfaces of other libraries.
    Literal,
    /// As all programs of Verger read it.
    Known {
        /// As in [`Dialect::reads_headers`].
        reads_headers: bool,
    },
}

impl Names {
    pub(crate) const fn of(dialect: &Dialect) -> Self {
        Self::Known { reads_headers: dialect.reads_headers }
    }
}

/// An argument that names a crawler: a `Crawler`, or text.
pub(crate) enum Agent<'a> {
    Crawler(PyRef<'a, Crawler>),
    Text(Cow<'a, str>, Reading),
}

/// The crawler of a text, read when it is needed first.
pub(crate) struct Reading {
    names: Names,
    crawler: OnceCell<Cow<'static, verger::Crawler>>,
}

impl<'a> Agent<'a> {
    /// # Errors
    ///
    /// `TypeError` for anything but a `Crawler`, a `str` or bytes.
    pub(crate) fn of(object: &'a Bound<'_, PyAny>, names: Names) -> PyResult<Self> {
        if let Ok(crawler) = object.cast::<Crawler>() {
            return Ok(Self::Crawler(crawler.borrow()));
        }
        let text = match text::bytes("agent", object)? {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        };
        Ok(Self::Text(text, Reading { names, crawler: OnceCell::new() }))
    }

    /// # Errors
    ///
    /// `ValueError`: there is no product token in the text.
    pub(crate) fn to_crawler(&self) -> PyResult<verger::Crawler> {
        match self {
            Self::Crawler(crawler) => Ok(crawler.0.clone()),
            Self::Text(text, reading) => {
                Crawler::_literal(text)?;
                Ok(reading.crawler(text).clone())
            }
        }
    }

    pub(crate) fn as_ref(&self) -> CrawlerRef<'_> {
        match self {
            Self::Crawler(crawler) => crawler.0.as_crawler(),
            Self::Text(text, Reading { names: Names::Literal, .. }) => text.as_crawler(),
            Self::Text(text, reading) => reading.crawler(text).as_crawler(),
        }
    }
}

impl Reading {
    fn crawler(&self, text: &str) -> &verger::Crawler {
        self.crawler.get_or_init(|| match self.names {
            Names::Literal => Cow::Owned(verger::Crawler::new(text)),
            Names::Known { reads_headers } => {
                Registry::bundled().resolve(text, reads_headers).rules
            }
        })
    }
}
