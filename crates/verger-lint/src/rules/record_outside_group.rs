//! # record-outside-group
//!
//! A record for a group is outside of all groups, so it applies to no crawler.
//!
//! ## Why is this a problem?
//!
//! Records such as `Crawl-delay` and `Content-Signal` belong to the group in which they are
//! written. Before the first user-agent line they have no effect.
//!
//! ## Example
//!
//! ```text
//! Crawl-delay: 10
//!
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Crawl-delay: 10
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! REP-EXT-2, REP-EXT-41, REP-AMB-55.
