//! Bytes that grow at the front.

use alloc::vec;
use alloc::vec::Vec;

use super::{LONGEST_NUMBER, WHOLE, Width, encode};

/// Bytes that grow at the front.
#[derive(Debug, Default)]
pub(in crate::policy) struct Backwards {
    /// What is written stands at the end.
    bytes: Vec<u8>,
    /// Where it begins.
    start: usize,
}

impl Backwards {
    pub(in crate::policy) fn with_capacity(capacity: usize) -> Self {
        Self { bytes: vec![0; capacity], start: capacity }
    }

    pub(in crate::policy) fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    #[inline]
    pub(in crate::policy) fn byte(&mut self, byte: u8) {
        self.text(&[byte]);
    }

    #[inline]
    pub(in crate::policy) fn text(&mut self, text: &[u8]) {
        if self.start < text.len() {
            self.grow(text.len());
        }
        let end = self.start;
        self.start -= text.len();
        self.bytes[self.start..end].copy_from_slice(text);
    }

    /// So many octets of a text, which end where `end` says.
    #[inline]
    pub(in crate::policy) fn part(&mut self, text: &[u8], end: usize, length: usize) {
        let room = self.bytes[..self.start].last_chunk_mut::<WHOLE>();
        match (room, text[..end].last_chunk::<WHOLE>()) {
            // Copied without a call; octets before the part fall into free room.
            (Some(room), Some(last)) if length <= WHOLE => {
                *room = *last;
                self.start -= length;
            }
            _ => self.text(&text[end - length..end]),
        }
    }

    /// One byte, or two, without asking which.
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

    /// Makes room before what is written, at least as much as that.
    #[inline(never)]
    fn grow(&mut self, room: usize) {
        let room = room.max(self.bytes.len());
        let mut bytes = vec![0; room + self.len()];
        bytes[room..].copy_from_slice(&self.bytes[self.start..]);
        (self.bytes, self.start) = (bytes, room);
    }

    /// Bytes, and behind them so many numbers in so many bytes each.
    pub(in crate::policy) fn table(
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

    /// A number in so many bytes, the lowest first.
    pub(in crate::policy) fn fixed(&mut self, number: usize, width: Width) {
        self.text(&(number as u64).to_le_bytes()[..width as usize]);
    }

    /// Seven bits a byte, the lowest first; all bytes but the last have their high bit set.
    #[inline]
    pub(in crate::policy) fn number(&mut self, number: u64) {
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

    /// What is written.
    pub(in crate::policy) fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_text_is_copied_wherever_it_stands_and_however_long_it_is() {
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
}
