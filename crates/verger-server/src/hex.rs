//! Hexadecimal digits of hashes and keys.

/// The digits of bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|&byte| digits(byte)).map(char::from).collect()
}

/// The digits of a byte. Formatting would cost as much as the rest of a response.
pub(crate) fn digits(byte: u8) -> [u8; 2] {
    let digits: [u8; 16] = *b"0123456789abcdef";
    [byte >> 4, byte & 0xf].map(|half| digits[usize::from(half)])
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
        assert_eq!(hex(&[0, 0x9a, 0xff]), "009aff");
        for bad in ["", "00", &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(from_hex(bad), None);
        }
    }
}
