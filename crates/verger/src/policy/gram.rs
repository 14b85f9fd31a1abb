//! An index of long lists of patterns with wildcards: a table of four octets in a row that each of them
//! cannot do without.
//!
//! # Layout
//!
//! First come the entries without four octets in a row, counted, as in a list without an index. Then a byte:
//! the number of buckets as a power of two in its low half, and in the other the bytes that offsets have.
//! Then for each bucket where it begins, and where the last one ends. Then the buckets: for each entry its
//! four octets, its length, and the entry.
//!
//! A target is read once; each place where four octets of it are those of an entry offers this entry. A bucket
//! that is come by again offers all it has, and then nothing more.

use alloc::vec;
use alloc::vec::Vec;

use super::code::{Backwards, Reader, fixed, width_for};
use super::wild::{Entry, Search, Target};

/// Octets in a row that are looked up.
const GRAM: usize = 4;

/// At most 2^13 buckets: their offsets are in the cache when the next target comes.
const MOST_BITS: u8 = 13;

const BITS: u8 = 0x0f;
const WIDTH_SHIFT: u8 = 4;

/// The octets that led to entries last are remembered in as many places, as a power of two: few, since they are
/// cleared for each question.
const SEEN_BITS: u8 = 6;

/// Writes the index and the entries.
pub(super) fn write(entries: &[Entry<'_>], depth: usize, out: &mut Backwards) {
    let bits = bits_for(entries.len());
    let mut load = vec![0_u32; 1 << bits];
    for entry in entries {
        grams(entry).for_each(|gram| load[bucket(gram, bits)] += 1);
    }
    let mut without = Vec::new();
    let mut filed: Vec<(usize, [u8; GRAM], &Entry<'_>)> = Vec::new();
    for entry in entries {
        // The octets that the fewest entries share.
        match grams(entry).min_by_key(|&gram| load[bucket(gram, bits)]) {
            Some(gram) => filed.push((bucket(gram, bits), gram, entry)),
            None => without.push(entry),
        }
    }
    // Within a bucket the best come first, as they were given.
    filed.sort_by_key(|&(bucket, ..)| bucket);
    let behind = out.len();
    // For each bucket, how many bytes there are from where it begins.
    let mut lengths = vec![0; 1 << bits];
    for &(bucket, gram, entry) in filed.iter().rev() {
        entry.write_sized(depth, out);
        out.text(&gram);
        lengths[bucket] = out.len() - behind;
    }
    let all = out.len() - behind;
    let width = width_for(all);
    out.fixed(all, width);
    let mut length = 0;
    for own in lengths.into_iter().rev() {
        // An empty one begins where the next one does.
        length = length.max(own);
        out.fixed(all - length, width);
    }
    out.byte(bits | (width as u8) << WIDTH_SHIFT);
    without.iter().rev().for_each(|entry| entry.write_masked(depth, out));
    out.number(without.len() as u64);
}

/// Offers all entries that may match.
///
/// # Complexity
///
/// A look-up for each octet of the target; no entry is offered more than twice. Entries without four octets in a
/// row are passed by their masks.
pub(super) fn find<'t>(
    mut reader: Reader<'_>,
    target: &mut Target<'t>,
    search: &mut Search<'t>,
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
    // Buckets that somebody made up may overlap; those that were written are walked twice at the most.
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
        // What repeats itself has nothing new to ask.
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

/// How often buckets have been looked into. The first time the entries of one gram are offered, the second time,
/// be it for the same gram or for another one, all; then nothing is left to offer.
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

/// Twice as many buckets as entries, and not too many.
fn bits_for(entries: usize) -> u8 {
    let bits = (entries * 2).next_power_of_two().trailing_zeros();
    u8::try_from(bits).unwrap_or(MOST_BITS).min(MOST_BITS)
}

fn grams<'a>(entry: &'a Entry<'_>) -> impl Iterator<Item = [u8; GRAM]> + 'a {
    let windows = entry.literals.iter().flat_map(|literal| literal.windows(GRAM));
    windows.map(|gram| [gram[0], gram[1], gram[2], gram[3]])
}

#[inline]
fn bucket(gram: [u8; GRAM], bits: u8) -> usize {
    let mixed = u32::from_le_bytes(gram).wrapping_mul(0x9E37_79B1);
    (mixed >> 16 >> (16 - u32::from(bits))) as usize
}
