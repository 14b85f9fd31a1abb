//! The text of an attribute (REP-PAGE-7), with its character references: `&amp;`, `&#38;`, `&#x26;`.
//!
//! `references.txt` has the names of the HTML standard (13.5) and their code points, sorted by octets.
//! The `;` of a name in the list without `;` is optional.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

/// Returns the text of an attribute by the rules of HTML: line ends normalised, NUL replaced,
/// character references decoded.
pub(super) fn text(value: &str) -> String {
    let value = if value.contains('\r') {
        Cow::Owned(value.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(value)
    };
    let mut text = String::with_capacity(value.len());
    let mut rest = &*value;
    while let Some(at) = rest.find(['&', '\0']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match rest.strip_prefix('&') {
            None => {
                text.push(char::REPLACEMENT_CHARACTER);
                1
            }
            Some(after) => match decode(after, &mut text) {
                0 => {
                    text.push('&');
                    1
                }
                length => 1 + length,
            },
        };
        rest = &rest[length..];
    }
    text.push_str(rest);
    text
}

const NAMES: &str = include_str!("references.txt");

/// Length of the longest name, its `;` included.
const LONGEST: usize = 32;

/// Decodes the reference at the start of `rest`, the text after a `&`, and appends its text to `out`.
///
/// Returns the length of the reference without its `&`; 0 if `rest` does not start with one.
///
/// # Complexity
///
/// Linear in the following letters and digits, of which a name has at most 32.
pub(super) fn decode(rest: &str, out: &mut String) -> usize {
    match rest.strip_prefix('#') {
        Some(number) => match numeric(number, out) {
            0 => 0,
            length => 1 + length,
        },
        None => named(rest, out),
    }
}

fn named(rest: &str, out: &mut String) -> usize {
    let bytes = rest.as_bytes();
    let is_part = |octet: &u8| octet.is_ascii_alphanumeric();
    let letters = bytes.iter().take(LONGEST).take_while(|octet| is_part(octet)).count();
    let most = letters + usize::from(bytes.get(letters) == Some(&b';'));
    // The longest name wins.
    for length in (2..=most.min(LONGEST)).rev() {
        let Some(points) = find(&rest[..length]) else { continue };
        // A query such as `?a=b&copy=c` is not a reference.
        let is_open = !rest[..length].ends_with(';');
        let goes_on = |octet: &u8| is_part(octet) || *octet == b'=';
        if is_open && bytes.get(length).is_some_and(goes_on) {
            return 0;
        }
        let points = points.split(' ').filter_map(|point| u32::from_str_radix(point, 16).ok());
        out.extend(points.filter_map(char::from_u32));
        return length;
    }
    0
}

/// Returns the code points of a name, in hexadecimal digits.
fn find(name: &str) -> Option<&'static str> {
    let (mut from, mut to) = (0, NAMES.len());
    while from < to {
        let middle = from + (to - from) / 2;
        let start = NAMES[..middle].rfind('\n').map_or(0, |at| at + 1).max(from);
        let end = NAMES[middle..].find('\n').map_or(to, |at| middle + at + 1);
        let (found, points) = NAMES[start..end].trim_end().split_once(' ')?;
        match found.cmp(name) {
            std::cmp::Ordering::Less => from = end,
            std::cmp::Ordering::Equal => return Some(points),
            std::cmp::Ordering::Greater => to = start,
        }
    }
    None
}

/// Decodes a number after `&#`.
fn numeric(rest: &str, out: &mut String) -> usize {
    let (prefix, radix) = if rest.starts_with(['x', 'X']) { (1, 16) } else { (0, 10) };
    let digits = &rest[prefix..];
    let digits = &digits[..digits.bytes().take_while(|it| char::from(*it).is_digit(radix)).count()];
    if digits.is_empty() {
        return 0;
    }
    let number = digits
        .chars()
        .filter_map(|digit| digit.to_digit(radix))
        .fold(0_u32, |all, digit| all.saturating_mul(radix).saturating_add(digit));
    match u8::try_from(number) {
        Ok(0) => out.push(char::REPLACEMENT_CHARACTER),
        // Meant for windows-1252, because these code points are control characters.
        Ok(octet @ 0x80..=0x9f) => {
            out.push_str(&WINDOWS_1252.decode_without_bom_handling(&[octet]).0);
        }
        _ => out.push(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)),
    }
    let length = prefix + digits.len();
    length + usize::from(rest[length..].starts_with(';'))
}

/// Returns all names.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.lines().filter_map(|line| line.split_once(' ')).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_decoded_as_in_attributes() {
        assert_eq!(text("no&#105;nd&#x65;x&comma;&nbsp"), "noindex,\u{a0}");
        assert_eq!(text("?a=b&copy=c&amp;d"), "?a=b&copy=c&d");
        assert_eq!(text("&#0;&#x110000;&nothing;"), "\u{fffd}\u{fffd}&nothing;");
        assert_eq!(text("&&amp&&#&#x&#xg;"), "&&&&#&#x&#xg;");
    }

    #[test]
    fn references_are_decoded_like_by_another_crate() {
        let mut random = fastrand::Rng::with_seed(7);
        let pieces = ["&", "#", "x", "X", ";", "=", "0", "9", "80", "9F", "a", "é", " ", "not"];
        let names: Vec<&str> = names().collect();
        for _ in 0..100_000 {
            let mut value = String::new();
            for _ in 0..random.usize(1..6) {
                if random.u8(..3) == 0 {
                    let name = names[random.usize(..names.len())];
                    value.push('&');
                    value.push_str(&name[..random.usize(1..=name.len())]);
                } else {
                    value.push_str(pieces[random.usize(..pieces.len())]);
                }
            }
            assert_eq!(text(&value), htmlize::unescape_attribute(&value), "{value}");
        }
    }

    #[test]
    fn line_ends_and_nul_follow_html() {
        assert_eq!(text("a\r\nb\rc\nd\0&#13;"), "a\nb\nc\nd\u{fffd}\r");
    }

    #[test]
    fn every_name_is_found() {
        assert!(names().is_sorted());
        assert_eq!(names().map(str::len).max(), Some(LONGEST));
        for name in names() {
            let mut found = String::new();
            assert_eq!(decode(name, &mut found), name.len(), "{name}");
            assert_eq!(found, htmlize::unescape_attribute(format!("&{name}")), "{name}");
        }
    }

    #[test]
    fn other_texts_are_not_references() {
        for text in ["", ";", "A", "zzzz;", "NotEqualTild", "#", "#x", "#;", "é"] {
            assert_eq!(decode(text, &mut String::new()), 0, "{text}");
        }
    }
}
