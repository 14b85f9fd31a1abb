//! Escapes in logs.

use std::borrow::Cow;

use memchr::memchr;

/// The text without the escapes of Apache (`\"`, `\\`, `\t`, `\x1b`) and nginx (`\x22`, for JSON
/// `\u001b`).
pub(crate) fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    replaced(text, b'\\', |rest| match *rest {
        [b'x' | b'X', high, low, ..] => Some((octet(high, low)?, 4)),
        [b'u', b'0', b'0', high, low, ..] => Some((octet(high, low)?, 6)),
        [letter, ..] => {
            let at = ESCAPES.iter().position(|escape| *escape == letter)?;
            Some((ESCAPED[at], 2))
        }
        [] => None,
    })
}

/// Letters of escapes, and their octets.
const ESCAPES: &[u8; 8] = b"\"\\btnvfr";
const ESCAPED: &[u8; 8] = b"\"\\\x08\t\n\x0b\x0c\r";

/// The text without escapes of a mark and two hexadecimal digits: `#22` of `HAProxy`, `%22` of
/// URLs.
pub(crate) fn hex_unescaped(text: &[u8], mark: u8) -> Cow<'_, [u8]> {
    replaced(text, mark, |rest| Some((octet(*rest.first()?, *rest.get(1)?)?, 3)))
}

/// The User-Agent header without its encoding, of which no space is left. `CloudFront` encodes it
/// with `%`, in older records twice, IIS writes `+` for spaces, and Akamai does both.
pub(crate) fn decoded_agent(text: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Cow::Borrowed(text);
    for _ in 0..2 {
        if !text.contains(&b' ') {
            text = Cow::Owned(hex_unescaped(&text, b'%').into_owned());
        }
    }
    if text.contains(&b' ') { text } else { plus_as_space(text) }
}

/// Header fields of IIS.
pub(crate) fn plus_as_space(mut text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if text.contains(&b'+') {
        for byte in text.to_mut().iter_mut().filter(|byte| **byte == b'+') {
            *byte = b' ';
        }
    }
    text
}

/// The path or query as requested. `CloudFront` encodes `%` and octets that a URL cannot contain:
/// the escapes of the latter remain, as a URL needs them.
pub(crate) fn cloudfront_path(text: &[u8]) -> Cow<'_, [u8]> {
    replaced(text, b'%', |rest| rest.starts_with(b"25").then_some((b'%', 3)))
}

/// Replaces escapes. `read` gets the text after a mark and returns the octet of the escape and its
/// length with the mark, or `None` if the mark is itself.
fn replaced(text: &[u8], mark: u8, read: impl Fn(&[u8]) -> Option<(u8, usize)>) -> Cow<'_, [u8]> {
    if memchr(mark, text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let found = if *first == mark { read(after) } else { None };
        let (byte, length) = found.unwrap_or((*first, 1));
        out.push(byte);
        rest = &rest[length..];
    }
    Cow::Owned(out)
}

/// The octet of two hexadecimal digits.
fn octet(high: u8, low: u8) -> Option<u8> {
    let digit = |byte| char::from(byte).to_digit(16);
    u8::try_from(16 * digit(high)? + digit(low)?).ok()
}
