//! # utf-32
//!
//! The file is in UTF-32, which no crawler reads.
//!
//! ## Why is this a problem?
//!
//! RFC 9309 requires UTF-8. In UTF-32, each letter is followed by three NUL bytes, so no line is a
//! rule, and everything is allowed.
//!
//! ## Example
//!
//! ```text
//! U␀␀␀s␀␀␀e␀␀␀r␀␀␀-␀␀␀a␀␀␀g␀␀␀e␀␀␀n␀␀␀t␀␀␀
//! ```
//!
//! Use instead: the same text, saved as UTF-8.
//!
//! ## References
//!
//! RFC 9309 section 2.3, REP-ACCESS-30, REP-AMB-20.
