//! A search of long texts that no text makes slow: a literal is compared with many places at once.
//!
//! An octet of the literal is compared with a block of the text, shifted by its offset, then the next octet
//! where any place is left. Usually one or two leave none. Which octets tell most depends on the text, so
//! those that ended a block come earlier in the next one: a text that almost holds the literal everywhere
//! costs little more than any other. Searches that look for octets which are rare in most texts, and are not
//! in this one, compare each place by itself. Where nearly every octet is needed for nearly every block, the
//! search is given up: others are better at that.
//!
//! The loops over a block are plain code that compilers turn into vector instructions.

/// Places that are compared at once: eight vectors of 16 octets, as many as fit into registers. Half of it takes
/// half as long again for a text.
const BLOCK: usize = 128;

/// The longest literal. Each octet of it is kept in mind with two bytes; 500 KiB hold no more than 1,500 longer
/// ones, escapes and all.
const LONGEST: usize = 1024;

/// Hardly any literal is longer.
const USUAL: usize = 64;

// An offset into a literal has two bytes.
const _: () = assert!(LONGEST <= 1 << u16::BITS);

/// How many octets may be compared with blocks before others are better at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    beforehand: usize,
    for_each_block: usize,
}

impl Turns {
    /// With more the linear search is faster.
    pub(super) const BEFORE_A_SEARCH: Self = Self { beforehand: 32, for_each_block: 16 };
    /// These take about as long as to ask an index.
    pub(super) const BEFORE_AN_INDEX: Self = Self { beforehand: 40, for_each_block: 0 };
}

/// What has come of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The literal first occurs here.
    Found(usize),
    /// It does not occur.
    Absent,
    /// It does not occur before this place; what follows was not looked at.
    GivenUp(usize),
}

impl Outcome {
    /// Where the literal first occurs, when others look for it in what was not looked at.
    pub(super) fn or_else(self, find: impl FnOnce(usize) -> Option<usize>) -> Option<usize> {
        match self {
            Self::Found(start) => Some(start),
            Self::Absent => None,
            Self::GivenUp(from) => find(from),
        }
    }
}

/// Whether a text is so long, and a literal so short, that it pays to begin.
pub(super) const fn is_for(text: &[u8], literal: &[u8]) -> bool {
    !literal.is_empty() && literal.len() <= LONGEST && text.len() >= literal.len() + 3 * BLOCK
}

/// Looks for a literal in a text that [it is for](is_for), and says how many turns that took.
///
/// # Complexity
///
/// O(text): at most so many octets of the literal are compared with each octet of the text as there are turns for
/// each block, sixteen or more at a time.
pub(super) fn find(text: &[u8], literal: &[u8], turns: Turns) -> (Outcome, usize) {
    // To clear room for the longest takes as long as a dozen turns.
    if literal.len() <= USUAL {
        find_with([0; USUAL], text, literal, turns)
    } else {
        find_with([0; LONGEST], text, literal, turns)
    }
}

#[inline]
fn find_with<const N: usize>(
    mut offsets: [u16; N],
    text: &[u8],
    literal: &[u8],
    turns: Turns,
) -> (Outcome, usize) {
    let (offsets, _) = offsets.split_at_mut(literal.len().min(N));
    for (place, offset) in offsets.iter_mut().zip(0..) {
        *place = offset;
    }
    // The last octet tells more than the first: literals begin alike.
    offsets.rotate_right(1);
    let last = text.len() - literal.len();
    let (mut start, mut granted, mut left) = (0, turns.beforehand, turns.beforehand);
    let outcome = loop {
        if start > last {
            break Outcome::Absent;
        }
        // The last block is full too, and looks at some places a second time.
        start = start.min(last + 1 - BLOCK);
        granted += turns.for_each_block;
        left += turns.for_each_block;
        if left == 0 {
            break Outcome::GivenUp(start);
        }
        match find_in_block(&text[start..], literal, offsets, &mut left) {
            Outcome::Absent => start += BLOCK,
            Outcome::Found(place) => break Outcome::Found(start + place),
            Outcome::GivenUp(place) => break Outcome::GivenUp(start + place),
        }
    };
    (outcome, granted - left)
}

/// Compares the literal with each place of the first block.
#[inline]
fn find_in_block(text: &[u8], literal: &[u8], offsets: &mut [u16], turns: &mut usize) -> Outcome {
    let mut left = [u8::MAX; BLOCK];
    let mut turn = 0;
    while turn < offsets.len() {
        // Where two octets did not suffice, one more seldom does: whether any place is left is asked after two.
        let until = if turn < 2 { turn + 1 } else { offsets.len().min(turn + 2) };
        for &offset in &offsets[turn..until] {
            let offset = usize::from(offset);
            let wanted = literal[offset];
            let Some(shifted) = text[offset..].first_chunk::<BLOCK>() else {
                return Outcome::GivenUp(0);
            };
            for (place, &octet) in left.iter_mut().zip(shifted) {
                *place &= if octet == wanted { u8::MAX } else { 0 };
            }
        }
        if left.iter().fold(0, |any, place| any | place) == 0 {
            // Half the way only: one block may be an exception.
            offsets.swap(until - 1, (until - 1) / 2);
            *turns = turns.saturating_sub(until);
            return Outcome::Absent;
        }
        if until >= *turns {
            *turns = 0;
            return Outcome::GivenUp(0);
        }
        turn = until;
    }
    left.iter().position(|&place| place != 0).map_or(Outcome::Absent, Outcome::Found)
}
