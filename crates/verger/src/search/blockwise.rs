//! A search of long texts that no text makes slow: a literal is compared with many places at once.
//!
//! An octet of the literal is compared with a block of the text, shifted by its offset, then the next octet
//! where any place is left. Usually one or two leave none. Which octets tell most depends on the text, so
//! those that ended a block come earlier in the next one: a text that almost holds the literal everywhere
//! costs little more than any other. Searches that look for octets which are rare in most texts, and are not
//! in this one, compare each place by itself.
//!
//! The loops over a block are plain code that compilers turn into vector instructions.

/// Places that are compared at once: eight vectors of 16 octets, as many as fit into registers. Half of it takes
/// half as long again for a text.
const BLOCK: usize = 128;

/// The longest literal: the most octets that may be compared with a block. Longer ones are few: no more than
/// 2,000 in 500 KiB.
pub(super) const LONGEST: usize = 256;

// An offset into a literal has one byte.
const _: () = assert!(LONGEST <= 1 << u8::BITS);

/// The shortest text for which it pays to begin.
pub(super) const SHORTEST_TEXT: usize = 2 * BLOCK + LONGEST;

/// Where a literal of 1 to [`LONGEST`] octets first occurs in a text of [`SHORTEST_TEXT`] or more.
///
/// # Complexity
///
/// O(text) for the usual text; at the worst O(text x literal) octets, sixteen or more of them at a time.
pub(super) fn find(text: &[u8], literal: &[u8]) -> Option<usize> {
    let mut offsets = [0; LONGEST];
    let offsets = offsets.get_mut(..literal.len())?;
    for (place, offset) in offsets.iter_mut().zip(0..=u8::MAX) {
        *place = offset;
    }
    // The last octet tells more than the first: literals begin alike.
    offsets.rotate_right(1);
    let last = text.len().checked_sub(literal.len())?;
    let mut start = 0;
    while start <= last {
        // The last block is full too, and looks at some places a second time.
        start = start.min(last.saturating_sub(BLOCK - 1));
        if let Some(place) = find_in_block(&text[start..], literal, offsets) {
            return Some(start + place);
        }
        start += BLOCK;
    }
    None
}

/// Compares the literal with each place of the first block.
#[inline]
fn find_in_block(text: &[u8], literal: &[u8], offsets: &mut [u8]) -> Option<usize> {
    let mut left = [u8::MAX; BLOCK];
    for turn in 0..offsets.len() {
        let offset = usize::from(offsets[turn]);
        let wanted = literal[offset];
        let shifted: &[u8; BLOCK] = text[offset..].first_chunk()?;
        for (place, &octet) in left.iter_mut().zip(shifted) {
            *place &= if octet == wanted { u8::MAX } else { 0 };
        }
        if left.iter().fold(0, |any, place| any | place) == 0 {
            // Half the way only: one block may be an exception.
            offsets.swap(turn, turn / 2);
            return None;
        }
    }
    left.iter().position(|&place| place != 0)
}
