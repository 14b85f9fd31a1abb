//! Numbers and texts inside a policy: writing them from the end to the front (`backwards.rs`) and the other way
//! (`forwards.rs`), and reading them without trust (`reader.rs`).
//!
//! A node of the tree tells where its children are, so they are written before it: a policy grows from its
//! last byte to its first. Reading goes forward only, and every read is checked.

mod backwards;
mod forwards;
mod reader;

pub(super) use backwards::Backwards;
pub(super) use forwards::Forwards;
pub(super) use reader::{Reader, fixed};

/// So many octets of a text are copied at once, without a call: most patterns are no longer.
const WHOLE: usize = 32;

/// The bytes of the largest number.
const LONGEST_NUMBER: usize = 10;

fn encode(mut number: u64, bytes: &mut [u8; LONGEST_NUMBER]) -> usize {
    let mut length = 0;
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        bytes[length] = if number == 0 { low } else { low | 0x80 };
        length += 1;
        if number == 0 {
            return length;
        }
    }
}

/// Up to eight bytes as one number, the lowest first.
#[inline]
pub(super) fn word_of(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// The bytes that any number up to this one has where all have the same: 1, 2, 4 or 8.
pub(super) fn width_for(largest: usize) -> Width {
    if largest <= 0xff {
        Width::One
    } else if largest <= 0xffff {
        Width::Two
    } else if u32::try_from(largest).is_ok() {
        Width::Four
    } else {
        Width::Eight
    }
}

/// How many bytes a number has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    One = 1,
    Two = 2,
    Four = 4,
    Eight = 8,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let numbers = [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::from(u32::MAX), u64::MAX];
        let mut back = Backwards::default();
        for number in numbers.into_iter().rev() {
            back.text(b"abc");
            back.number(3);
            back.number(number);
        }
        let mut reader = Reader::new(back.as_slice());
        for number in numbers {
            assert_eq!(reader.number(), Some(number));
            assert_eq!(reader.sized(), Some(&b"abc"[..]));
        }
        assert!(reader.is_empty());
        let mut forward = Forwards::with_capacity(3);
        forward.numbers(numbers);
        forward.numbers([1, 2, 3]);
        let mut reader = Reader::new(forward.as_slice());
        for number in numbers.into_iter().chain([1, 2, 3]) {
            assert_eq!(reader.number(), Some(number));
        }
        assert!(reader.is_empty());
    }
}
