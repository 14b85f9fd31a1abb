//! Decisions.

use std::sync::Arc;

use pyo3::prelude::*;
use verger_fetch::decision;
use verger_json::{Answer, NamedCrawler};

use super::outcome::worded;
use crate::group::{Group, Rule};
use crate::pickle::{Reduced, hash_of, reduced};
use crate::robots::Robots;
use crate::text::value_error;
use crate::verdict::Verdict;

/// A verdict of a client with its evidence: which file, fetched when, from where.
///
/// A decision is true if the URL is allowed. `str()` explains it. It can be pickled.
#[pyclass(frozen, module = "verger")]
pub(crate) struct Decision {
    form: Form,
    facts: Facts,
    verdict: Py<Verdict>,
    /// The rules of the site.
    #[pyo3(get)]
    robots: Py<Robots>,
}

enum Form {
    Live(Box<decision::Decision>),
    /// Unpickled: text, JSON and delay.
    Restored(String, String, f64),
}

/// The attributes of a decision that its verdict has not.
#[derive(Clone, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
struct Facts {
    url: String,
    retry_in: Option<f64>,
    source: String,
    failure: Option<String>,
    local_fault: bool,
}

impl Decision {
    pub(super) fn of(py: Python<'_>, inner: decision::Decision) -> PyResult<Self> {
        let verdict = Verdict::new(&inner.verdict(), Some(inner.robots()));
        Ok(Self {
            verdict: Py::new(py, verdict)?,
            robots: Py::new(py, Robots::new(Arc::clone(inner.robots())))?,
            facts: Facts {
                url: inner.url().to_string(),
                retry_in: inner.retry_in().map(|time| time.as_secs_f64()),
                source: inner.source().name().to_owned(),
                failure: inner.failure().map(worded),
                local_fault: inner.fault().is_some(),
            },
            form: Form::Live(Box::new(inner)),
        })
    }
}

#[pymethods]
impl Decision {
    /// Whether the crawler may fetch the URL now.
    #[getter]
    fn allowed(&self) -> bool {
        self.verdict.get().allowed()
    }

    /// The reason, as in `Verdict.reason`.
    #[getter]
    fn reason(&self) -> &str {
        self.verdict.get().reason()
    }

    /// Whether a later check may have another answer because robots.txt could not be fetched.
    #[getter]
    fn temporary(&self) -> bool {
        self.verdict.get().temporary()
    }

    /// The URL as checked, in normal form.
    #[getter]
    fn url(&self) -> &str {
        &self.facts.url
    }

    /// The deciding rule; `None` if no rule decided.
    #[getter]
    fn rule(&self, py: Python<'_>) -> PyResult<Option<Py<Rule>>> {
        self.verdict.get().rule(py)
    }

    /// The line of the deciding rule, from 1; `None` if no rule decided.
    #[getter]
    fn line(&self) -> Option<usize> {
        self.verdict.get().line()
    }

    /// The group of the deciding rule, or the group that applies without a matching rule.
    #[getter]
    fn group(&self, py: Python<'_>) -> PyResult<Option<Py<Group>>> {
        self.verdict.get().group(py)
    }

    /// Seconds until another answer is possible, if robots.txt could not be fetched; `None`
    /// otherwise.
    #[getter]
    fn retry_in(&self) -> Option<f64> {
        self.facts.retry_in
    }

    /// Seconds until a request may be sent, as far as it is known now.
    #[getter]
    fn delay(&self) -> f64 {
        match &self.form {
            // Read from the text of the file at each call, and few callers need it.
            Form::Live(inner) => inner.delay().as_secs_f64(),
            Form::Restored(.., delay) => *delay,
        }
    }

    /// Source of the record: `"fetch"`, `"store"`, `"offline"` or `"nothing"`.
    #[getter]
    fn source(&self) -> &str {
        &self.facts.source
    }

    /// The failure of the last fetch of robots.txt; `None` if it succeeded.
    #[getter]
    fn failure(&self) -> Option<&str> {
        self.facts.failure.as_deref()
    }

    /// Whether the client or its network failed, not the site: nothing is known of the site then.
    #[getter]
    fn local_fault(&self) -> bool {
        self.facts.local_fault
    }

    /// Returns the decision with its evidence as JSON, an answer of the program `verger`
    /// (`docs/json.md`). `verger verify` checks it, unless the crawler is one `without_star` that
    /// `Crawler.named` does not know: the JSON has no form for it.
    fn to_json(&self) -> PyResult<String> {
        let inner = match &self.form {
            Form::Live(inner) => inner,
            Form::Restored(_, json, _) => return Ok(json.clone()),
        };
        let crawler = NamedCrawler::of_crawler(inner.crawler().clone());
        let url = inner.url().as_str().as_bytes();
        let answer = Answer::new(url, crawler.keys(), inner.robots(), inner.verdict());
        serde_json::to_string(&answer.with_decision(Some(inner))).map_err(value_error)
    }

    /// The evidence as a dictionary: URLs, redirects, times, hash, validators, cause. It is the key
    /// `decision` of `to_json`.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.to_json()?,))?.get_item("decision")
    }

    fn __bool__(&self) -> bool {
        self.allowed()
    }

    fn __str__(&self) -> String {
        match &self.form {
            Form::Live(inner) => inner.to_string(),
            Form::Restored(text, ..) => text.clone(),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Decision: {}>", self.__str__())
    }

    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        Ok(self.url() == other.url()
            && self.verdict.get().__eq__(other.verdict.get())
            && self.to_json()? == other.to_json()?)
    }

    fn __hash__(&self) -> u64 {
        hash_of(&(self.url(), self.verdict.get().__hash__()))
    }

    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Reduced<'_, Parts>> {
        let py = slf.py();
        let restored = (slf.__str__(), slf.to_json()?, slf.delay());
        let (verdict, robots) = (slf.verdict.clone_ref(py), slf.robots.clone_ref(py));
        let parts = (slf.facts.clone(), restored, verdict, robots);
        reduced::<Self, _>(py, parts)
    }

    #[staticmethod]
    #[pyo3(signature = (*parts))]
    fn _restore(parts: Parts) -> Self {
        let (facts, (text, json, delay), verdict, robots) = parts;
        Self { form: Form::Restored(text, json, delay), facts, verdict, robots }
    }
}

/// The parts of a pickled decision.
type Parts = (Facts, (String, String, f64), Py<Verdict>, Py<Robots>);
