//! Results of tests of a robots.txt as JSON.

use serde::Serialize;
use verger_registry::{Crawler as Known, Registry};

use super::report::{Remark, Status, TestReport, TestResult};

/// The results of all tests of a file.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TestKeys<'a> {
    file: &'a str,
    robots: &'a str,
    passed: usize,
    failed: usize,
    errors: usize,
    skipped: usize,
    tests: Vec<ResultKeys<'a>>,
}

impl<'a> TestKeys<'a> {
    /// The results with the names of the file of tests and of the robots.txt.
    pub(crate) fn of(file: &'a str, robots: &'a str, report: &'a TestReport) -> Self {
        Self {
            file,
            robots,
            passed: report.count(Status::Passed),
            failed: report.count(Status::Failed),
            errors: report.count(Status::Error),
            skipped: report.count(Status::Skipped),
            tests: report.tests.iter().map(ResultKeys::of).collect(),
        }
    }
}

#[derive(Clone, Debug, Serialize)]
struct ResultKeys<'a> {
    name: &'a str,
    crawler: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tokens: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    line: usize,
    status: &'static str,
    checks: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<RemarkKeys<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<RemarkKeys<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<RemarkKeys<'a>>,
}

impl<'a> ResultKeys<'a> {
    fn of(result: &'a TestResult) -> Self {
        let remarks = |remarks: &'a [Remark]| -> Vec<RemarkKeys<'a>> {
            let keys = |it: &'a Remark| RemarkKeys { line: it.line, message: &it.message };
            remarks.iter().map(keys).collect()
        };
        let known = Registry::bundled().resolve(&result.crawler, true).known;
        let known = known.filter(|known| known.tokens() == result.tokens);
        Self {
            name: &result.name,
            crawler: &result.crawler,
            tokens: &result.tokens,
            note: known.and_then(Known::caveat),
            line: result.line,
            status: result.status.name(),
            checks: result.checks,
            failures: remarks(&result.failures),
            errors: remarks(&result.errors),
            skipped: remarks(&result.skipped),
        }
    }
}

#[derive(Clone, Debug, Serialize)]
struct RemarkKeys<'a> {
    line: usize,
    message: &'a str,
}
