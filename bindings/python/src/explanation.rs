//! Explanations.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::sync::Arc;

use pyo3::prelude::*;

use crate::group::{Group, Rule};
use crate::text::shown;
use crate::verdict::Verdict;

/// A verdict with every rule that matched.
#[pyclass(frozen, module = "verger")]
pub(crate) struct Explanation {
    /// The verdict, equal to that of `Robots.check`.
    #[pyo3(get)]
    verdict: Py<Verdict>,
    /// The text that rules were compared with, in normal form; `None` if no rule was compared.
    #[pyo3(get)]
    target: Option<String>,
    /// The rules that matched, in the order of the file.
    #[pyo3(get)]
    contenders: Vec<Py<Contender>>,
}

impl Explanation {
    pub(crate) fn of(
        found: &verger::Explanation<'_>,
        robots: &Arc<verger::Robots>,
        py: Python<'_>,
    ) -> PyResult<Self> {
        let verdict =
            Verdict { detached: found.verdict.detach(), robots: Some(Arc::clone(robots)) };
        // Contenders share the objects of their groups, which contain all rules.
        let mut groups: HashMap<usize, Py<Group>> = HashMap::new();
        let contender = |it: &verger::Contender<'_>| {
            let group = match groups.entry(it.group.index()) {
                Entry::Occupied(known) => known.get().clone_ref(py),
                Entry::Vacant(free) => {
                    free.insert(Py::new(py, Group::of(it.group, py)?)?).clone_ref(py)
                }
            };
            Py::new(
                py,
                Contender {
                    rule: Py::new(py, Rule::of(it.rule))?,
                    group,
                    length: it.length,
                    standing: it.standing.name(),
                    sentence: it.standing.to_string(),
                },
            )
        };
        Ok(Self {
            verdict: Py::new(py, verdict)?,
            target: found.target.as_deref().map(shown),
            contenders: found.contenders.iter().map(contender).collect::<PyResult<_>>()?,
        })
    }
}

#[pymethods]
impl Explanation {
    /// The verdict, the target, and one line for each contender.
    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let mut text = self.verdict.bind(py).str()?.to_string();
        for contender in &self.contenders {
            let contender = contender.get();
            let rule = contender.rule.bind(py).str()?;
            let line = contender.rule.get().line;
            // Writing to a string cannot fail.
            let _ = write!(text, "\n  line {line}: {rule} {}", contender.sentence);
        }
        Ok(text)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Explanation: {}>", self.verdict.bind(py).str()?))
    }
}

/// A rule that matched, and why it won or lost.
#[pyclass(frozen, module = "verger")]
pub(crate) struct Contender {
    /// The rule.
    #[pyo3(get)]
    rule: Py<Rule>,
    /// Its group.
    #[pyo3(get)]
    group: Py<Group>,
    /// The length that is compared: octets of the pattern in normal form.
    #[pyo3(get)]
    length: usize,
    /// `"decides"`, `"shorter"`, `"later"`, `"loses_tie"` or `"repeats"`.
    #[pyo3(get)]
    standing: &'static str,
    sentence: String,
}

#[pymethods]
impl Contender {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Contender {} {}>", self.rule.bind(py).repr()?, self.standing))
    }
}
