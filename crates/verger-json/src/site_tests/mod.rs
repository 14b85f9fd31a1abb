//! Tests of a robots.txt (feature `tests`): the file of tests, its evaluation, and results as JSON.
//!
//! # Flow
//!
//! [`TestFile::parse`] reads the tests. [`TestFile::run`] checks their expectations for each crawler and
//! returns a [`TestReport`]; sitemaps and responses come from a [`Site`]. [`TestKeys`] is its JSON.
//!
//! # Scope
//!
//! No I/O besides a given [`Site`], and no clock. Patterns are proved to be open or closed by
//! `verger-analysis`. Foreign text in messages is escaped.

mod evaluate;
mod file;
mod report;
mod statement;

use verger::limits::QUOTED_CHARS;
use verger::{Crawler, Robots, Untrusted, without_credentials};
use verger_analysis::compared_crawler;
use verger_registry::Registry;

pub use evaluate::{Offline, Site};
pub use file::{TestFile, TestFileError, UrlProblem};
pub use report::{Remark, Status, TestKeys, TestReport, TestResult};

/// The crawler of a test, with its documented fallbacks; `*` is one that no group of the file names.
pub fn crawler_of(name: &str, robots: &Robots) -> Crawler {
    let reads_headers = robots.dialect().reads_headers;
    let read = |name: &str| Registry::bundled().resolve(name, reads_headers).rules.into_owned();
    compared_crawler(name, &[robots], read)
}

/// Foreign text in backticks, cut, without user name and password if it is a URL.
fn quoted<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    let text = without_credentials(text.as_ref());
    Untrusted::new(&*text).limited_to(QUOTED_CHARS).quoted().to_string()
}
