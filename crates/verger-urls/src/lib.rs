//! URLs of a site from lists, sitemaps and access logs.
//!
//! # Flow
//!
//! [`read_list`], [`read_log`] and [`read_sitemaps`] read from readers or bytes, and pass each URL to
//! a function. Data that begins with the mark of gzip is decompressed. Nothing is collected, so
//! memory does not grow with the number of URLs.
//!
//! # Scope
//!
//! No I/O besides the given readers, and no clock. Nothing panics, whatever the data. All limits are
//! in [`limits`].
//!
//! URLs are passed as they are written. Whether a text is a URL, the engine decides.
//!
//! # References
//!
//! The protocol of sitemaps: <https://www.sitemaps.org/protocol.html>.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`, `error.rs`: all limits, with their reasons; errors with a line
// - `gzip.rs`, `lines.rs`: data that may be compressed; its lines
// - `list.rs`, `request.rs`: lists; a request
// - `escape.rs`, `format.rs`, `json_log.rs`: escapes in logs; the table of formats as lists of
//   fields (a new format is a row); lines in JSON
// - `log.rs`: access logs, whose format the first line with a request decides
// - `sitemap.rs`, `sitemaps.rs`: one sitemap, index or feed; all sitemaps of an index

mod error;
mod escape;
mod format;
mod gzip;
mod json_log;
pub mod limits;
mod lines;
mod list;
mod log;
mod request;
mod sitemap;
mod sitemaps;

pub use error::InputError;
pub use list::{ListTotals, read_list};
pub use log::{LogTotals, read_log};
pub use request::Request;
pub use sitemaps::{SitemapTotals, read_sitemaps};

/// The Rust code of the README, as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
