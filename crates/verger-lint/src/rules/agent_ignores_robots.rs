//! # agent-ignores-robots
//!
//! A user-agent line names a crawler that does not obey robots.txt, or not always, as its operator
//! states.
//!
//! ## Why is this a problem?
//!
//! The group has no effect, or not in every case. Most of these crawlers fetch single pages at the
//! request of a person. To stop them, the server must refuse their requests. The first line of each
//! crawler is reported, except in groups that close nothing.
//!
//! ## Example
//!
//! ```text
//! User-agent: Google-Safety
//! Disallow: /
//! ```
//!
//! The line can be removed:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! REP-AGENT-1.

use std::collections::HashSet;

use verger_registry::RobotsPolicy;

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let groups = file.robots.groups().filter(|group| group.rules().any(|rule| closes(&rule)));
    let limited = groups.flat_map(|group| group.agents()).map(|agent| agent.span().start);
    let (limited, mut known) = (limited.collect::<HashSet<_>>(), HashSet::new());
    for name in names(file).filter(|name| limited.contains(&name.span.start)) {
        let ignores = name.crawler.filter(|it| it.robots_policy() == RobotsPolicy::Ignores);
        let Some(crawler) = ignores.filter(|it| known.insert(it.token())) else { continue };
        let degree = if crawler.tokens().is_empty() { "does not apply" } else { "may ignore" };
        let message = format!("{} {degree} robots.txt", show(name.text.as_bytes()));
        findings.add(name.span, message, |mut finding| {
            finding.help =
                crawler.operator().map(|operator| format!("this is the statement of {operator}"));
            finding
        });
    }
}
