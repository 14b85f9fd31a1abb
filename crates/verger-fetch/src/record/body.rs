//! The body of a robots.txt.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use verger::Untrusted;

/// A body and its SHA-256. Clones share the bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Body {
    bytes: Arc<[u8]>,
    sha256: [u8; 32],
}

impl Body {
    /// A body; its hash is computed only here.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes: Arc<[u8]> = bytes.into().into();
        let sha256 = Sha256::digest(&bytes).into();
        Self { bytes, sha256 }
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Their SHA-256.
    pub const fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// Their SHA-256 as 64 hexadecimal digits, in lower case.
    pub fn sha256_hex(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
        self.sha256.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::new([])
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Untrusted::new(&self.bytes).limited_to(verger::limits::QUOTED_CHARS).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_written_in_lower_case_hex() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Body::default().sha256_hex(), empty);
    }

    #[test]
    fn body_is_shown_escaped_and_cut() {
        assert_eq!(format!("{:?}", Body::new(b"a\x1b\n".to_vec())), r#""a\x1b\n""#);
        assert!(format!("{:?}", Body::new("a".repeat(10_000))).len() < 1_000);
    }
}
