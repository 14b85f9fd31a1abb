//! A text for many searches: if they become expensive, the text gets an index once.

use super::blockwise::{self, Turns};
use super::linear::{find_linearly, find_octet, is_octet};
use super::suffixes::{Suffixes, sorted};

/// A text, and the cost of its searches so far.
#[derive(Debug)]
pub(crate) struct Searched<'t> {
    text: &'t [u8],
    /// Turns used by searches.
    turns: usize,
    /// Room for the sorted suffixes. Without it every search is independent.
    room: Option<&'t mut Option<Suffixes>>,
}

/// Minimum number of octets of a text with room for an index. In shorter texts no search is
/// expensive enough.
const LONG: usize = 1024;

/// Turns for each octet of the text before its suffixes are sorted, which takes about as long.
const TURNS_BEFORE_SORTING: usize = 24;

/// Maximum number of places for a comparison one by one, without the set-up of a search.
const FEW: usize = 16;

/// Number of octets that a linear search reads in the time of a turn.
const OCTETS_OF_TURN: usize = 2;

/// Calls `run` with a text in which many literals may be searched.
#[inline]
pub(crate) fn with_room<T>(text: &[u8], run: impl FnOnce(Searched<'_>) -> T) -> T {
    if text.len() < LONG { run(Searched::new(text)) } else { with_index_room(text, run) }
}

/// A separate function, so that only long texts need a large stack frame.
#[inline(never)]
fn with_index_room<T>(text: &[u8], run: impl FnOnce(Searched<'_>) -> T) -> T {
    let mut room = None;
    run(Searched { room: Some(&mut room), ..Searched::new(text) })
}

impl<'t> Searched<'t> {
    /// A text in which few literals are searched.
    #[inline]
    pub(crate) const fn new(text: &'t [u8]) -> Self {
        Self { text, turns: 0, room: None }
    }

    /// The text.
    #[inline]
    pub(crate) const fn text(&self) -> &'t [u8] {
        self.text
    }

    /// The text after the first occurrence of a literal in a rest of the text.
    ///
    /// # Complexity
    ///
    /// O(rest + literal) octets. For many searches in one text: the first ones, until their cost
    /// equals the cost of sorting its suffixes, as above; each further one O(literal x log text), a
    /// check of each occurrence, and some blocks.
    pub(crate) fn after(&mut self, rest: &'t [u8], literal: &[u8]) -> Option<&'t [u8]> {
        self.find(rest, literal).map(|start| &rest[start + literal.len()..])
    }

    /// The position of the first occurrence of a literal in a rest of the text.
    pub(super) fn find(&mut self, rest: &[u8], literal: &[u8]) -> Option<usize> {
        if is_octet(literal) {
            find_octet(rest, *literal.first()?)
        } else if blockwise::is_for(rest, literal) {
            self.find_blockwise(rest, literal)
        } else {
            find_linearly(rest, literal)
        }
    }

    fn find_blockwise(&mut self, rest: &[u8], literal: &[u8]) -> Option<usize> {
        let text = self.text;
        let Some(suffixes) = self.suffixes() else {
            let (outcome, turns) = blockwise::find(rest, literal, Turns::BEFORE_A_SEARCH);
            self.turns += turns;
            return outcome.or_else(|from| {
                self.turns += (rest.len() - from) / OCTETS_OF_TURN;
                find_linearly(&rest[from..], literal).map(|start| from + start)
            });
        };
        let (outcome, _) = blockwise::find(rest, literal, Turns::BEFORE_AN_INDEX);
        outcome.or_else(|from| {
            let before = text.len() - rest.len();
            let found = suffixes.find(text, literal, before + from);
            found.map(|start| start - before).or_else(|| {
                // Occurrences that begin or end after the sorted octets.
                let after = (sorted(text).len() + 1).saturating_sub(before + literal.len());
                let from = from.max(after);
                find_after_index(&rest[from..], literal).map(|start| from + start)
            })
        })
    }

    /// The index, if the searches were expensive enough.
    fn suffixes(&mut self) -> Option<&Suffixes> {
        let room = self.room.as_deref_mut()?;
        if room.is_none() && self.turns > TURNS_BEFORE_SORTING * sorted(self.text).len() {
            room.insert(Suffixes::new()).sort(self.text);
        }
        room.as_ref()
    }
}

/// The position of the first occurrence of a literal after the indexed octets. This rest is mostly
/// short: a URL of 8 KiB has hardly any, unless its normal form is longer.
fn find_after_index(rest: &[u8], literal: &[u8]) -> Option<usize> {
    if rest.len() < literal.len() + FEW {
        rest.windows(literal.len()).position(|window| window == literal)
    } else {
        find_unaided(rest, literal)
    }
}

/// The position of the first occurrence of a literal in a text without an index.
///
/// # Complexity
///
/// O(text + literal) octets. Functions with more than one search document the number of searches;
/// the cost of a search is documented here.
pub(super) fn find_unaided(text: &[u8], literal: &[u8]) -> Option<usize> {
    Searched::new(text).find(text, literal)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches for a literal with an index and without, in rests of the text.
    #[track_caller]
    fn check(text: &[u8], literal: &[u8]) {
        for turns in [0, usize::MAX / 2] {
            with_room(text, |mut searched| {
                searched.turns = turns;
                for place in (0..text.len()).step_by(501) {
                    let rest = &searched.text()[place..];
                    let after =
                        find_unaided(rest, literal).map(|start| &rest[start + literal.len()..]);
                    assert_eq!(searched.after(rest, literal), after, "{literal:?} from {place}");
                }
            });
        }
    }

    /// A text that nearly repeats the literal, and contains it at some places.
    #[test]
    fn an_index_changes_no_answer() {
        let longest = sorted(&[0; 10_000]).len();
        let lengths = if cfg!(miri) { &[2, 30][..] } else { &[1, 2, 8, 9, 30, 300][..] };
        for &length in lengths {
            let literal = b"a".repeat(length);
            let nearly = [&literal[1..], b"b"].concat();
            let size = if cfg!(miri) { LONG } else { longest + 1_500 };
            let mut text = nearly.repeat(size / length);
            check(&text, &literal);
            for place in [400, text.len() / 2, longest - length, longest - 1, longest + 500] {
                if let Some(room) = text.get_mut(place..place + length) {
                    room.copy_from_slice(&literal);
                }
                check(&text, &literal);
            }
        }
    }

    /// A literal near the start, searched from far after the sorted octets.
    #[test]
    fn an_index_finds_nothing_before_the_start_of_a_search() {
        let literal = [b'a'; 24];
        for size in if cfg!(miri) { [1_100, 1_200] } else { [40_000, 70_000] } {
            let mut text = [&literal[1..], b"b"].concat().repeat(size / 24);
            text[96..120].copy_from_slice(&literal);
            check_from(&text, &literal, [97, size / 2, size * 4 / 5, size - 1_000]);
            text[size * 3 / 4..][..24].copy_from_slice(&literal);
            check_from(&text, &literal, [97, size / 2, size * 4 / 5, size - 1_000]);
        }
    }

    #[track_caller]
    fn check_from(text: &[u8], literal: &[u8], places: [usize; 4]) {
        with_room(text, |mut searched| {
            searched.turns = usize::MAX / 2;
            for place in places {
                let rest = &searched.text()[place..];
                let after = find_unaided(rest, literal).map(|start| &rest[start + literal.len()..]);
                assert_eq!(searched.after(rest, literal), after, "from {place}");
            }
        });
    }

    #[test]
    fn expensive_searches_build_an_index() {
        let literal = [b'a'; 24];
        let text = [&literal[1..], b"b"].concat().repeat(if cfg!(miri) { 43 } else { 342 });
        with_room(&text, |mut searched| {
            assert!(searched.suffixes().is_none());
            searched.after(searched.text(), &literal);
            assert!(searched.turns > 0 && searched.suffixes().is_none());
            searched.turns = usize::MAX / 2;
            searched.after(searched.text(), &literal);
            assert!(searched.suffixes().is_some());
        });
    }

    #[test]
    fn a_short_text_gets_no_index() {
        with_room(&[b'a'; LONG - 1], |mut searched| {
            searched.turns = usize::MAX;
            assert!(searched.suffixes().is_none());
        });
    }
}
