//! Sets of octets, and texts as the octets that their spellings mean.

/// A set of octets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set([u64; 4]);

impl Set {
    pub(crate) fn of(octets: impl IntoIterator<Item = u8>) -> Self {
        octets.into_iter().fold(Self::default(), Self::with)
    }

    #[must_use]
    pub(crate) fn with(mut self, octet: u8) -> Self {
        self.0[usize::from(octet >> 6)] |= 1 << (octet & 63);
        self
    }

    #[must_use]
    pub(crate) fn or(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
        self
    }

    pub(crate) fn has(&self, octet: u8) -> bool {
        self.0[usize::from(octet >> 6)] >> (octet & 63) & 1 == 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |&octet| self.has(octet))
    }
}

/// A part of a text that means one octet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelt {
    /// The octet itself.
    Plain(u8),
    /// An escape of the octet.
    Escape(u8),
    /// A `%` that begins no escape.
    Malformed,
}

impl Spelt {
    /// The octet that it means.
    pub(crate) const fn octet(self) -> u8 {
        match self {
            Self::Plain(octet) | Self::Escape(octet) => octet,
            Self::Malformed => b'%',
        }
    }
}

/// The parts of a text.
pub(crate) fn spelt(text: &[u8]) -> Vec<Spelt> {
    let mut parts = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        parts.push(match (first, escaped(tail)) {
            (b'%', Some(octet)) => {
                rest = &tail[2..];
                Spelt::Escape(octet)
            }
            (b'%', None) => Spelt::Malformed,
            (&octet, _) => Spelt::Plain(octet),
        });
    }
    parts
}

/// The octet of an escape, after its `%`.
pub(crate) fn escaped(tail: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*tail.get(at)?).to_digit(16);
    u8::try_from(digit(0)? << 4 | digit(1)?).ok()
}

/// RFC 3986 section 2.3.
pub(crate) const fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

/// Whether the normal form of RFC 9309 encodes an octet: one that a URL cannot contain, or an operator
/// of patterns. `%` is separate.
pub(crate) const fn is_encoded(octet: u8) -> bool {
    !octet.is_ascii_graphic()
        || matches!(
            octet,
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'{' | b'|' | b'}' | b'`' | b'*' | b'$'
        )
}
