//! Output of foreign text: to a terminal, a log line, a JSON string.
//!
//! Text of a robots.txt or a URL must not move a cursor, forge a second log line or hide itself.
//! The project prints foreign text only through [`Untrusted`].

use alloc::borrow::Cow;
use alloc::string::{String, ToString as _};
use core::fmt::{self, Display, Write as _};

use crate::limits;

/// Foreign bytes that are displayed as inert text.
///
/// `Display` writes printable characters unchanged and the rest as visible escapes: control
/// characters (C0, DEL, C1), line and paragraph separators, bidirectional and zero-width
/// characters, tag characters, variation selectors, combining marks, unassigned and private
/// characters as `\x1b` or `\u{202e}`; bytes that are not UTF-8 as `\x9b`. A backslash of the text
/// remains a single backslash.
///
/// # Complexity
///
/// One pass over the bytes; nothing is allocated.
///
/// # Examples
///
/// ```
/// use verger::Untrusted;
///
/// assert_eq!(Untrusted::new("/café").to_string(), "/café");
/// assert_eq!(Untrusted::new(b"/\x1b[2J\xff").to_string(), r"/\x1b[2J\xff");
/// assert_eq!(Untrusted::new("abcdef").limited_to(3).to_string(), "abc…");
/// assert_eq!(Untrusted::new("a\"\n").json().to_string(), r#""a\"\u000a""#);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Untrusted<'a> {
    bytes: &'a [u8],
    limit: usize,
}

impl<'a> Untrusted<'a> {
    /// Wraps foreign text.
    pub fn new<T: AsRef<[u8]> + ?Sized>(text: &'a T) -> Self {
        Self { bytes: text.as_ref(), limit: usize::MAX }
    }

    /// Limits the output to this number of characters, followed by `…`.
    #[must_use]
    pub const fn limited_to(self, characters: usize) -> Self {
        Self { limit: characters, ..self }
    }

    /// The text as a JSON string with quotes.
    ///
    /// The value of the string is the text itself. Characters that `Display` escapes are written as
    /// `\uXXXX`, and a byte that is not UTF-8 becomes U+FFFD.
    pub const fn json(self) -> impl Display + use<'a> {
        UntrustedJson(self)
    }

    /// The text in backticks, for a sentence; in more of them if it contains some, as in Markdown.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Untrusted;
    ///
    /// assert_eq!(Untrusted::new("/cart").quoted().to_string(), "`/cart`");
    /// assert_eq!(Untrusted::new("/a`b").quoted().to_string(), "``/a`b``");
    /// assert_eq!(Untrusted::new("`").quoted().to_string(), "`` ` ``");
    /// ```
    pub const fn quoted(self) -> impl Display + use<'a> {
        UntrustedQuote(self)
    }

    /// Whether the bytes are UTF-8, so that [`json`](Self::json) is lossless.
    pub fn is_utf8(self) -> bool {
        core::str::from_utf8(self.bytes).is_ok()
    }
}

impl Display for Untrusted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_piece(self.bytes, self.limit, |piece| match piece {
            ShownPiece::Char(c) if is_inert(c) => f.write_char(c),
            ShownPiece::Char(c) if c.is_ascii() => write_ascii_control(f, c),
            ShownPiece::Char(c) => write!(f, "\\u{{{:x}}}", u32::from(c)),
            ShownPiece::Byte(byte) => write!(f, "\\x{byte:02x}"),
            ShownPiece::Cut => f.write_char('…'),
        })
    }
}

impl fmt::Debug for Untrusted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// The result of [`Untrusted::quoted`].
struct UntrustedQuote<'a>(Untrusted<'a>);

impl Display for UntrustedQuote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_quoted(self.0.bytes, self.0, f)
    }
}

/// Writes a text in backticks: more than any run of them in the bytes that it shows.
pub(crate) fn write_quoted(
    bytes: &[u8],
    text: impl Display,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let runs = bytes.split(|&byte| byte != b'`').map(<[u8]>::len);
    let count = runs.max().unwrap_or_default().min(limits::QUOTED_CHARS) + 1;
    let fence = |f: &mut fmt::Formatter<'_>| (0..count).try_for_each(|_| f.write_char('`'));
    let is_open = bytes.first() == Some(&b'`') || bytes.last() == Some(&b'`');
    let space = if is_open { " " } else { "" };
    fence(f)?;
    write!(f, "{space}{text}{space}")?;
    fence(f)
}

/// The result of [`Untrusted::json`].
struct UntrustedJson<'a>(Untrusted<'a>);

impl Display for UntrustedJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        each_piece(self.0.bytes, self.0.limit, |piece| match piece {
            ShownPiece::Char(c @ ('"' | '\\')) => write!(f, "\\{c}"),
            ShownPiece::Char(c) if is_inert(c) => f.write_char(c),
            ShownPiece::Char(c) => {
                c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(f, "\\u{unit:04x}"))
            }
            ShownPiece::Byte(_) => f.write_char(char::REPLACEMENT_CHARACTER),
            ShownPiece::Cut => f.write_char('…'),
        })?;
        f.write_char('"')
    }
}

/// Foreign text in backticks, escaped and cut, for a message.
///
/// # Examples
///
/// ```
/// assert_eq!(verger::quoted("/cart\n"), r"`/cart\n`");
/// ```
pub fn quoted<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    Untrusted::new(text).limited_to(limits::QUOTED_CHARS).quoted().to_string()
}

