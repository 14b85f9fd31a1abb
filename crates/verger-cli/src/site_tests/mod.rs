//! Tests of a robots.txt: the file of tests, its evaluation, and a proposal.

mod evaluate;
mod file;
mod propose;

use serde::Serialize;

use crate::error::ExitStatus;

pub(crate) use self::evaluate::Evaluation;
pub(crate) use self::file::TestFile;
pub(crate) use self::propose::proposal;

/// The results of all tests.
#[derive(Debug, Serialize)]
pub(crate) struct TestReport {
    /// The file of tests, escaped.
    pub(crate) file: String,
    /// The robots.txt, escaped.
    pub(crate) robots: String,
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) errors: usize,
    pub(crate) skipped: usize,
    pub(crate) tests: Vec<TestResult>,
}

/// The result of a test for one crawler.
#[derive(Debug, Serialize)]
pub(crate) struct TestResult {
    pub(crate) name: String,
    pub(crate) crawler: String,
    /// The line of its name.
    pub(crate) line: usize,
    pub(crate) status: Status,
    /// Number of checked expectations.
    pub(crate) checks: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) failures: Vec<Remark>,
    /// Expectations that could not be checked, because something could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) errors: Vec<Remark>,
    /// Expectations that were not checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) skipped: Vec<Remark>,
}

/// The result of a test, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
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
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Skipped => "skipped",
        }
    }

    pub(crate) const fn of(failures: &[Remark], errors: &[Remark], skipped: &[Remark]) -> Self {
        match (failures, errors, skipped) {
            ([_, ..], _, _) => Self::Failed,
            (_, [_, ..], _) => Self::Error,
            (_, _, [_, ..]) => Self::Skipped,
            _ => Self::Passed,
        }
    }
}

/// A remark on an expectation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Remark {
    /// The line of the expectation.
    pub(crate) line: usize,
    /// A sentence. Foreign text in it is escaped.
    pub(crate) message: String,
}

impl TestReport {
    pub(crate) fn new(file: String, robots: String, tests: Vec<TestResult>) -> Self {
        let number = |status| tests.iter().filter(|test| test.status == status).count();
        let [passed, failed, errors, skipped] =
            [Status::Passed, Status::Failed, Status::Error, Status::Skipped].map(number);
        Self { file, robots, passed, failed, errors, skipped, tests }
    }

    /// The exit status: the most severe one of all tests. A skipped test is no finding.
    pub(crate) fn exit_status(&self) -> ExitStatus {
        let has_error = self.tests.iter().any(|test| !test.errors.is_empty());
        match self.failed {
            _ if has_error => ExitStatus::Error,
            0 => ExitStatus::Success,
            _ => ExitStatus::Finding,
        }
    }
}
