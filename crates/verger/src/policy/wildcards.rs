//! Lists of patterns with wildcards at one node of the tree: all begin with the same prefix.
//!
//! # Layout
//!
//! A list begins with the number of its entries. Up to [`SCANNED`] entries are scanned, best first:
//! each has a [`Mask`] of its required octets, the number of its bytes, and the entry. Longer lists
//! have an index.
//!
//! An entry is its rank, a flag for a last literal at the end of the target, and the literals, each
//! after its length.
//!
//! # Index
//!
//! An index is a table of four adjacent octets that each entry requires.
//!
//! First come the number of the entries without four adjacent octets, and these entries, as in a
//! list without an index. Then a byte: the number of buckets as a power of two in its low half, and
//! the width of offsets in the other. Then the offset of each bucket, and the end of the last one.
//! Then the buckets: for each entry its four octets, its length, and the entry.
//!
//! A target is read once. Each place with the four octets of an entry selects this entry. The
//! second visit to a bucket selects all its entries; further visits select none.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::rules::{FLAG, Rank};
use crate::compact::{Backwards, Reader, fixed, width_for};
use crate::dialect::Precedence;
use crate::search::{Searched, with_room};

/// Maximum number of entries of a list without an index. Scanning an entry takes about a
/// nanosecond, searching the index two for each octet of the target.
const SCANNED: usize = 64;

/// A pattern to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct WildcardEntry<'a> {
    mask: Mask,
    literals: &'a [Cow<'a, [u8]>],
    anchored: bool,
    rank: Rank,
}

/// Writes a list of patterns whose prefix has `depth` octets, after its length. Removes `entries`
/// that can never decide.
pub(super) fn write(
    entries: &mut Vec<WildcardEntry<'_>>,
    depth: usize,
    precedence: Precedence,
    out: &mut Backwards,
) {
    retain_best(entries, precedence);
    let end = out.len();
    if entries.len() > SCANNED {
        write_indexed(entries, depth, out);
    } else {
        entries.iter().rev().for_each(|entry| entry.write_masked(depth, out));
    }
    out.number(entries.len() as u64);
    out.number((out.len() - end) as u64);
}

/// Maximum number of entries that are compared in pairs, which is faster than sorting them twice.
const COMPARED: usize = 16;

/// Removes all but the best of equal patterns, and sorts the rest, best first.
fn retain_best(entries: &mut Vec<WildcardEntry<'_>>, precedence: Precedence) {
    if entries.len() > COMPARED {
        entries.sort_unstable_by(|left, right| {
            left.pattern().cmp(&right.pattern()).then(right.rank.cmp(left.rank, precedence))
        });
        entries.dedup_by_key(|entry| entry.pattern());
        entries.sort_unstable_by(|left, right| right.rank.cmp(left.rank, precedence));
        return;
    }
    let mut count = 0;
    for at in 0..entries.len() {
        let entry = entries[at];
        let mut others = entries[..count].iter_mut();
        if let Some(alike) = others.find(|other| other.pattern() == entry.pattern()) {
            if entry.rank.cmp(alike.rank, precedence) == Ordering::Greater {
                alike.rank = entry.rank;
            }
        } else {
            entries[count] = entry;
            count += 1;
        }
    }
    entries.truncate(count);
    entries.sort_unstable_by(|left, right| right.rank.cmp(left.rank, precedence));
}

impl<'a> WildcardEntry<'a> {
    pub(super) fn new(literals: &'a [Cow<'a, [u8]>], anchored: bool, rank: Rank) -> Self {
        let mask = literals.iter().fold(Mask::default(), |mask, it| mask.with(it));
        Self { mask, literals, anchored, rank }
    }

    /// The pattern after the prefix. Most patterns differ in their masks.
    const fn pattern(&self) -> (u64, &'a [Cow<'a, [u8]>], bool) {
        (self.mask.0, self.literals, self.anchored)
    }

    /// Writes the entry after its mask and its length.
    fn write_masked(&self, depth: usize, out: &mut Backwards) {
        self.write_sized(depth, out);
        out.text(&self.mask.0.to_le_bytes());
    }

    /// Writes the entry after its length.
    fn write_sized(&self, depth: usize, out: &mut Backwards) {
        let end = out.len();
        for literal in self.literals.iter().rev() {
            out.text(literal);
            out.number(literal.len() as u64);
        }
        out.number(self.rank.length - depth as u64);
        out.number(self.rank.number(self.anchored));
        out.number((out.len() - end) as u64);
    }
}

