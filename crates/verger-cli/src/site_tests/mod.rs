//! Tests of a robots.txt: the file of tests, its evaluation, a proposal, and results as XML.
//!
//! # Flow
//!
//! [`TestFile::parse`] reads the tests. [`TestFile::run`] checks their expectations for each crawler and
//! returns a [`TestReport`]; sitemaps and responses come from a [`Site`]. [`TestKeys`] is its JSON,
//! [`write_junit`] writes it for continuous integration, and [`proposal`] proposes tests for a file.
//!
//! # Scope
//!
//! No I/O besides a given [`Site`] and writer, and no clock. Patterns are proved to be open or
//! closed by `verger-analysis`. Foreign text in messages is escaped.

mod evaluate;
mod file;
mod junit;
mod propose;
mod report;
mod statement;

use verger::{Crawler, Robots};
use verger_analysis::compared_crawler;
use verger_registry::Registry;

pub(crate) use evaluate::Site;
pub(crate) use file::{TestFile, in_plain_words};
pub(crate) use junit::write_junit;
pub(crate) use propose::proposal;
pub(crate) use report::{Remark, Status, TestKeys, TestReport, TestResult};

/// The crawler with a name, with its documented fallbacks; `*` is one that no group of the file
/// names.
fn crawler_of(name: &str, robots: &Robots) -> Crawler {
    let reads_headers = robots.dialect().reads_headers;
    let read = |name: &str| Registry::bundled().resolve(name, reads_headers).rules.into_owned();
    compared_crawler(name, &[robots], read)
}
