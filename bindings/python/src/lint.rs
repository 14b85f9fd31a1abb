//! The linter and the formatter. `verger._lint` gives their results a form.

use std::collections::HashMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes};
use verger::diagnostic::Severity;
use verger::{LineIndex, UnknownName};
use verger_lint::{Formatted, Profile, Safety};

use crate::text::{self, bytes, detached, value_error};

/// All findings, and the file with its fixes applied.
#[derive(IntoPyObject)]
pub(crate) struct Report {
    text: Py<PyBytes>,
    findings: Vec<Finding>,
    /// Codes of rules with more findings, each with the number of those that are left out.
    omitted: Vec<(&'static str, usize)>,
    /// With the safe fixes; `None` if there are none.
    fixed: Option<Py<PyBytes>>,
    /// With all fixes; `None` if there are none.
    fixed_unsafely: Option<Py<PyBytes>>,
}

#[derive(IntoPyObject)]
struct Finding {
    code: &'static str,
    severity: &'static str,
    category: &'static str,
    message: String,
    line: usize,
    column: usize,
    span: (usize, usize),
    labels: Vec<Label>,
    url: Option<String>,
    help: Option<String>,
    fix: Option<Fix>,
}

#[derive(IntoPyObject)]
struct Label {
    text: String,
    line: usize,
    column: usize,
    span: (usize, usize),
}

#[derive(IntoPyObject)]
struct Fix {
    title: String,
    is_safe: bool,
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
    let profile = profile.map(lint_profile).transpose()?;
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
    let report = detached(py, file.len(), || verger_lint::lint(&file, &settings));
    let fixed = |safety| {
        let (text, count) = report.fixed(safety);
        (count > 0).then(|| PyBytes::new(py, &text).unbind())
    };
    let lines = LineIndex::new(&report.text);
    Ok(Report {
        fixed: fixed(Safety::Safe),
        fixed_unsafely: fixed(Safety::Unsafe),
        findings: report.findings.iter().map(|found| Finding::of(found, &lines)).collect(),
        omitted: report.omitted.iter().map(|(rule, count)| (rule.code, *count)).collect(),
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

impl Finding {
    fn of(found: &verger_lint::Finding, lines: &LineIndex) -> Self {
        let position = lines.position(found.span.start);
        let label = |label: &verger_lint::Label| {
            let position = lines.position(label.span.start);
            Label {
                text: label.text.clone(),
                line: position.line,
                column: position.column,
                span: (label.span.start, label.span.end),
            }
        };
        Self {
            code: found.rule.code,
            severity: found.severity.name(),
            category: found.rule.category.name(),
            message: found.message.clone(),
            line: position.line,
            column: position.column,
            span: (found.span.start, found.span.end),
            labels: found.labels.iter().map(label).collect(),
            url: found.url.clone(),
            help: found.help.clone(),
            fix: found
                .fix
                .as_ref()
                .map(|fix| Fix { title: fix.title.clone(), is_safe: fix.safety == Safety::Safe }),
        }
    }
}

fn lint_profile(name: &str) -> PyResult<Profile> {
    name.parse().map_err(|error: UnknownName| value_error(format!("profile: {error}")))
}

fn severity_named(name: &str) -> PyResult<Severity> {
    let known = [Severity::Note, Severity::Warning, Severity::Error];
    known.into_iter().find(|severity| severity.name() == name).ok_or_else(|| {
        let known = known.map(Severity::name).join(", ");
        value_error(format!("severity: expected one of {known}, but found `{name}`"))
    })
}
