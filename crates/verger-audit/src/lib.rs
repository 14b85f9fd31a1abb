//! Did crawlers obey the robots.txt that they had received? Access logs, and a verdict for each
//! request.
//!
//! [`Audit`] judges the requests of a log by the [`History`] of each origin's robots.txt: who it
//! was, which file the crawler had at this moment, and what that file says about the URL, by the
//! rules of `docs/audit.md`, whose numbers are in the code.
//!
//! # Logs
//!
//! [`log::read_log`] passes each request of a log to a function. The format is found by the first
//! line with a request. Nothing is collected, so memory does not grow with the log. An error is a
//! sentence with escaped foreign text, without a final stop.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits
// - `gzip.rs`, `lines.rs`: data that may be compressed; its lines
// - `log/`: the reader of access logs: escapes, times, the request; names of fields, and the parts
//   of a request that they fill (`fields.rs`); formats as lists of fields (`rows.rs`: a new format
//   is a row), the W3C extended format (`columns.rs`), a `log_format` of nginx (`custom.rs`), lines
//   in JSON; the format of a log, lines that are damaged, the reader
// - `history.rs`: the versions of a robots.txt
// - `verdict.rs`, `report.rs`: verdicts, flags, counts; the report about a log
// - `visitor.rs`: who sent a request
// - `knowledge.rs`: what the crawlers of an operator have received, and what is in force
// - `rate.rs`: requests that come too early
// - `tally.rs`: the counts of a row of the report, in bounded memory
// - `readings.rs`: the readings of a robots.txt that must agree for an accusation
// - `site.rs`: an origin with the compiled policies of its files
// - `judge.rs`: the judgement by robots.txt
// - `options.rs`: choices for an audit
// - `audit.rs`: the verdict for each request

mod audit;
mod gzip;
mod history;
mod judge;
mod knowledge;
pub mod limits;
pub mod lines;
pub mod log;
mod options;
mod rate;
mod readings;
mod report;
mod site;
mod tally;
mod verdict;
mod visitor;

pub use audit::Audit;
pub use gzip::Plain;
pub use history::{History, Version};
pub use judge::Judged;
pub use options::Options;
pub use report::{Bucket, CrawlerReport, FetchReport, HistoryReport, PathReport, Report};
pub use verdict::{Counts, Flags, Verdict};

/// The Rust of the README: doc tests run it.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
