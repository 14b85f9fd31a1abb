//! # counts-as-none
//!
//! The file is so long that a dialect ignores it and allows everything.
//!
//! ## Why is this a problem?
//!
//! Yandex ignores a file of more than 500 KB. All rules are lost, not only those at the end.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /search?q=apples
//! Disallow: /search?q=bananas
//! ```
//!
//! and ten thousand lines more. Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /search?
//! ```
//!
//! The rule runs for the dialects in the setting `portable`. `yandex-limit` always runs.
//!
//! ## References
//!
//! REP-SYNTAX-8, REP-AMB-22.
