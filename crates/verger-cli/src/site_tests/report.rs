//! Results of tests.

/// The results of all tests of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestReport {
    /// A result for each test and crawler, in the order of the file.
    pub(crate) tests: Vec<TestResult>,
}

/// The result of a test for one crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestResult {
    /// The name of the test, as it is written.
    pub(crate) name: String,
    /// The name of the crawler, as it is written.
    pub(crate) crawler: String,
    /// The product tokens by which groups are selected; those of a known crawler include its fallbacks.
    /// Empty for `*`.
    pub(crate) tokens: Vec<String>,
    /// The line of the name, from 1.
    pub(crate) line: usize,
    /// The result in one word.
    pub(crate) status: Status,
    /// Number of checked expectations.
    pub(crate) checks: usize,
    /// Expectations that do not hold.
    pub(crate) failures: Vec<Remark>,
    /// Expectations that could not be checked, because something could not be read.
    pub(crate) errors: Vec<Remark>,
    /// Expectations that were not checked.
    pub(crate) skipped: Vec<Remark>,
}

/// The result of a test in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    /// The line of the expectation, from 1.
    pub(crate) line: usize,
    /// A sentence. Foreign text in it is escaped.
    pub(crate) message: String,
}

impl TestReport {
    pub(crate) const fn new(tests: Vec<TestResult>) -> Self {
        Self { tests }
    }

    /// The number of results with a status.
    pub(crate) fn count(&self, status: Status) -> usize {
        self.tests.iter().filter(|test| test.status == status).count()
    }

    /// Whether something could not be read, perhaps for a test that failed for another reason.
    pub(crate) fn has_errors(&self) -> bool {
        self.tests.iter().any(|test| !test.errors.is_empty())
    }
}
