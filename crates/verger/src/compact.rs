//! Numbers and texts inside a policy: writing them from the end to the front ([`Backwards`]) and
//! from the front ([`Forwards`]), and reading untrusted ones ([`Reader`]).
//!
//! A node of the tree contains the offsets of its children, so they are written before it: a policy
//! grows from its last byte to its first. Reading goes only forward, and every read is checked.

use alloc::vec;
use alloc::vec::Vec;

/// Number of octets of a text that are copied at once, without a call: most patterns are no longer.
const WHOLE: usize = 32;

/// Number of bytes of the largest number.
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
pub(crate) fn word_of(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// The width of numbers up to this one, if all have the same width: 1, 2, 4 or 8 bytes.
pub(crate) fn width_for(largest: usize) -> Width {
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

/// Number of bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    One = 1,
    Two = 2,
    Four = 4,
    Eight = 8,
}

/// Bytes that grow at the front.
#[derive(Debug, Default)]
pub(crate) struct Backwards {
    /// The written bytes are at the end.
    bytes: Vec<u8>,
    /// The offset of the first written byte.
    start: usize,
}

impl Backwards {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { bytes: vec![0; capacity], start: capacity }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    #[inline]
    pub(crate) fn byte(&mut self, byte: u8) {
        self.text(&[byte]);
    }

    #[inline]
    pub(crate) fn text(&mut self, text: &[u8]) {
        if self.start < text.len() {
            self.grow(text.len());
        }
        let end = self.start;
        self.start -= text.len();
        self.bytes[self.start..end].copy_from_slice(text);
    }

    /// The `length` octets of a text before `end`.
    #[inline]
    pub(crate) fn part(&mut self, text: &[u8], end: usize, length: usize) {
        let room = self.bytes[..self.start].last_chunk_mut::<WHOLE>();
        match (room, text[..end].last_chunk::<WHOLE>()) {
            // Copied without a call; octets before the part are overwritten later.
            (Some(room), Some(last)) if length <= WHOLE => {
                *room = *last;
                self.start -= length;
            }
            _ => self.text(&text[end - length..end]),
        }
    }

    /// One byte, or two, without a branch.
    #[inline]
    fn one_or_two(&mut self, first: u8, second: Option<u8>) {
        let pair = second.map_or([0, first], |second| [first, second]);
        match self.bytes[..self.start].last_chunk_mut() {
            Some(room) => {
                *room = pair;
                self.start -= 1 + usize::from(second.is_some());
            }
            None => self.text(&pair[usize::from(second.is_none())..]),
        }
    }

    /// Makes room before the written bytes, at least as much as they take.
    #[inline(never)]
    fn grow(&mut self, room: usize) {
        let room = room.max(self.bytes.len());
        let mut bytes = vec![0; room + self.len()];
        bytes[room..].copy_from_slice(&self.bytes[self.start..]);
        (self.bytes, self.start) = (bytes, room);
    }

    /// Bytes, followed by `how_many` numbers of the same width.
    pub(crate) fn table(
        &mut self,
        bytes: impl ExactSizeIterator<Item = u8>,
        numbers: impl Iterator<Item = usize>,
        how_many: usize,
        width: Width,
    ) {
        let (count, width) = (bytes.len(), width as usize);
        let length = count + how_many * width;
        if self.start < length {
            self.grow(length);
        }
        let end = self.start;
        self.start -= length;
        let (front, table) = self.bytes[self.start..end].split_at_mut(count);
        front.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
        if width == 1 {
            for (place, number) in table.iter_mut().zip(numbers) {
                [*place, ..] = number.to_le_bytes();
            }
        } else {
            for (place, number) in table.chunks_exact_mut(width).zip(numbers) {
                place.copy_from_slice(&(number as u64).to_le_bytes()[..width]);
            }
        }
    }

    /// A number of this width, the lowest byte first.
    pub(crate) fn fixed(&mut self, number: usize, width: Width) {
        self.text(&(number as u64).to_le_bytes()[..width as usize]);
    }

    /// Seven bits a byte, the lowest first; all bytes but the last have their high bit set.
    #[inline]
    pub(crate) fn number(&mut self, number: u64) {
        let ([low, ..], [high, ..]) = (number.to_le_bytes(), (number >> 7).to_le_bytes());
        match number {
            0..0x80 => self.one_or_two(low, None),
            0x80..0x4000 => self.one_or_two(low | 0x80, Some(high)),
            _ => self.long_number(number),
        }
    }

    #[inline(never)]
    fn long_number(&mut self, number: u64) {
        let mut bytes = [0; LONGEST_NUMBER];
        let length = encode(number, &mut bytes);
        self.text(&bytes[..length]);
    }

    /// The written bytes.
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// Bytes that grow at the end.
#[derive(Debug)]
pub(crate) struct Forwards(Vec<u8>);

impl Forwards {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self(Vec::with_capacity(capacity))
    }

    /// The `length` octets of a text from `from` on.
    #[inline]
    pub(crate) fn part(&mut self, text: &[u8], from: usize, length: usize) {
        match text[from..].first_chunk::<WHOLE>() {
            // Copied without a call; octets after the part are removed again.
            Some(first) if length <= WHOLE => {
                self.0.extend_from_slice(first);
                self.0.truncate(self.0.len() - WHOLE + length);
            }
            _ => self.text(&text[from..from + length]),
        }
    }

    #[inline]
    pub(crate) fn text(&mut self, text: &[u8]) {
        self.0.extend_from_slice(text);
    }

    /// A number, in the form of [`Backwards::number`].
    pub(crate) fn number(&mut self, number: u64) {
        let mut bytes = [0; LONGEST_NUMBER];
        let length = encode(number, &mut bytes);
        self.text(&bytes[..length]);
    }

    /// Several numbers.
    #[inline]
    pub(crate) fn numbers<const N: usize>(&mut self, numbers: [u64; N]) {
        // Nearly always each has one byte.
        if numbers.iter().fold(0, |all, number| all | number) < 0x80 {
            return self.text(&numbers.map(|number| number.to_le_bytes()[0]));
        }
        for number in numbers {
            self.number(number);
        }
    }

    /// The written bytes.
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

/// A reader of bytes from the front. After a read that returned `None`, the reader must not be used
/// any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.rest.is_empty()
    }

    /// The unread bytes.
    pub(crate) const fn rest(self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    #[inline]
    pub(crate) fn text(&mut self, length: usize) -> Option<&'a [u8]> {
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(text)
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*array)
    }

    /// The next eight bytes as one number, the lowest first; fewer at the end.
    #[inline]
    pub(crate) fn word(&mut self) -> u64 {
        let (word, after) = self.rest.split_at(self.rest.len().min(8));
        self.rest = after;
        word_of(word)
    }

    #[inline]
    pub(crate) fn number(&mut self) -> Option<u64> {
        // Most have one byte or two.
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

    /// A number of bytes or items.
    #[inline]
    pub(crate) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// A length and a text.
    #[inline]
    pub(crate) fn sized(&mut self) -> Option<&'a [u8]> {
        let length = self.size()?;
        self.text(length)
    }
}

