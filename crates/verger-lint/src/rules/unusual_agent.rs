//! # unusual-agent
//!
//! The name of a crawler has characters other than letters, `-` and `_`.
//!
//! ## Why is this a problem?
//!
//! RFC 9309 permits only these characters. Google's parser ends the name at the first other one, so
//! `MJ12bot` names a crawler `MJ` there. Most parsers compare the first word, so the line works with
//! the crawler that has this name.
//!
//! ## Example
//!
//! ```text
//! User-agent: Bot.Example
//! Disallow: /
//! ```
//!
//! Use instead the name that the crawler's documentation states:
//!
//! ```text
//! User-agent: ExampleBot
//! Disallow: /
//! ```
//!
//! ## References
//!
//! REP-AGENT-1, REP-AGENT-7, REP-AMB-11.

pub(super) use crate::rule::keep as check;
