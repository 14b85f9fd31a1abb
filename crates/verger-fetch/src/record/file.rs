//! The last file of an origin, with its body and source.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use verger::access::{Fetched, Freshness, Outcome, Timestamp};
use verger::{Dialect, Origin, Robots, Untrusted};

use super::read_options::ReadOptions;

/// A robots.txt as it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The decoded body.
    pub body: Body,
    /// The outcome of its fetch: [`Outcome::Success`], or a 2xx status.
    pub outcome: Outcome,
    /// Time of its fetch, or of its last renewal by a 304.
    pub fetched_at: Timestamp,
    /// The lifetime in the response; `None` without one.
    pub lifetime: Option<Lifetime>,
    /// The redirects, in order; empty without a redirect.
    pub redirects: Vec<Redirect>,
    /// The final URL.
    pub final_url: String,
    /// The validators for a conditional request.
    pub validators: Validators,
    /// The value of `Content-Type`, as received.
    pub media_type: Option<Vec<u8>>,
    /// The size limit in bytes at which the client cut the body, or would have cut a part with
    /// status 206; `None` if it is whole.
    pub cut_at: Option<u64>,
    /// Whether a redirect led from https to http.
    pub downgraded: bool,
    /// Whether the body looks like an HTML page instead of a robots.txt (REP-ACCESS-35).
    pub html: bool,
}

/// The lifetime stated by a response (REP-CACHE-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Time from its receipt.
    pub stated: Duration,
    /// Whether it is from `max-age`, for which some access profiles have another ceiling
    /// (REP-AMB-18).
    pub by_max_age: bool,
}

/// A redirect: the requested URL and the status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The requested URL.
    pub url: String,
    /// The status of its response.
    pub status: u16,
}

/// Header fields with which a server can confirm a stored file (REP-CACHE-5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// The value of `ETag`, as received.
    pub etag: Option<Vec<u8>>,
    /// The value of `Last-Modified`, as received.
    pub last_modified: Option<Vec<u8>>,
}

impl Validators {
    /// Whether there is no validator.
    pub const fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }

    /// Whether a 304 with this `ETag` can be about a file with these validators. With another
    /// strong one it is about another file (REP-CACHE-5).
    pub(super) fn may_be_confirmed_with(&self, etag: Option<&[u8]>) -> bool {
        let strong = |etag: &&[u8]| !etag.starts_with(b"W/");
        let own = self.etag.as_deref().filter(strong);
        own.zip(etag.filter(strong)).is_none_or(|(own, other)| own == other)
    }
}

impl File {
    /// A whole file from the robots.txt URL of an origin, without validators.
    ///
    /// # Complexity
    ///
    /// Linear in the body, which is hashed.
    pub fn new(origin: &Origin, body: impl Into<Vec<u8>>, fetched_at: Timestamp) -> Self {
        Self {
            body: Body::new(body),
            outcome: Outcome::Success,
            fetched_at,
            lifetime: None,
            redirects: Vec::new(),
            final_url: origin.robots_url(),
            validators: Validators::default(),
            media_type: None,
            cut_at: None,
            downgraded: false,
            html: false,
        }
    }

    /// The rules of the file in a dialect, without the last line if the client cut it (REP-AMB-22).
    ///
    /// # Complexity
    ///
    /// As [`Dialect::parse`].
    pub fn parse(&self, dialect: &Dialect) -> Robots {
        let bytes = self.body.as_bytes();
        if self.is_truncated() { dialect.parse_cut(bytes) } else { dialect.parse(bytes) }
    }

    /// The body for readers with the size limit of the client, such as a linter: one byte longer if
    /// the client cut it, so that they drop its last line, too (REP-AMB-22).
    pub fn for_readers(&self) -> Vec<u8> {
        let mut text = self.body.as_bytes().to_vec();
        text.extend(self.is_truncated().then_some(b'#'));
        text
    }

    /// Whether the client cut the body at its size limit.
    pub fn is_truncated(&self) -> bool {
        self.cut_at.is_some() && !self.is_part()
    }

