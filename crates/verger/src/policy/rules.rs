//! From the rules of a robots.txt to what is compiled: patterns in normal form, cut at their operators.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::code::word_of;
use super::explanation::Explanation;
use crate::dialect::{Dialect, Precedence};
use crate::parse::RuleKind;
use crate::pattern::Pattern;
use crate::percent::is_usual;
use crate::robots::{Outline, RuleEntry, Selected};
use crate::rule::{directory_of, empty_rule_allows};
use crate::span::narrow;
use crate::text::Text;

/// The rules of the groups that apply, as they will be asked.
#[derive(Debug)]
pub(super) struct Rules<'r> {
    pub(super) items: Vec<Item>,
    pub(super) patterns: Patterns<'r>,
}

/// One of them. Many are moved about while a policy is built, so it is small: what few of them have stands
/// elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// Where its prefix begins in the text; of one that is rewritten, its place among these.
    start: u32,
    /// The octets of a prefix in the text.
    length: u32,
    line: u32,
    /// [`ALLOWS`], [`REWRITTEN`], and from [`DETAIL_SHIFT`] on its place among the details, counted from 1; no
    /// place where it is a prefix and nothing more.
    rest: u32,
}

const ALLOWS: u32 = 1;
/// The prefix is not written in normal form.
const REWRITTEN: u32 = 2;
/// Each rule has a line of its own and at least eight bytes of the text, so that a place fits into what is left.
const DETAIL_SHIFT: u32 = 2;

/// What items are made of.
#[derive(Debug)]
pub(super) struct Patterns<'r> {
    text: &'r [u8],
    /// Prefixes in normal form that are written otherwise.
    rewritten: Vec<Vec<u8>>,
    details: Vec<Detail>,
    /// The literals of all patterns with wildcards, one pattern behind the other.
    literals: Vec<Cow<'r, [u8]>>,
}

/// What there is of a pattern beside its prefix.
#[derive(Clone, Copy, Debug)]
struct Detail {
    shape: Shape,
    /// The octets of the whole pattern.
    length: u64,
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

/// Reads the rules of the groups that apply: what is asked, and what is told of it.
pub(super) fn read<'r>(outline: Outline<'r>, groups: &[Selected]) -> (Rules<'r>, Explanation) {
    let count = groups.iter().map(|&group| outline.rules(group).len()).sum();
    let mut rules = Rules {
        items: Vec::with_capacity(count),
        patterns: Patterns {
            text: outline.text,
            rewritten: Vec::new(),
            details: Vec::new(),
            literals: Vec::new(),
        },
    };
    let mut explanation = Explanation::of(outline, groups);
    for (at, &group) in groups.iter().enumerate() {
        for rule in outline.rules(group) {
            let before = rules.items.len();
            rules.add(rule, outline.dialect);
            if rules.items.len() > before {
                explanation.add(outline, rule, at);
            }
        }
    }
    (rules, explanation)
}

impl<'r> Rules<'r> {
    /// What one line asks: nothing, a pattern, or an index page and its directory.
    #[inline]
    fn add(&mut self, rule: &RuleEntry, dialect: &Dialect) {
        let (kind, line, place) = (rule.kind, rule.line, rule.pattern());
        let start = narrow(place.start);
        let item = |allows| Item { start, length: 0, line, rest: u32::from(allows) };
        let allows = kind == RuleKind::Allow;
        let may_widen = allows && dialect.index_html_allows_directory;
        if is_usual(self.patterns.text, place.start, place.len()) && !place.is_empty() && !may_widen
        {
            self.items.push(Item { length: narrow(place.len()), ..item(allows) });
            return;
        }
        let raw = &self.patterns.text[place.range()];
        if raw.is_empty() {
            self.items.extend(empty_rule_allows(kind, dialect).map(item));
            return;
        }
        self.add_pattern(Pattern::new(raw, dialect), item(allows));
        if let Some(directory) = directory_of(kind, raw, dialect) {
            self.add_pattern(directory, item(allows));
        }
    }

