//! Statistics of robots.txt files ([RFC 9309](https://www.rfc-editor.org/rfc/rfc9309)): those that
//! others publish, computed as they compute them, and the engine's own.
//!
//! ```
//! use verger_metrics::{Fetched, Pack, Tally};
//!
//! let mut tally = Tally::new(Pack::HttpArchive);
//! for body in [&b"User-agent: GPTBot\nDisallow: /\n"[..], b"User-agent: *\nAllow: /\n"] {
//!     tally.add(Some(&Fetched { body, status: Some(200), ..Fetched::default() }))?;
//! }
//! for table in tally.tables() {
//!     println!("{}\n{}", table.name, table.to_json_lines());
//! }
//! # Ok::<(), verger_metrics::TooLarge>(())
//! ```
//!
//! # Flow
//!
//! A function for each pack turns one response into one value ([`RobotsTxt`], [`CaptureStatistics`],
//! [`Consent`], [`CrawlerAccess`], [`Statements`]). A [`Tally`] sums the values of many files as the
//! published [tables](Table). [`Changes`] compares two versions of a file, and a [`ChangeTally`] sums
//! the changes of many.
//!
//! # Scope
//!
//! Published statistics keep the mistakes of their originals, which each type names: their figures
//! can be compared with published ones, and only then. No I/O and no clock. No code is that of the
//! originals; tests compare the results with theirs.

mod access;
mod almanac;
mod changes;
mod common_crawl;
mod consent;
mod crawlers;
mod fetched;
mod http_archive;
pub mod limits;
mod pack;
mod statements;
mod table;

pub use changes::{ChangeTally, Changes};
pub use common_crawl::{CaptureOutcome, CaptureStatistics, Ruleset, RulesetClass};
pub use consent::{Consent, Restriction, Restrictions};
pub use crawlers::{Access, CrawlerAccess};
pub use fetched::{Fetched, TooLarge};
pub use http_archive::RobotsTxt;
pub use pack::{Pack, Tally, UnknownPack};
pub use statements::Statements;
pub use table::{Kind, Table, Value};

/// The Rust code of the README, as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
