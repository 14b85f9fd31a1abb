//! From bytes to text: encoding, byte order mark, size limit.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::Dialect;
use crate::dialect::{ByteOrderMark, Oversize};
use crate::limits;

/// The encoding that a byte order mark declares and the text confirms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8, or arbitrary bytes: without a mark the encoding is not guessed.
    Utf8,
    /// UTF-16, least significant byte first.
    Utf16Le,
    /// UTF-16, most significant byte first.
    Utf16Be,
    /// UTF-32 in either order. It is recognised but not decoded.
    Utf32,
}

/// The text of a robots.txt, decoded and cut at the limit of a dialect.
#[derive(Clone, Debug)]
pub(crate) struct Input<'b> {
    text: Cow<'b, [u8]>,
    start: usize,
    encoding: Encoding,
    truncated: bool,
    allows_all: bool,
}

impl<'b> Input<'b> {
    /// Applies the dialect's encoding and size rules to bytes.
    ///
    /// A UTF-16 text is decoded if it has a byte order mark and a NUL among the 64 octets after it
    /// (REP-AMB-20); an unpaired surrogate becomes U+FFFD. Otherwise the mark is two octets of the
    /// first line. A text longer than the byte limit is cut, and the unfinished last line is
    /// dropped (REP-AMB-22): half a rule would match more.
    ///
    /// # Complexity
    ///
    /// Constant, except for UTF-16: linear in the limit, with an allocation.
    pub(crate) fn read(bytes: &'b [u8], dialect: &Dialect) -> Self {
        Self::read_part(bytes, dialect, false)
    }

    /// The same for bytes whose end may already be cut.
    pub(crate) fn read_part(bytes: &'b [u8], dialect: &Dialect, is_cut: bool) -> Self {
        let encoding = Encoding::of(bytes);
        let limit = dialect.byte_limit.unwrap_or(usize::MAX).min(limits::SOURCE_BYTES);
        let (mut text, beyond) = match encoding {
            Encoding::Utf16Le if dialect.utf16 => decode(&bytes[2..], u16::from_le_bytes, limit),
            Encoding::Utf16Be if dialect.utf16 => decode(&bytes[2..], u16::from_be_bytes, limit),
            _ => {
                let (text, beyond) = bytes.split_at_checked(limit).unwrap_or((bytes, &[]));
                (Cow::Borrowed(text), beyond.first().copied())
            }
        };
        let truncated = is_cut || beyond.is_some();
        let allows_all = truncated && dialect.oversize == Oversize::AllowAll;
        // A line is whole if only its end is beyond the limit.
        if truncated && beyond.is_none_or(|beyond| !is_line_end(beyond)) {
            let kept = whole_lines(&text);
            match &mut text {
                Cow::Borrowed(text) => *text = &text[..kept],
                Cow::Owned(text) => text.truncate(kept),
            }
        }
        // A mark is dropped only once, and decoding has already dropped it.
        let start = match text {
            Cow::Borrowed(text) => mark_length(text, dialect.byte_order_mark),
            Cow::Owned(_) => 0,
        };
        Self { text, start, encoding, truncated, allows_all }
    }

    /// The decoded text; spans refer to it.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The offset of the first line, after a byte order mark.
    pub(crate) const fn start(&self) -> usize {
        self.start
    }

    /// The encoding that the byte order mark declares.
    pub(crate) const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether the byte limit cut the text.
    pub(crate) const fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Whether a text of this size allows everything in the dialect.
    pub(crate) const fn allows_all(&self) -> bool {
        self.allows_all
    }

    pub(crate) fn into_text(self) -> Vec<u8> {
        self.text.into_owned()
    }
}

impl Encoding {
    fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Self::Utf32,
            [0xFF, 0xFE, text @ ..] if is_utf16(text) => Self::Utf16Le,
            [0xFE, 0xFF, text @ ..] if is_utf16(text) => Self::Utf16Be,
            _ => Self::Utf8,
        }
    }
}

/// Whether a text after a UTF-16 mark contains NULs as UTF-16 does: keys are ASCII (REP-AMB-20).
fn is_utf16(text: &[u8]) -> bool {
    text.iter().take(limits::UTF16_PROOF_BYTES).any(|&octet| octet == 0)
}

/// The text in UTF-8, and the first byte after the limit.
fn decode(
    bytes: &[u8],
    unit: fn([u8; 2]) -> u16,
    limit: usize,
) -> (Cow<'static, [u8]>, Option<u8>) {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|&pair| unit(pair));
    let chars = char::decode_utf16(units)
        .map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER))
        .chain((!odd.is_empty()).then_some(char::REPLACEMENT_CHARACTER));
    let mut text = Vec::new();
    for c in chars {
        let mut buffer = [0; 4];
        let encoded = c.encode_utf8(&mut buffer).as_bytes();
        if encoded.len() > limit - text.len() {
            return (Cow::Owned(text), encoded.first().copied());
        }
        text.extend_from_slice(encoded);
    }
    (Cow::Owned(text), None)
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The length of the complete lines.
fn whole_lines(text: &[u8]) -> usize {
    text.iter().rposition(|&byte| is_line_end(byte)).map_or(0, |last| last + 1)
}

