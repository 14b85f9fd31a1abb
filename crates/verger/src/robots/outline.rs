//! What stands where in a text: groups, agents and rules, by their places in it.

use alloc::vec::Vec;
use core::ops::Range;

use super::select::Selected;
use crate::dialect::Dialect;
use crate::group::ClosingRecord;
use crate::parse::RuleKind;
use crate::span::{Position, Span, Span32};

/// A text and where things stand in it: what a parsed robots.txt is made of, and what a policy is compiled from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline<'r> {
    pub(crate) text: &'r [u8],
    pub(super) tables: &'r Tables,
    pub(crate) dialect: &'r Dialect,
}

/// Where things stand in a text, in file order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tables {
    pub(super) groups: Vec<GroupEntry>,
    pub(super) agents: Vec<AgentEntry>,
    pub(super) rules: Vec<RuleEntry>,
    /// The agents that are names, sorted by name; equal names in file order. Empty when the file has
    /// few agents or the dialect does not compare whole tokens.
    pub(super) by_name: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupEntry {
    pub(super) first_agent: u32,
    pub(super) first_rule: u32,
    /// The line that opens it.
    pub(super) line: u32,
    /// Whether it is for `*`.
    pub(super) star: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AgentEntry {
    /// The part of the value that names; empty at the value's start for a line that names nobody.
    pub(super) name: Span32,
    pub(super) value: Span32,
    pub(super) group: u32,
    pub(super) kind: AgentKind,
    /// The record across which its line joins the group, where an option would separate them.
    pub(super) across: Option<ClosingRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AgentKind {
    Star,
    Token,
    Nobody,
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
    /// Where a group's agents stand in the table.
    pub(super) fn agents_of(&self, group: u32) -> Range<usize> {
        let next = self.groups.get(group as usize + 1);
        let end = next.map_or(self.agents.len(), |next| next.first_agent as usize);
        self.groups[group as usize].first_agent as usize..end
    }

    /// Where a group's rules stand in the table.
    pub(super) fn rules_of(&self, group: u32) -> Range<usize> {
        let next = self.groups.get(group as usize + 1);
        let end = next.map_or(self.rules.len(), |next| next.first_rule as usize);
        self.groups[group as usize].first_rule as usize..end
    }
}

impl RuleEntry {
    /// The place of the pattern.
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

    /// The line that opens a group.
    pub(crate) fn line(self, group: Selected) -> u32 {
        self.tables.groups[group.group as usize].line
    }

    /// The agent that tells whom a group is for, as written: the one that addresses the crawler.
    pub(crate) fn agent(self, group: Selected) -> Option<&'r [u8]> {
        let first = || self.tables.agents_of(group.group).next();
        let at = group.agent.map(|at| at as usize).or_else(first)?;
        Some(self.bytes(self.tables.agents[at].value))
    }

    pub(super) fn bytes(self, span: Span32) -> &'r [u8] {
        &self.text[Span::from(span).range()]
    }

    /// The position of an offset on a line of this number.
    ///
    /// # Complexity
    ///
    /// Linear in the column.
    #[inline]
    pub(crate) fn position_on(self, line: u32, offset: usize) -> Position {
        let before = &self.text[..offset];
        // Most rules are written so.
        let usual = [&b"\nDisallow: "[..], b"\nAllow: "];
        if let Some(usual) = usual.iter().find(|usual| before.ends_with(usual)) {
            return Position { line: line as usize, column: usual.len() };
        }
        let end = before.iter().rposition(|&octet| matches!(octet, b'\n' | b'\r'));
        let start = end.map_or(0, |end| end + 1);
        Position { line: line as usize, column: offset - start + 1 }
    }
}
