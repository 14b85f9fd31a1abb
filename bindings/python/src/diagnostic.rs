//! Diagnostics.

use pyo3::prelude::*;
use verger::LineIndex;

/// A remark about a file. It never changes an answer.
#[pyclass(frozen, get_all, module = "verger")]
pub(crate) struct Diagnostic {
    /// A short name that stays the same: `"missing-colon"`.
    code: &'static str,
    /// `"note"`, `"warning"` or `"error"`.
    severity: &'static str,
    /// The message.
    message: String,
    /// The line, from 1.
    line: usize,
    /// The column in bytes, from 1.
    column: usize,
}

impl Diagnostic {
    pub(crate) fn all(robots: &verger::Robots) -> Vec<Self> {
        let lines = LineIndex::new(robots.text());
        let one = |found: &verger::diagnostic::Diagnostic| {
            let position = lines.position(found.span.start);
            Self {
                code: found.code(),
                severity: found.severity().name(),
                message: found.to_string(),
                line: position.line,
                column: position.column,
            }
        };
        robots.diagnostics().iter().map(one).collect()
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
}
