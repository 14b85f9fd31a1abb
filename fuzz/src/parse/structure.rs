//! Groups, agents, rules, records: in file order, inside the text, at most one for each line.

use verger::{Robots, Span};

use super::events::Seen;

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
            assert!(agent.value().starts_with(agent.name()), "{dialect}");
            assert_eq!(agent.is_star(), agent.name() == b"*", "{dialect}");
            stars += usize::from(agent.is_star());
        }
        for rule in group.rules() {
            places.rules.push(order.next(rule.span(), rule.pattern()));
        }
        let is_for_everybody = stars > 0 || places.agents.is_empty();
        assert_eq!(group.is_for_everybody(), is_for_everybody, "{dialect}");
        assert!(group.found_by().is_none(), "{dialect}: no crawler");
        assert_eq!(group.position(), robots.position(places.start()), "{dialect}");
        found.push(places);
    }
    // No published dialect reads lists, so each line has one agent.
    let agents: Vec<Span> = found.iter().flat_map(|group| group.agents.iter().copied()).collect();
    assert!(super::allows_all(robots) || agents == seen.agents, "{dialect}: {agents:?}");
    if !super::allows_all(robots) {
        records(robots, seen, &found);
    }
}

/// Positions of the agents and rules of a group.
#[derive(Debug, Default, PartialEq)]
struct Group {
    agents: Vec<Span>,
    rules: Vec<Span>,
}

impl Group {
    /// Start of its first agent, or of its first rule.
    fn start(&self) -> usize {
        let first = self.agents.first().or(self.rules.first());
        first.expect("a group has an agent or a rule").start
    }
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
