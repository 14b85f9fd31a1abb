//! The linter and the formatter. `verger._lint` gives their results a form.

use std::collections::HashMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes};
use verger::UnknownName;
use verger::diagnostic::Severity;
use verger_json::lint::LintReport;
use verger_lint::{Formatted, Profile, Safety};

use crate::text::{self, bytes, detached, value_error};

/// All findings, and the file with its fixes applied.
#[derive(IntoPyObject)]
pub(crate) struct Report {
    text: Py<PyBytes>,
    /// The JSON of `verger lint`.
    json: String,
    /// With the safe fixes; `None` if there are none.
    fixed: Option<Py<PyBytes>>,
    /// With all fixes; `None` if there are none.
    fixed_unsafely: Option<Py<PyBytes>>,
}

/// Lints a file.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
pub(crate) fn lint(
    robots_txt: &Bound<'_, PyAny>,
    select: Vec<String>,
    ignore: Vec<String>,
    severity: HashMap<String, String>,
    portable: Vec<String>,
    origin: Option<&str>,
    profile: Option<&str>,
    now: Option<f64>,
) -> PyResult<Report> {
    let (py, file) = (robots_txt.py(), bytes("robots_txt", robots_txt)?);
    let unknown = |error: UnknownName| value_error(format!("profile: {error}"));
    let profile = profile.map(|name| name.parse().map_err(unknown)).transpose()?;
    let mut settings = profile.map(Profile::settings).unwrap_or_default();
    if !select.is_empty() {
        settings.select = select;
    }
    settings.ignore.extend(ignore);
    for (code, name) in severity {
        settings.severity.insert(code, severity_named(&name)?);
    }
    if !portable.is_empty() {
        settings.portable =
            portable.iter().map(|name| text::dialect(name)).collect::<PyResult<_>>()?;
    }
    settings.now = now.map(text::timestamp).transpose()?;
    settings.origin = origin.map(text::origin).transpose()?;
    if let Some(name) = settings.unknown_name() {
        let known = verger_lint::RULES.iter().map(|rule| rule.code).collect::<Vec<_>>().join(", ");
        let message = format!("expected a rule or a category, but found `{name}`; rules: {known}");
        return Err(PyValueError::new_err(message));
    }
    let (report, [safely, unsafely]) = detached(py, file.len(), || {
        let report = verger_lint::lint(&file, &settings);
        let fixed = |safety| report.fixed_until_none(&settings, safety).map(|(text, ..)| text);
        let fixed = [Safety::Safe, Safety::Unsafe].map(fixed);
        (report, fixed)
    });
    let to_python = |text: Option<Vec<u8>>| text.map(|text| PyBytes::new(py, &text).unbind());
    Ok(Report {
        fixed: to_python(safely),
        fixed_unsafely: to_python(unsafely),
        json: serde_json::to_string(&LintReport::of(&report)).map_err(value_error)?,
        text: PyBytes::new(py, &report.text).unbind(),
    })
}

/// Formats a file.
#[pyfunction]
pub(crate) fn format<'py>(robots_txt: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let (py, file) = (robots_txt.py(), bytes("robots_txt", robots_txt)?);
    let formatted = detached(py, file.len(), || Formatted::of(&file).text);
    Ok(PyBytes::new(py, &formatted))
}

/// The codes of the linter's rules, each with its category and the page about it in Markdown.
#[pyfunction]
pub(crate) fn lint_rules() -> Vec<(&'static str, &'static str, String)> {
    let rules = verger_lint::RULES.iter();
    rules.map(|rule| (rule.code, rule.category.name(), rule.page())).collect()
}

fn severity_named(name: &str) -> PyResult<Severity> {
    let known = [Severity::Note, Severity::Warning, Severity::Error];
    known.into_iter().find(|severity| severity.name() == name).ok_or_else(|| {
        let known = known.map(Severity::name).join(", ");
        value_error(format!("severity: expected one of {known}, but found `{name}`"))
    })
}
