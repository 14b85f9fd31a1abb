//! From the rules of a robots.txt to what is compiled: patterns in normal form, cut at their operators.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::dialect::{Dialect, EmptyRule, Precedence};
use crate::parse::RuleKind;
use crate::pattern::Pattern;
use crate::robots::{Robots, Selected};
use crate::span::{Lines, Position};
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

/// A rule as the story tells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told<'r> {
    pub(super) kind: RuleKind,
    pub(super) pattern: &'r [u8],
    pub(super) position: Position,
    pub(super) offset: usize,
    /// Which of the groups that apply it stands in.
    pub(super) group: usize,
}

/// Reads the rules of the groups that apply: what is asked, and what is told of it.
pub(super) fn read<'r>(
    robots: &'r Robots,
    selected: &[Selected],
) -> (Vec<Item<'r>>, Vec<Told<'r>>) {
    let dialect = robots.dialect();
    let mut lines = Lines::new(robots.text());
    let (mut items, mut story) = (Vec::new(), Vec::new());
    for (group, &chosen) in selected.iter().enumerate() {
        for rule in robots.group(chosen).rules() {
            let offset = rule.span().start;
            let position = lines.position(offset);
            let line = crate::span::narrow(position.line);
            let (kind, pattern) = (rule.kind(), rule.pattern());
            let before = items.len();
            add(kind, pattern, line, &dialect, &mut items);
            if items.len() > before {
                story.push(Told { kind, pattern, position, offset, group });
            }
        }
    }
    (items, story)
}

/// What one line asks: nothing, a pattern, or an index page and its directory.
fn add<'r>(kind: RuleKind, raw: &'r [u8], line: u32, dialect: &Dialect, items: &mut Vec<Item<'r>>) {
    let allows = kind == RuleKind::Allow;
    if raw.is_empty() {
        // REP-AMB-2.
        let allows = match dialect.empty_rule {
            EmptyRule::Inert => return,
            EmptyRule::Allows => true,
            EmptyRule::MatchesEverything => allows,
        };
        let rank = Rank { length: 0, allows, line };
        items.push(Item { prefix: Cow::Borrowed(b""), shape: Shape::Open, rank });
        return;
    }
    items.push(Item::of(Pattern::new(raw, dialect), allows, line));
    // REP-MATCH-30: never for a disallow.
    if allows
        && dialect.index_html_allows_directory
        && let Some(directory) = Pattern::directory_of_index(raw, dialect)
    {
        items.push(Item::of(directory, allows, line));
    }
}

impl<'r> Item<'r> {
    fn of(pattern: Pattern<'r>, allows: bool, line: u32) -> Self {
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
