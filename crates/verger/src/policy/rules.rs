//! From the rules of a robots.txt to what is compiled: patterns in normal form, cut at their operators.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::dialect::{Dialect, Precedence};
use crate::parse::RuleKind;
use crate::pattern::Pattern;
use crate::robots::{Robots, Selected};
use crate::rule::{directory_of, empty_rule_allows};
use crate::span::{Position, narrow};
use crate::text::Text;

/// A rule of the groups that apply, as it will be asked.
#[derive(Debug)]
pub(super) struct Item<'r> {
    /// What the target has to begin with, in normal form.
    pub(super) prefix: Cow<'r, [u8]>,
    pub(super) shape: Shape<'r>,
    pub(super) rank: Rank,
}

/// What has to follow the prefix.
#[derive(Debug)]
pub(super) enum Shape<'r> {
    /// Anything.
    Open,
    /// Nothing.
    Exact,
    /// These literals in this order, with anything in between; the last one at the very end, if `anchored`.
    /// There is at least one, and none is empty.
    Wild { literals: Vec<Cow<'r, [u8]>>, anchored: bool },
}

/// What a rule says, and which of several that match decides: the greatest by [`Rank::cmp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rank {
    pub(super) length: u64,
    pub(super) allows: bool,
    pub(super) line: u32,
}

impl Rank {
    /// Greater is what decides. Lines stand for the order in the file: no line has two rules.
    pub(super) fn cmp(self, other: Self, precedence: Precedence) -> Ordering {
        let earlier = other.line.cmp(&self.line);
        match precedence {
            Precedence::FirstMatch => earlier,
            Precedence::LongestPattern => {
                (self.length, self.allows).cmp(&(other.length, other.allows)).then(earlier)
            }
        }
    }

    /// The one that decides.
    pub(super) fn best(found: Option<Self>, other: Self, precedence: Precedence) -> Option<Self> {
        let is_better = found.is_none_or(|found| other.cmp(found, precedence) == Ordering::Greater);
        if is_better { Some(other) } else { found }
    }
}

/// What there is to tell of them: the groups that apply, and the rules that are asked.
#[derive(Debug)]
pub(super) struct Told<'r> {
    pub(super) groups: Vec<ToldGroup<'r>>,
    pub(super) rules: Vec<ToldRule<'r>>,
}

/// A group by the line it begins on, and by the agent that tells whom it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ToldGroup<'r> {
    pub(super) agent: Option<&'r [u8]>,
    pub(super) line: u32,
}

/// A rule as it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToldRule<'r> {
    pub(super) kind: RuleKind,
    pub(super) pattern: &'r [u8],
    pub(super) position: Position,
    pub(super) offset: usize,
    /// Which of the groups that apply it stands in.
    pub(super) group: usize,
}

/// Reads the rules of the groups that apply: what is asked, and what is told of it.
pub(super) fn read<'r>(robots: &'r Robots, selected: &[Selected]) -> (Vec<Item<'r>>, Told<'r>) {
    let dialect = robots.dialect();
    let groups = || selected.iter().map(|&chosen| robots.group(chosen));
    let count = groups().map(|group| group.rules().len()).sum();
    let mut items = Vec::with_capacity(count);
    let mut told = Told { groups: Vec::new(), rules: Vec::with_capacity(count) };
    for (at, group) in groups().enumerate() {
        told.groups.push(ToldGroup {
            agent: group.shown_by().map(|agent| agent.value()),
            line: group.line(),
        });
        for rule in group.rules() {
            let (kind, pattern, position) = (rule.kind(), rule.pattern(), rule.position());
            let before = items.len();
            add(kind, pattern, narrow(position.line), &dialect, &mut items);
            if items.len() > before {
                let offset = rule.span().start;
                told.rules.push(ToldRule { kind, pattern, position, offset, group: at });
            }
        }
    }
    (items, told)
}

/// What one line asks: nothing, a pattern, or an index page and its directory.
fn add<'r>(kind: RuleKind, raw: &'r [u8], line: u32, dialect: &Dialect, items: &mut Vec<Item<'r>>) {
    let allows = kind == RuleKind::Allow;
    if raw.is_empty() {
        let rank = |allows| Rank { length: 0, allows, line };
        let item = |rank| Item { prefix: Cow::Borrowed(&[][..]), shape: Shape::Open, rank };
        items.extend(empty_rule_allows(kind, dialect).map(rank).map(item));
        return;
    }
    items.push(Item::of(Pattern::new(raw, dialect), allows, line));
    items.extend(
        directory_of(kind, raw, dialect).map(|directory| Item::of(directory, allows, line)),
    );
}

impl<'r> Item<'r> {
    fn of(pattern: Pattern<'r>, allows: bool, line: u32) -> Self {
        if let Some(prefix) = pattern.plain() {
            let is_exact = pattern.is_anchored();
            let length = prefix.len() as u64 + u64::from(is_exact);
            let shape = if is_exact { Shape::Exact } else { Shape::Open };
            let rank = Rank { length, allows, line };
            return Self { prefix: Cow::Borrowed(prefix), shape, rank };
        }
        Self::with_operators(pattern, allows, line)
    }

    fn with_operators(pattern: Pattern<'r>, allows: bool, line: u32) -> Self {
        let mut texts = pattern.literals();
        let prefix = texts.next().map(written).unwrap_or_default();
        let mut literals = Vec::new();
        let (mut length, mut ends_with_star) = (prefix.len(), false);
        for literal in texts.map(written) {
            length += 1 + literal.len();
            ends_with_star = literal.is_empty();
            if !ends_with_star {
                literals.push(literal);
            }
        }
        let is_anchored = pattern.is_anchored();
        length += usize::from(is_anchored);
        // What ends with a star takes whatever comes, to the end or not.
        let anchored = is_anchored && !ends_with_star;
        let shape = match (literals.is_empty(), anchored) {
            (true, true) => Shape::Exact,
            (true, false) => Shape::Open,
            (false, anchored) => Shape::Wild { literals, anchored },
        };
        Self { prefix, shape, rank: Rank { length: length as u64, allows, line } }
    }
}

fn written(text: Text<'_>) -> Cow<'_, [u8]> {
    match text {
        Text::Normal(text) => Cow::Borrowed(text),
        Text::Read(octets) => Cow::Owned(octets.collect()),
    }
}
