//! From the rules of a robots.txt to the compiler's input: patterns in normal form, cut at their
//! operators.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::compact::word_of;
use crate::dialect::{Dialect, Precedence};
use crate::parse::RuleKind;
use crate::pattern::Pattern;
use crate::percent::is_usual;
use crate::robots::{Outline, RuleEntry, Selected};
use crate::rule::{directory_of, empty_rule_allows};
use crate::span::narrow;
use crate::stored_rules::StoredRules;
use crate::text::Text;

/// The rules of the groups that apply.
#[derive(Debug)]
pub(super) struct Rules<'r> {
    pub(super) items: Vec<RuleItem>,
    pub(super) patterns: Patterns<'r>,
}

/// One rule. It is small, because the compiler moves many of them; details that few rules have are
/// stored separately.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleItem {
    /// The offset of its prefix in the text; for a rewritten prefix, its index among these.
    start: u32,
    /// The length of a prefix in the text, in octets.
    length: u32,
    line: u32,
    /// [`ALLOWS`], [`REWRITTEN`], and from [`DETAIL_SHIFT`] on the index of its detail, counted
    /// from 1; 0 for a plain prefix.
    rest: u32,
}

const ALLOWS: u32 = 1;
/// The prefix is not in normal form in the text.
const REWRITTEN: u32 = 2;
/// Each rule has a separate line and at least eight bytes of the text, so that an index fits into
/// the remaining bits.
const DETAIL_SHIFT: u32 = 2;

/// The patterns of the items.
#[derive(Debug)]
pub(super) struct Patterns<'r> {
    text: &'r [u8],
    /// Prefixes that had to be brought into normal form.
    rewritten: Vec<Vec<u8>>,
    details: Vec<Detail>,
    /// The literals of all patterns with wildcards, pattern by pattern.
    literals: Vec<Cow<'r, [u8]>>,
}

/// The properties of a pattern that is more than a prefix.
#[derive(Clone, Copy, Debug)]
struct Detail {
    shape: Shape,
    /// The length of the whole pattern in octets.
    length: u64,
}

/// The required text after the prefix.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Any text.
    Open,
    /// No text.
    Exact,
    /// Literals, with any text between them.
    Wild(Wild),
}

/// Literals in their order; the last one must be at the very end, if `anchored`. There is at least
/// one, and none is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wild {
    /// The range of the literals among those of all rules.
    first: u32,
    end: u32,
    pub(super) anchored: bool,
}

/// Reads the rules of the groups that apply, and their explanation.
pub(super) fn read<'r>(outline: Outline<'r>, groups: &[Selected]) -> (Rules<'r>, StoredRules) {
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
    let mut explanation = StoredRules::of(outline, groups);
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
    /// Adds the patterns of one line: none, one, or an index page and its directory.
    #[inline]
    fn add(&mut self, rule: &RuleEntry, dialect: &Dialect) {
        let (kind, line, place) = (rule.kind, rule.line, rule.pattern());
        let start = narrow(place.start);
        let item = |allows| RuleItem { start, length: 0, line, rest: u32::from(allows) };
        let allows = kind == RuleKind::Allow;
        let may_widen = allows && dialect.index_html_allows_directory;
        if is_usual(self.patterns.text, place.start, place.len()) && !place.is_empty() && !may_widen
        {
            self.items.push(RuleItem { length: narrow(place.len()), ..item(allows) });
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

    /// Adds the pattern of an item; its prefix is at the item's start, unless it is rewritten.
    #[inline(never)]
    fn add_pattern(&mut self, pattern: Pattern<'r>, mut item: RuleItem) {
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
        length += usize::from(pattern.anchored);
        let (first, end) = (narrow(first), narrow(patterns.literals.len()));
        // A pattern that ends with a star matches any end.
        let anchored = pattern.anchored && !ends_with_star;
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

/// Capacity: files with wildcards rarely have more.
const USUAL_LITERALS: usize = 16;

impl<'r> Patterns<'r> {
    /// The required beginning of the target, in normal form.
    #[inline]
    pub(super) fn prefix(&self, item: &RuleItem) -> &[u8] {
        let (text, start, end) = self.place(item);
        &text[start..end]
    }

    /// The text that contains a prefix, and its range there.
    #[inline]
    pub(super) fn place(&self, item: &RuleItem) -> (&[u8], usize, usize) {
        if item.rest & REWRITTEN == 0 {
            let start = item.start as usize;
            (self.text, start, start + item.length as usize)
        } else {
            let text = &self.rewritten[item.start as usize];
            (text, 0, text.len())
        }
    }

    /// Eight octets of a prefix from an offset on, the first one in the lowest byte, and the length
    /// of the prefix. Octets after the end of the prefix are arbitrary.
    #[inline]
    pub(super) fn word(&self, item: &RuleItem, from: usize) -> (u64, usize) {
        let (text, start, end) = self.place(item);
        let rest = &text[start + from..];
        (word_of(rest), end - start)
    }

    #[inline]
    fn detail(&self, item: &RuleItem) -> Option<&Detail> {
        self.details.get(((item.rest >> DETAIL_SHIFT) as usize).checked_sub(1)?)
    }

    pub(super) fn shape(&self, item: &RuleItem) -> Shape {
        self.detail(item).map_or(Shape::Open, |detail| detail.shape)
    }

    pub(super) fn rank(&self, item: &RuleItem) -> Rank {
        let length = self.detail(item).map(|detail| detail.length);
        let length = length.unwrap_or_else(|| self.prefix(item).len() as u64);
        Rank { length, allows: item.allows(), line: item.line }
    }

    pub(super) fn literals(&self, of: Wild) -> &[Cow<'r, [u8]>] {
        &self.literals[of.first as usize..of.end as usize]
    }
}

impl RuleItem {
    /// Whether it is a plain prefix.
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

/// The effect and priority of a matching rule: the greatest by [`Rank::cmp`] decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rank {
    pub(super) length: u64,
    pub(super) allows: bool,
    pub(super) line: u32,
}

impl Rank {
    /// The greater rank decides. Line numbers give the order in the file: no line has two rules.
    pub(super) fn cmp(self, other: Self, precedence: Precedence) -> Ordering {
        let earlier = other.line.cmp(&self.line);
        match precedence {
            Precedence::FirstMatch => earlier,
            Precedence::LongestPattern => {
                (self.length, self.allows).cmp(&(other.length, other.allows)).then(earlier)
            }
        }
    }

    /// The better of two ranks.
    pub(super) fn best(found: Option<Self>, other: Self, precedence: Precedence) -> Option<Self> {
        let is_better = found.is_none_or(|found| other.cmp(found, precedence) == Ordering::Greater);
        if is_better { Some(other) } else { found }
    }

    /// The line, a flag, and whether it allows, as one number.
    #[inline]
    pub(super) fn number(self, flag: bool) -> u64 {
        u64::from(self.line) << 2 | u64::from(flag) << 1 | u64::from(self.allows)
    }

    /// The rank of a number and a length.
    #[inline]
    pub(super) fn of_number(number: u64, length: u64) -> Option<Self> {
        Some(Self { length, allows: number & 1 == 1, line: u32::try_from(number >> 2).ok()? })
    }
}

/// The flag in the number of a rank.
pub(super) const FLAG: u64 = 2;