    /// Whether it may replace another file: a part replaces only a part, and a cut file replaces
    /// neither a whole one nor one that was cut later (REP-CACHE-29).
    pub(super) fn may_replace(&self, other: &Self) -> bool {
        let completeness = |file: &Self| (!file.is_part(), file.cut_at.unwrap_or(u64::MAX));
        completeness(self) >= completeness(other)
    }

    /// Whether it is as long as a reader needs.
    pub(super) fn reaches(&self, options: &ReadOptions) -> bool {
        self.cut_at.is_none_or(|cut_at| cut_at >= options.body_limit() as u64)
    }

    /// Whether it has status 206, so that any part of the file may be missing.
    pub(crate) fn is_part(&self) -> bool {
        self.outcome == Outcome::Status(206)
    }

    /// Its fetch, for a state that starts from it.
    pub(super) fn report(&self) -> Fetched {
        Fetched { freshness: freshness(self.lifetime), ..self.outcome.into() }
    }

    /// The file after a 304.
    pub(super) fn renewed(mut self, lifetime: Option<Lifetime>, now: Timestamp) -> Self {
        self.fetched_at = now;
        self.lifetime = lifetime.or(self.lifetime);
        self
    }

    /// Whether the final URL belongs to an origin.
    pub(super) fn is_from(&self, origin: &Origin) -> bool {
        let Some(rest) = self.final_url.strip_prefix(&*origin.to_string()) else {
            return false;
        };
        rest.is_empty() || rest.starts_with(['/', '?', '#'])
    }
}

impl Lifetime {
    /// The lifetime stated by a response received at `now`.
    pub(crate) fn of(freshness: &Freshness, now: Timestamp) -> Option<Self> {
        let stated = Duration::from_secs(freshness.stated_lifetime(now)?);
        Some(Self { stated, by_max_age: freshness.max_age.is_some() })
    }
}

/// A lifetime in the form of the engine's header parser.
pub(super) fn freshness(lifetime: Option<Lifetime>) -> Freshness {
    match lifetime {
        None => Freshness::default(),
        Some(Lifetime { stated, by_max_age: true }) => {
            Freshness { max_age: Some(stated.as_secs()), ..Freshness::default() }
        }
        Some(Lifetime { stated, by_max_age: false }) => Freshness {
            date: Some(Timestamp::EPOCH),
            expires: Some(Timestamp::EPOCH.after(stated)),
            ..Freshness::default()
        },
    }
}

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
    use verger::access::Profile;

    use super::*;

    fn file() -> File {
        let origin = Origin::from_parts("https", "shop.example", None).unwrap();
        File::new(&origin, "", Timestamp::EPOCH)
    }

    #[test]
    fn url_belongs_to_the_origin_at_its_beginning() {
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
            let file = File { final_url: url.to_owned(), ..file() };
            assert_eq!(file.is_from(&origin), expected, "{url}");
        }
    }

    #[test]
    fn a_shorter_or_partial_file_does_not_replace_a_longer_one() {
        let cut = |cut_at| File { cut_at, ..file() };
        let part = File { outcome: Outcome::Status(206), ..file() };
        for (new, old, expected) in [
            (file(), file(), true),
            (file(), cut(Some(9)), true),
            (cut(Some(9)), file(), false),
            (cut(Some(9)), cut(Some(9)), true),
            (cut(Some(8)), cut(Some(9)), false),
            (cut(Some(9)), cut(Some(8)), true),
            (part.clone(), file(), false),
            (part.clone(), cut(Some(9)), false),
            (cut(Some(9)), part, true),
        ] {
            assert_eq!(new.may_replace(&old), expected, "{new:?} {old:?}");
        }
    }

    #[test]
    fn a_stored_lifetime_equals_that_of_the_header_fields() {
        let now = Timestamp::from_seconds(1_700_000_000);
        for headers in [
            vec![("cache-control", "max-age=600")],
            vec![("expires", "Tue, 14 Nov 2023 23:13:20 GMT")],
            vec![("cache-control", "no-store")],
            vec![],
        ] {
            let read = Fetched::of(Outcome::Success, headers, now).freshness;
            let lifetime = Lifetime::of(&read, now);
            for profile in Profile::ALL {
                let expected = profile.lifetime(&read, now);
                assert_eq!(profile.lifetime(&freshness(lifetime), now), expected, "{read:?}");
            }
        }
    }

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
