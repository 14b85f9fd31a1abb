//! Diagnostics.

use std::borrow::Cow;

use pyo3::prelude::*;
use verger::LineIndex;

use crate::pickle::{Reduced, reduced};

/// A remark about a file. It never changes an answer.
#[pyclass(frozen, get_all, eq, hash, module = "verger")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Diagnostic {
    /// A short name that stays the same: `"missing-colon"`.
    code: Cow<'static, str>,
    /// `"note"`, `"warning"` or `"error"`.
    severity: Cow<'static, str>,
    /// The message.
    message: String,
    /// The line, from 1.
    line: usize,
    /// The column in bytes, from 1.
    column: usize,
}

/// The parts of a pickled diagnostic: code, severity, message, line, column.
type DiagnosticParts = (String, String, String, usize, usize);

impl Diagnostic {
    pub(crate) fn all(robots: &verger::Robots) -> Vec<Self> {
        let lines = LineIndex::new(robots.text());
        let one = |found: &verger::diagnostic::Diagnostic| {
            let position = lines.position(found.span.start);
            Self {
                code: found.code().into(),
                severity: found.severity().name().into(),
                message: found.to_string(),
                line: position.line,
                column: position.column,
            }
        };
        robots.diagnostics().list.iter().map(one).collect()
    }
}

#[pymethods]
impl Diagnostic {
    fn __str__(&self) -> String {
        format!("line {}, column {}: {}: {}", self.line, self.column, self.severity, self.message)
    }

    fn __repr__(&self) -> String {
        format!("<Diagnostic {}: {}>", self.code, self.__str__())
    }

    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Reduced<'_, DiagnosticParts>> {
        let (code, severity) = (slf.code.to_string(), slf.severity.to_string());
        reduced::<Self, _>(slf.py(), (code, severity, slf.message.clone(), slf.line, slf.column))
    }

    #[staticmethod]
    #[pyo3(signature = (*parts))]
    fn _restore(parts: DiagnosticParts) -> Self {
        let (code, severity, message, line, column) = parts;
        Self { code: code.into(), severity: severity.into(), message, line, column }
    }
}
