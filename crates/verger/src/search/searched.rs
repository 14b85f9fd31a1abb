//! A text that many literals are looked for in: whoever makes the search of each one dear pays for an index once.

use super::blockwise::{self, Turns};
use super::linear::{find_linearly, find_octet, is_octet};
use super::suffixes::{Suffixes, sorted};

/// A text, and what is known of it.
#[derive(Debug)]
pub(crate) struct Searched<'t> {
    text: &'t [u8],
    /// Turns that searches have taken.
    turns: usize,
    /// Where its suffixes are sorted, once it pays. Without it every search is one by itself.
    room: Option<&'t mut Option<Suffixes>>,
}

/// Octets from which on a text has room for an index. In shorter ones no literal is dear enough.
const LONG: usize = 1024;

/// Turns that searches take for each octet of the text before its suffixes are sorted, which takes about as long.
const TURNS_BEFORE_SORTING: usize = 24;

/// Places that are looked at one by one before any search has begun.
const FEW: usize = 16;

/// How many octets a linear search looks at in the time of a turn.
const OCTETS_OF_TURN: usize = 2;

/// Asks about a text in which many literals may be looked for.
#[inline]
pub(crate) fn with_room<T>(text: &[u8], ask: impl FnOnce(Searched<'_>) -> T) -> T {
    if text.len() < LONG { ask(Searched::new(text)) } else { with_own_room(text, ask) }
}

/// A function of its own, so that only long texts pay for a large frame.
#[inline(never)]
fn with_own_room<T>(text: &[u8], ask: impl FnOnce(Searched<'_>) -> T) -> T {
    let mut room = None;
    ask(Searched { room: Some(&mut room), ..Searched::new(text) })
}

impl<'t> Searched<'t> {
    /// A text in which few literals are looked for.
    #[inline]
    pub(crate) const fn new(text: &'t [u8]) -> Self {
        Self { text, turns: 0, room: None }
    }

    /// The text.
    #[inline]
    pub(crate) const fn text(&self) -> &'t [u8] {
        self.text
    }

    /// What follows the first occurrence of a literal in a rest of the text.
    ///
    /// # Complexity
    ///
    /// O(rest + literal) octets. Of many searches in one text, those that together cost as much as sorting its suffixes
    /// are made as ever; each further one costs O(literal x log text), a look at each occurrence, and some blocks.
    pub(crate) fn behind(&mut self, rest: &'t [u8], literal: &[u8]) -> Option<&'t [u8]> {
        self.find(rest, literal).map(|start| &rest[start + literal.len()..])
    }

    /// Where a literal first occurs in a rest of the text.
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
                // What begins or ends behind the octets that were sorted.
                let behind = (sorted(text).len() + 1).saturating_sub(before + literal.len());
                let from = from.max(behind);
                find_behind(&rest[from..], literal).map(|start| from + start)
            })
        })
    }

    /// The index, if it pays.
    fn suffixes(&mut self) -> Option<&Suffixes> {
        let room = self.room.as_deref_mut()?;
        if room.is_none() && self.turns > TURNS_BEFORE_SORTING * sorted(self.text).len() {
            room.insert(Suffixes::new()).sort(self.text);
        }
        room.as_ref()
    }
}

/// Where a literal first occurs in what an index leaves of a text, mostly little: a URL of 8 KiB has hardly an octet
/// more than are sorted, unless its normal form is longer.
fn find_behind(rest: &[u8], literal: &[u8]) -> Option<usize> {
    if rest.len() < literal.len() + FEW {
        rest.windows(literal.len()).position(|window| window == literal)
    } else {
        find_unaided(rest, literal)
    }
}

/// Where a literal first occurs in a text of which nothing is known.
///
/// # Complexity
///
/// O(text + literal) octets. All that asks for more than one literal says how often it searches; what a search
/// costs stands here.
pub(super) fn find_unaided(text: &[u8], literal: &[u8]) -> Option<usize> {
    Searched::new(text).find(text, literal)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks for a literal with an index and without, in rests of the text.
    #[track_caller]
    fn check(text: &[u8], literal: &[u8]) {
        for turns in [0, usize::MAX / 2] {
            with_room(text, |mut searched| {
                searched.turns = turns;
                for place in (0..text.len()).step_by(501) {
                    let rest = &searched.text()[place..];
                    let behind =
                        find_unaided(rest, literal).map(|start| &rest[start + literal.len()..]);
                    assert_eq!(searched.behind(rest, literal), behind, "{literal:?} from {place}");
                }
            });
        }
    }

    /// Nearly the literal again and again, and here and there the literal.
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

    /// A literal stands near the start, and is looked for from far behind what is sorted.
    #[test]
    fn an_index_finds_nothing_before_a_rest_that_begins_far_behind_it() {
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
                let behind =
                    find_unaided(rest, literal).map(|start| &rest[start + literal.len()..]);
                assert_eq!(searched.behind(rest, literal), behind, "from {place}");
            }
        });
    }

    #[test]
    fn an_index_is_made_when_searches_were_dear() {
        let literal = [b'a'; 24];
        let text = [&literal[1..], b"b"].concat().repeat(if cfg!(miri) { 43 } else { 342 });
        with_room(&text, |mut searched| {
            assert!(searched.suffixes().is_none());
            searched.behind(searched.text(), &literal);
            assert!(searched.turns > 0 && searched.suffixes().is_none());
            searched.turns = usize::MAX / 2;
            searched.behind(searched.text(), &literal);
            assert!(searched.suffixes().is_some());
        });
    }

    #[test]
    fn a_short_text_has_no_room() {
        with_room(&[b'a'; LONG - 1], |mut searched| {
            searched.turns = usize::MAX;
            assert!(searched.suffixes().is_none());
        });
    }
}
