//! Texts as the octets that their spellings mean. A text in normal form has no malformed `%`.

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

    /// The digit, if the part of a text in normal form could also be a digit of an escape.
    pub(crate) fn hex_digit(self) -> Option<u8> {
        let Self::Plain(octet @ (b'0'..=b'9' | b'A'..=b'F')) = self else { return None };
        u8::try_from(char::from(octet).to_digit(16)?).ok()
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

/// Whether the normal form of RFC 9309 encodes an octet: one that a URL cannot contain, or an
/// operator of patterns. `%` is separate.
pub(crate) const fn is_encoded(octet: u8) -> bool {
    !octet.is_ascii_graphic()
        || matches!(
            octet,
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'{' | b'|' | b'}' | b'`' | b'*' | b'$'
        )
}
