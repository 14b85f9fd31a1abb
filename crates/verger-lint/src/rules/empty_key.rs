//! # empty-key
//!
//! A line begins with a colon, without a key.
//!
//! ## Why is this a problem?
//!
//! Crawlers skip the line.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! : /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! REP-SYNTAX-16.