    /// Adds an item of which all is known but its pattern, which stands at its start.
    #[inline(never)]
    fn add_pattern(&mut self, pattern: Pattern<'r>, mut item: Item) {
        let patterns = &mut self.patterns;
        let mut texts = pattern.literals();
        let mut length = 0;
        match texts.next() {
            Some(Text::Normal(prefix)) => {
                item.length = narrow(prefix.len());
                length = prefix.len();
            }
            Some(Text::Read(octets)) => {
                let prefix: Vec<u8> = octets.collect();
                item.start = narrow(patterns.rewritten.len());
                item.rest |= REWRITTEN;
                length = prefix.len();
                patterns.rewritten.push(prefix);
            }
            None => {}
        }
        let (prefix_length, first) = (length, patterns.literals.len());
        let mut ends_with_star = false;
        for literal in texts.map(in_normal_form) {
            length += 1 + literal.len();
            ends_with_star = literal.is_empty();
            if !ends_with_star {
                if patterns.literals.capacity() == 0 {
                    patterns.literals.reserve(USUAL_LITERALS);
                }
                patterns.literals.push(literal);
            }
        }
        let is_anchored = pattern.is_anchored();
        length += usize::from(is_anchored);
        let (first, end) = (narrow(first), narrow(patterns.literals.len()));
        // What ends with a star takes whatever comes, to the end or not.
        let anchored = is_anchored && !ends_with_star;
        let shape = match (first == end, anchored) {
            (true, true) => Shape::Exact,
            (true, false) => Shape::Open,
            (false, anchored) => Shape::Wild(Wild { first, end, anchored }),
        };
        if length > prefix_length {
            if patterns.details.capacity() == 0 {
                patterns.details.reserve(USUAL_LITERALS);
            }
            patterns.details.push(Detail { shape, length: length as u64 });
            item.rest |= narrow(patterns.details.len()) << DETAIL_SHIFT;
        }
        self.items.push(item);
    }
}

/// Files with wildcards rarely have more.
const USUAL_LITERALS: usize = 16;

impl<'r> Patterns<'r> {
    /// What the target has to begin with, in normal form.
    #[inline]
    pub(super) fn prefix(&self, item: &Item) -> &[u8] {
        let (text, start, end) = self.place(item);
        &text[start..end]
    }

    /// The text that a prefix stands in, and where.
    #[inline]
    pub(super) fn place(&self, item: &Item) -> (&[u8], usize, usize) {
        if item.rest & REWRITTEN == 0 {
            let start = item.start as usize;
            (self.text, start, start + item.length as usize)
        } else {
            let text = &self.rewritten[item.start as usize];
            (text, 0, text.len())
        }
    }

    /// Eight octets of a prefix from one of them on, the first one the lowest, and its length. What stands behind the
    /// end of the prefix means nothing.
    #[inline]
    pub(super) fn word(&self, item: &Item, from: usize) -> (u64, usize) {
        let (text, start, end) = self.place(item);
        let rest = &text[start + from..];
        (word_of(rest), end - start)
    }

    #[inline]
    fn detail(&self, item: &Item) -> Option<&Detail> {
        self.details.get(((item.rest >> DETAIL_SHIFT) as usize).checked_sub(1)?)
    }

    pub(super) fn shape(&self, item: &Item) -> Shape {
        self.detail(item).map_or(Shape::Open, |detail| detail.shape)
    }

    pub(super) fn rank(&self, item: &Item) -> Rank {
        let length = self.detail(item).map(|detail| detail.length);
        let length = length.unwrap_or_else(|| self.prefix(item).len() as u64);
        Rank { length, allows: item.allows(), line: item.line }
    }

    pub(super) fn literals(&self, of: Wild) -> &[Cow<'r, [u8]>] {
        &self.literals[of.first as usize..of.end as usize]
    }
}

impl Item {
    /// Whether it asks for its prefix and nothing more.
    #[inline]
    pub(super) const fn is_plain(&self) -> bool {
        self.rest >> DETAIL_SHIFT == 0
    }

    #[inline]
    pub(super) const fn allows(&self) -> bool {
        self.rest & ALLOWS != 0
    }

    #[inline]
    pub(super) const fn line(&self) -> u32 {
        self.line
    }
}

#[inline]
fn in_normal_form(text: Text<'_>) -> Cow<'_, [u8]> {
    match text {
        Text::Normal(text) => Cow::Borrowed(text),
        Text::Read(octets) => Cow::Owned(octets.collect()),
    }
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

    /// The line, a flag, and whether it allows, as one number.
    #[inline]
    pub(super) fn number(self, flag: bool) -> u64 {
        u64::from(self.line) << 2 | u64::from(flag) << 1 | u64::from(self.allows)
    }

    /// What a number says of a rule of this length.
    #[inline]
    pub(super) fn of_number(number: u64, length: u64) -> Option<Self> {
        Some(Self { length, allows: number & 1 == 1, line: u32::try_from(number >> 2).ok()? })
    }
}

/// The flag in the number of a rank.
pub(super) const FLAG: u64 = 2;