/// REP-SYNTAX-3, REP-AMB-39: the number of dropped bytes of a byte order mark.
fn mark_length(text: &[u8], rule: ByteOrderMark) -> usize {
    const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];
    let equal = MARK.iter().zip(text).take_while(|(mark, byte)| mark == byte).count();
    match rule {
        ByteOrderMark::DropPartial => equal,
        ByteOrderMark::DropWhole if equal == MARK.len() => equal,
        ByteOrderMark::DropWhole | ByteOrderMark::Keep => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(limit: usize) -> Dialect {
        let mut row = Dialect::RFC9309;
        row.byte_limit = Some(limit);
        row
    }

    #[track_caller]
    fn check(dialect: &Dialect, bytes: &[u8], text: &[u8], truncated: bool) {
        let input = Input::read(bytes, dialect);
        assert_eq!(input.text(), text);
        assert_eq!(input.is_truncated(), truncated);
    }

    #[test]
    fn the_line_that_the_limit_cuts_is_dropped() {
        check(&limited(6), b"ab\ncde", b"ab\ncde", false);
        check(&limited(5), b"ab\ncde", b"ab\n", true);
        check(&limited(3), b"ab\r\ncd", b"ab\r", true);
        check(&limited(5), b"ab\ncd\ne", b"ab\ncd", true);
        check(&limited(2), b"ab\r\n", b"ab", true);
        check(&limited(2), b"abc", b"", true);
        check(&limited(0), b"", b"", false);
    }

    #[test]
    fn the_last_line_of_a_cut_text_is_dropped() {
        let cut = |bytes: &[u8]| {
            let input = Input::read_part(bytes, &limited(6), true);
            assert!(input.is_truncated());
            input.into_text()
        };
        assert_eq!(cut(b"ab\ncd"), b"ab\n");
        assert_eq!(cut(b"ab\ncd\n"), b"ab\ncd\n");
        assert_eq!(cut(b"ab\r\ncde"), b"ab\r\n");
        assert_eq!(cut(b"abc"), b"");
        assert_eq!(cut(b""), b"");
    }

    #[test]
    fn utf16_is_decoded_when_its_mark_says_so() {
        check(&limited(9), b"\xff\xfea\0\n\0\xe9\0", "a\né".as_bytes(), false);
        check(&limited(9), b"\xfe\xff\0a\0\n\xd8\0\0", "a\n\u{fffd}\u{fffd}".as_bytes(), false);
        check(&limited(3), b"\xff\xfea\0\n\0\xe9\0", b"a\n", true);
        check(&limited(3), b"\xff\xfea\0\n\0b\0\r\0", b"a\nb", true);
        let twice = Input::read(b"\xff\xfe\xff\xfea\0", &Dialect::RFC9309);
        assert_eq!((twice.text(), twice.start()), ("\u{feff}a".as_bytes(), 0));
        check(&Dialect::GOOGLE, b"\xff\xfea\0", b"\xff\xfea\0", false);
        check(&Dialect::RFC9309, b"\xff\xfe\0\0a\0\0\0", b"\xff\xfe\0\0a\0\0\0", false);
        assert_eq!(Input::read(b"\0\0\xfe\xff", &Dialect::RFC9309).encoding(), Encoding::Utf32);
    }

    #[test]
    fn a_mark_of_utf16_before_other_text_is_a_part_of_its_first_line() {
        for mark in [b"\xff\xfe", b"\xfe\xff"] {
            for text in [&b""[..], b"a\nb", &[b'a'; 64], &[0xFF, 0xFE]] {
                let bytes = [mark, text].concat();
                check(&Dialect::RFC9309, &bytes, &bytes, false);
                assert_eq!(Input::read(&bytes, &Dialect::RFC9309).encoding(), Encoding::Utf8);
            }
            let late = [&mark[..], &[b'a'; 64], b"\0"].concat();
            assert_eq!(Input::read(&late, &Dialect::RFC9309).encoding(), Encoding::Utf8);
            let last = [&mark[..], &[b'a'; 63], b"\0"].concat();
            assert_ne!(Input::read(&last, &Dialect::RFC9309).encoding(), Encoding::Utf8);
        }
    }

    #[test]
    fn the_dropped_part_of_the_mark_depends_on_the_dialect() {
        let start = |bytes: &[u8], dialect| Input::read(bytes, &dialect).start();
        assert_eq!(start(b"\xef\xbb\xbf\xef\xbb\xbf", Dialect::RFC9309), 3);
        assert_eq!(start(b"\xef\xbbU", Dialect::RFC9309), 0);
        assert_eq!(start(b"\xef\xbbU", Dialect::GOOGLE), 2);
        assert_eq!(start(b"\xef", Dialect::GOOGLE), 1);
        assert_eq!(start(b"\xef\xbb\xbfU", Dialect::ORIG1994), 0);
    }

    #[test]
    fn an_oversized_file_may_allow_everything() {
        let mut row = Dialect::YANDEX;
        row.byte_limit = Some(4);
        assert!(Input::read(b"ab\ncd", &row).allows_all());
        assert!(!Input::read(b"ab\nc", &row).allows_all());
    }
}
