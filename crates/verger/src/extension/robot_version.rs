//! `Robot-version`: the version of the protocol that a group uses (REP-EXT-10).

use core::fmt;

use super::value::InvalidValue;

/// A version such as `1.0` or `2.0.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct RobotVersion {
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u16,
    /// The third number; 0 if it is missing.
    pub patch: u16,
}

impl RobotVersion {
    /// Reads two or three numbers with points between them.
    pub(super) fn parse(value: &[u8]) -> Result<Self, InvalidValue> {
        const EXPECTED: InvalidValue = InvalidValue::expected("a version such as `1.0`");
        let mut numbers = value.split(|&octet| octet == b'.').map(|digits| {
            let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
            let text = core::str::from_utf8(digits).ok().filter(|_| is_number);
            text.and_then(|text| text.parse().ok()).ok_or(EXPECTED)
        });
        let mut next = || numbers.next().transpose();
        let (major, minor) = (next()?.ok_or(EXPECTED)?, next()?.ok_or(EXPECTED)?);
        let patch = next()?.unwrap_or(0);
        if next()?.is_some() { Err(EXPECTED) } else { Ok(Self { major, minor, patch }) }
    }
}

impl fmt::Display for RobotVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_or_three_numbers() {
        let parse = |value: &str| RobotVersion::parse(value.as_bytes()).ok();
        assert_eq!(parse("1.0"), Some(RobotVersion { major: 1, minor: 0, patch: 0 }));
        assert_eq!(parse("2.0.13"), Some(RobotVersion { major: 2, minor: 0, patch: 13 }));
        for value in ["", "2", "2.", ".1", "1.0.0.0", "v1.0", "1.99999", "+1.0", "1. 0"] {
            assert_eq!(parse(value), None, "{value}");
        }
    }
}
