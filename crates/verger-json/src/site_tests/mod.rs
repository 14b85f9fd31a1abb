//! Tests of a robots.txt (feature `tests`): the file of tests, its evaluation, and results as JSON.
//!
//! # Flow
//!
//! [`TestFile::parse`] reads the tests. [`TestFile::run`] checks their expectations for each
//! crawler and returns a [`TestReport`]; sitemaps and responses come from a [`Site`]. [`TestKeys`]
//! is its JSON.
//!
//! # Scope
//!
//! No I/O besides a given [`Site`], and no clock. Patterns are proved to be open or closed by
//! `verger-analysis`. Foreign text in messages is escaped.

mod evaluate;
mod file;
mod report;
mod statement;

use verger::without_credentials;

pub use evaluate::{Offline, Site};
pub use file::{TEST_KEYS, TestFile, TestFileError, UrlProblem};
pub use report::{Remark, Status, TestKeys, TestReport, TestResult};
pub use statement::counting_records;

/// Foreign text in backticks, cut, without user name and password if it is a URL.
fn quoted<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    verger::quoted(&without_credentials(text.as_ref()))
}
