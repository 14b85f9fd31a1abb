//! Reading forward, without trust.

use super::word_of;

/// Bytes that are read from the front. What cannot be read is `None`, and the reader is not to be used
/// any more.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(in crate::policy) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(in crate::policy) const fn is_empty(self) -> bool {
        self.rest.is_empty()
    }

    /// All that is left.
    pub(in crate::policy) const fn rest(self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    pub(in crate::policy) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    #[inline]
    pub(in crate::policy) fn text(&mut self, length: usize) -> Option<&'a [u8]> {
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(text)
    }

    #[inline]
    pub(in crate::policy) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*array)
    }

    /// The next eight bytes as one number, the lowest first; fewer where no more are left.
    #[inline]
    pub(in crate::policy) fn word(&mut self) -> u64 {
        let (word, behind) = self.rest.split_at(self.rest.len().min(8));
        self.rest = behind;
        word_of(word)
    }

    #[inline]
    pub(in crate::policy) fn number(&mut self) -> Option<u64> {
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
    pub(in crate::policy) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// A text behind its length.
    #[inline]
    pub(in crate::policy) fn sized(&mut self) -> Option<&'a [u8]> {
        let length = self.size()?;
        self.text(length)
    }
}

/// The number at a place of a table of numbers that have so many bytes each.
#[inline]
pub(in crate::policy) fn fixed(table: &[u8], at: usize, width: usize) -> Option<usize> {
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
    fn what_is_not_there_is_not_read() {
        assert_eq!(Reader::new(b"").byte(), None);
        assert_eq!(Reader::new(b"ab").text(3), None);
        assert_eq!(Reader::new(b"\x80").number(), None);
        assert_eq!(Reader::new(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").number(), None);
        assert_eq!(Reader::new(b"abc").array::<4>(), None);
    }
}
