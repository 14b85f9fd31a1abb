//! # line-too-long
//!
//! A line is longer than a dialect reads, so only its beginning counts.
//!
//! ## Why is this a problem?
//!
//! Google's parser reads 16,663 bytes of a line, and uses the line in this cut form. A cut pattern
//! matches more URLs than the whole one.
//!
//! ## Example
//!
//! ```text
//! Disallow: /search?q=… and 17,000 letters more
//! ```
//!
//! The rule runs for the dialects in the setting `portable`.
//!
//! ## References
//!
//! REP-SYNTAX-7.