/// The octets of a text, in 64 classes. Letters have one class each, because they distinguish texts
/// best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mask(u64);

impl Mask {
    #[inline]
    fn with(self, text: &[u8]) -> Self {
        let class = |octet: &u8| 1 << CLASSES[usize::from(*octet)];
        Self(text.iter().map(class).fold(self.0, |mask, bit: u64| mask | bit))
    }

    /// Whether a text has all required octets.
    #[inline]
    fn has(self, needed: Self) -> bool {
        needed.0 & !self.0 == 0
    }
}

/// The class of each octet: lower-case letters from 0 and frequent marks from 26, one each; digits
/// from 40 and upper-case letters from 45, in pairs; all others in 63.
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

/// A target, with its mask and the cost of searches in it.
#[derive(Debug)]
pub(super) struct IndexedTarget<'a> {
    searched: Searched<'a>,
    mask: Option<Mask>,
}

impl IndexedTarget<'_> {
    /// The best of `best` and the entries of a list that match after the first `at` octets.
    ///
    /// # Complexity
    ///
    /// The search for the literals of each entry that can still win ([`Searched::after`]); with an
    /// index at most twice that.
    pub(super) fn best_of(
        &mut self,
        list: &[u8],
        at: usize,
        best: Option<Rank>,
        precedence: Precedence,
    ) -> Option<Rank> {
        let rest = self.searched.text().get(at..).unwrap_or_default();
        let mut search = IndexSearch { rest, at, best, precedence };
        let mut reader = Reader::new(list);
        if let Some(count) = reader.size() {
            // If a list cannot be read to its end, the entries read so far count.
            let _ = if count > SCANNED {
                find_indexed(reader, self, &mut search)
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

/// Calls `run` with a target.
#[inline]
pub(super) fn with_target<T>(text: &[u8], run: impl FnOnce(IndexedTarget<'_>) -> T) -> T {
    with_room(text, |searched| run(IndexedTarget { searched, mask: None }))
}

/// A search for the best entry.
#[derive(Debug)]
struct IndexSearch<'t> {
    /// The target after the prefix.
    rest: &'t [u8],
    at: usize,
    best: Option<Rank>,
    precedence: Precedence,
}

impl<'t> IndexSearch<'t> {
    /// Compares entries with masks.
    fn scan(
        &mut self,
        reader: &mut Reader<'_>,
        count: usize,
        target: &mut IndexedTarget<'t>,
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

    /// Takes a matching entry that is better than the best so far.
    fn offer(&mut self, mut entry: Reader<'_>, target: &mut IndexedTarget<'t>) -> Option<()> {
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

/// Whether the literals occur in this order, each at its first place after the one before. This is
/// exact (`pattern.rs`).
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
        let Some(after) = target.after(rest, literal) else { return Some(false) };
        if literals.is_empty() {
            return Some(true);
        }
        rest = after;
    }
}

/// Number of adjacent octets in the index.
const GRAM: usize = 4;

/// At most 2^13 buckets, so that their offsets remain in the cache between checks.
const MOST_BITS: u8 = 13;

const BITS: u8 = 0x0f;
const WIDTH_SHIFT: u8 = 4;

/// The last octets of each slot that led to entries are stored, in this power of two of slots: few,
/// since they are cleared for each check.
const SEEN_BITS: u8 = 6;

/// Writes the index and the entries.
fn write_indexed(entries: &[WildcardEntry<'_>], depth: usize, out: &mut Backwards) {
    let bits = bits_for(entries.len());
    let mut load = vec![0_u32; 1 << bits];
    for entry in entries {
        grams(entry).for_each(|gram| load[bucket(gram, bits)] += 1);
    }
    let mut without = Vec::new();
    let mut filed: Vec<(usize, [u8; GRAM], &WildcardEntry<'_>)> = Vec::new();
    for entry in entries {
        // The octets that the fewest entries share.
        match grams(entry).min_by_key(|&gram| load[bucket(gram, bits)]) {
            Some(gram) => filed.push((bucket(gram, bits), gram, entry)),
            None => without.push(entry),
        }
    }
    // Within a bucket the order remains: best first.
    filed.sort_by_key(|&(bucket, ..)| bucket);
    let end = out.len();
    // For each bucket, the number of bytes from its beginning on.
    let mut lengths = vec![0; 1 << bits];
    for &(bucket, gram, entry) in filed.iter().rev() {
        entry.write_sized(depth, out);
        out.text(&gram);
        lengths[bucket] = out.len() - end;
    }
    let all = out.len() - end;
    let width = width_for(all);
    out.fixed(all, width);
    let mut length = 0;
    for own in lengths.into_iter().rev() {
        // An empty bucket begins at the offset of the next one.
        length = length.max(own);
        out.fixed(all - length, width);
    }
    out.byte(bits | (width as u8) << WIDTH_SHIFT);
    without.iter().rev().for_each(|entry| entry.write_masked(depth, out));
    out.number(without.len() as u64);
}

/// Selects all entries that may match.
///
/// # Complexity
///
/// A look-up for each octet of the target; no entry is selected more than twice. Entries without
/// four adjacent octets are compared by their masks.
fn find_indexed<'t>(
    mut reader: Reader<'_>,
    target: &mut IndexedTarget<'t>,
    search: &mut IndexSearch<'t>,
) -> Option<()> {
    let without = reader.size()?;
    search.scan(&mut reader, without, target)?;
    let first = reader.byte()?;
    let (bits, width) = (first & BITS, usize::from(first >> WIDTH_SHIFT));
    if bits > MOST_BITS {
        return None;
    }
    let starts = reader.text(((1_usize << bits) + 1) * width)?;
    let buckets = reader.rest();
    // Forged buckets may overlap; valid ones are read at most twice.
    let mut granted = buckets.len().saturating_mul(2);
    let mut visits = Visits::default();
    let mut seen = [None; 1 << SEEN_BITS];
    for gram in search.rest.windows(GRAM) {
        let gram = [gram[0], gram[1], gram[2], gram[3]];
        let at = bucket(gram, bits);
        let (from, to) = (fixed(starts, at, width)?, fixed(starts, at + 1, width)?);
        if from == to {
            continue;
        }
        // Repeated octets select the same entries again.
        if seen[bucket(gram, SEEN_BITS)].replace(gram) == Some(gram) {
            continue;
        }
        let visit = visits.next(at);
        if visit == Visit::Further {
            continue;
        }
        let bucket = buckets.get(from..to)?;
        granted = granted.checked_sub(bucket.len())?;
        let mut filed = Reader::new(bucket);
        while !filed.is_empty() {
            let (own, entry) = (filed.array()?, filed.sized()?);
            if own == gram || visit == Visit::Second {
                search.offer(Reader::new(entry), target)?;
            }
        }
    }
    Some(())
}

/// Number of visits to the buckets. The first visit selects the entries with the octets, the second
/// visit all entries, whether its octets are the same or not; further visits select none.
struct Visits([u64; VISIT_WORDS]);

/// Two bits for each bucket.
const VISIT_WORDS: usize = (2 << MOST_BITS) / 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    First,
    Second,
    Further,
}

impl Default for Visits {
    fn default() -> Self {
        Self([0; VISIT_WORDS])
    }
}

impl Visits {
    #[inline]
    fn next(&mut self, bucket: usize) -> Visit {
        let (word, shift) = (&mut self.0[bucket / 32], bucket % 32 * 2);
        let before = *word >> shift & 0b11;
        if before == 0 {
            *word |= 0b01 << shift;
            Visit::First
        } else if before == 0b01 {
            *word |= 0b10 << shift;
            Visit::Second
        } else {
            Visit::Further
        }
    }
}

/// Twice as many buckets as entries, up to a limit.
fn bits_for(entries: usize) -> u8 {
    let bits = (entries * 2).next_power_of_two().trailing_zeros();
    u8::try_from(bits).unwrap_or(MOST_BITS).min(MOST_BITS)
}

fn grams<'a>(entry: &'a WildcardEntry<'_>) -> impl Iterator<Item = [u8; GRAM]> + 'a {
    let windows = entry.literals.iter().flat_map(|literal| literal.windows(GRAM));
    windows.map(|gram| [gram[0], gram[1], gram[2], gram[3]])
}

#[inline]
fn bucket(gram: [u8; GRAM], bits: u8) -> usize {
    let mixed = u32::from_le_bytes(gram).wrapping_mul(0x9E37_79B1);
    (mixed >> 16 >> (16 - u32::from(bits))) as usize
}
