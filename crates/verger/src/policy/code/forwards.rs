//! Bytes that grow at the end.

use alloc::vec::Vec;

use super::{LONGEST_NUMBER, WHOLE, encode};

/// Bytes that grow at the end.
#[derive(Debug)]
pub(in crate::policy) struct Forwards(Vec<u8>);

impl Forwards {
    pub(in crate::policy) fn with_capacity(capacity: usize) -> Self {
        Self(Vec::with_capacity(capacity))
    }

    /// So many octets of a text from one of them on.
    #[inline]
    pub(in crate::policy) fn part(&mut self, text: &[u8], from: usize, length: usize) {
        match text[from..].first_chunk::<WHOLE>() {
            // Copied without a call, and what stands behind the part taken back.
            Some(first) if length <= WHOLE => {
                self.0.extend_from_slice(first);
                self.0.truncate(self.0.len() - WHOLE + length);
            }
            _ => self.text(&text[from..from + length]),
        }
    }

    #[inline]
    pub(in crate::policy) fn text(&mut self, text: &[u8]) {
        self.0.extend_from_slice(text);
    }

    /// A number, as [`Backwards::number`](super::Backwards::number) writes it.
    pub(in crate::policy) fn number(&mut self, number: u64) {
        let mut bytes = [0; LONGEST_NUMBER];
        let length = encode(number, &mut bytes);
        self.text(&bytes[..length]);
    }

    /// Numbers one behind the other.
    #[inline]
    pub(in crate::policy) fn numbers<const N: usize>(&mut self, numbers: [u64; N]) {
        // Nearly always each has one byte.
        if numbers.iter().fold(0, |all, number| all | number) < 0x80 {
            return self.text(&numbers.map(|number| number.to_le_bytes()[0]));
        }
        for number in numbers {
            self.number(number);
        }
    }

    /// What is written.
    pub(in crate::policy) fn as_slice(&self) -> &[u8] {
        &self.0
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
}
