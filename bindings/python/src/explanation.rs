//! Explanations.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pyo3::prelude::*;

use crate::group::{Group, Rule};
use crate::pickle::{Reduced, hash_of, reduced};
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

/// The parts of a pickled explanation: verdict, target, contenders.
type Parts = (Py<Verdict>, Option<String>, Vec<Py<Contender>>);

impl Explanation {
    pub(crate) fn of(
        found: &verger::Explanation<'_>,
        robots: &Arc<verger::Robots>,
        py: Python<'_>,
    ) -> PyResult<Self> {
        let verdict = Verdict::new(&found.verdict, Some(robots));
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
                    standing: it.standing.name().into(),
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

    fn __eq__(&self, other: &Self) -> bool {
        self.verdict.get().__eq__(other.verdict.get())
            && self.target == other.target
            && self.contenders.iter().map(Py::get).eq(other.contenders.iter().map(Py::get))
    }

    fn __hash__(&self) -> u64 {
        hash_of(&(self.verdict.get().__hash__(), &self.target))
    }

    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Reduced<'_, Parts>> {
        let py = slf.py();
        let contenders = slf.contenders.iter().map(|it| it.clone_ref(py)).collect();
        reduced::<Self, _>(py, (slf.verdict.clone_ref(py), slf.target.clone(), contenders))
    }

    #[staticmethod]
    #[pyo3(signature = (*parts))]
    fn _restore(parts: Parts) -> Self {
        let (verdict, target, contenders) = parts;
        Self { verdict, target, contenders }
    }
}

/// A rule that matched, and why it won or lost.
#[pyclass(frozen, eq, hash, module = "verger")]
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
    standing: Cow<'static, str>,
    sentence: String,
}

/// The parts of a pickled contender: rule, group, length, standing, sentence.
type ContenderParts = (Py<Rule>, Py<Group>, usize, String, String);

impl PartialEq for Contender {
    fn eq(&self, other: &Self) -> bool {
        (self.length, &self.standing) == (other.length, &other.standing)
            && self.rule.get() == other.rule.get()
            && self.group.get() == other.group.get()
    }
}

impl Hash for Contender {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.length, &self.standing, self.rule.get()).hash(state);
    }
}

#[pymethods]
impl Contender {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Contender {} {}>", self.rule.bind(py).repr()?, self.standing))
    }

    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Reduced<'_, ContenderParts>> {
        let py = slf.py();
        let (rule, group) = (slf.rule.clone_ref(py), slf.group.clone_ref(py));
        let (standing, sentence) = (slf.standing.to_string(), slf.sentence.clone());
        reduced::<Self, _>(py, (rule, group, slf.length, standing, sentence))
    }

    #[staticmethod]
    #[pyo3(signature = (*parts))]
    fn _restore(parts: ContenderParts) -> Self {
        let (rule, group, length, standing, sentence) = parts;
        Self { rule, group, length, standing: standing.into(), sentence }
    }
}
