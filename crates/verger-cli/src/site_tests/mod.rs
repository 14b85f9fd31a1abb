//! Tests of a robots.txt: the file of tests, its evaluation, and a proposal.

mod evaluate;
mod file;
mod propose;

use serde::Serialize;

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
    pub(crate) tests: Vec<TestResult>,
}

/// The result of a test for one crawler.
#[derive(Debug, Serialize)]
pub(crate) struct TestResult {
    pub(crate) name: String,
    pub(crate) crawler: String,
    /// The line of its name.
    pub(crate) line: usize,
    pub(crate) passed: bool,
    /// Number of expectations.
    pub(crate) checks: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) failures: Vec<Remark>,
    /// Expectations that were not checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) skipped: Vec<Remark>,
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
        let passed = tests.iter().filter(|test| test.passed).count();
        Self { file, robots, passed, failed: tests.len() - passed, tests }
    }
}
