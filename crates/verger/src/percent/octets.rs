//! Iteration over a text in normal form without a copy, or writing it to a buffer.

use super::table::{AS_WRITTEN, OctetKind};
use super::{EscapeForm, Form, HEX, STRIDE};

/// A text as an iterator of octets in normal form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Octets<'a> {
    rest: &'a [u8],
    form: Form,
    /// Octets before `rest`, the first one in the lowest byte: the remainder of an escape. None of
    /// them is NUL.
    waiting: u32,
}

impl<'a> Octets<'a> {
    pub(crate) const fn new(text: &'a [u8], form: Form) -> Self {
        Self { rest: text, form, waiting: 0 }
    }

    /// A text that is already in normal form.
    pub(crate) const fn normal(text: &'a [u8]) -> Self {
        Self::new(text, Form(&AS_WRITTEN))
    }

    /// The same with one octet, in normal form, before it.
    pub(crate) const fn preceded_by(mut self, octet: u8) -> Self {
        self.waiting = octet as u32;
        self
    }

    /// Writes the octets to a buffer; `None` if it is too short.
    pub(crate) fn written(mut self, buffer: &mut [u8]) -> Option<&[u8]> {
        let mut length = 0;
        while self.waiting != 0 {
            *buffer.get_mut(length)? = self.next()?;
            length += 1;
        }
        loop {
            let plain = self.form.plain_start(self.rest);
            let (start, rest) = self.rest.split_at(plain);
            buffer.get_mut(length..length + plain)?.copy_from_slice(start);
            length += plain;
            self.rest = rest;
            // At least one octet of this stride is not plain.
            for _ in 0..STRIDE {
                match self.read_one() {
                    Some(Read::One(octet)) => {
                        *buffer.get_mut(length)? = octet;
                        length += 1;
                    }
                    Some(Read::Three(octets)) => {
                        *buffer.get_mut(length..)?.first_chunk_mut()? = octets;
                        length += 3;
                    }
                    None => return buffer.get(..length),
                }
            }
        }
    }

    /// Reads an octet or an escape.
    #[inline]
    fn read_one(&mut self) -> Option<Read> {
        let (&first, tail) = self.rest.split_first()?;
        self.rest = tail;
        Some(match self.form.0.kinds[usize::from(first)] {
            OctetKind::Plain => Read::One(first),
            OctetKind::Encoded => Read::Three(encoded(first)),
            OctetKind::Percent => match self.form.escape(tail) {
                EscapeForm::Copy => Read::One(first),
                EscapeForm::Encode => Read::Three(encoded(first)),
                EscapeForm::Decode(octet) => {
                    self.rest = &tail[2..];
                    Read::One(octet)
                }
                EscapeForm::Upper([high, low]) => {
                    self.rest = &tail[2..];
                    Read::Three([first, high, low])
                }
            },
        })
    }
}

/// The result of reading an octet or an escape.
enum Read {
    One(u8),
    Three([u8; 3]),
}

#[expect(clippy::copy_iterator, reason = "a position in a text; a copy stores the position")]
impl Iterator for Octets<'_> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.waiting != 0 {
            let [octet, ..] = self.waiting.to_le_bytes();
            self.waiting >>= 8;
            return Some(octet);
        }
        Some(match self.read_one()? {
            Read::One(octet) => octet,
            Read::Three([first, second, third]) => {
                self.waiting = u16::from_le_bytes([second, third]).into();
                first
            }
        })
    }
}

const fn encoded(octet: u8) -> [u8; 3] {
    [b'%', HEX[(octet >> 4) as usize], HEX[(octet & 15) as usize]]
}
