//! Statistics of robots.txt files ([RFC 9309](https://www.rfc-editor.org/rfc/rfc9309)).
//!
//! ```
//! use verger::Dialect;
//! use verger_metrics::{Pack, Tally};
//!
//! let mut tally = Tally::new(Pack::Crawlers, Dialect::RFC9309);
//! tally.add(b"User-agent: GPTBot\nDisallow: /\n");
//! tally.add(b"User-agent: *\nAllow: /\n");
//! for table in tally.tables() {
//!     println!("{}\n{}", table.name, table.to_json_lines());
//! }
//! ```
//!
//! # Flow
//!
//! A function for each pack turns one file into one value ([`Consent`], [`CrawlerAccess`],
//! [`Statements`]). A [`Tally`] sums the values of many files as [tables](Table). [`Changes`]
//! compares two versions of a file. No I/O and no clock.

mod access;
mod changes;
mod consent;
mod crawlers;
pub mod limits;
mod pack;
mod statements;
mod table;

pub use access::Restriction;
pub use changes::Changes;
pub use consent::Consent;
pub use crawlers::{Access, CrawlerAccess};
pub use pack::{Pack, Tally};
pub use statements::Statements;
pub use table::{Kind, Table};

/// The Rust code of the README, as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
