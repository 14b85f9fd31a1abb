//! Parsed files and groups.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use verger::LineIndex;

use crate::crawler::{Agent, Names};
use crate::diagnostic::Diagnostic;
use crate::explanation::Explanation;
use crate::group::Group;
use crate::pickle::{Reduced, hash_of, reduced};
use crate::policy::CompiledPolicy;
use crate::recent::Recent;
use crate::record::Record;
use crate::source;
use crate::text::{self, bytes, detached, origin, shown};
use crate::verdict::Verdict;

/// Parses a robots.txt. It never fails; `Robots.diagnostics` lists problems.
///
/// Args:
///     robots_txt: the file as bytes. A `str` is read as its UTF-8 bytes; do not decode the bytes
///         of a response first, because the engine knows other encodings too.
///     dialect: one of `verger.DIALECTS`.
///
/// Raises:
///     ValueError: the dialect is unknown.
///
/// >>> parse(b"User-agent: *\nDisallow: /cart\n").is_allowed("ExampleBot", "/cart/1")
/// False
#[pyfunction]
#[pyo3(signature = (robots_txt, dialect = "rfc9309"))]
pub(crate) fn parse(robots_txt: &Bound<'_, PyAny>, dialect: &str) -> PyResult<Robots> {
    let dialect = text::dialect(dialect)?;
    let file = bytes("robots_txt", robots_txt)?;
    let parsed = detached(robots_txt.py(), file.len(), || dialect.parse(&*file));
    Ok(Robots::new(Arc::new(parsed)))
}

/// Returns the URL of the robots.txt that applies to a URL.
///
/// Raises:
///     ValueError: not an absolute URL, or one without a robots.txt such as `data:`.
///
/// >>> robots_url("https://shop.example:8443/cart?item=1")
/// 'https://shop.example:8443/robots.txt'
#[pyfunction]
pub(crate) fn robots_url(url: &str) -> PyResult<String> {
    Ok(origin(url)?.robots_url())
}

/// Returns whether an agent may fetch a URL, for a single question about a file.
///
/// >>> is_allowed(b"User-agent: *\nDisallow: /cart\n", "ExampleBot", "https://shop.example/cart")
/// False
#[pyfunction]
#[pyo3(signature = (robots_txt, agent, url, dialect = "rfc9309"))]
pub(crate) fn is_allowed(
    robots_txt: &Bound<'_, PyAny>,
    agent: &Bound<'_, PyAny>,
    url: &Bound<'_, PyAny>,
    dialect: &str,
) -> PyResult<bool> {
    let dialect = text::dialect(dialect)?;
    let (file, url, agent) = (
        bytes("robots_txt", robots_txt)?,
        bytes("url", url)?,
        Agent::of(agent, Names::of(&dialect))?,
    );
    let agent = agent.as_ref();
    Ok(detached(robots_txt.py(), file.len(), || dialect.is_allowed(&*file, &agent, &*url)))
}

/// A parsed robots.txt. See `parse`.
///
/// An agent is the name of a crawler, a whole User-Agent header, or a `Crawler`. A known crawler
/// has its documented fallbacks; `Crawler.chain([token])` has none. A URL is absolute, or a path
/// with an optional query; any other text is disallowed with reason `"not_a_url"`.
#[pyclass(frozen, module = "verger")]
pub(crate) struct Robots {
    pub(crate) inner: Arc<verger::Robots>,
    recent: Recent,
    names: Names,
}

impl Robots {
    pub(crate) fn new(inner: Arc<verger::Robots>) -> Self {
        let names = Names::of(&inner.dialect());
        Self { inner, recent: Recent::default(), names }
    }

    /// # Errors
    ///
    /// `TypeError` for anything but a `Crawler`, a `str` or bytes.
    pub(crate) fn agent<'a>(&self, object: &'a Bound<'_, PyAny>) -> PyResult<Agent<'a>> {
        Agent::of(object, self.names)
    }

    fn compiled(&self, agent: &Bound<'_, PyAny>) -> PyResult<CompiledPolicy> {
        Ok(CompiledPolicy(self.recent.policy(agent.py(), &self.inner, &self.agent(agent)?)))
    }
}

#[pymethods]
impl Robots {
    #[new]
    #[pyo3(signature = (robots_txt, dialect = "rfc9309"))]
    fn py_new(robots_txt: &Bound<'_, PyAny>, dialect: &str) -> PyResult<Self> {
        parse(robots_txt, dialect)
    }

    /// Returns the same file for the interfaces of other libraries, which know no fallbacks: a name
    /// of a crawler is its literal token.
    fn _literal(&self) -> Self {
        Self { names: Names::Literal, ..Self::new(Arc::clone(&self.inner)) }
    }

    /// Returns whether an agent may fetch a URL. The fastest way to check one URL.
    fn is_allowed(&self, agent: &Bound<'_, PyAny>, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, agent, url) = (url.py(), self.agent(agent)?, bytes("url", url)?);
        Ok(match self.recent.policy_for(py, &self.inner, &agent, 1) {
            Some(policy) => policy.is_allowed(&*url),
            None => self.inner.is_allowed(&agent.as_ref(), &*url),
        })
    }

