//! The explanation inside a policy: the groups that apply, and each rule as written. Verdicts do
//! not depend on it.
//!
//! # Layout
//!
//! The number of groups, and for each the number of its first line and its agent: 0, or the length
//! plus one and the text. Then the rules, in the order of their lines: the difference to the
//! previous line, with a bit for `Allow`; the column; the difference to the previous offset; the
//! group; the length of the pattern; the pattern.

use crate::compact::{Forwards, Reader};
use crate::parse::RuleKind;
use crate::robots::{Outline, Rule, RuleEntry, Selected};

/// A group: the number of its first line, and its agent for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredGroup<'r> {
    pub(crate) agent: Option<&'r [u8]>,
    pub(crate) line: u32,
}

/// An explanation under construction.
#[derive(Debug)]
pub(crate) struct StoredRules {
    pub(crate) bytes: Forwards,
    /// The position of the last rule.
    line: u32,
    offset: usize,
}

impl StoredRules {
    /// Writes the groups that apply; their rules follow.
    pub(crate) fn of(outline: Outline<'_>, groups: &[Selected]) -> Self {
        // Capacity: a rule usually takes at most as many bytes as its line.
        let lines = groups.iter().filter_map(|&group| match outline.rules(group) {
            [first, .., last] => Some(last.pattern().end - first.pattern().start),
            rules => rules.first().map(|only| only.pattern().len()),
        });
        let mut bytes = Forwards::with_capacity(lines.sum::<usize>() + ROOM);
        bytes.number(groups.len() as u64);
        for &group in groups {
            let agent = outline.agent(group);
            bytes.number(u64::from(outline.line(group)));
            bytes.number(agent.map_or(0, |agent| agent.len() as u64 + 1));
            bytes.text(agent.unwrap_or_default());
        }
        Self { bytes, line: 0, offset: 0 }
    }

    /// Writes a rule of the group with this index.
    #[inline]
    pub(crate) fn add(&mut self, outline: Outline<'_>, rule: &RuleEntry, group: usize) {
        let (line, pattern) = (rule.line, rule.pattern());
        let allow = u64::from(rule.kind == RuleKind::Allow);
        self.bytes.numbers([
            u64::from(line - self.line) << 1 | allow,
            outline.position_on(line, pattern.start).column as u64,
            (pattern.start - self.offset) as u64,
            group as u64,
            pattern.len() as u64,
        ]);
        self.bytes.part(outline.text, pattern.start, pattern.len());
        (self.line, self.offset) = (line, pattern.start);
    }
}

/// Capacity for the groups, and for the last rule.
const ROOM: usize = 64;

/// The first of the groups that apply.
pub(crate) fn first_group(explanation: &[u8]) -> Option<StoredGroup<'_>> {
    let mut reader = Reader::new(explanation);
    let count = reader.size()?;
    (count > 0).then(|| read_group(&mut reader))?
}

/// The rule on a line, and its group.
///
/// # Complexity
///
/// Linear in the rules before it.
pub(crate) fn stored_rule(
    explanation: &[u8],
    wanted: u32,
) -> Option<(Rule<'_>, Option<StoredGroup<'_>>)> {
    let mut reader = Reader::new(explanation);
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
            start.checked_add(pattern.len())?;
            return Some((Rule::stored(kind, pattern, start, wanted, column), nth(first, group)));
        }
    }
    None
}

fn nth(mut groups: Reader<'_>, wanted: usize) -> Option<StoredGroup<'_>> {
    for _ in 0..wanted {
        read_group(&mut groups)?;
    }
    read_group(&mut groups)
}

fn read_group<'a>(reader: &mut Reader<'a>) -> Option<StoredGroup<'a>> {
    let line = u32::try_from(reader.number()?).ok()?;
    let agent = match reader.size()?.checked_sub(1) {
        Some(length) => Some(reader.text(length)?),
        None => None,
    };
    Some(StoredGroup { agent, line })
}
