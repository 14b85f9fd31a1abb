//! Numbers and texts inside a policy: writing them from the end to the front (`backwards.rs`), and reading them
//! without trust (`reader.rs`).
//!
//! A node of the tree tells where its children are, so they are written before it: a policy grows from its
//! last byte to its first. Reading goes forward only, and every read is checked.

mod backwards;
mod reader;

use alloc::vec::Vec;

pub(super) use backwards::Backwards;
pub(super) use reader::{Reader, fixed};

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

/// Writes a number at the end, as [`Backwards::number`] does at the front.
pub(super) fn push_number(bytes: &mut Vec<u8>, number: u64) {
    if let Ok(byte @ 0..0x80) = u8::try_from(number) {
        return bytes.push(byte);
    }
    let mut buffer = [0; LONGEST_NUMBER];
    let length = encode(number, &mut buffer);
    bytes.extend_from_slice(&buffer[..length]);
}

/// Writes numbers one behind the other.
#[inline]
pub(super) fn push_numbers<const N: usize>(bytes: &mut Vec<u8>, numbers: [u64; N]) {
    // Nearly always each has one byte.
    let few = numbers.map(|number| u8::try_from(number).unwrap_or(u8::MAX));
    if few.iter().all(|&byte| byte < 0x80) {
        return bytes.extend_from_slice(&few);
    }
    for number in numbers {
        push_number(bytes, number);
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
        let bytes = back.finish();
        let mut reader = Reader::new(&bytes);
        for number in numbers {
            assert_eq!(reader.number(), Some(number));
            assert_eq!(reader.sized(), Some(&b"abc"[..]));
        }
        assert!(reader.is_empty());
        let mut forward = Vec::new();
        for number in numbers {
            push_number(&mut forward, number);
        }
        let mut reader = Reader::new(&forward);
        assert!(numbers.into_iter().all(|number| reader.number() == Some(number)));
    }
}
