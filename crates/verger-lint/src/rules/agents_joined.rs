//! # agents-joined
//!
//! A user-agent line joins the group above it, across a blank line or a record.
//!
//! ## Why is this a problem?
//!
//! Only rules end a list of user-agent lines. Without a rule in between, the rules below are for
//! the crawlers of both lines. A common mistake is a group that only has a `Crawl-delay`: its
//! crawlers then obey the next group. The lines that join one group have one finding. A group
//! without any rule is an `empty-group`, a `group-opens-all` or a `split-group`.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Crawl-delay: 10
//!
//! User-agent: GPTBot
//! Disallow: /
//! ```
//!
//! This disallows everything for every crawler. Use instead:
//!
//! ```text
//! User-agent: *
//! Crawl-delay: 10
//! Disallow:
//!
//! User-agent: GPTBot
//! Disallow: /
//! ```
//!
//! ## Fix
//!
//! If a record is in between, inserts an empty `Disallow` after it. Unsafe: the crawlers above no
//! longer obey the rules below. There is no fix if only a blank line is in between: perhaps the
//! rules are for all of them. And none if the record is unknown: perhaps it is a misspelt rule. If
//! another group closes a part for `*`, an empty `Disallow` would open it: repeat those rules.
//!
//! ## References
//!
//! RFC 9309 section 2.2.4, REP-AGENT-12, REP-AMB-4, REP-EXT-6.

use verger::Group;

use super::prelude::*;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    if file.empty_group.is_some_and(|agent| agent.start < found.span.start) {
        return None;
    }
    let is_agent = |kind| kind == LineKind::UserAgent;
    let mut above = file.lines_above(found.span);
    let Some(above) = above.find(|line| line.record.is_some()) else { return Some(finding) };
    if is_agent(above.kind) {
        let help = "remove the blank line if the rules are for all of these crawlers; otherwise add \
                    a rule above it";
        return Some(finding.label(above.span, "the group above").help(help));
    }
    // A misspelt rule perhaps, whose correction ends the group.
    if above.record.is_some_and(|record| !is_known_key(file.part(record.key))) {
        return Some(finding);
    }
    let mut agents = file.lines_above(above.span).filter(|line| is_agent(line.kind));
    let Some(agent) = agents.next() else { return Some(finding) };
    let finding = finding.label(agent.span, "the group above");
    let is_star = agent.record.is_some_and(|record| file.part(record.value) == b"*");
    if !is_star && star_closes_part(file) {
        let help = "end the group above with the rules that its crawlers should obey";
        return Some(finding.help(help));
    }
    let title = "end the group above with an empty `Disallow`".to_owned();
    let edits = vec![insertion(above.end.end, [b"Disallow:", file.line_end()].concat())];
    Some(finding.fix(Fix { title, safety: Safety::Unsafe, edits }))
}

fn star_closes_part(file: &File<'_>) -> bool {
    let mut rules = file.robots.groups().filter(Group::is_for_everybody).flat_map(|it| it.rules());
    rules.any(|rule| closes(&rule))
}
