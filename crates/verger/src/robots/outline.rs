//! Positions of groups, agents and rules in a text, and selection of the groups for a crawler (the
//! table before REP-AGENT-20).

use alloc::vec::Vec;
use core::ops::Range;

use crate::agent::addresses;
use crate::crawler::{CrawlerRef, TokenStep};
use crate::dialect::{AgentMatch, Dialect, GroupsTaken};
use crate::group::ClosingRecord;
use crate::parse::RuleKind;
use crate::search::compare_ignoring_case;
use crate::span::{Position, Span, Span32, narrow};

/// A text and the positions of its items: the structure of a parsed robots.txt, and the input of
/// the policy compiler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline<'r> {
    pub(crate) text: &'r [u8],
    pub(super) tables: &'r Tables,
    pub(crate) dialect: &'r Dialect,
}

/// Positions of the items of a text, in file order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tables {
    pub(super) groups: Vec<GroupEntry>,
    pub(super) agents: Vec<AgentEntry>,
    pub(super) rules: Vec<RuleEntry>,
    /// Indices of the agents that are tokens, sorted by name; equal names in file order. Empty if
    /// the file has few agents, or if the dialect does not compare whole tokens.
    pub(super) by_name: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupEntry {
    pub(super) first_agent: u32,
    pub(super) first_rule: u32,
    /// The number of its first line.
    pub(super) line: u32,
    /// Whether it is for `*`.
    pub(super) star: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AgentEntry {
    /// The name within the value; empty, at the start of the value, for a line without a valid
    /// name.
    pub(super) name: Span32,
    pub(super) value: Span32,
    pub(super) group: u32,
    pub(super) kind: AgentKind,
    /// The record between this line and the one before it, if an option would separate them.
    pub(super) across: Option<ClosingRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AgentKind {
    Star,
    Token,
    Unnamed,
}

/// An allow or disallow line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuleEntry {
    pub(super) pattern: Span32,
    /// The number of its line, from 1.
    pub(crate) line: u32,
    pub(crate) kind: RuleKind,
}

impl Tables {
    /// The indices of a group's agents.
    pub(super) fn agents_of(&self, group: u32) -> Range<usize> {
        let next = self.groups.get(group as usize + 1);
        let end = next.map_or(self.agents.len(), |next| next.first_agent as usize);
        self.groups[group as usize].first_agent as usize..end
    }

    /// The indices of a group's rules.
    pub(super) fn rules_of(&self, group: u32) -> Range<usize> {
        let next = self.groups.get(group as usize + 1);
        let end = next.map_or(self.rules.len(), |next| next.first_rule as usize);
        self.groups[group as usize].first_rule as usize..end
    }
}

impl RuleEntry {
    /// The position of the pattern.
    #[inline]
    pub(crate) fn pattern(&self) -> Span {
        self.pattern.into()
    }
}

impl<'r> Outline<'r> {
    /// The rules of a group, in file order.
    pub(crate) fn rules(self, group: Selected) -> &'r [RuleEntry] {
        &self.tables.rules[self.tables.rules_of(group.group)]
    }

    /// The same, with their indices among the rules of the file.
    #[inline]
    pub(crate) fn indexed_rules(
        self,
        group: Selected,
    ) -> impl Iterator<Item = (usize, &'r RuleEntry)> {
        let range = self.tables.rules_of(group.group);
        range.clone().zip(&self.tables.rules[range])
    }

    /// The number of a group's first line.
    pub(crate) fn line(self, group: Selected) -> u32 {
        self.tables.groups[group.group as usize].line
    }

    /// The value of the agent that addresses the crawler, or else of the group's first agent.
    pub(crate) fn agent(self, group: Selected) -> Option<&'r [u8]> {
        let first = || self.tables.agents_of(group.group).next();
        let at = group.agent.map(|at| at as usize).or_else(first)?;
        Some(self.bytes(self.tables.agents[at].value))
    }

    pub(super) fn bytes(self, span: Span32) -> &'r [u8] {
        &self.text[Span::from(span).range()]
    }

    /// The position of an offset on the line with this number.
    ///
    /// # Complexity
    ///
    /// Linear in the column.
    #[inline]
    pub(crate) fn position_on(self, line: u32, offset: usize) -> Position {
        let before = &self.text[..offset];
        // Most rules have this form.
        let usual = [&b"\nDisallow: "[..], b"\nAllow: "];
        if let Some(usual) = usual.iter().find(|usual| before.ends_with(usual)) {
            return Position { line: line as usize, column: usual.len() };
        }
        let end = before.iter().rposition(|&octet| matches!(octet, b'\n' | b'\r'));
        let start = end.map_or(0, |end| end + 1);
        Position { line: line as usize, column: offset - start + 1 }
    }
}

