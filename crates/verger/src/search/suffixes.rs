//! An index of a text: its suffixes in order, so that a literal is found by halving.
//!
//! # Flow
//!
//! Suffixes are sorted by their first octets, then those that are equal so far by what follows, twice as much each
//! time (Manber and Myers 1990); those that stand alone stay (Larsson and Sadakane 1999). The suffixes that begin with
//! a literal stand side by side, and the least of them is the first occurrence.
//!
//! Such a search costs nearly the same for all texts and literals, also those that were made to be alike. A table of
//! hashes would be faster to make, and strangers can make collisions.

use core::cmp::Ordering;

/// Octets of a text that are sorted, no more: whoever asks for the index has it on the stack. URLs of 8,000 octets
/// shall work (RFC 9110 section 4.1); of a longer one the rest is searched as ever.
const LONGEST: usize = 8 * 1024;

/// Set in an entry while the run that it begins is new.
const NEW_RUN: u16 = 1 << 15;
const _: () = assert!(LONGEST < NEW_RUN as usize);

/// The suffixes of a text, or of its beginning.
#[derive(Debug)]
pub(super) struct Suffixes {
    /// Where they begin, in their order; what lies behind the length of the text is unused.
    starts: [u16; LONGEST],
}

/// As much of a text as is sorted.
pub(super) fn sorted(text: &[u8]) -> &[u8] {
    &text[..text.len().min(LONGEST)]
}

impl Suffixes {
    /// Nothing is sorted yet.
    pub(super) const fn new() -> Self {
        Self { starts: [0; LONGEST] }
    }

    /// Sorts the suffixes of [as much](sorted) of a text.
    ///
    /// # Complexity
    ///
    /// O(text x log² text) for the octets that are sorted, and as much of the stack as the index takes.
    #[inline(never)]
    pub(super) fn sort(&mut self, text: &[u8]) {
        let text = sorted(text);
        let length = text.len();
        let starts = &mut self.starts[..length];
        for (place, start) in starts.iter_mut().zip(0..) {
            *place = start;
        }
        // Where the run begins that a suffix stands in: all of a run are equal so far.
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
                let (run, behind) = rest.split_at_mut(count);
                if count > 1 {
                    is_sorted = false;
                    // One that has ended stands before those that go on.
                    sort_run(run, |start| runs.get(usize::from(start) + equal).copied());
                    note(run, at, runs);
                }
                rest = behind;
            }
            equal *= 2;
        }
    }

    /// Where a literal first occurs from a place on, in what was [sorted] of the text.
    ///
    /// # Complexity
    ///
    /// O(literal x log text), and a look at each occurrence.
    pub(super) fn find(&self, text: &[u8], literal: &[u8], from: usize) -> Option<usize> {
        let text = sorted(text);
        let starts = &self.starts[..text.len()];
        let wanted = Wanted::new(literal);
        let first = starts.partition_point(|&start| wanted.order(text, start) == Ordering::Less);
        let starts = &starts[first..];
        let is_found = |&start: &u16| wanted.order(text, start) == Ordering::Equal;
        let count =
            starts.first().is_some_and(is_found).then(|| starts.partition_point(is_found))?;
        // Both are less than 2^15, so that places before wrap to the far end, beyond all others.
        let from = u16::try_from(from).ok().filter(|&from| usize::from(from) < LONGEST)?;
        let next =
            starts[..count].iter().fold(u16::MAX, |next, start| next.min(start.wrapping_sub(from)));
        let next = usize::from(next);
        (next < LONGEST).then(|| usize::from(from) + next)
    }
}

/// A literal as suffixes are compared with it.
struct Wanted<'l> {
    literal: &'l [u8],
    /// Its first octets, and which of a suffix they are compared with.
    head: u64,
    mask: u64,
}

impl<'l> Wanted<'l> {
    fn new(literal: &'l [u8]) -> Self {
        let (head, count) = head(literal, 0);
        let mask = if count < HEAD { !(u64::MAX >> (8 * count)) } else { u64::MAX };
        Self { literal, head, mask }
    }

    /// How the octets of a suffix compare with the literal, as many as that has.
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

/// Octets that suffixes are sorted by to begin with.
const HEAD: usize = 8;

/// The first octets of a suffix as a number, and how many there are.
fn head(text: &[u8], start: u16) -> (u64, usize) {
    let rest = &text[usize::from(start)..];
    let mut octets = [0; HEAD];
    let count = rest.len().min(HEAD);
    octets[..count].copy_from_slice(&rest[..count]);
    (u64::from_be_bytes(octets), count)
}

/// Sorts a run by a key, and parts it where the key changes.
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

/// Notes for each suffix of a run that was parted, and begins at a place, which run it is in now.
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

    /// The index and the obvious search, from every place on that is a multiple.
    #[track_caller]
    fn check(suffixes: &Suffixes, text: &[u8], literal: &[u8], step: usize) {
        for from in (0..=text.len()).step_by(step) {
            let naive = (from..text.len()).find(|&at| text[at..].starts_with(literal));
            assert_eq!(suffixes.find(text, literal, from), naive, "{text:?} {literal:?} {from}");
        }
    }

    /// The words over some octets, up to a length.
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
    fn agrees_with_the_obvious_search_on_all_short_texts() {
        let (text_length, literal_length) = if cfg!(miri) { (3, 2) } else { (9, 4) };
        // A text may end where another one goes on with NUL.
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
    fn what_stands_before_a_place_is_not_found_however_far_behind_it_the_place_is() {
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
