//! An index of a text: its suffixes in order, for binary search of a literal.
//!
//! # Flow
//!
//! Suffixes are sorted by their first octets, then runs of equal ones by the octets after these,
//! each time twice as many (Manber and Myers 1990); suffixes that are alone in their run keep their
//! place (Larsson and Sadakane 1999). The suffixes that begin with a literal are adjacent, and the
//! smallest start is the first occurrence.
//!
//! Such a search costs nearly the same for all texts and literals, also for repetitive ones from an
//! attacker. A hash table would be faster to build, but an attacker can produce collisions.

use core::cmp::Ordering;

/// Maximum number of sorted octets of a text: the index is on the stack. URLs of 8,000 octets
/// should work (RFC 9110 section 4.1); the rest of a longer one is searched without the index.
const LONGEST: usize = 8 * 1024;

/// Set in an entry while the run that begins there is new.
const NEW_RUN: u16 = 1 << 15;
const _: () = assert!(LONGEST < NEW_RUN as usize);

/// The suffixes of a text, or of its beginning.
#[derive(Debug)]
pub(super) struct Suffixes {
    /// Their starts, in their order; entries from the length of the text on are unused.
    starts: [u16; LONGEST],
}

/// The sorted part of a text.
pub(super) fn sorted(text: &[u8]) -> &[u8] {
    &text[..text.len().min(LONGEST)]
}

impl Suffixes {
    /// An index without sorted suffixes.
    pub(super) const fn new() -> Self {
        Self { starts: [0; LONGEST] }
    }

    /// Sorts the suffixes of the [first octets](sorted) of a text.
    ///
    /// # Complexity
    ///
    /// O(text x log² text) for the sorted octets, and a second table on the stack, of the same size
    /// as the index.
    #[inline(never)]
    pub(super) fn sort(&mut self, text: &[u8]) {
        let text = sorted(text);
        let length = text.len();
        let starts = &mut self.starts[..length];
        for (place, start) in starts.iter_mut().zip(0..) {
            *place = start;
        }
        // The start of each suffix's run; all suffixes of a run are equal so far.
        let mut runs = [0; LONGEST];
        let runs = &mut runs[..length];
        sort_run(starts, |start| head(text, start));
        note(starts, 0, runs);
        let (mut equal, mut is_sorted) = (HEAD, false);
        while !is_sorted {
            is_sorted = true;
            let mut rest = &mut *starts;
            while let Some(&first) = rest.first() {
                let at = runs[usize::from(first)];
                let is_of_run = |&&start: &&u16| runs[usize::from(start)] == at;
                let count = rest.iter().take_while(is_of_run).count();
                let (run, after) = rest.split_at_mut(count);
                if count > 1 {
                    is_sorted = false;
                    // A suffix that has ended precedes those that continue.
                    sort_run(run, |start| runs.get(usize::from(start) + equal).copied());
                    note(run, at, runs);
                }
                rest = after;
            }
            equal *= 2;
        }
    }

    /// The position of the first occurrence of a literal from a place on, in the [sorted] part of
    /// the text.
    ///
    /// # Complexity
    ///
    /// O(literal x log text), and a check of each occurrence.
    pub(super) fn find(&self, text: &[u8], literal: &[u8], from: usize) -> Option<usize> {
        let text = sorted(text);
        let starts = &self.starts[..text.len()];
        let wanted = Wanted::new(literal);
        let first = starts.partition_point(|&start| wanted.order(text, start) == Ordering::Less);
        let starts = &starts[first..];
        let is_found = |&start: &u16| wanted.order(text, start) == Ordering::Equal;
        let count =
            starts.first().is_some_and(is_found).then(|| starts.partition_point(is_found))?;
        // Both are less than 2^15, so that places before `from` wrap to large numbers, beyond all
        // others.
        let from = u16::try_from(from).ok().filter(|&from| usize::from(from) < LONGEST)?;
        let next =
            starts[..count].iter().fold(u16::MAX, |next, start| next.min(start.wrapping_sub(from)));
        let next = usize::from(next);
        (next < LONGEST).then(|| usize::from(from) + next)
    }
}

/// A literal, prepared for comparison with suffixes.
struct Wanted<'l> {
    literal: &'l [u8],
    /// Its first octets, and a mask for those of a suffix.
    head: u64,
    mask: u64,
}

impl<'l> Wanted<'l> {
    fn new(literal: &'l [u8]) -> Self {
        let (head, count) = head(literal, 0);
        let mask = if count < HEAD { !(u64::MAX >> (8 * count)) } else { u64::MAX };
        Self { literal, head, mask }
    }

