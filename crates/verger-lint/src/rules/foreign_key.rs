//! # foreign-key
//!
//! A dialect does not know the key of a line, and skips the line.
//!
//! ## Why is this a problem?
//!
//! The standard of 1994 has no `Allow`. Its readers obey only the `Disallow` lines.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Allow: /help
//! Disallow: /
//! ```
//!
//! The rule runs for the dialects in the setting `portable`.
//!
//! ## References
//!
//! REP-SYNTAX-20.
