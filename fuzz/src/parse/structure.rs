//! Groups, agents, rules, records: in file order, inside the text, at most one for each line.

use verger::dialect::OrphanRules;
use verger::{Dialect, Robots, RuleKind, Span};

use super::events::{Layout, Seen};
use crate::plain;

/// Compares a parsed file with its text and with its events.
pub(super) fn check(robots: &Robots, seen: &Seen) {
    let dialect = robots.dialect();
    let mut order = Order { text: robots.text(), at: 0 };
    let mut found = Vec::new();
    for (index, group) in robots.groups().enumerate() {
        assert_eq!(group.index(), index, "{dialect}");
        let mut places = Group::default();
        let mut stars = 0;
        for agent in group.agents() {
            places.agents.push(order.next(agent.span(), agent.value()));
            let name = plain::agent_name(agent.value(), dialect.agent_value);
            assert_eq!(agent.name(), name, "{dialect}");
            assert_eq!(agent.is_star(), name == b"*", "{dialect}");
            stars += usize::from(agent.is_star());
        }
        for rule in group.rules() {
            places.rules.push((rule.kind(), order.next(rule.span(), rule.pattern())));
        }
        let is_for_everybody = stars > 0 || places.agents.is_empty();
        assert_eq!(group.is_for_everybody(), is_for_everybody, "{dialect}");
        assert!(group.found_by().is_none(), "{dialect}: no crawler");
        assert_eq!(group.position(), robots.position(places.start()), "{dialect}");
        found.push(places);
    }
    // No published dialect reads lists, so each line has one agent.
    let expected = if super::allows_all(robots) { Vec::new() } else { formed(seen, &dialect) };
    assert_eq!(found, expected, "{dialect}");
    if !super::allows_all(robots) {
        records(robots, seen, &found);
    }
}

/// Positions of the agents and rules of a group.
#[derive(Debug, Default, PartialEq)]
struct Group {
    agents: Vec<Span>,
    rules: Vec<(RuleKind, Span)>,
}

impl Group {
    /// Start of its first agent, or of its first rule.
    fn start(&self) -> usize {
        let first = self.agents.first().or(self.rules.first().map(|(_, rule)| rule));
        first.expect("a group has an agent or a rule").start
    }
}

/// Forms groups again (REP-AGENT-10 to REP-AGENT-14).
fn formed(seen: &Seen, dialect: &Dialect) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let (mut is_inside, mut is_open, mut has_agents) = (false, false, false);
    for line in &seen.layout {
        match *line {
            Layout::Agent(agent) => {
                if !is_open {
                    groups.push(Group::default());
                }
                groups.last_mut().expect("an open group").agents.push(agent);
                (is_inside, is_open, has_agents) = (true, true, true);
            }
            Layout::Rule(kind, rule) => {
                // REP-AMB-28: Perl applies a rule before the first agent to everybody.
                if !is_inside && !has_agents && dialect.orphan_rules == OrphanRules::ForEverybody {
                    groups.push(Group::default());
                    is_inside = true;
                }
                if is_inside {
                    groups.last_mut().expect("the group").rules.push((kind, rule));
                    is_open = false;
                }
            }
            // REP-AMB-3.
            Layout::Blank if dialect.blank_line_ends_group => (is_inside, is_open) = (false, false),
            Layout::Blank => {}
        }
    }
    groups
}

fn records(robots: &Robots, seen: &Seen, groups: &[Group]) {
    let dialect = robots.dialect();
    let mut places = Vec::new();
    for record in robots.records() {
        let text = robots.text();
        assert_eq!(&text[record.span().range()], record.value(), "{dialect}");
        assert_eq!(&text[record.key_span().range()], record.key(), "{dialect}");
        assert_eq!(record.position(), robots.position(record.span().start), "{dialect}");
        places.push((record.key_span(), record.span()));

        let at = record.key_span().start;
        let is_before_agents = seen.agents.first().is_none_or(|agent| at < agent.start);
        assert_eq!(record.is_before_agents(), is_before_agents, "{dialect}");
        if let Some(group) = record.group() {
            // After the group's first agent, before the next group's.
            assert!(groups[group].start() < at, "{dialect}: before its group");
            let next = groups.get(group + 1).map_or(usize::MAX, Group::start);
            assert!(at < next, "{dialect}: after its group");
        } else {
            assert!(is_before_agents || dialect.blank_line_ends_group, "{dialect}: in no group");
        }
    }
    assert_eq!(places, seen.records, "{dialect}");
}

/// Spans that must be in file order.
struct Order<'t> {
    text: &'t [u8],
    at: usize,
}

impl Order<'_> {
    fn next(&mut self, span: Span, bytes: &[u8]) -> Span {
        assert_eq!(self.text.get(span.range()), Some(bytes), "{span:?}");
        assert!(self.at <= span.start, "{span:?} is before {}", self.at);
        self.at = span.end;
        span
    }
}
