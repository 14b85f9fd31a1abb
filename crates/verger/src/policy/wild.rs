//! Lists of patterns with wildcards that hang at one node of the tree: all begin with the same prefix.
//!
//! # Layout
//!
//! A list begins with the number of its entries. Up to [`SCANNED`] of them are looked through, best first:
//! each has a [`Mask`] of the octets that it cannot do without, the number of its bytes, and the entry. Longer
//! lists have an index (`gram.rs`).
//!
//! An entry is its rank, whether its last literal has to stand at the end, and the literals, each behind its
//! length.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::code::{Backwards, Reader};
use super::gram;
use super::rank::{FLAG, Rank};
use crate::dialect::Precedence;
use crate::search::{Searched, with_room};

/// As many entries are looked through; more have an index. A look costs about a nanosecond, asking the
/// index two for each octet of the target.
pub(super) const SCANNED: usize = 64;

/// A pattern that is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    mask: Mask,
    pub(super) literals: &'a [Cow<'a, [u8]>],
    anchored: bool,
    rank: Rank,
}

/// Writes a list of patterns whose prefix has `depth` octets, behind its length. Only those that can ever
/// decide are left of `entries`.
pub(super) fn write(
    entries: &mut Vec<Entry<'_>>,
    depth: usize,
    precedence: Precedence,
    out: &mut Backwards,
) {
    keep_best(entries, precedence);
    let behind = out.len();
    if entries.len() > SCANNED {
        gram::write(entries, depth, out);
    } else {
        entries.iter().rev().for_each(|entry| entry.write_masked(depth, out));
    }
    out.number(entries.len() as u64);
    out.number((out.len() - behind) as u64);
}

/// So few are compared each with each, which is faster than sorting them twice.
const COMPARED: usize = 16;

/// Leaves the best of those that match alike, best first: the others have no say.
fn keep_best(entries: &mut Vec<Entry<'_>>, precedence: Precedence) {
    if entries.len() > COMPARED {
        entries.sort_unstable_by(|left, right| {
            left.pattern().cmp(&right.pattern()).then(right.rank.cmp(left.rank, precedence))
        });
        entries.dedup_by_key(|entry| entry.pattern());
        entries.sort_unstable_by(|left, right| right.rank.cmp(left.rank, precedence));
        return;
    }
    let mut kept = 0;
    for at in 0..entries.len() {
        let entry = entries[at];
        let mut others = entries[..kept].iter_mut();
        if let Some(alike) = others.find(|other| other.pattern() == entry.pattern()) {
            if entry.rank.cmp(alike.rank, precedence) == Ordering::Greater {
                alike.rank = entry.rank;
            }
        } else {
            entries[kept] = entry;
            kept += 1;
        }
    }
    entries.truncate(kept);
    entries.sort_unstable_by(|left, right| right.rank.cmp(left.rank, precedence));
}

impl<'a> Entry<'a> {
    pub(super) fn new(literals: &'a [Cow<'a, [u8]>], anchored: bool, rank: Rank) -> Self {
        let mask = literals.iter().fold(Mask::default(), |mask, it| mask.with(it));
        Self { mask, literals, anchored, rank }
    }

    /// What it matches, behind the prefix. Most are told apart by their masks.
    const fn pattern(&self) -> (u64, &'a [Cow<'a, [u8]>], bool) {
        (self.mask.0, self.literals, self.anchored)
    }

    /// The entry behind its mask and its length.
    pub(super) fn write_masked(&self, depth: usize, out: &mut Backwards) {
        self.write_sized(depth, out);
        out.text(&self.mask.0.to_le_bytes());
    }

    /// The entry behind its length.
    pub(super) fn write_sized(&self, depth: usize, out: &mut Backwards) {
        let behind = out.len();
        for literal in self.literals.iter().rev() {
            out.text(literal);
            out.number(literal.len() as u64);
        }
        out.number(self.rank.length - depth as u64);
        out.number(self.rank.number(self.anchored));
        out.number((out.len() - behind) as u64);
    }
}

/// Which octets a text has: 64 classes of them. Letters, which tell most, have one each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mask(pub(super) u64);

impl Mask {
    #[inline]
    fn with(self, text: &[u8]) -> Self {
        let class = |octet: &u8| 1 << CLASSES[usize::from(*octet)];
        Self(text.iter().map(class).fold(self.0, |mask, bit: u64| mask | bit))
    }

