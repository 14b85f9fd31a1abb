//! Results of tests, as in the JSON contract (`docs/json.md`).

use serde::Serialize;

/// The results of all tests of a file.
#[derive(Clone, Debug)]
pub struct TestReport {
    /// A result for each test and crawler, in the order of the file.
    pub tests: Vec<TestResult>,
}

/// The result of a test for one crawler.
#[derive(Clone, Debug, Serialize)]
pub struct TestResult {
    /// The name of the test, as it is written.
    pub name: String,
    /// The name of the crawler, as it is written.
    pub crawler: String,
    /// The product tokens by which groups are selected; those of a known crawler include its
    /// fallbacks. Empty for `*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<String>,
    /// The caveat of a known crawler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The line of the name, from 1.
    pub line: usize,
    /// The result in one word.
    pub status: Status,
    /// Number of checked expectations.
    pub checks: usize,
    /// Expectations that do not hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Remark>,
    /// Expectations that could not be checked, because something could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Remark>,
    /// Expectations that were not checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Remark>,
}

/// The result of a test in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All expectations were checked and hold.
    Passed,
    /// An expectation does not hold.
    Failed,
    /// Something could not be read, and no checked expectation failed.
    Error,
    /// Expectations were skipped, and the checked ones hold.
    Skipped,
}

impl Status {
    /// The name in output: `passed`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Skipped => "skipped",
        }
    }

    /// The result of a test with these remarks.
    pub const fn of(failures: &[Remark], errors: &[Remark], skipped: &[Remark]) -> Self {
        match (failures, errors, skipped) {
            ([_, ..], _, _) => Self::Failed,
            (_, [_, ..], _) => Self::Error,
            (_, _, [_, ..]) => Self::Skipped,
            _ => Self::Passed,
        }
    }
}

/// A remark on an expectation.
#[derive(Clone, Debug, Serialize)]
pub struct Remark {
    /// The line of the expectation, from 1.
    pub line: usize,
    /// A sentence. Foreign text in it is escaped.
    pub message: String,
}

impl TestReport {
    /// The numbers of passed and failed tests, of errors and of skipped tests.
    pub fn counts(&self) -> [usize; 4] {
        [Status::Passed, Status::Failed, Status::Error, Status::Skipped]
            .map(|status| self.tests.iter().filter(|test| test.status == status).count())
    }

    /// Whether something could not be read, perhaps for a test that failed for another reason.
    pub fn has_errors(&self) -> bool {
        self.tests.iter().any(|test| !test.errors.is_empty())
    }
}

/// The results as JSON, with the names of the file of tests and of the robots.txt.
#[derive(Debug, Serialize)]
pub struct TestKeys<'a> {
    file: &'a str,
    robots: &'a str,
    passed: usize,
    failed: usize,
    errors: usize,
    skipped: usize,
    tests: &'a [TestResult],
}

impl<'a> TestKeys<'a> {
    /// The results of a file of tests about a robots.txt, with the names of both.
    pub fn of(file: &'a str, robots: &'a str, report: &'a TestReport) -> Self {
        let [passed, failed, errors, skipped] = report.counts();
        Self { file, robots, passed, failed, errors, skipped, tests: &report.tests }
    }
}
