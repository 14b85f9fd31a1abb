//! Texts of symbols and their URLs, and the engine's answers about them.

pub(crate) mod client_urls;
pub(crate) mod policy_check;
pub(crate) mod spellings;
pub(crate) mod targets;
pub(crate) mod witness;

/// The origin of all URLs that the analysis checks. Any other gives the same answers.
pub(crate) const ORIGIN: &str = "https://example.com";

/// The escape of an octet, with upper-case digits.
pub(crate) fn escape(octet: u8) -> [u8; 3] {
    const HEX: [u8; 16] = *b"0123456789ABCDEF";
    [b'%', HEX[usize::from(octet >> 4)], HEX[usize::from(octet & 15)]]
}
