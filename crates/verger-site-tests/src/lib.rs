//! Tests of a robots.txt: the file of tests, its evaluation, a proposal, and results as XML.
//!
//! # Flow
//!
//! [`TestFile::parse`] reads the tests. [`TestFile::run`] checks their expectations for each crawler and
//! returns a [`TestReport`]. What the crate cannot read itself, sitemaps and responses, it asks of a
//! [`Site`]. [`write_junit`] writes a report for continuous integration, and [`proposal`] proposes tests
//! for a file.
//!
//! # Scope
//!
//! No I/O besides a given [`Site`] and writer, and no clock. Patterns are proved to be open or closed by
//! `verger-analysis`. All limits are in [`limits`].
//!
//! Foreign text in messages is escaped.

mod error;
mod evaluate;
mod file;
mod junit;
pub mod limits;
mod propose;
mod report;
mod sentence;
mod statement;

use verger::{Crawler, Robots};
use verger_analysis::compared_crawler;
use verger_registry::Registry;

pub use error::TestFileError;
pub use evaluate::{Offline, Site};
pub use file::TestFile;
pub use junit::write_junit;
pub use propose::proposal;
pub use report::{Remark, Status, TestReport, TestResult};

/// The crawler with a name, with its documented fallbacks; `*` is one that no group of the file names.
fn crawler_of(name: &str, robots: &Robots) -> Crawler {
    let reads_headers = robots.dialect().reads_headers;
    let read = |name: &str| Registry::bundled().resolve(name, reads_headers).rules.into_owned();
    compared_crawler(name, &[robots], read)
}

/// The Rust code of the README, as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
