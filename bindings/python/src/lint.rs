//! The linter and the formatter. `verger._lint` gives their results a form.

use std::collections::HashMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes};
use verger::UnknownName;
use verger::diagnostic::Severity;
use verger_json::lint::LintReport;
use verger_lint::{Formatted, Profile, Safety, Settings};

use crate::text::{self, bytes, detached, value_error};

/// The arguments of `verger.lint`, beside the file.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    select: Vec<String>,
    ignore: Vec<String>,
    severity: HashMap<String, String>,
    portable: Vec<String>,
    origin: Option<String>,
    profile: Option<String>,
    now: Option<f64>,
}

/// The text of a file, and its findings in the JSON of `verger lint`.
#[pyfunction]
pub(crate) fn lint<'py>(
    robots_txt: &Bound<'py, PyAny>,
    settings: Options,
) -> PyResult<(Bound<'py, PyBytes>, String)> {
    let (py, file) = (robots_txt.py(), bytes("robots_txt", robots_txt)?);
    let settings = read(settings)?;
    let report = detached(py, file.len(), || verger_lint::lint(&file, &settings));
    let json = serde_json::to_string(&LintReport::of(&report)).map_err(value_error)?;
    Ok((PyBytes::new(py, &report.text), json))
}

/// The text of a report with its safe fixes, or with all; `None` without a fix.
#[pyfunction]
pub(crate) fn fixed<'py>(
    text: &Bound<'py, PyBytes>,
    settings: Options,
    unsafely: bool,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let (py, settings, file) = (text.py(), read(settings)?, text.as_bytes());
    let safety = if unsafely { Safety::Unsafe } else { Safety::Safe };
    let fixed = detached(py, file.len(), || {
        verger_lint::lint(file, &settings).fixed_until_none(&settings, safety)
    });
    Ok(fixed.map(|(text, ..)| PyBytes::new(py, &text)))
}

fn read(options: Options) -> PyResult<Settings> {
    let Options { select, ignore, severity, portable, origin, profile, now } = options;
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
    settings.origin = origin.as_deref().map(text::origin).transpose()?;
    if let Some(name) = settings.unknown_name() {
        let known = verger_lint::RULES.iter().map(|rule| rule.code).collect::<Vec<_>>().join(", ");
        let message = format!("expected a rule or a category, but found `{name}`; rules: {known}");
        return Err(PyValueError::new_err(message));
    }
    Ok(settings)
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
