//! Digests of payloads, and record ids.

use data_encoding::{BASE32_NOPAD, HEXLOWER_PERMISSIVE};
use serde::{Deserialize, Serialize};
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

/// The value of `WARC-Payload-Digest`, independent of its spelling: writers use base32 or
/// hexadecimal digits, in any case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Digest {
    algorithm: String,
    /// The hash, or the text if it cannot be decoded.
    value: Vec<u8>,
}

impl Digest {
    pub(crate) fn of_field(text: &str) -> Self {
        let (algorithm, value) = text.split_once(':').unwrap_or(("", text));
        let algorithm = algorithm.trim().to_ascii_lowercase().replace('-', "");
        let value = value.trim();
        let length = match algorithm.as_str() {
            "md5" => 16,
            "sha1" => 20,
            "sha256" => 32,
            "sha512" => 64,
            _ => 0,
        };
        let hash = if value.len() == 2 * length {
            HEXLOWER_PERMISSIVE.decode(value.as_bytes())
        } else {
            let digits = value.trim_end_matches('=').to_ascii_uppercase();
            BASE32_NOPAD.decode(digits.as_bytes())
        };
        let hash = hash.ok().filter(|hash| hash.len() == length);
        Self { algorithm, value: hash.unwrap_or_else(|| value.as_bytes().to_vec()) }
    }

    /// Whether it is the digest of these bytes. False for an unknown algorithm.
    pub(crate) fn is_of(&self, payload: &[u8]) -> bool {
        match self.algorithm.as_str() {
            "sha1" => Sha1::digest(payload)[..] == self.value,
            "sha256" => Sha256::digest(payload)[..] == self.value,
            _ => false,
        }
    }
}

/// A record id: the beginning of the hash of its text, because millions of them are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct RecordId([u8; 16]);

impl RecordId {
    pub(crate) fn of_field(text: &str) -> Self {
        let hash = Sha256::digest(text.to_ascii_lowercase());
        let mut id = [0; 16];
        id.copy_from_slice(&hash[..16]);
        Self(id)
    }

    /// The partition of the id, among this number.
    pub(crate) fn partition(self, partitions: usize) -> usize {
        usize::from(u16::from_le_bytes([self.0[0], self.0[1]])) % partitions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_equal_in_every_spelling() {
        let digest = Digest::of_field("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        for text in [
            "SHA-1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj",
            "sha1: da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "sha1:DA39A3EE5E6B4B0D3255BFEF95601890AFD80709",
        ] {
            assert_eq!(Digest::of_field(text), digest, "{text}");
        }
        assert!(digest.is_of(b"") && !digest.is_of(b"a"));
        let sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert!(Digest::of_field(&format!("sha256:{sha256}")).is_of(b""));
        let base32 = "4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====";
        assert!(Digest::of_field(&format!("sha-256:{base32}")).is_of(b""));
    }

    #[test]
    fn other_texts_are_compared_as_they_are() {
        for (text, spelling) in [
            ("sha1:EMPTY", "SHA-1: EMPTY "),
            ("", " : "),
            ("x", ":x"),
            ("md9:AAAA", "MD-9:AAAA"),
            ("sha1:", "SHA1: "),
            (":", ""),
            ("sha1:=", "sha-1:="),
            ("sha1:\u{fc}", "Sha1:\u{fc}"),
        ] {
            assert_eq!(Digest::of_field(text), Digest::of_field(spelling), "{text}");
            assert!(!Digest::of_field(text).is_of(b""), "{text}");
            for other in ["sha1:OTHER", "sha1:empty", "sha1:E", "sha256:EMPTY"] {
                assert_ne!(Digest::of_field(text), Digest::of_field(other), "{text} {other}");
            }
        }
    }
}
