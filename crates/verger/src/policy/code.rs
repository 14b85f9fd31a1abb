//! Numbers and texts inside a policy: writing them from the end to the front, and reading them without
//! trust.
//!
//! A node of the tree tells where its children are, so they are written before it: a policy grows from its
//! last byte to its first. Reading goes forward only, and every read is checked.

use alloc::vec;
use alloc::vec::Vec;

/// Bytes that grow at the front.
#[derive(Debug, Default)]
pub(super) struct Backwards {
    /// What is written stands at the end.
    bytes: Vec<u8>,
    /// Where it begins.
    start: usize,
}

impl Backwards {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { bytes: vec![0; capacity], start: capacity }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        self.text(&[byte]);
    }

    #[inline]
    pub(super) fn text(&mut self, text: &[u8]) {
        if self.start < text.len() {
            self.grow(text.len());
        }
        let end = self.start;
        self.start -= text.len();
        self.bytes[self.start..end].copy_from_slice(text);
    }

    /// The end of a text, from one of its octets on.
    #[inline]
    pub(super) fn end_of(&mut self, text: &[u8], from: usize) {
        let length = text.len() - from;
        // So many octets are copied without a call; those before `from` fall into free room.
        if !(length <= 8 && self.last_of::<8>(text) || length <= 16 && self.last_of::<16>(text)) {
            return self.text(&text[from..]);
        }
        self.start -= length;
    }

    /// Copies the last octets of a text to where it has to end, if it has as many, and there is room.
    #[inline]
    fn last_of<const N: usize>(&mut self, text: &[u8]) -> bool {
        let room = self.bytes[..self.start].last_chunk_mut::<N>();
        let (Some(room), Some(last)) = (room, text.last_chunk()) else { return false };
        *room = *last;
        true
    }

    /// Makes room before what is written, at least as much as that.
    #[inline(never)]
    fn grow(&mut self, room: usize) {
        let room = room.max(self.bytes.len());
        let mut bytes = vec![0; room + self.len()];
        bytes[room..].copy_from_slice(&self.bytes[self.start..]);
        (self.bytes, self.start) = (bytes, room);
    }

    /// A number in so many bytes, the lowest first.
    pub(super) fn fixed(&mut self, number: usize, width: Width) {
        self.text(&(number as u64).to_le_bytes()[..width as usize]);
    }

    /// Seven bits a byte, the lowest first; all bytes but the last have their high bit set.
    #[inline]
    pub(super) fn number(&mut self, number: u64) {
        let [low, ..] = number.to_le_bytes();
        match number {
            0..0x80 => self.byte(low),
            0x80..0x4000 => {
                let [high, ..] = (number >> 7).to_le_bytes();
                self.text(&[low | 0x80, high]);
            }
            _ => self.long_number(number),
        }
    }

    #[inline(never)]
    fn long_number(&mut self, number: u64) {
        let mut bytes = [0; LONGEST_NUMBER];
        let length = encode(number, &mut bytes);
        self.text(&bytes[..length]);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.drain(..self.start);
        self.bytes
    }
}

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

/// The number at a place of a table of numbers that have so many bytes each.
#[inline]
pub(super) fn fixed(table: &[u8], at: usize, width: usize) -> Option<usize> {
    let from = at.checked_mul(width)?;
    let bytes = table.get(from..from.checked_add(width)?)?;
    let number = match *bytes {
        [byte] => u64::from(byte),
        [low, high] => u64::from(u16::from_le_bytes([low, high])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => u64::from_le_bytes(*bytes.first_chunk()?),
    };
    usize::try_from(number).ok()
}

/// Bytes that are read from the front. What cannot be read is `None`, and the reader is not to be used
/// any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) const fn len(self) -> usize {
        self.rest.len()
    }

    pub(super) const fn is_empty(self) -> bool {
        self.rest.is_empty()
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    #[inline]
    pub(super) fn text(&mut self, length: usize) -> Option<&'a [u8]> {
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(text)
    }

    #[inline]
    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*array)
    }

    #[inline]
    pub(super) fn number(&mut self) -> Option<u64> {
        // Most take one byte or two.
        match *self.rest {
            [first @ 0..0x80, ref rest @ ..] => {
                self.rest = rest;
                Some(u64::from(first))
            }
            [first, second @ 0..0x80, ref rest @ ..] => {
                self.rest = rest;
                Some(u64::from(first & 0x7f) | u64::from(second) << 7)
            }
            _ => self.long_number(),
        }
    }

    #[inline(never)]
    fn long_number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }

    /// A number that counts bytes or things.
    #[inline]
    pub(super) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// A text behind its length.
    #[inline]
    pub(super) fn sized(&mut self) -> Option<&'a [u8]> {
        let length = self.size()?;
        self.text(length)
    }
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

    #[test]
    fn the_end_of_a_text_is_what_stands_behind_an_octet_of_it() {
        let text: Vec<u8> = (b'a'..=b'u').collect();
        for room in 0..=20 {
            for length in 0..=text.len() {
                for from in (0..=length).step_by(if cfg!(miri) { 7 } else { 1 }) {
                    let (mut found, mut expected) =
                        (Backwards::with_capacity(room), Backwards::with_capacity(room));
                    found.byte(b'!');
                    expected.byte(b'!');
                    found.end_of(&text[..length], from);
                    expected.text(&text[from..length]);
                    assert_eq!(found.finish(), expected.finish(), "{from} of {length} in {room}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_there_is_not_read() {
        assert_eq!(Reader::new(b"").byte(), None);
        assert_eq!(Reader::new(b"ab").text(3), None);
        assert_eq!(Reader::new(b"\x80").number(), None);
        assert_eq!(Reader::new(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").number(), None);
        assert_eq!(Reader::new(b"abc").array::<4>(), None);
    }
}
