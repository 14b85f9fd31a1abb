//! Access logs of web servers.
//!
//! [`log::read_log`] passes each request of a log to a function. The format is found by the first line
//! with a request. Nothing is collected, so memory does not grow with the log. An error is a sentence
//! with escaped foreign text, without a final stop.
//!
//! ```
//! let log = br#"192.0.2.7 - - [10/Oct/2026:13:55:36 +0200] "GET /cart HTTP/1.1" 200 7"#;
//! let mut targets = Vec::new();
//! let totals = verger_audit::log::read_log(&log[..], |request| targets.push(request.target.to_vec()))?;
//! assert_eq!((totals.format, targets), (Some("common"), vec![b"/cart".to_vec()]));
//! # Ok::<(), String>(())
//! ```

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits
// - `gzip.rs`, `lines.rs`: data that may be compressed; its lines
// - `log/`: the reader of access logs: escapes, the request, the table of formats as lists of fields
//   (`format.rs`: a new format is a row), lines in JSON, the reader

mod gzip;
pub mod limits;
pub mod lines;
pub mod log;

pub use gzip::Plain;

/// The Rust of the README: doc tests run it.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
