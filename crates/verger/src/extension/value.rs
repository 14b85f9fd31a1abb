//! Parts of values: numbers, and paths of lines (REP-EXT-34, REP-EXT-35).

use core::fmt;

use crate::dialect::Dialect;
use crate::pattern::Pattern;
use crate::search::{Searched, with_room};
use crate::target::Target;

/// The value of a record does not have the expected form; the record then has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvalidValue {
    expected: &'static str,
}

impl InvalidValue {
    pub(super) const fn expected(expected: &'static str) -> Self {
        Self { expected }
    }
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.expected)
    }
}

impl core::error::Error for InvalidValue {}

/// A number of ASCII digits only, within 32 bits.
pub(super) fn number(text: &[u8]) -> Option<u32> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    text.iter()
        .try_fold(0_u32, |value, digit| value.checked_mul(10)?.checked_add(u32::from(digit - b'0')))
}

/// A `Robot-version`: two or three numbers with points between them.
pub(super) fn version(value: &[u8]) -> Result<&[u8], InvalidValue> {
    let mut numbers = value.split(|&octet| octet == b'.');
    let is_version = matches!(numbers.clone().count(), 2 | 3)
        && numbers.all(|digits| number(digits).is_some_and(|it| it <= u16::MAX.into()));
    if is_version { Ok(value) } else { Err(InvalidValue::expected("a version such as `1.0`")) }
}

/// Splits a value that begins with `/` into its path, up to white space, and the rest.
pub(super) fn split_path(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    if !value.starts_with(b"/") {
        return (None, value);
    }
    // Only SP and HTAB: the draft's white space is that of RFC 9309's grammar.
    let is_blank = |octet: &u8| matches!(octet, b' ' | b'\t');
    let end = value.iter().position(is_blank).unwrap_or(value.len());
    let (path, rest) = value.split_at(end);
    let start = rest.iter().position(|octet| !is_blank(octet)).unwrap_or(rest.len());
    (Some(path), &rest[start..])
}

/// The values of the lines that match a URL with the longest path, combined with `and`. A line
/// without a path is the shortest match (REP-EXT-34).
pub(super) fn longest<'r, T: Copy>(
    dialect: &Dialect,
    url: &[u8],
    lines: impl Iterator<Item = (Option<&'r [u8]>, T)>,
    nothing: T,
    and: impl Fn(T, T) -> T,
) -> T {
    let Some(target) = Target::of_url(url, dialect) else {
        return nothing;
    };
    let longest = |mut target: Searched<'_>| {
        let mut best = (0, nothing);
        for (path, stated) in lines {
            let pattern = path.map(|path| Pattern::new(path, dialect));
            if pattern.is_some_and(|pattern| !pattern.matches(&mut target)) {
                continue;
            }
            let length = pattern.map_or(0, Pattern::len);
            if length > best.0 {
                best = (length, nothing);
            }
            if length == best.0 {
                best.1 = and(best.1, stated);
            }
        }
        best.1
    };
    target.in_normal_form(|target| with_room(target, longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_ends_at_white_space() {
        assert_eq!(split_path(b"/a \t b=y"), (Some(&b"/a"[..]), &b"b=y"[..]));
        assert_eq!(split_path(b"/a"), (Some(&b"/a"[..]), &b""[..]));
        assert_eq!(split_path(b"*a b"), (None, &b"*a b"[..]));
    }
}