    /// Whether a text has all that is needed.
    #[inline]
    fn has(self, needed: Self) -> bool {
        needed.0 & !self.0 == 0
    }
}

/// The class of each octet: small letters from 0 and frequent marks from 26, one each; digits from 40 and
/// capitals from 45, in pairs; all others in 63.
const CLASSES: [u8; 256] = {
    let mut classes = [63; 256];
    let (letters, marks) = (b"abcdefghijklmnopqrstuvwxyz", b"/?=&.-_%+,:;~!");
    let mut class = 0;
    while class < 26 {
        let letter = letters[class as usize];
        classes[letter as usize] = class;
        classes[letter.to_ascii_uppercase() as usize] = 45 + class / 2;
        class += 1;
    }
    while class < 40 {
        classes[marks[class as usize - 26] as usize] = class;
        class += 1;
    }
    let mut digit = 0;
    while digit < 10 {
        classes[(b'0' + digit) as usize] = 40 + digit / 2;
        digit += 1;
    }
    classes
};

/// A target, with what has been found out about it.
#[derive(Debug)]
pub(super) struct Target<'a> {
    searched: Searched<'a>,
    mask: Option<Mask>,
}

impl Target<'_> {
    /// The best of what was found already and of the entries of a list that match behind the first `at` octets.
    ///
    /// # Complexity
    ///
    /// For each entry that can still win, the search for its literals ([`Searched::behind`]); with an index twice that
    /// at the worst.
    pub(super) fn best_of(
        &mut self,
        list: &[u8],
        at: usize,
        best: Option<Rank>,
        precedence: Precedence,
    ) -> Option<Rank> {
        let rest = self.searched.text().get(at..).unwrap_or_default();
        let mut search = Search { rest, at, best, precedence };
        let mut reader = Reader::new(list);
        if let Some(count) = reader.size() {
            // A list that cannot be read on has said what it can.
            let _ = if count > SCANNED {
                gram::find(reader, self, &mut search)
            } else {
                search.scan(&mut reader, count, self)
            };
        }
        search.best
    }

    #[inline]
    fn mask(&mut self) -> Mask {
        let text = self.searched.text();
        *self.mask.get_or_insert_with(|| Mask::default().with(text))
    }
}

/// Asks about a target.
#[inline]
pub(super) fn with_target<T>(text: &[u8], ask: impl FnOnce(Target<'_>) -> T) -> T {
    with_room(text, |searched| ask(Target { searched, mask: None }))
}

/// A search for the best entry.
#[derive(Debug)]
pub(super) struct Search<'t> {
    /// The target behind the prefix.
    pub(super) rest: &'t [u8],
    at: usize,
    best: Option<Rank>,
    precedence: Precedence,
}

impl<'t> Search<'t> {
    /// Looks through entries with masks.
    pub(super) fn scan(
        &mut self,
        reader: &mut Reader<'_>,
        count: usize,
        target: &mut Target<'t>,
    ) -> Option<()> {
        let mask = target.mask();
        for _ in 0..count {
            let needed = Mask(u64::from_le_bytes(reader.array()?));
            let entry = reader.sized()?;
            if mask.has(needed) {
                self.offer(Reader::new(entry), target)?;
            }
        }
        Some(())
    }

    /// Takes an entry that is better than the best so far, if it matches.
    pub(super) fn offer(&mut self, mut entry: Reader<'_>, target: &mut Target<'t>) -> Option<()> {
        let number = entry.number()?;
        let length = (self.at as u64).checked_add(entry.number()?)?;
        let rank = Rank::of_number(number, length)?;
        let wins = Rank::best(self.best, rank, self.precedence) == Some(rank);
        if wins && matches(entry, number & FLAG != 0, self.rest, &mut target.searched)? {
            self.best = Some(rank);
        }
        Some(())
    }
}

/// Whether the literals occur in this order, each at its first place behind the one before, which is exact
/// (`pattern.rs`).
fn matches<'t>(
    mut literals: Reader<'_>,
    anchored: bool,
    mut rest: &'t [u8],
    target: &mut Searched<'t>,
) -> Option<bool> {
    loop {
        let literal = literals.sized()?;
        if literals.is_empty() && anchored {
            return Some(rest.ends_with(literal));
        }
        let Some(behind) = target.behind(rest, literal) else { return Some(false) };
        if literals.is_empty() {
            return Some(true);
        }
        rest = behind;
    }
}
