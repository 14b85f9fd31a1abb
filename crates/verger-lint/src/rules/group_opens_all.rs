//! # group-opens-all
//!
//! The group of a crawler closes nothing, so all that the group for `*` closes is open to it.
//!
//! ## Why is this a problem?
//!
//! A crawler obeys the groups that name it and nothing else. `Crawl-delay`, `Noindex` and other
//! records are no rules: a group that has only them allows everything. Authors often add such a
//! group to slow a crawler down, or an `Allow` as an exception, and open the site to it by
//! accident.
//!
//! The finding is proved: the crawler may fetch the URL, and other crawlers may not. The conditions
//! of `group-drops-star` hold here, too. Only the last group can be without any rule: an earlier
//! one is joined with the next one, which is an `agents-joined`.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//!
//! User-agent: ExampleBot
//! Crawl-delay: 10
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//!
//! User-agent: ExampleBot
//! Crawl-delay: 10
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.2.1, REP-AGENT-13, REP-AGENT-20.

use super::group_drops_star::{Dropped, report};
use super::prelude::*;

pub(super) fn check(policies: &Policies<'_>, findings: &mut Findings<'_, '_>) {
    report(policies, findings, Dropped::All);
}
