//! What a fetch received.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use verger::{Origin, Untrusted};

/// What was received, and on which way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The status of the last response; `None` when there was none, as after a timeout.
    pub status: Option<u16>,
    /// The redirects before it, in order; empty when the first URL answered.
    pub hops: Vec<Hop>,
    /// The URL that gave the answer.
    pub final_url: String,
    /// What a conditional request would send.
    pub validators: Validators,
    /// The value of `Content-Type`, as received.
    pub media_type: Option<Vec<u8>>,
    /// By which access profile it was judged what the answer means: its name; for a row of one's own a number
    /// beside it that is another for other choices; and where redirects were judged by what a crawler may
    /// fetch, the tokens of this crawler. Empty: it is not known.
    pub access_profile: String,
    /// Why the last fetch gave no answer to go by, in words that are fit to be shown.
    pub failure: Option<String>,
    /// Whether the body was cut at the size limit.
    pub truncated: bool,
    /// Whether a redirect led from https to http.
    pub downgraded: bool,
    /// Whether the body looks like a page and not like a robots.txt (REP-ACCESS-35).
    pub html: bool,
    /// The body, decoded.
    pub body: Body,
}

impl Answer {
    /// Whether the URL that answered belongs to an origin.
    pub(super) fn is_from(&self, origin: &Origin) -> bool {
        let Some(rest) = self.final_url.strip_prefix(&*origin.to_string()) else {
            return false;
        };
        rest.is_empty() || rest.starts_with(['/', '?', '#'])
    }
}

/// A redirect: the URL that answered, and its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The URL that was asked.
    pub url: String,
    /// The status that it answered with.
    pub status: u16,
}

/// Header fields that let a server say that nothing has changed (REP-CACHE-5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// The value of `ETag`, as received.
    pub etag: Option<Vec<u8>>,
    /// The value of `Last-Modified`, as received.
    pub last_modified: Option<Vec<u8>>,
}

impl Validators {
    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// A body and its SHA-256. A copy costs nothing: the bytes are shared.
#[derive(Clone, PartialEq, Eq)]
pub struct Body {
    bytes: Arc<[u8]>,
    sha256: [u8; 32],
}

impl Body {
    /// A body; its hash is computed here, and nowhere else.
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

    /// Their SHA-256 as people write it: 64 hexadecimal digits, in lower case.
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
    fn url_belongs_to_the_origin_it_begins_with_and_to_no_longer_one() {
        let origin = Origin::from_parts("https", "shop.example", None).unwrap();
        for (url, expected) in [
            ("https://shop.example/robots.txt", true),
            ("https://shop.example", true),
            ("https://shop.example?x", true),
            ("https://shop.example:8443/robots.txt", false),
            ("https://shop.example.evil.example/robots.txt", false),
            ("https://shop.example@evil.example/robots.txt", false),
            ("http://shop.example/robots.txt", false),
            ("", false),
        ] {
            let answer = Answer { final_url: url.to_owned(), ..Answer::default() };
            assert_eq!(answer.is_from(&origin), expected, "{url}");
        }
    }

    #[test]
    fn hash_is_written_as_everybody_writes_it() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Body::default().sha256_hex(), empty);
    }

    #[test]
    fn body_is_shown_escaped_and_cut() {
        assert_eq!(format!("{:?}", Body::new(b"a\x1b\n".to_vec())), r#""a\x1b\n""#);
        assert!(format!("{:?}", Body::new("a".repeat(10_000))).len() < 1_000);
    }
}
