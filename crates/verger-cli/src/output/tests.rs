//! Results of tests as text, and as workflow commands of GitHub.

use std::io::{self, Write};

use verger::diagnostic::Severity;
use verger::quoted;
use verger_json::site_tests::{Remark, Status, TestReport, TestResult};
use verger_lint::render::annotation;

use crate::console::Palette;
use crate::error::Error;
use crate::sentence::counted;

/// Writes a line for each test, and one for each failure. The names are those of the file of tests
/// and of the robots.txt.
pub(crate) fn write_tests(
    out: &mut impl Write,
    palette: Palette,
    [file, robots]: [&str; 2],
    report: &TestReport,
) -> io::Result<()> {
    for test in &report.tests {
        let (name, crawler) = (quoted(&test.name), crawler(test));
        let style = match test.status {
            Status::Passed => palette.allow,
            Status::Failed | Status::Error => palette.disallow,
            Status::Skipped => palette.warning,
        };
        writeln!(out, "{style}{:<7}{style:#} {name} for {crawler}", test.status.name())?;
        for (label, remarks) in
            [("", &test.failures), ("error: ", &test.errors), ("skipped: ", &test.skipped)]
        {
            for Remark { line, message, .. } in remarks {
                writeln!(out, "    {file}:{line}: {label}{message}")?;
            }
        }
    }
    let [passed, failed, errors, skipped] = report.counts();
    write!(out, "\n{}: {passed} passed, {failed} failed", quoted(robots))?;
    if errors > 0 {
        write!(out, ", {}", counted(errors, "error"))?;
    }
    if skipped > 0 {
        write!(out, ", {skipped} skipped")?;
    }
    writeln!(out)
}

/// The crawler of a test, and its fallbacks.
fn crawler(test: &TestResult) -> String {
    let fallbacks = test.tokens.iter().skip(1);
    let tokens: Vec<_> = [&test.crawler].into_iter().chain(fallbacks).map(quoted).collect();
    tokens.join(", then ")
}

/// Writes an annotation of the file of tests for an error in it.
pub(crate) fn write_annotation(out: &mut impl Write, file: &str, error: &Error) -> io::Result<()> {
    let line = error.line.unwrap_or(1).to_string();
    let properties = [("file", file), ("line", &*line), ("title", "verger test")];
    write!(out, "{}", annotation(Severity::Error, &properties, &error.to_string()))
}

/// Writes an annotation of the file of tests for each failure, error and skipped expectation.
pub(crate) fn write_annotations(
    out: &mut impl Write,
    file: &str,
    report: &TestReport,
) -> io::Result<()> {
    for test in &report.tests {
        let title = format!("verger test ({} for {})", quoted(&test.name), crawler(test));
        let kinds = [
            (Severity::Error, &test.failures),
            (Severity::Error, &test.errors),
            (Severity::Note, &test.skipped),
        ];
        for (severity, remarks) in kinds {
            for Remark { line, message } in remarks {
                let line = line.to_string();
                let properties = [("file", file), ("line", &*line), ("title", &*title)];
                write!(out, "{}", annotation(severity, &properties, message))?;
            }
        }
    }
    Ok(())
}
