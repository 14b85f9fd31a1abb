//! Bytes that grow at the front.

use alloc::vec;
use alloc::vec::Vec;

use super::{LONGEST_NUMBER, Width, encode};

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

    /// The end of a text, from one of its octets on.
    #[inline]
    pub(in crate::policy) fn end_of(&mut self, text: &[u8], from: usize) {
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
    pub(in crate::policy) fn fixed(&mut self, number: usize, width: Width) {
        self.text(&(number as u64).to_le_bytes()[..width as usize]);
    }

    /// Seven bits a byte, the lowest first; all bytes but the last have their high bit set.
    #[inline]
    pub(in crate::policy) fn number(&mut self, number: u64) {
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

    pub(in crate::policy) fn finish(mut self) -> Vec<u8> {
        self.bytes.drain(..self.start);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