    /// The order of a suffix and the literal, by as many octets as the literal has.
    #[inline]
    fn order(&self, text: &[u8], start: u16) -> Ordering {
        let suffix = text.get(usize::from(start)..).unwrap_or_default();
        if let Some(octets) = suffix.first_chunk() {
            let order = (u64::from_be_bytes(*octets) & self.mask).cmp(&self.head);
            if order != Ordering::Equal || self.literal.len() <= HEAD {
                return order;
            }
        }
        suffix[..suffix.len().min(self.literal.len())].cmp(self.literal)
    }
}

/// Number of octets of the first sort.
const HEAD: usize = 8;

/// The first octets of a suffix as a number, and their count.
fn head(text: &[u8], start: u16) -> (u64, usize) {
    let rest = &text[usize::from(start)..];
    let mut octets = [0; HEAD];
    let count = rest.len().min(HEAD);
    octets[..count].copy_from_slice(&rest[..count]);
    (u64::from_be_bytes(octets), count)
}

/// Sorts a run by a key, and splits it where the key changes.
fn sort_run<K: Ord>(run: &mut [u16], key: impl Fn(u16) -> K) {
    run.sort_unstable_by_key(|&start| key(start));
    let mut before = None;
    for start in run {
        let now = Some(key(*start));
        if now != before {
            *start |= NEW_RUN;
        }
        before = now;
    }
}

/// Records the new run of each suffix of a split run that begins at `at`.
fn note(run: &mut [u16], at: u16, runs: &mut [u16]) {
    let mut new = at;
    for (start, place) in run.iter_mut().zip(at..) {
        if *start & NEW_RUN != 0 {
            *start ^= NEW_RUN;
            new = place;
        }
        runs[usize::from(*start)] = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Compares the index with the naive search, from every multiple of `step` on.
    #[track_caller]
    fn check(suffixes: &Suffixes, text: &[u8], literal: &[u8], step: usize) {
        for from in (0..=text.len()).step_by(step) {
            let naive = (from..text.len()).find(|&at| text[at..].starts_with(literal));
            assert_eq!(suffixes.find(text, literal, from), naive, "{text:?} {literal:?} {from}");
        }
    }

    /// All words of some octets, up to a length.
    fn words(octets: &[u8], longest: u32) -> Vec<Vec<u8>> {
        let word = |length: u32, number: usize| -> Vec<u8> {
            (0..length).map(|at| octets[number / octets.len().pow(at) % octets.len()]).collect()
        };
        (1..=longest)
            .flat_map(|length| {
                (0..octets.len().pow(length)).map(move |number| word(length, number))
            })
            .collect()
    }

    #[test]
    fn agrees_with_the_naive_search_on_all_short_texts() {
        let (text_length, literal_length) = if cfg!(miri) { (3, 2) } else { (9, 4) };
        // A text may end at the position where another one continues with NUL.
        for octets in [b"ab", b"\0\xFF"] {
            for text in words(octets, text_length) {
                let mut suffixes = Suffixes::new();
                suffixes.sort(&text);
                for literal in words(octets, literal_length) {
                    check(&suffixes, &text, &literal, 1);
                }
            }
        }
    }

    /// Suffixes that are equal for long take many rounds.
    #[test]
    fn texts_that_are_hard_to_sort_are_sorted() {
        let length = if cfg!(miri) { 40 } else { 700 };
        for period in [1, 2, 7, 33] {
            let mut text: Vec<u8> = (b'a'..=b'z').cycle().take(period).collect();
            text = text.repeat(length / period + 1);
            for defect in [None, Some(length / 2), Some(length - 1)] {
                if let Some(defect) = defect {
                    text[defect] = b'!';
                }
                let mut suffixes = Suffixes::new();
                suffixes.sort(&text);
                for at in [0, 3, length / 2 - 9, length / 3] {
                    for count in [1, 7, 8, 9, 16, length / 2] {
                        let mut literal = text[at..at + count].to_vec();
                        check(&suffixes, &text, &literal, 13);
                        literal[count - 1] ^= 1;
                        check(&suffixes, &text, &literal, 13);
                    }
                }
            }
        }
    }

    #[test]
    fn occurrences_before_the_start_of_a_search_are_not_found() {
        let mut text = b"needle".to_vec();
        text.resize(if cfg!(miri) { 100 } else { 70_000 }, b'a');
        let mut suffixes = Suffixes::new();
        suffixes.sort(&text);
        for from in [1, 7, 8_191, 8_192, 32_767, 32_768, 40_000, 65_535, 65_536, 69_000] {
            assert_eq!(suffixes.find(&text, b"needle", from), None, "from {from}");
        }
        assert_eq!(suffixes.find(&text, b"needle", 0), Some(0));
        assert_eq!(suffixes.find(&text, b"aaa", 9), Some(9));
    }

    #[test]
    fn nothing_is_in_an_empty_text() {
        let mut suffixes = Suffixes::new();
        suffixes.sort(b"");
        assert_eq!(suffixes.find(b"", b"a", 0), None);
    }
}