    /// Returns the verdict for a URL, with the deciding rule and its line.
    fn check(&self, agent: &Bound<'_, PyAny>, url: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        let agent = self.agent(agent)?;
        let verdict = self.inner.check(&agent.as_ref(), &*bytes("url", url)?);
        Ok(Verdict::new(&verdict, Some(&self.inner)))
    }

    /// Returns the verdict with every rule that matched.
    fn explain(
        &self,
        py: Python<'_>,
        agent: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
    ) -> PyResult<Explanation> {
        let (agent, url) = (self.agent(agent)?, bytes("url", url)?);
        Explanation::of(&self.inner.explain(&agent.as_ref(), &*url), &self.inner, py)
    }

    /// Returns for each URL whether an agent may fetch it.
    ///
    /// >>> parse("User-agent: *\nDisallow: /cart\n").are_allowed("ExampleBot", ["/", "/cart"])
    /// [True, False]
    fn are_allowed<'py>(
        &self,
        agent: &Bound<'py, PyAny>,
        urls: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let agent = self.agent(agent)?;
        // The length of an iterator is unknown.
        let count = urls.len().unwrap_or(usize::MAX);
        if let Some(policy) = self.recent.policy_for(urls.py(), &self.inner, &agent, count) {
            return CompiledPolicy(policy).are_allowed(urls);
        }
        let agent = agent.as_ref();
        text::answers(urls, |url| self.inner.is_allowed(&agent, url))
    }

    /// Returns one byte for each line of URLs: 1 if the agent may fetch it, else 0.
    ///
    /// The fastest way to check many URLs. Other threads run meanwhile.
    ///
    /// >>> robots = parse("User-agent: *\nDisallow: /cart\n")
    /// >>> robots.are_lines_allowed("ExampleBot", b"/\n/cart\n")
    /// b'\x01\x00'
    fn are_lines_allowed<'py>(
        &self,
        py: Python<'py>,
        agent: &Bound<'py, PyAny>,
        lines: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.compiled(agent)?.are_lines_allowed(py, lines)
    }

    /// Returns the rules for an agent, compiled to a `Policy`.
    ///
    /// >>> policy = parse("User-agent: *\nDisallow: /cart\n").policy("ExampleBot")
    /// >>> policy.check("/cart").line
    /// 2
    fn policy<'py>(&self, agent: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.compiled(agent)?.into_policy(agent.py())
    }

    /// Returns the crawl delay for an agent in seconds, `None` without one (REP-AMB-4).
    fn crawl_delay(&self, agent: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
        let delay = self.inner.crawl_delay(&self.agent(agent)?.as_ref());
        Ok(delay.map(|delay| delay.as_secs_f64()))
    }

    /// Returns the request rates for an agent, by `Request-rate` and `Max-Crawl-Rate`: number of
    /// documents, seconds, and the times of the day in minutes since midnight UTC (`None`: always).
    #[expect(clippy::type_complexity, reason = "a list of plain tuples")]
    fn request_rates(
        &self,
        agent: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<(u32, f64, Option<(u16, u16)>)>> {
        let rates = self.inner.request_rates(&self.agent(agent)?.as_ref());
        let times = |window: verger::extension::Window| {
            (window.from.since_midnight(), window.to.since_midnight())
        };
        let plain = |rate: &verger::extension::RequestRate| {
            (rate.documents, rate.period.as_secs_f64(), rate.window.map(times))
        };
        Ok(rates.iter().map(plain).collect())
    }

    /// Returns the times of the day at which an agent is asked to visit, in minutes since midnight
    /// UTC; an empty list means any time.
    fn visit_times(&self, agent: &Bound<'_, PyAny>) -> PyResult<Vec<(u16, u16)>> {
        let windows = self.inner.visit_times(&self.agent(agent)?.as_ref());
        Ok(windows
            .iter()
            .map(|window| (window.from.since_midnight(), window.to.since_midnight()))
            .collect())
    }

    /// Returns the licence URLs for an agent.
    fn licenses(&self, agent: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let licenses = self.inner.licenses(&self.agent(agent)?.as_ref());
        Ok(licenses.iter().map(|license| license.uri.to_owned()).collect())
    }

    /// Returns the values of `Content-Signal` for an agent and a URL: `"yes"` or `"no"` for each of
    /// `search`, `ai-input` and `ai-train` that is stated, and the word of `use`.
    fn content_signals<'py>(
        &self,
        agent: &Bound<'py, PyAny>,
        url: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(url.py());
        let signals =
            self.inner.content_signals(&self.agent(agent)?.as_ref(), &*bytes("url", url)?);
        for (key, word) in signals.stated() {
            dict.set_item(key, word)?;
        }
        Ok(dict)
    }

    /// Returns the preferences of `Content-Usage` for an agent and a URL: `"y"` or `"n"` for each
    /// category that is stated; `None` if the URL is disallowed.
    fn content_usage(
        &self,
        agent: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
    ) -> PyResult<Option<HashMap<&'static str, &'static str>>> {
        let usage = self.inner.content_usage(&self.agent(agent)?.as_ref(), &*bytes("url", url)?);
        Ok(usage.map(|usage| usage.stated().collect()))
    }

    /// Returns a URL without the parameters that `Clean-param` declares irrelevant.
    fn clean_url(&self, url: &str) -> String {
        self.inner.clean_url(url).into_owned()
    }

    /// The values of `Sitemap`, as written.
    #[getter]
    fn sitemaps(&self) -> Vec<String> {
        self.inner.sitemaps().map(|sitemap| shown(sitemap.raw())).collect()
    }

    /// Returns the absolute URLs of the sitemaps of a site, given any URL of it. Relative values
    /// are resolved; invalid ones are left out.
    ///
    /// Raises:
    ///     ValueError: `url` has no robots.txt.
    fn sitemap_urls(&self, url: &str) -> PyResult<Vec<String>> {
        let origin = origin(url)?;
        Ok(self.inner.sitemaps().filter_map(|sitemap| sitemap.resolved(&origin)).collect())
    }

    /// The main mirror (`Host`); `None` without one.
    #[getter]
    fn host(&self) -> Option<String> {
        let host = self.inner.host()?;
        Some(host.port.map_or_else(|| host.name.to_owned(), |port| format!("{}:{port}", host.name)))
    }

    /// The groups, in the order of the file.
    #[getter]
    fn groups(&self, py: Python<'_>) -> PyResult<Vec<Group>> {
        self.inner.groups().map(|group| Group::of(group, py)).collect()
    }

    /// Returns the groups that apply to an agent.
    fn groups_for(&self, agent: &Bound<'_, PyAny>) -> PyResult<Vec<Group>> {
        let (py, agent) = (agent.py(), self.agent(agent)?);
        self.inner.groups_for(&agent.as_ref()).map(|group| Group::of(group, py)).collect()
    }

    /// The lines that are neither user-agent lines nor rules, in the order of the file.
    #[getter]
    fn records(&self) -> Vec<Record> {
        let lines = LineIndex::new(self.inner.text());
        self.inner.records().map(|record| Record::of(&record, &lines)).collect()
    }

    /// Returns the records that apply to an agent.
    fn records_for(&self, agent: &Bound<'_, PyAny>) -> PyResult<Vec<Record>> {
        let agent = self.agent(agent)?;
        let lines = LineIndex::new(self.inner.text());
        let records = self.inner.records_for(&agent.as_ref());
        Ok(records.map(|record| Record::of(&record, &lines)).collect())
    }

    /// Remarks about the file, in its order.
    #[getter]
    fn diagnostics(&self) -> Vec<Diagnostic> {
        Diagnostic::all(&self.inner)
    }

    /// The text as parsed: the bytes of the file, or for UTF-16 their UTF-8 form, cut at the size
    /// limit.
    #[getter]
    fn text(&self) -> &[u8] {
        self.inner.text()
    }

    /// The name of the dialect.
    #[getter]
    fn dialect(&self) -> String {
        self.inner.dialect().to_string()
    }

    /// Whether the size limit of the dialect cut the file.
    #[getter]
    fn truncated(&self) -> bool {
        self.inner.is_truncated()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner == other.inner
    }

    fn __hash__(&self) -> u64 {
        hash_of(&(self.inner.text(), self.dialect()))
    }

    fn __repr__(&self) -> String {
        let groups = self.inner.groups().len();
        format!("<Robots: {} bytes, groups: {groups}>", self.inner.text().len())
    }

    fn __reduce__<'py>(slf: PyRef<'py, Self>) -> PyResult<Reduced<'py, Parts<'py>>> {
        let py = slf.py();
        let robots = &*slf.inner;
        let bytes = PyBytes::new(py, &source::of(robots));
        let is_literal = matches!(slf.names, Names::Literal);
        let dialect = robots.dialect().to_string();
        reduced::<Self, _>(py, (bytes, dialect, robots.is_truncated(), is_literal))
    }

    #[staticmethod]
    #[pyo3(signature = (robots_txt, dialect, is_cut, is_literal = false))]
    fn _restore(
        robots_txt: &Bound<'_, PyBytes>,
        dialect: &str,
        is_cut: bool,
        is_literal: bool,
    ) -> PyResult<Self> {
        let (dialect, bytes) = (text::dialect(dialect)?, robots_txt.as_bytes());
        let parsed =
            detached(robots_txt.py(), bytes.len(), || source::parsed(bytes, &dialect, is_cut));
        let robots = Self::new(Arc::new(parsed));
        Ok(if is_literal { robots._literal() } else { robots })
    }
}

/// The parts of a pickled file: bytes, dialect, whether it was cut, whether names are literal.
type Parts<'py> = (Bound<'py, PyBytes>, String, bool, bool);