/// A number in a table of numbers of the same width.
#[inline]
pub(crate) fn fixed(table: &[u8], at: usize, width: usize) -> Option<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_numbers_and_texts_are_read_back() {
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

    #[test]
    fn backwards_copies_any_part_of_a_text() {
        let text: Vec<u8> = (0..100).collect();
        let step = if cfg!(miri) { 23 } else { 1 };
        for room in (0..=70).step_by(step) {
            for end in (0..=text.len()).step_by(step) {
                for length in (0..=end).step_by(step) {
                    let mut found = Backwards::with_capacity(room);
                    found.byte(b'!');
                    found.part(&text, end, length);
                    let expected = [&text[end - length..end], b"!"].concat();
                    assert_eq!(found.as_slice(), expected, "{length} before {end} in {room}");
                }
            }
        }
    }

    #[test]
    fn forwards_copies_any_part_of_a_text() {
        let text: Vec<u8> = (0..100).collect();
        let step = if cfg!(miri) { 23 } else { 1 };
        for room in (0..=70).step_by(step) {
            for from in (0..=text.len()).step_by(step) {
                for length in (0..=text.len() - from).step_by(step) {
                    let mut found = Forwards::with_capacity(room);
                    found.text(b"!");
                    found.part(&text, from, length);
                    found.text(b"?");
                    let expected = [b"!", &text[from..from + length], b"?"].concat();
                    assert_eq!(found.as_slice(), expected, "{length} from {from} in {room}");
                }
            }
        }
    }

    #[test]
    fn missing_bytes_are_not_read() {
        assert_eq!(Reader::new(b"").byte(), None);
        assert_eq!(Reader::new(b"ab").text(3), None);
        assert_eq!(Reader::new(b"\x80").number(), None);
        assert_eq!(Reader::new(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").number(), None);
        assert_eq!(Reader::new(b"abc").array::<4>(), None);
    }
}
