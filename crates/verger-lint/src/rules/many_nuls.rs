//! # many-nuls
//!
//! The file is full of NUL bytes, as UTF-16 without a byte order mark is.
//!
//! ## Why is this a problem?
//!
//! Without the mark, readers do not recognise the encoding. No line is a rule, and everything is
//! allowed.
//!
//! ## Example
//!
//! ```text
//! U␀s␀e␀r␀-␀a␀g␀e␀n␀t␀:␀ ␀*␀
//! ```
//!
//! Use instead: the same text, saved as UTF-8.
//!
//! ## References
//!
//! REP-AMB-20, REP-AMB-21.
