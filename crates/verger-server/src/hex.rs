//! Hexadecimal digits of hashes and keys.

use std::fmt::Write as _;

/// The digits of bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// 32 bytes of 64 digits.
pub(crate) fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_read_as_written() {
        let bytes: [u8; 32] = std::array::from_fn(|at| u8::try_from(at * 7).unwrap());
        assert_eq!(from_hex(&hex(&bytes)), Some(bytes));
        for bad in ["", "00", &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(from_hex(bad), None);
        }
    }
}
