//! What explains a verdict: the groups that apply, and each rule as it is written. No verdict needs it.
//!
//! # Layout
//!
//! The number of groups, and for each the line it begins on and the agent it is for: nothing, or the length
//! plus one and the text. Then each rule, in the order of their lines: how many lines behind the one before
//! and whether it is an `Allow`, the column, how many bytes behind the one before, the group, and the pattern
//! behind its length.

use alloc::vec::Vec;

use super::code::{Reader, push_number};
use super::rules::{Told, ToldGroup};
use crate::parse::RuleKind;
use crate::span::{Position, Span};

/// A rule as it is read again, with its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RuleRead<'a> {
    pub(super) kind: RuleKind,
    pub(super) pattern: &'a [u8],
    pub(super) position: Position,
    pub(super) span: Span,
    pub(super) group: Option<ToldGroup<'a>>,
}

pub(super) fn write(told: &Told<'_>) -> Vec<u8> {
    // A group has two numbers, a rule five, few of them longer than two bytes.
    let agents = told.groups.iter().map(|group| group.agent.map_or(0, <[u8]>::len) + 8);
    let rules = told.rules.iter().map(|rule| rule.pattern.len() + 8);
    let mut story = Vec::with_capacity(agents.chain(rules).sum());
    push_number(&mut story, told.groups.len() as u64);
    for group in &told.groups {
        push_number(&mut story, u64::from(group.line));
        push_number(&mut story, group.agent.map_or(0, |agent| agent.len() as u64 + 1));
        story.extend(group.agent.unwrap_or_default());
    }
    let (mut line, mut offset) = (0, 0);
    for rule in &told.rules {
        let allow = u64::from(rule.kind == RuleKind::Allow);
        push_number(&mut story, ((rule.position.line - line) as u64) << 1 | allow);
        push_number(&mut story, rule.position.column as u64);
        push_number(&mut story, (rule.offset - offset) as u64);
        push_number(&mut story, rule.group as u64);
        push_number(&mut story, rule.pattern.len() as u64);
        story.extend(rule.pattern);
        (line, offset) = (rule.position.line, rule.offset);
    }
    story
}

/// The first of the groups that apply.
pub(super) fn first_group(story: &[u8]) -> Option<ToldGroup<'_>> {
    let mut reader = Reader::new(story);
    let count = reader.size()?;
    (count > 0).then(|| read_group(&mut reader))?
}

/// The rule on a line.
///
/// # Complexity
///
/// Linear in the rules before it.
pub(super) fn rule(story: &[u8], wanted: u32) -> Option<RuleRead<'_>> {
    let mut reader = Reader::new(story);
    let groups = reader.size()?;
    let first = reader;
    for _ in 0..groups {
        read_group(&mut reader)?;
    }
    let (mut line, mut start) = (0_usize, 0_usize);
    while !reader.is_empty() {
        let number = reader.number()?;
        let kind = if number & 1 == 1 { RuleKind::Allow } else { RuleKind::Disallow };
        line = line.checked_add(usize::try_from(number >> 1).ok()?)?;
        let column = reader.size()?;
        start = start.checked_add(reader.size()?)?;
        let group = reader.size()?;
        let pattern = reader.sized()?;
        if line == wanted as usize {
            let span = Span { start, end: start.checked_add(pattern.len())? };
            let position = Position { line, column };
            return Some(RuleRead { kind, pattern, position, span, group: nth(first, group) });
        }
    }
    None
}

fn nth(mut groups: Reader<'_>, wanted: usize) -> Option<ToldGroup<'_>> {
    for _ in 0..wanted {
        read_group(&mut groups)?;
    }
    read_group(&mut groups)
}

fn read_group<'a>(reader: &mut Reader<'a>) -> Option<ToldGroup<'a>> {
    let line = u32::try_from(reader.number()?).ok()?;
    let agent = match reader.size()?.checked_sub(1) {
        Some(length) => Some(reader.text(length)?),
        None => None,
    };
    Some(ToldGroup { agent, line })
}
