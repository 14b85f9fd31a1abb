//! Results of tests as text.

use std::io::{self, Write};

use crate::console::Palette;
use crate::sentence::quoted;
use crate::site_tests::{Remark, Status, TestReport};

/// Writes a line for each test, and one for each failure.
pub(crate) fn write_tests(
    out: &mut impl Write,
    palette: Palette,
    report: &TestReport,
) -> io::Result<()> {
    let file = &report.file;
    for test in &report.tests {
        let (name, crawler) = (quoted(&test.name), quoted(&test.crawler));
        let style = match test.status {
            Status::Passed => palette.allow,
            Status::Failed | Status::Error => palette.disallow,
            Status::Skipped => palette.warning,
        };
        writeln!(out, "{style}{:<7}{style:#} {name} for {crawler}", test.status.name())?;
        for (label, remarks) in
            [("", &test.failures), ("error: ", &test.errors), ("skipped: ", &test.skipped)]
        {
            for Remark { line, message } in remarks {
                writeln!(out, "    {file}:{line}: {label}{message}")?;
            }
        }
    }
    let (passed, failed) = (report.passed, report.failed);
    write!(out, "\n{}: {passed} passed, {failed} failed", quoted(&report.robots))?;
    if report.errors > 0 {
        let words = if report.errors == 1 { "error" } else { "errors" };
        write!(out, ", {} {words}", report.errors)?;
    }
    if report.skipped > 0 {
        write!(out, ", {} skipped", report.skipped)?;
    }
    writeln!(out)
}
