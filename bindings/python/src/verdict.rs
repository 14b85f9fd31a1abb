//! Verdicts.

use std::sync::Arc;

use pyo3::prelude::*;
use verger::{DetachedVerdict, Robots};

use crate::group::{Group, Rule};

/// The answer for one URL: allowed or not, the reason, and the deciding rule.
///
/// A verdict is true if the URL is allowed. `str()` explains it.
///
/// >>> robots = parse("User-agent: *\nDisallow: /cart\n")
/// >>> verdict = robots.check("ExampleBot", "https://shop.example/cart")
/// >>> bool(verdict), verdict.line
/// (False, 2)
/// >>> str(verdict)
/// 'disallowed by `Disallow: /cart` on line 2, in the group for `*` (line 1)'
#[pyclass(frozen, module = "verger")]
pub(crate) struct Verdict {
    pub(crate) detached: DetachedVerdict,
    /// `None` if no file was asked.
    pub(crate) robots: Option<Arc<Robots>>,
}

impl Verdict {
    fn attached<T>(&self, use_it: impl FnOnce(verger::Verdict<'_>) -> T) -> T {
        match &self.robots {
            Some(robots) => use_it(self.detached.attach(robots)),
            None => use_it(self.detached.attach(&Robots::allow_all())),
        }
    }
}

#[pymethods]
impl Verdict {
    /// Whether the crawler may fetch the URL.
    #[getter]
    fn allowed(&self) -> bool {
        self.detached.is_allowed()
    }

    /// The reason, a name that stays the same: `"rule"`, `"no_rule_matches"`, `"no_group"`,
    /// `"robots_txt_itself"`, `"unavailable"`, `"unreachable"`, `"not_a_url"`, ….
    #[getter]
    fn reason(&self) -> &'static str {
        self.detached.reason().name()
    }

    /// Whether a later question may have another answer because robots.txt could not be fetched.
    #[getter]
    fn temporary(&self) -> bool {
        self.detached.reason().is_temporary()
    }

    /// The deciding rule; `None` if no rule decided.
    #[getter]
    fn rule(&self) -> Option<Rule> {
        self.attached(|verdict| verdict.rule().map(Rule::of))
    }

    /// The line of the deciding rule, from 1; `None` if no rule decided.
    #[getter]
    fn line(&self) -> Option<usize> {
        self.attached(|verdict| verdict.rule().map(|rule| rule.position().line))
    }

    /// The group of the deciding rule, or the group that applies without a matching rule.
    #[getter]
    fn group(&self, py: Python<'_>) -> PyResult<Option<Group>> {
        self.attached(|verdict| verdict.group().map(|group| Group::of(group, py)).transpose())
    }

    fn __bool__(&self) -> bool {
        self.detached.is_allowed()
    }

    fn __str__(&self) -> String {
        self.attached(|verdict| verdict.to_string())
    }

    fn __repr__(&self) -> String {
        format!("<Verdict: {}>", self.__str__())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        self.key().hash(&mut hasher);
        hasher.finish()
    }
}

impl Verdict {
    fn key(&self) -> (bool, &'static str, Option<usize>) {
        (self.allowed(), self.reason(), self.line())
    }
}
