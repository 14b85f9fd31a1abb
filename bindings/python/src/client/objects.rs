//! Permits and pages.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use verger::Dialect;
use verger_fetch::client::{self, FetchedPage};
use verger_page::{Combine, HtmlReader};

use super::decision::Decision;
use crate::crawler::{Agent, Names};
use crate::text::{self, value_error};

/// Permission for one request, given when its turn came.
///
/// Report the response, so that the pause after it is right. Leaving a `with` block without a
/// report releases the turn.
#[pyclass(frozen, module = "verger")]
pub(crate) struct Permit {
    permit: Mutex<Option<client::Permit>>,
    /// The decision that allows the URL.
    #[pyo3(get)]
    decision: Py<Decision>,
    /// Seconds that the turn was waited for.
    #[pyo3(get)]
    waited: f64,
}

impl Permit {
    pub(super) fn new(permit: client::Permit, decision: Py<Decision>, waited: f64) -> Self {
        Self { permit: Mutex::new(Some(permit)), decision, waited }
    }

    fn take(&self) -> Option<client::Permit> {
        self.permit.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[pymethods]
impl Permit {
    /// Reports the response.
    ///
    /// Args:
    ///     status: the status of the response.
    ///     headers: its header fields, a mapping or pairs of name and value; `Retry-After` counts.
    ///
    /// Returns:
    ///     The URL of a redirect, which needs another turn; `None` otherwise.
    #[pyo3(signature = (status, headers = None))]
    fn report(
        &self,
        py: Python<'_>,
        status: u16,
        headers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<String>> {
        let mut fields = Vec::new();
        if let Some(headers) = headers {
            for (name, value) in text::header_fields(headers)? {
                fields.push((String::from_utf8_lossy(&name).into_owned(), value));
            }
        }
        let Some(permit) = self.take() else { return Ok(None) };
        Ok(py.detach(|| permit.report_response(status, fields)).map(String::from))
    }

    /// Reports that there was no response.
    fn report_failure(&self, py: Python<'_>) {
        if let Some(permit) = self.take() {
            py.detach(|| permit.report_failure());
        }
    }

    /// Releases the turn without a report.
    fn release(&self, py: Python<'_>) {
        let permit = self.take();
        py.detach(|| drop(permit));
    }

    fn __repr__(&self) -> String {
        let permit = self.permit.lock().unwrap_or_else(PoisonError::into_inner);
        match &*permit {
            Some(permit) => format!("<Permit {}>", permit.decision().url()),
            None => "<Permit: used>".to_owned(),
        }
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) {
        self.release(py);
    }
}

/// Returns the directives for a crawler in the `X-Robots-Tag` fields and the robots meta elements
/// of a response: `["noindex", "max-snippet:50"]`.
///
/// Args:
///     agent: a product token, a User-Agent header, or a `Crawler`.
///     headers: the header fields, a mapping or pairs of name and value.
///     body: the HTML without content codings.
///     combine: the vendor whose way to combine several statements applies: "google", "bing",
///         "yandex", ….
///
/// >>> directives("ExampleBot", {"X-Robots-Tag": "noindex"}, "<meta name=robots content=nofollow>")
/// ['noindex', 'nofollow']
#[pyfunction]
#[pyo3(signature = (agent, headers, body = None, combine = "google"))]
pub(crate) fn directives(
    agent: &Bound<'_, PyAny>,
    headers: &Bound<'_, PyAny>,
    body: Option<&Bound<'_, PyAny>>,
    combine: &str,
) -> PyResult<Vec<String>> {
    let crawler = Agent::of(agent, Names::of(&Dialect::RFC9309))?.to_crawler()?;
    let combine = of_name(combine)?;
    let body = body.map_or_else(|| Ok(Cow::default()), |body| text::bytes("body", body))?;
    let fields = text::header_fields(headers)?;
    Ok(text::detached(agent.py(), body.len(), || {
        let mut page = verger_page::Page::new();
        fields.iter().for_each(|(name, value)| page.read_header(name, value));
        let mut reader = HtmlReader::new(page.content_type());
        reader.feed(&body);
        page.read_html(&reader.finish());
        page.directives(&crawler, &combine)
            .effective
            .iter()
            .map(|it| it.directive.to_string())
            .collect()
    }))
}

fn of_name(combine: &str) -> PyResult<Combine> {
    combine.parse().map_err(|error: verger::UnknownName| value_error(error))
}

/// A page fetched by a client, through its redirects.
#[pyclass(frozen, module = "verger")]
pub(crate) struct Page {
    page: FetchedPage,
    /// The decision that allowed the last URL.
    #[pyo3(get)]
    decision: Py<Decision>,
}

impl Page {
    pub(super) fn new(page: FetchedPage, decision: Py<Decision>) -> Self {
        Self { page, decision }
    }
}

#[pymethods]
impl Page {
    /// The URL that answered.
    #[getter]
    fn url(&self) -> &str {
        self.page.url().as_str()
    }

    /// The last status; `None` without a response.
    #[getter]
    fn status(&self) -> Option<u16> {
        self.page.status()
    }

    /// Whether there is a complete response with status 2xx.
    #[getter]
    fn ok(&self) -> bool {
        self.page.is_success()
    }

    /// The outcome in words.
    #[getter]
    fn outcome(&self) -> String {
        self.page.failure().map_or_else(|| "fetched".to_owned(), ToString::to_string)
    }

    /// The header fields of the last response: names in lower case, values as received.
    #[getter]
    fn headers(&self, py: Python<'_>) -> Vec<(String, Py<PyBytes>)> {
        let field =
            |(name, value): (&str, &[u8])| (name.to_owned(), PyBytes::new(py, value).unbind());
        self.page.fields().map(field).collect()
    }

    /// The decoded body; empty without success.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.page.body())
    }

    /// Whether the body was cut at the size limit.
    #[getter]
    fn truncated(&self) -> bool {
        self.page.is_truncated()
    }

    /// Seconds that all turns were waited for.
    #[getter]
    fn waited(&self) -> f64 {
        self.page.waited().as_secs_f64()
    }

    /// Returns the directives for the crawler in robots meta elements and `X-Robots-Tag`:
    /// `["noindex", "max-snippet:50"]`.
    ///
    /// Args:
    ///     combine: the vendor whose way to combine several statements applies: "google", "bing",
    ///         "yandex", ….
    #[pyo3(signature = (combine = "google"))]
    fn directives(&self, combine: &str) -> PyResult<Vec<String>> {
        Ok(self
            .page
            .directives(&of_name(combine)?)
            .effective
            .iter()
            .map(|found| found.directive.to_string())
            .collect())
    }

    /// Whether the page asks not to be indexed, as Google reads it.
    #[getter]
    fn noindex(&self) -> bool {
        self.page.directives(&Combine::GOOGLE).noindex()
    }

    /// Whether the page asks not to follow its links, as Google reads it.
    #[getter]
    fn nofollow(&self) -> bool {
        self.page.directives(&Combine::GOOGLE).nofollow()
    }

    fn __repr__(&self) -> String {
        format!("<Page {}: {}>", self.page.url(), self.outcome())
    }
}