/// A group that applies to a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Selected {
    pub(super) group: u32,
    /// The agent that addresses the crawler; `None` for rules that no user-agent line opens.
    pub(super) agent: Option<u32>,
}

impl Outline<'_> {
    /// The groups that apply to a crawler, in file order.
    ///
    /// It tries the steps in order, and may search the sorted names. For one crawler, `build.rs`
    /// has already skipped the groups that no step names.
    pub(crate) fn select(self, crawler: CrawlerRef<'_>) -> Vec<Selected> {
        self.selection(crawler).1
    }

    /// The groups that apply to a crawler, and the step that names them; `None` for groups for `*`.
    fn selection(self, crawler: CrawlerRef<'_>) -> (Option<TokenStep<'_>>, Vec<Selected>) {
        // The first step that a group names wins: `*` is never merged with it (REP-AGENT-20).
        for step in crawler.steps(self.dialect) {
            let named = self.named(step);
            if !named.is_empty() {
                return (Some(step), named);
            }
        }
        (None, if crawler.ignores_star() { Vec::new() } else { self.star_groups() })
    }

    /// The agents that address a crawler in the groups that apply to it: the number of the group
    /// and the offset of the agent's value, both in ascending order.
    ///
    /// # Complexity
    ///
    /// As the selection, and linear in the agents of these groups.
    pub(crate) fn addressing(self, crawler: CrawlerRef<'_>) -> Vec<(usize, usize)> {
        let (step, selected) = self.selection(crawler);
        let is_addressing = |agent: &&AgentEntry| match step {
            Some(step) => self.names(agent, step),
            None => agent.kind == AgentKind::Star,
        };
        let agents_of = |group: u32| {
            let agents = self.tables.agents[self.tables.agents_of(group)].iter();
            agents
                .filter(is_addressing)
                .map(move |agent| (group as usize, Span::from(agent.value).start))
        };
        selected.iter().flat_map(|group| agents_of(group.group)).collect()
    }

    /// Whether an agent is a name that addresses a token of a step.
    fn names(self, agent: &AgentEntry, step: TokenStep<'_>) -> bool {
        let (name, rule) = (self.bytes(agent.name), self.dialect.agent_match);
        agent.kind == AgentKind::Token
            && step.tokens().any(|token| addresses(name, token.as_bytes(), rule))
    }

    fn named(self, step: TokenStep<'_>) -> Vec<Selected> {
        let taken = self.dialect.named_groups;
        if self.tables.by_name.is_empty() {
            return take(self.agents_where(|agent| self.names(agent, step)), taken);
        }
        debug_assert_eq!(self.dialect.agent_match, AgentMatch::WholeToken, "names are sorted");
        // A union may contain a token several times, and each may be named in every group.
        let mut tokens: Vec<_> = step.tokens().collect();
        tokens.sort_by(|left, right| compare_ignoring_case(left.as_bytes(), right.as_bytes()));
        tokens.dedup_by(|left, right| left.eq_ignore_ascii_case(right));
        let mut found: Vec<_> =
            tokens.into_iter().flat_map(|token| self.indexed(token.as_bytes())).collect();
        // Several tokens of a union may name the same group.
        found.sort_unstable();
        take(found.into_iter(), taken)
    }

    fn star_groups(self) -> Vec<Selected> {
        let groups = (0..).zip(&self.tables.groups).filter(|(_, entry)| entry.star);
        let found = groups.map(|(group, _)| Selected { group, agent: self.star_agent(group) });
        take(found, self.dialect.star_groups)
    }

    fn star_agent(self, group: u32) -> Option<u32> {
        let mut agents = self.tables.agents_of(group);
        let found = agents.find(|&at| self.tables.agents[at].kind == AgentKind::Star);
        found.map(narrow)
    }

    fn agents_where(self, wanted: impl Fn(&AgentEntry) -> bool) -> impl Iterator<Item = Selected> {
        let agents = (0..).zip(&self.tables.agents).filter(move |(_, agent)| wanted(agent));
        agents.map(|(at, agent)| Selected { group: agent.group, agent: Some(at) })
    }

    fn indexed(self, token: &[u8]) -> impl Iterator<Item = Selected> {
        let index = &self.tables.by_name;
        let order = |&at: &u32| {
            compare_ignoring_case(self.bytes(self.tables.agents[at as usize].name), token)
        };
        let from = index.partition_point(|at| order(at).is_lt());
        let length = index[from..].partition_point(|at| order(at).is_eq());
        index[from..from + length]
            .iter()
            .map(|&at| Selected { group: self.tables.agents[at as usize].group, agent: Some(at) })
    }
}

