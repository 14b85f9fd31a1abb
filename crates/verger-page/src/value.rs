//! The values of directives.

use std::fmt;

/// A number that limits, or the statement that there is no limit (`-1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a limit is a number or none")]
pub enum Limit {
    /// At most so many. A larger number than this type holds counts as its largest.
    AtMost(u32),
    /// No limit.
    Unlimited,
}

impl Limit {
    /// A number, or `-1`.
    pub(crate) fn read(value: &[u8]) -> Option<Self> {
        if value == b"-1" {
            return Some(Self::Unlimited);
        }
        let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
        let add =
            |sum: u32, digit: &u8| sum.saturating_mul(10).saturating_add((digit - b'0').into());
        is_number.then(|| Self::AtMost(value.iter().fold(0, add)))
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(number) => write!(f, "{number}"),
            Self::Unlimited => f.write_str("-1"),
        }
    }
}

/// The largest preview of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ImagePreview {
    /// None.
    None,
    /// One of the usual size.
    Standard,
    /// One as wide as the screen.
    Large,
}

impl ImagePreview {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Standard => "standard",
            Self::Large => "large",
        }
    }

    pub(crate) fn read(value: &[u8]) -> Option<Self> {
        let all = [Self::None, Self::Standard, Self::Large];
        all.into_iter().find(|preview| value.eq_ignore_ascii_case(preview.name().as_bytes()))
    }
}

impl fmt::Display for ImagePreview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
