//! # names-nobody
//!
//! A user-agent line names no crawler.
//!
//! ## Why is this a problem?
//!
//! An empty value is not `*`, and `*` directly before text is not a wildcard. If no other line of
//! the group names a crawler, its rules apply to nobody.
//!
//! ## Example
//!
//! ```text
//! User-agent: *bot
//! Disallow: /cart
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
//! REP-AGENT-5, REP-AMB-27.

pub(super) use crate::rule::keep as check;
