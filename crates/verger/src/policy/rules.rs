//! From the rules of a robots.txt to what is compiled: patterns in normal form, cut at their operators.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::explanation::Explanation;
use crate::dialect::{Dialect, Precedence};
use crate::parse::RuleKind;
use crate::pattern::Pattern;
use crate::robots::{Robots, Rule, Selected};
use crate::rule::{directory_of, empty_rule_allows};
use crate::span::narrow;
use crate::text::Text;

/// The rules of the groups that apply, as they will be asked.
#[derive(Debug)]
pub(super) struct Rules<'r> {
    pub(super) items: Vec<Item<'r>>,
    /// The literals of all patterns with wildcards, one pattern behind the other.
    literals: Vec<Cow<'r, [u8]>>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct Item<'r> {
    /// What the target has to begin with, in normal form.
    pub(super) prefix: Cow<'r, [u8]>,
    pub(super) shape: Shape,
    pub(super) rank: Rank,
}

/// What has to follow the prefix.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Anything.
    Open,
    /// Nothing.
    Exact,
    /// Literals, with anything in between.
    Wild(Wild),
}

/// Literals in their order; the last one stands at the very end, if `anchored`. There is at least one, and
/// none is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wild {
    /// Where they begin among the literals of all rules, and where they end.
    first: u32,
    end: u32,
    pub(super) anchored: bool,
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

/// Reads the rules of the groups that apply: what is asked, and what is told of it.
pub(super) fn read<'r>(robots: &'r Robots, selected: &[Selected]) -> (Rules<'r>, Vec<u8>) {
    let dialect = robots.dialect();
    let groups = || selected.iter().map(|&chosen| robots.group(chosen));
    let count = groups().map(|group| group.rules().len()).sum();
    let mut rules = Rules { items: Vec::with_capacity(count), literals: Vec::new() };
    let mut explanation = Explanation::of(groups(), count);
    for (at, group) in groups().enumerate() {
        for rule in group.rules() {
            let before = rules.items.len();
            rules.add(&rule, &dialect);
            if rules.items.len() > before {
                explanation.add(&rule, at);
            }
        }
    }
    (rules, explanation.finish())
}

impl<'r> Rules<'r> {
    /// What one line asks: nothing, a pattern, or an index page and its directory.
    fn add(&mut self, rule: &Rule<'r>, dialect: &Dialect) {
        let (kind, raw, line) = (rule.kind(), rule.pattern(), rule.line());
        let allows = kind == RuleKind::Allow;
        if raw.is_empty() {
            let rank = |allows| Rank { length: 0, allows, line };
            let item = |rank| Item { prefix: Cow::Borrowed(&[][..]), shape: Shape::Open, rank };
            self.items.extend(empty_rule_allows(kind, dialect).map(rank).map(item));
            return;
        }
        self.add_pattern(Pattern::new(raw, dialect), allows, line);
        if let Some(directory) = directory_of(kind, raw, dialect) {
            self.add_pattern(directory, allows, line);
        }
    }

    fn add_pattern(&mut self, pattern: Pattern<'r>, allows: bool, line: u32) {
        let Some(prefix) = pattern.plain() else {
            return self.add_with_operators(pattern, allows, line);
        };
        let is_exact = pattern.is_anchored();
        let length = prefix.len() as u64 + u64::from(is_exact);
        self.items.push(Item {
            prefix: Cow::Borrowed(prefix),
            shape: if is_exact { Shape::Exact } else { Shape::Open },
            rank: Rank { length, allows, line },
        });
    }

    #[inline(never)]
    fn add_with_operators(&mut self, pattern: Pattern<'r>, allows: bool, line: u32) {
        let mut texts = pattern.literals();
        let prefix = texts.next().map(in_normal_form).unwrap_or_default();
        let first = self.literals.len();
        let (mut length, mut ends_with_star) = (prefix.len(), false);
        for literal in texts.map(in_normal_form) {
            length += 1 + literal.len();
            ends_with_star = literal.is_empty();
            if !ends_with_star {
                self.literals.push(literal);
            }
        }
        let is_anchored = pattern.is_anchored();
        length += usize::from(is_anchored);
        let (first, end) = (narrow(first), narrow(self.literals.len()));
        // What ends with a star takes whatever comes, to the end or not.
        let anchored = is_anchored && !ends_with_star;
        let shape = match (first == end, anchored) {
            (true, true) => Shape::Exact,
            (true, false) => Shape::Open,
            (false, anchored) => Shape::Wild(Wild { first, end, anchored }),
        };
        let rank = Rank { length: length as u64, allows, line };
        self.items.push(Item { prefix, shape, rank });
    }

    pub(super) fn literals(&self, of: Wild) -> &[Cow<'r, [u8]>] {
        &self.literals[of.first as usize..of.end as usize]
    }
}

#[inline]
fn in_normal_form(text: Text<'_>) -> Cow<'_, [u8]> {
    match text {
        Text::Normal(text) => Cow::Borrowed(text),
        Text::Read(octets) => Cow::Owned(octets.collect()),
    }
}
