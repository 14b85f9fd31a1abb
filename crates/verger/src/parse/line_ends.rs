//! Ends of lines and beginnings of comments, found block by block.
//!
//! # Flow
//!
//! Lines of a robots.txt are short, so a separate search for each line's end would spend most of
//! its time on set-up. Here a block of 64 octets is compared at once, which gives one bit per
//! octet, and the bits give the lines.

/// The positions of LF, CR and `#` in a text, in order.
#[derive(Clone, Debug)]
pub(super) struct Stops<'t> {
    text: &'t [u8],
    /// The offset of the block of `bits`, and of the next block.
    block: usize,
    next_block: usize,
    /// One bit for each stop of the block that was not returned yet.
    bits: u64,
}

const BLOCK: usize = 64;

impl<'t> Stops<'t> {
    /// The stops from `start` on.
    pub(super) const fn new(text: &'t [u8], start: usize) -> Self {
        Self { text, block: start, next_block: start, bits: 0 }
    }

    #[inline]
    fn load(&mut self) -> Option<()> {
        let rest = self.text.get(self.next_block..).filter(|rest| !rest.is_empty())?;
        self.block = self.next_block;
        self.next_block += BLOCK;
        self.bits = match rest.first_chunk() {
            Some(block) => bits_of(block),
            None => bits_of_end(rest),
        };
        Some(())
    }
}

impl Iterator for Stops<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.load()?;
        }
        let at = self.block + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(at)
    }
}

/// The last block, which is not full.
#[inline(never)]
fn bits_of_end(rest: &[u8]) -> u64 {
    let mut block = [0; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    bits_of(&block)
}

/// Octets that end a line or begin a comment.
const STOPS: [u8; 3] = [b'\n', b'\r', b'#'];

/// One bit for each octet that is a stop.
#[inline(never)]
fn bits_of(block: &[u8; BLOCK]) -> u64 {
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    return bits_of_vectors(block);
    #[cfg(not(all(feature = "simd", target_arch = "x86_64")))]
    return bits_of_octets(block);
}

/// With the instruction that gives one bit for each octet, which compilers do not find.
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
#[inline]
fn bits_of_vectors(block: &[u8; BLOCK]) -> u64 {
    use safe_arch::{cmp_eq_mask_i8_m128i, m128i, move_mask_i8_m128i};

    let (vectors, _) = block.as_chunks::<16>();
    vectors.iter().rev().fold(0, |bits, &vector| {
        let octets = m128i::from(vector);
        let [lf, cr, hash] =
            STOPS.map(|stop| cmp_eq_mask_i8_m128i(octets, m128i::from([stop; 16])));
        bits << 16 | u64::from(move_mask_i8_m128i(lf | cr | hash).cast_unsigned())
    })
}

/// Compilers turn this into a few vector instructions on any machine that has them: each octet
/// becomes its bit or zero, and the eight of a byte are added.
#[cfg(any(test, not(all(feature = "simd", target_arch = "x86_64"))))]
#[inline]
fn bits_of_octets(block: &[u8; BLOCK]) -> u64 {
    let mut bits = [0; BLOCK];
    for (at, (bit, &octet)) in bits.iter_mut().zip(block).enumerate() {
        let is_stop = STOPS.map(|stop| u8::from(octet == stop));
        let is_stop = is_stop[0] | is_stop[1] | is_stop[2];
        *bit = is_stop.wrapping_neg() & 1 << (at % 8);
    }
    let (bytes, _) = bits.as_chunks::<8>();
    let mut sums = [0; BLOCK / 8];
    for (sum, byte) in sums.iter_mut().zip(bytes) {
        *sum = byte.iter().fold(0_u8, |sum, &bit| sum.wrapping_add(bit));
    }
    u64::from_le_bytes(sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Miri is slow.
    const STEP: usize = if cfg!(miri) { 37 } else { 1 };

    #[track_caller]
    fn check(text: &[u8], start: usize) {
        let is_stop = |&at: &usize| matches!(text[at], b'\n' | b'\r' | b'#');
        let expected: Vec<usize> = (start..text.len()).filter(is_stop).collect();
        assert_eq!(Stops::new(text, start).collect::<Vec<_>>(), expected, "{text:?} from {start}");
        for block in text[start..].as_chunks().0 {
            assert_eq!(bits_of(block), bits_of_octets(block), "{block:?}");
        }
    }

    #[test]
    fn only_stops_are_found() {
        let octets: Vec<u8> = (0..=u8::MAX).collect();
        for start in (0..=octets.len()).step_by(STEP) {
            check(&octets, start);
        }
        for neighbour in [b'\n', b'\r', b'#', b'\n' + 1, b'\n' - 1, b'#' | 0x80] {
            let mixed: Vec<u8> = octets.iter().flat_map(|&octet| [octet, neighbour]).collect();
            check(&mixed, 0);
        }
    }

    #[test]
    fn texts_of_all_lengths_up_to_some_blocks_are_read() {
        for length in (0..4 * BLOCK).step_by(STEP) {
            check(&[b'#'].repeat(length), 0);
            check(&[b'x'].repeat(length), length / 2);
            let ends: Vec<u8> = b"ab\r\n".iter().copied().cycle().take(length).collect();
            check(&ends, length / 3);
        }
    }
}