/// Each group once: all of them, or only the first.
fn take(found: impl Iterator<Item = Selected>, taken: GroupsTaken) -> Vec<Selected> {
    let limit = match taken {
        GroupsTaken::All => usize::MAX,
        GroupsTaken::First => 1,
    };
    let mut last = None;
    found
        .filter(|selected| last.replace(selected.group) != Some(selected.group))
        .take(limit)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawler::AsCrawler;
    use crate::{Crawler, Dialect, limits};
    use alloc::format;
    use alloc::string::String;

    /// The selected groups, by number from 0.
    #[track_caller]
    fn check(dialect: Dialect, text: &str, crawler: &(impl AsCrawler + ?Sized), expected: &[u32]) {
        let robots = dialect.parse(text);
        let found: Vec<u32> = robots
            .outline()
            .select(crawler.as_crawler())
            .iter()
            .map(|selected| selected.group)
            .collect();
        assert_eq!(found, expected, "{dialect:?}");
    }

    const THREE: &str = "User-agent: a\nDisallow: /1\n\nUser-agent: *\nDisallow: /2\n\n\
                         User-agent: b\nUser-agent: a\nUser-agent: *\nDisallow: /3\n";

    #[test]
    fn all_groups_that_name_the_token_are_merged_or_the_first_is_taken() {
        check(Dialect::RFC9309, THREE, "A", &[0, 2]);
        check(Dialect::BAIDU, THREE, "A", &[0]);
        check(Dialect::RFC9309, THREE, "c", &[1, 2]);
        check(Dialect::REP2019, THREE, "c", &[1]);
    }

    #[test]
    fn a_chain_takes_the_first_token_that_is_named_and_a_union_all() {
        check(Dialect::RFC9309, THREE, &Crawler::chain(["x", "b", "a"]), &[2]);
        check(Dialect::RFC9309, THREE, &Crawler::union(["x", "b", "a"]), &[0, 2]);
        check(Dialect::RFC9309, THREE, &Crawler::new("x").without_star(), &[]);
    }

    #[test]
    fn many_agents_are_found_by_the_index_as_by_the_scan() {
        let mut text = String::new();
        for at in 0..limits::INDEXED_AGENTS {
            let lines = format!("User-agent: bot{}\nUser-agent: BOT{}\n", at % 40, at % 7);
            text.push_str(&lines);
            text.push_str("Allow: /\n");
        }
        let indexed = Dialect::RFC9309.parse(&text);
        assert!(!indexed.tables.by_name.is_empty());
        let mut scanned = indexed.clone();
        scanned.tables.by_name.clear();
        for crawler in [
            Crawler::new("bot3"),
            Crawler::new("Bot39"),
            Crawler::new("bot"),
            Crawler::new("bot40"),
            Crawler::union(["bot6", "bot1", "none", "BOT6", "bot6"]),
        ] {
            let crawler = crawler.as_crawler();
            assert_eq!(indexed.outline().select(crawler), scanned.outline().select(crawler));
        }
    }

    #[test]
    fn an_empty_name_addresses_an_empty_token_in_google_only() {
        let text = "User-agent: 007\nDisallow: /\n";
        check(Dialect::GOOGLE, text, "", &[0]);
        check(Dialect::RFC9309, "User-agent:\nDisallow: /\n", "", &[]);
    }
}
