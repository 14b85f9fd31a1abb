//! Groups and their rules.

use pyo3::prelude::*;

use crate::text::shown;

/// A group: agents and their rules.
#[pyclass(frozen, module = "verger")]
pub(crate) struct Group {
    /// The index among the groups of the file, from 0.
    #[pyo3(get)]
    index: usize,
    /// The values of its user-agent lines.
    #[pyo3(get)]
    agents: Vec<String>,
    /// Its rules.
    #[pyo3(get)]
    rules: Vec<Py<Rule>>,
    /// The line on which it begins, from 1.
    #[pyo3(get)]
    line: usize,
    text: String,
}

impl Group {
    pub(crate) fn of(group: verger::Group<'_>, py: Python<'_>) -> PyResult<Self> {
        let rules = group.rules().map(|rule| Py::new(py, Rule::of(rule)));
        Ok(Self {
            index: group.index(),
            agents: group.agents().map(|agent| shown(agent.value())).collect(),
            rules: rules.collect::<PyResult<_>>()?,
            line: group.position().line,
            text: group.to_string(),
        })
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
}

/// A rule: `Allow` or `Disallow` with its pattern.
#[pyclass(frozen, eq, hash, module = "verger")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Rule {
    /// `"allow"` or `"disallow"`.
    #[pyo3(get)]
    kind: &'static str,
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

impl Rule {
    pub(crate) fn of(rule: verger::Rule<'_>) -> Self {
        let position = rule.position();
        Self {
            kind: rule.kind().name(),
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
    /// Whether it is an `Allow`.
    #[getter]
    fn allows(&self) -> bool {
        self.kind == "allow"
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Rule line {}: {}>", self.line, self.text)
    }
}