/// A URL without user name and password, which clients do not send (REP-ACCESS-7) and answers do
/// not repeat.
///
/// # Examples
///
/// ```
/// use verger::without_credentials;
///
/// let shown = without_credentials(b"https://user:word@shop.example/@");
/// assert_eq!(&*shown, b"https://shop.example/@");
/// ```
pub fn without_credentials(url: &[u8]) -> Cow<'_, [u8]> {
    let find = || {
        let host = url.iter().position(|&byte| byte == b':')? + 3;
        let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let (scheme, rest) = url.split_at_checked(host)?;
        if !scheme.ends_with(b"://") || !scheme[..host - 3].iter().all(is_scheme) {
            return None;
        }
        let end = rest.iter().position(|byte| b"/?#\\".contains(byte)).unwrap_or(rest.len());
        let at = rest[..end].iter().rposition(|&byte| byte == b'@')?;
        Some([scheme, &rest[at + 1..]].concat())
    };
    find().map_or(Cow::Borrowed(url), Cow::Owned)
}

enum ShownPiece {
    Char(char),
    Byte(u8),
    Cut,
}

fn each_piece(
    bytes: &[u8],
    limit: usize,
    mut write: impl FnMut(ShownPiece) -> fmt::Result,
) -> fmt::Result {
    let mut left = limit;
    for chunk in bytes.utf8_chunks() {
        let chars = chunk.valid().chars().map(ShownPiece::Char);
        let broken = chunk.invalid().iter().map(|&byte| ShownPiece::Byte(byte));
        for piece in chars.chain(broken) {
            if left == 0 {
                return write(ShownPiece::Cut);
            }
            left -= 1;
            write(piece)?;
        }
    }
    Ok(())
}

fn write_ascii_control(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    match c {
        '\t' => f.write_str("\\t"),
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        _ => write!(f, "\\x{:02x}", u32::from(c)),
    }
}

/// Whether a character is displayed as itself and does not change its surroundings.
fn is_inert(c: char) -> bool {
    // The standard library's debug escape covers unprintable characters and those that extend the
    // character before them; it also escapes quotes and backslashes, which are inert here. It does
    // not escape fillers and the empty Braille cell, which are displayed as blanks.
    let is_blank = matches!(
        c,
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
    );
    matches!(c, '"' | '\'' | '\\') || c.escape_debug().len() == 1 && !is_blank
}

/// Bidirectional formatting, which makes one URL look like another; RFC 3987 section 4.1 forbids it
/// there.
pub(crate) const fn is_bidirectional_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[track_caller]
    fn check(text: impl AsRef<[u8]>, expected: &str) {
        assert_eq!(Untrusted::new(text.as_ref()).to_string(), expected);
    }

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        check("/a b/é/日本/שלום/?q=\"'\\", "/a b/é/日本/שלום/?q=\"'\\");
    }

    #[test]
    fn terminal_controls_become_visible() {
        check(b"\x1b]52;c;ZQ==\x07", r"\x1b]52;c;ZQ==\x07");
        check(b"a\rb\nc\td\0\x7f", r"a\rb\nc\td\x00\x7f");
        check("\u{9b}2J", r"\u{9b}2J");
        check(b"\x9b2J", r"\x9b2J");
    }

    #[test]
    fn invisible_and_reordering_characters_become_visible() {
        for c in [
            '\u{200b}',
            '\u{200d}',
            '\u{200e}',
            '\u{202e}',
            '\u{2028}',
            '\u{2029}',
            '\u{2060}',
            '\u{2066}',
            '\u{2067}',
            '\u{2069}',
            '\u{feff}',
            '\u{fe0f}',
            '\u{301}',
            '\u{e0061}',
            '\u{e0100}',
            '\u{ad}',
            '\u{1160}',
            '\u{3164}',
            '\u{ffa0}',
            '\u{2800}',
        ] {
            let shown = Untrusted::new(c.encode_utf8(&mut [0; 4])).to_string();
            assert_eq!(shown, alloc::format!("\\u{{{:x}}}", u32::from(c)));
        }
    }

    #[test]
    fn json_keeps_the_value_and_escapes_dangerous_characters() {
        let text = "\u{202e}\u{e0061}\"\\\n";
        let json = Untrusted::new(text).json().to_string();
        assert_eq!(json, "\"\\u202e\\udb40\\udc61\\\"\\\\\\u000a\"");
        assert_eq!(Untrusted::new(b"a\xff").json().to_string(), "\"a\u{fffd}\"");
        assert!(!Untrusted::new(b"a\xff").is_utf8());
    }

    #[test]
    fn a_limit_counts_characters_and_marks_the_cut() {
        check("äöü", "äöü");
        assert_eq!(Untrusted::new("äöü").limited_to(3).to_string(), "äöü");
        assert_eq!(Untrusted::new("äöü").limited_to(2).to_string(), "äö…");
        assert_eq!(quoted(&"a".repeat(300)).chars().count(), 203);
        assert_eq!(alloc::format!("{:?}", Untrusted::new("a\n")), "\"a\\n\"");
    }

    #[test]
    fn credentials_of_a_url_are_removed() {
        for (url, expected) in [
            ("https://user:secret@shop.example/@x", "https://shop.example/@x"),
            ("https://secret@shop.example", "https://shop.example"),
            ("https://a@b:secret@shop.example?@", "https://shop.example?@"),
            ("ftp+x://:secret@h#@", "ftp+x://h#@"),
            (r"http://secret@h\@x", r"http://h\@x"),
            ("https://shop.example/@x", "https://shop.example/@x"),
            ("https://shop.example", "https://shop.example"),
            ("mailto:a@shop.example", "mailto:a@shop.example"),
            ("/x?u=http://a@b/", "/x?u=http://a@b/"),
            ("://a@b", "://b"),
            (":", ":"),
            ("", ""),
        ] {
            assert_eq!(without_credentials(url.as_bytes()), expected.as_bytes(), "{url}");
        }
    }
}
