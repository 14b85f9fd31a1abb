//! # utf-16
//!
//! The file is in UTF-16.
//!
//! ## Why is this a problem?
//!
//! RFC 9309 requires UTF-8. Verger decodes UTF-16, but Google's parser and most others do not: they
//! find no rule in the file, and allow everything.
//!
//! ## Example
//!
//! A file that an editor saved as "Unicode":
//!
//! ```text
//! U␀s␀e␀r␀-␀a␀g␀e␀n␀t␀:␀ ␀*␀
//! ```
//!
//! Use instead: the same text, saved as UTF-8.
//!
//! ## References
//!
//! RFC 9309 section 2.3, REP-AMB-20.
