//! The text of a URL, cut at its delimiters (RFC 3986 appendix B). Nothing is parsed and nothing changed.

use crate::dialect::Schemes;

/// A URL's text, cut at its delimiters and not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UrlText<'a> {
    /// Without its colon. `None` for a text that is a path, or no URL at all.
    pub(crate) scheme: Option<&'a [u8]>,
    /// What stands between `://` and the path, credentials and port included.
    pub(crate) authority: Option<&'a [u8]>,
    /// Path and query, without fragment.
    pub(crate) path: &'a [u8],
}

impl<'a> UrlText<'a> {
    /// Cuts a text. Any text has a reading: one that begins with `/` or `?`, or has no scheme, is a
    /// path.
    pub(crate) fn split(url: &'a [u8]) -> Self {
        let url = without_fragment(url);
        let Some((scheme, rest)) = split_scheme(url) else {
            return Self { scheme: None, authority: None, path: url };
        };
        let Some(rest) = rest.strip_prefix(b"//") else {
            return Self { scheme: Some(scheme), authority: None, path: rest };
        };
        let path = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(path);
        Self { scheme: Some(scheme), authority: Some(authority), path }
    }

    /// REP-ACCESS-8, REP-AMB-52: whether there is a robots.txt that speaks of this URL.
    pub(crate) fn has_robots(self, schemes: Schemes) -> bool {
        let Some(scheme) = self.scheme else {
            return true;
        };
        if matches!(scheme, b"https" | b"http") {
            return true;
        }
        // A URL of these that lacks its host is broken, not exempt: nothing must become allowed by
        // leaving the slashes out.
        let is_http = is_one_of(scheme, &["http", "https"]);
        match schemes {
            Schemes::Http => is_http,
            Schemes::WithAuthority => {
                is_http
                    || is_one_of(scheme, &["ftp"])
                    || self.authority.is_some_and(|authority| !authority.is_empty())
            }
        }
    }
}

/// Hardly any URL that is asked about has a fragment.
#[inline]
fn without_fragment(url: &[u8]) -> &[u8] {
    if !has_hash(url) {
        return url;
    }
    url.split(|&octet| octet == b'#').next().unwrap_or_default()
}

/// Eight octets at a time; the last eight overlap those before, so that no loop ends early.
#[inline]
fn has_hash(url: &[u8]) -> bool {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HASHES: u64 = u64::from_le_bytes([b'#'; 8]);
    let Some(last) = url.last_chunk() else {
        return url.contains(&b'#');
    };
    // The classic test for an octet of zero: its high bit is set, and none is where there is no such octet.
    let bits = |stride: &[u8; 8]| {
        let differing = u64::from_le_bytes(*stride) ^ HASHES;
        differing.wrapping_sub(ONES) & !differing & ONES << 7
    };
    let (strides, _) = url.as_chunks();
    strides.iter().fold(bits(last), |found, stride| found | bits(stride)) != 0
}

fn is_one_of(scheme: &[u8], schemes: &[&str]) -> bool {
    schemes.iter().any(|other| scheme.eq_ignore_ascii_case(other.as_bytes()))
}

/// RFC 3986 section 3.1: a letter, then letters, digits, `+`, `-` and `.`, up to a colon.
fn split_scheme(url: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = url
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'+' | b'-' | b'.'))?;
    let (scheme, rest) = url.split_at(colon);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic) && rest[0] == b':';
    is_scheme.then(|| (scheme, &rest[1..]))
}
