//! Verdicts.

use std::sync::Arc;

use pyo3::prelude::*;
use verger::{DetachedVerdict, Robots};

use crate::group::{Group, Rule};
use crate::pickle::{Reduced, hash_of, reduced};

/// The answer for one URL: allowed or not, the reason, and the deciding rule.
///
/// A verdict is true if the URL is allowed. `str()` explains it. Two verdicts are equal if all
/// their attributes are.
///
/// >>> robots = parse("User-agent: *\nDisallow: /cart\n")
/// >>> verdict = robots.check("ExampleBot", "https://shop.example/cart")
/// >>> bool(verdict), verdict.line
/// (False, 2)
/// >>> str(verdict)
/// 'disallowed by `Disallow: /cart` on line 2, in the group for `*` (line 1)'
#[pyclass(frozen, module = "verger")]
pub(crate) struct Verdict(Form);

enum Form {
    /// Rule and group are taken from the file when they are requested.
    Attached {
        detached: DetachedVerdict,
        /// `None` if no file was asked.
        robots: Option<Arc<Robots>>,
    },
    /// Unpickled, without the file.
    Restored(Box<Parts>),
}

/// The parts of a pickled verdict: allowed, reason, temporary, rule, group, text.
type Parts = (bool, String, bool, Option<Py<Rule>>, Option<Py<Group>>, String);

impl Verdict {
    pub(crate) fn new(verdict: &verger::Verdict<'_>, robots: Option<&Arc<Robots>>) -> Self {
        Self(Form::Attached { detached: verdict.detach(), robots: robots.map(Arc::clone) })
    }

    /// Uses one of the two forms.
    fn with<T>(
        &self,
        attached: impl FnOnce(verger::Verdict<'_>) -> T,
        restored: impl FnOnce(&Parts) -> T,
    ) -> T {
        match &self.0 {
            Form::Attached { detached, robots: Some(robots) } => attached(detached.attach(robots)),
            Form::Attached { detached, robots: None } => {
                attached(detached.attach(&Robots::parse("")))
            }
            Form::Restored(parts) => restored(parts),
        }
    }
}

#[pymethods]
impl Verdict {
    /// Whether the crawler may fetch the URL.
    #[getter]
    pub(crate) fn allowed(&self) -> bool {
        match &self.0 {
            Form::Attached { detached, .. } => detached.is_allowed(),
            Form::Restored(parts) => parts.0,
        }
    }

    /// The reason, a name that stays the same: `"rule"`, `"no_rule_matches"`, `"no_group"`,
    /// `"robots_txt_itself"`, `"unavailable"`, `"unreachable"`, `"not_a_url"`, ….
    #[getter]
    pub(crate) fn reason(&self) -> &str {
        match &self.0 {
            Form::Attached { detached, .. } => detached.reason().name(),
            Form::Restored(parts) => &parts.1,
        }
    }

    /// Whether a later question may have another answer because robots.txt could not be fetched.
    #[getter]
    pub(crate) fn temporary(&self) -> bool {
        match &self.0 {
            Form::Attached { detached, .. } => detached.reason().is_temporary(),
            Form::Restored(parts) => parts.2,
        }
    }

    /// The deciding rule; `None` if no rule decided.
    #[getter]
    pub(crate) fn rule(&self, py: Python<'_>) -> PyResult<Option<Py<Rule>>> {
        self.with(
            |verdict| verdict.rule().map(|rule| Py::new(py, Rule::of(rule))).transpose(),
            |parts| Ok(parts.3.as_ref().map(|rule| rule.clone_ref(py))),
        )
    }

    /// The line of the deciding rule, from 1; `None` if no rule decided.
    #[getter]
    pub(crate) fn line(&self) -> Option<usize> {
        self.with(
            |verdict| verdict.rule().map(|rule| rule.position().line),
            |parts| parts.3.as_ref().map(|rule| rule.get().line),
        )
    }

    /// The group of the deciding rule, or the group that applies without a matching rule.
    #[getter]
    pub(crate) fn group(&self, py: Python<'_>) -> PyResult<Option<Py<Group>>> {
        self.with(
            |verdict| verdict.group().map(|group| Py::new(py, Group::of(group, py)?)).transpose(),
            |parts| Ok(parts.4.as_ref().map(|group| group.clone_ref(py))),
        )
    }

    fn __bool__(&self) -> bool {
        self.allowed()
    }

    pub(crate) fn __str__(&self) -> String {
        self.with(|verdict| verdict.to_string(), |parts| parts.5.clone())
    }

    fn __repr__(&self) -> String {
        format!("<Verdict: {}>", self.__str__())
    }

    /// Returns the attributes as JSON.
    fn to_json<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("verger._show")?.call_method1("to_json", (slf,))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("verger._show")?.call_method1("to_html", (slf,))
    }

    pub(crate) fn __eq__(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    pub(crate) fn __hash__(&self) -> u64 {
        hash_of(&self.key())
    }

    /// Pickles the attributes, not the whole file.
    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Reduced<'_, Parts>> {
        let (py, verdict) = (slf.py(), &*slf);
        let (rule, group) = (verdict.rule(py)?, verdict.group(py)?);
        let reason = verdict.reason().to_owned();
        let text = verdict.__str__();
        reduced::<Self, _>(py, (verdict.allowed(), reason, verdict.temporary(), rule, group, text))
    }

    #[staticmethod]
    #[pyo3(signature = (*parts))]
    fn _restore(parts: Parts) -> Self {
        Self(Form::Restored(Box::new(parts)))
    }
}

impl Verdict {
    /// All attributes. The text has the group, and the rule except for escaped bytes.
    fn key(&self) -> (bool, &str, Option<Rule>, String) {
        let rule = self.with(
            |verdict| verdict.rule().map(Rule::of),
            |parts| parts.3.as_ref().map(|rule| rule.get().clone()),
        );
        (self.allowed(), self.reason(), rule, self.__str__())
    }
}
