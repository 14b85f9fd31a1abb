//! Bytes that parse to a given file, for pickles.

use verger::parse::Encoding;
use verger::{Dialect, Robots};

/// Bytes that [`parsed`] reads as a file that is equal to this one.
///
/// The text alone is not enough: parsing drops one byte order mark, decodes UTF-16, and a file
/// that was cut must stay one, because its last line may be missing.
pub(crate) fn of(robots: &Robots) -> Vec<u8> {
    let (text, dialect) = (robots.text(), robots.dialect());
    // What the cut removed: an unfinished line, or the end of the last line.
    let removed = match (robots.is_truncated(), text.last()) {
        (false, _) => None,
        (true, None | Some(b'\n' | b'\r')) => Some('#'),
        (true, Some(_)) => Some('\n'),
    };
    match robots.encoding() {
        Encoding::Utf16Le if dialect.utf16 => utf16(b"\xff\xfe", text, removed, u16::to_le_bytes),
        Encoding::Utf16Be if dialect.utf16 => utf16(b"\xfe\xff", text, removed, u16::to_be_bytes),
        encoding => {
            let mut bytes = text.to_vec();
            if bytes.is_empty() {
                // The removed line contained the mark.
                bytes.extend_from_slice(mark(encoding));
            }
            match removed {
                Some('\n') => bytes.push(b'\n'),
                // The text may have lost the NUL that proves UTF-16.
                Some(_) if is_utf16(encoding) => bytes.push(0),
                _ => {}
            }
            bytes
        }
    }
}

/// The file of the bytes from [`of`].
pub(crate) fn parsed(bytes: &[u8], dialect: &Dialect, is_cut: bool) -> Robots {
    if is_cut { dialect.parse_cut(bytes) } else { dialect.parse(bytes) }
}

/// A text in UTF-16.
fn utf16(mark: &[u8], text: &[u8], removed: Option<char>, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    // U+FFFD came from half a surrogate pair, perhaps; its NUL may be the only one.
    let units = text.chars().chain(removed).flat_map(|char| {
        let mut units = [0; 2];
        let units = match char {
            char::REPLACEMENT_CHARACTER => vec![HALF_PAIR],
            char => char.encode_utf16(&mut units).to_vec(),
        };
        units.into_iter().flat_map(bytes)
    });
    mark.iter().copied().chain(units).collect()
}

/// A surrogate, which is decoded as U+FFFD unless it has its other half.
const HALF_PAIR: u16 = 0xD800;

const fn is_utf16(encoding: Encoding) -> bool {
    matches!(encoding, Encoding::Utf16Le | Encoding::Utf16Be)
}

const fn mark(encoding: Encoding) -> &'static [u8] {
    match encoding {
        Encoding::Utf16Le => b"\xff\xfe",
        Encoding::Utf16Be => b"\xfe\xff",
        Encoding::Utf32 => b"\xff\xfe\0\0",
        _ => b"",
    }
}
