//! A search of long texts that no text can make slow: it compares a literal with many places at
//! once.
//!
//! An octet of the literal is compared with a block of the text, shifted by its offset, then the
//! next octet if any place remains. Usually one or two octets exclude all places. The best octets
//! depend on the text, so octets that ended a block are used earlier in the next one: a text that
//! nearly contains the literal everywhere costs little more than any other. Searches for octets
//! that are rare in most texts check each place separately, and are slow in a text where these
//! octets are frequent. If nearly every octet is needed for nearly every block, this search gives
//! up: other searches are faster then.
//!
//! The loops over a block are plain code that compilers turn into vector instructions.

/// Places that are compared at once: eight vectors of 16 octets, as many as fit into registers.
/// With half of it a text takes 1.5 times as long.
const BLOCK: usize = 128;

/// The longest literal. Each octet of it takes two bytes on the stack; 500 KiB contain at most
/// 1,500 longer ones, including their escapes.
const LONGEST: usize = 1024;

/// Length of a usual literal; hardly any is longer.
const USUAL: usize = 64;

// An offset into a literal has two bytes.
const _: () = assert!(LONGEST <= 1 << u16::BITS);

/// Maximum number of octets compared with blocks, before another search is faster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    beforehand: usize,
    for_each_block: usize,
}

impl Turns {
    /// With more turns the linear search is faster.
    pub(super) const BEFORE_A_SEARCH: Self = Self { beforehand: 32, for_each_block: 16 };
    /// These turns take about as long as a search in the index.
    pub(super) const BEFORE_AN_INDEX: Self = Self { beforehand: 40, for_each_block: 0 };
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockSearch {
    /// The literal first occurs here.
    Found(usize),
    /// It does not occur.
    Absent,
    /// It does not occur before this place; the rest was not searched.
    GivenUp(usize),
}

impl BlockSearch {
    /// The position of the first occurrence; `find` searches the rest after a search that gave up.
    pub(super) fn or_else(self, find: impl FnOnce(usize) -> Option<usize>) -> Option<usize> {
        match self {
            Self::Found(start) => Some(start),
            Self::Absent => None,
            Self::GivenUp(from) => find(from),
        }
    }
}

/// Whether the text is long enough, and the literal short enough, for this search.
pub(super) const fn is_for(text: &[u8], literal: &[u8]) -> bool {
    !literal.is_empty() && literal.len() <= LONGEST && text.len() >= literal.len() + 3 * BLOCK
}

/// Searches for a literal in a text that [is suitable](is_for), and counts the turns.
///
/// # Complexity
///
/// O(text): the number of octets of the literal that are compared with each octet of the text is at
/// most the number of turns for each block, sixteen or more at a time.
pub(super) fn find(text: &[u8], literal: &[u8], turns: Turns) -> (BlockSearch, usize) {
    // Clearing an array for the longest literal takes as long as a dozen turns.
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
) -> (BlockSearch, usize) {
    let (offsets, _) = offsets.split_at_mut(literal.len().min(N));
    for (place, offset) in offsets.iter_mut().zip(0..) {
        *place = offset;
    }
    // The last octet excludes more than the first: literals often begin alike.
    offsets.rotate_right(1);
    let last = text.len() - literal.len();
    let (mut start, mut granted, mut left) = (0, turns.beforehand, turns.beforehand);
    let outcome = loop {
        if start > last {
            break BlockSearch::Absent;
        }
        // The last block is also full, and repeats some places.
        start = start.min(last + 1 - BLOCK);
        granted += turns.for_each_block;
        left += turns.for_each_block;
        if left == 0 {
            break BlockSearch::GivenUp(start);
        }
        match find_in_block(&text[start..], literal, offsets, &mut left) {
            BlockSearch::Absent => start += BLOCK,
            BlockSearch::Found(place) => break BlockSearch::Found(start + place),
            BlockSearch::GivenUp(place) => break BlockSearch::GivenUp(start + place),
        }
    };
    (outcome, granted - left)
}

/// Compares the literal with each place of the first block.
#[inline]
fn find_in_block(
    text: &[u8],
    literal: &[u8],
    offsets: &mut [u16],
    turns: &mut usize,
) -> BlockSearch {
    let mut left = [u8::MAX; BLOCK];
    let mut turn = 0;
    while turn < offsets.len() {
        // If two octets did not suffice, one more seldom does: two more are compared before the
        // next check for remaining places.
        let until = if turn < 2 { turn + 1 } else { offsets.len().min(turn + 2) };
        for &offset in &offsets[turn..until] {
            let offset = usize::from(offset);
            let wanted = literal[offset];
            let Some(shifted) = text[offset..].first_chunk::<BLOCK>() else {
                return BlockSearch::GivenUp(0);
            };
            for (place, &octet) in left.iter_mut().zip(shifted) {
                *place &= if octet == wanted { u8::MAX } else { 0 };
            }
        }
        if left.iter().fold(0, |any, place| any | place) == 0 {
            // Only half the way: a single block may be an exception.
            offsets.swap(until - 1, (until - 1) / 2);
            *turns = turns.saturating_sub(until);
            return BlockSearch::Absent;
        }
        if until >= *turns {
            *turns = 0;
            return BlockSearch::GivenUp(0);
        }
        turn = until;
    }
    left.iter().position(|&place| place != 0).map_or(BlockSearch::Absent, BlockSearch::Found)
}
