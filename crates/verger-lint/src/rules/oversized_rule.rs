//! # oversized-rule
//!
//! A rule is longer than a dialect permits, so it has no effect there.
//!
//! ## Why is this a problem?
//!
//! Yandex takes a rule of more than 1024 characters for an error and ignores it.
//!
//! ## Example
//!
//! ```text
//! Disallow: /search?q=… and 1,100 letters more
//! ```
//!
//! The rule runs for the dialects in the setting `portable`.
//!
//! ## References
//!
//! REP-SYNTAX-7.
