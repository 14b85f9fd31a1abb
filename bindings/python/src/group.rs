//! Groups and their rules.

use std::hash::{Hash, Hasher};

use pyo3::prelude::*;

use crate::pickle::{Reduced, reduced};
use crate::text::shown;

/// A group: agents and their rules.
#[pyclass(frozen, eq, hash, module = "verger")]
pub(crate) struct Group {
    /// The index among the groups of the file, from 0.
    #[pyo3(get)]
    index: usize,
    /// The values of its user-agent lines.
    #[pyo3(get)]
    agents: Vec<String>,
    /// The names in these values, as they are compared with tokens.
    #[pyo3(get, name = "_names")]
    names: Vec<String>,
    /// Its rules.
    #[pyo3(get)]
    rules: Vec<Py<Rule>>,
    /// The line on which it begins, from 1.
    #[pyo3(get)]
    line: usize,
    text: String,
}

/// The parts of a pickled group: index, agents, names, rules, line, text.
type GroupParts = (usize, Vec<String>, Vec<String>, Vec<Py<Rule>>, usize, String);

impl Group {
    pub(crate) fn of(group: verger::Group<'_>, py: Python<'_>) -> PyResult<Self> {
        let rules = group.rules().map(|rule| Py::new(py, Rule::of(rule)));
        Ok(Self {
            index: group.index(),
            agents: group.agents().map(|agent| shown(agent.value())).collect(),
            names: group.agents().map(|agent| shown(agent.name())).collect(),
            rules: rules.collect::<PyResult<_>>()?,
            line: group.position().line,
            text: group.to_string(),
        })
    }

    fn plain_rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().map(Py::get)
    }
}

impl PartialEq for Group {
    fn eq(&self, other: &Self) -> bool {
        (self.index, self.line) == (other.index, other.line)
            && self.agents == other.agents
            && self.plain_rules().eq(other.plain_rules())
    }
}

impl Hash for Group {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.index, self.line, &self.agents).hash(state);
    }
}

#[pymethods]
impl Group {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Group {}>", self.text)
    }

    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Reduced<'_, GroupParts>> {
        let py = slf.py();
        let rules = slf.rules.iter().map(|rule| rule.clone_ref(py)).collect();
        let (agents, names) = (slf.agents.clone(), slf.names.clone());
        reduced::<Self, _>(py, (slf.index, agents, names, rules, slf.line, slf.text.clone()))
    }

    #[staticmethod]
    #[pyo3(signature = (*parts))]
    fn _restore(parts: GroupParts) -> Self {
        let (index, agents, names, rules, line, text) = parts;
        Self { index, agents, names, rules, line, text }
    }
}

/// A rule: `Allow` or `Disallow` with its pattern.
#[pyclass(frozen, eq, hash, module = "verger")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Rule {
    /// Whether it is an `Allow`.
    #[pyo3(get)]
    allows: bool,
    /// The pattern as written; bytes that are not UTF-8 are shown as `\xNN`.
    #[pyo3(get)]
    pattern: String,
    /// The bytes of the pattern.
    #[pyo3(get)]
    pattern_bytes: Vec<u8>,
    /// The line, from 1.
    #[pyo3(get)]
    pub(crate) line: usize,
    /// The column of the pattern in bytes, from 1.
    #[pyo3(get)]
    column: usize,
    text: String,
}

/// The parts of a pickled rule: allows, bytes of the pattern, line, column, text.
type RuleParts = (bool, Vec<u8>, usize, usize, String);

impl Rule {
    pub(crate) fn of(rule: verger::Rule<'_>) -> Self {
        let position = rule.position();
        Self {
            allows: rule.kind() == verger::RuleKind::Allow,
            pattern: shown(rule.pattern()),
            pattern_bytes: rule.pattern().to_vec(),
            line: position.line,
            column: position.column,
            text: rule.to_string(),
        }
    }
}

#[pymethods]
impl Rule {
    /// `"allow"` or `"disallow"`.
    #[getter]
    fn kind(&self) -> &'static str {
        if self.allows { "allow" } else { "disallow" }
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Rule line {}: {}>", self.line, self.text)
    }

    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Reduced<'_, RuleParts>> {
        let parts = (slf.allows, slf.pattern_bytes.clone(), slf.line, slf.column, slf.text.clone());
        reduced::<Self, _>(slf.py(), parts)
    }

    #[staticmethod]
    #[pyo3(signature = (*parts))]
    fn _restore(parts: RuleParts) -> Self {
        let (allows, pattern_bytes, line, column, text) = parts;
        Self { allows, pattern: shown(&pattern_bytes), pattern_bytes, line, column, text }
    }
}
