//! Results of tests as text.

use std::io::{self, Write};

use crate::console::Palette;
use crate::sentence::quoted;
use crate::site_tests::TestReport;

/// Writes a line for each test, and one for each failure.
pub(crate) fn write_tests(
    out: &mut impl Write,
    palette: Palette,
    report: &TestReport,
) -> io::Result<()> {
    let (allow, disallow) = (palette.allow, palette.disallow);
    for test in &report.tests {
        let (name, crawler) = (quoted(&test.name), quoted(&test.crawler));
        if test.passed {
            writeln!(out, "{allow}passed{allow:#}  {name} for {crawler}")?;
        } else {
            writeln!(out, "{disallow}failed{disallow:#}  {name} for {crawler}")?;
        }
        for failure in &test.failures {
            writeln!(out, "    {}:{}: {}", report.file, failure.line, failure.message)?;
        }
        for skipped in &test.skipped {
            writeln!(out, "    {}:{}: skipped: {}", report.file, skipped.line, skipped.message)?;
        }
    }
    let (passed, failed) = (report.passed, report.failed);
    writeln!(out, "\n{}: {passed} passed, {failed} failed", quoted(&report.robots))
}
