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

// An offset into a literal has two bytes.
const _: () = assert!(LONGEST <= 1 << u16::BITS);

/// Octets that may be compared with each block, on average, and for how many blocks beforehand. With more the
/// linear search is faster.
const TURNS: usize = 16;
const BLOCKS_BEFOREHAND: usize = 2;

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

/// Whether a text is so long, and a literal so short, that it pays to begin.
pub(super) const fn is_for(text: &[u8], literal: &[u8]) -> bool {
    !literal.is_empty() && literal.len() <= LONGEST && text.len() >= literal.len() + 3 * BLOCK
}

/// Looks for a literal in a text that [it is for](is_for).
///
/// # Complexity
///
/// O(text): at most [`TURNS`] octets of the literal are compared with each octet of the text, sixteen or more at
/// a time.
pub(super) fn find(text: &[u8], literal: &[u8]) -> Outcome {
    let mut offsets = [0; LONGEST];
    let (offsets, _) = offsets.split_at_mut(literal.len().min(LONGEST));
    for (place, offset) in offsets.iter_mut().zip(0..) {
        *place = offset;
    }
    // The last octet tells more than the first: literals begin alike.
    offsets.rotate_right(1);
    let last = text.len() - literal.len();
    let (mut start, mut turns) = (0, TURNS * BLOCKS_BEFOREHAND);
    while start <= last {
        // The last block is full too, and looks at some places a second time.
        start = start.min(last + 1 - BLOCK);
        turns += TURNS;
        match find_in_block(&text[start..], literal, offsets, &mut turns) {
            Outcome::Absent => start += BLOCK,
            Outcome::Found(place) => return Outcome::Found(start + place),
            Outcome::GivenUp(place) => return Outcome::GivenUp(start + place),
        }
    }
    Outcome::Absent
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
            return Outcome::GivenUp(0);
        }
        turn = until;
    }
    left.iter().position(|&place| place != 0).map_or(Outcome::Absent, Outcome::Found)
}
