//! Results of tests of a robots.txt (feature `site-tests`): the JSON of `verger test`.

use serde::Serialize;
use verger_registry::{Crawler as Known, Registry};
use verger_site_tests::{Remark, Status, TestReport, TestResult};

/// The results of all tests of a file.
///
/// # Examples
///
/// ```
/// use verger::{Dialect, Robots};
/// use verger_json::site_tests::TestKeys;
/// use verger_site_tests::{Offline, TestFile};
///
/// let text = "[[test]]\nname = 'all'\ncrawlers = ['Google-Extended']\nopen = ['/']\n";
/// let tests = TestFile::parse(text, &Dialect::RFC9309)?;
/// let report = tests.run(&Robots::allow_all(), None, &mut Offline);
/// assert_eq!(
///     serde_json::to_string(&TestKeys::of("t.toml", "robots.txt", &report))?,
///     concat!(
///         r#"{"file":"t.toml","robots":"robots.txt","passed":1,"failed":0,"errors":0,"skipped":0,"#,
///         r#""tests":[{"name":"all","crawler":"Google-Extended","tokens":["Google-Extended"],"note":""#,
///         "a control token: it crawls nothing itself, it says what the pages that other crawlers ",
///         r#"fetch may be used for","line":2,"status":"passed","checks":1}]}"#,
///     )
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct TestKeys<'a> {
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
    pub fn of(file: &'a str, robots: &'a str, report: &'a TestReport) -> Self {
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
