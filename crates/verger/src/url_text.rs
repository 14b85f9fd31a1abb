//! The text of a URL, cut at its delimiters (RFC 3986 appendix B), without parsing or changes.

use crate::dialect::Schemes;
use crate::verdict::Reason;

/// The text of a URL, cut at its delimiters, unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UrlText<'a> {
    /// Without its colon. `None` for a text that is a path, or not a URL.
    pub(crate) scheme: Option<&'a [u8]>,
    /// The text between `://` and the path, including credentials and port.
    pub(crate) authority: Option<&'a [u8]>,
    /// Path and query, without fragment.
    pub(crate) path: &'a [u8],
}

impl<'a> UrlText<'a> {
    /// Cuts a text. A text without a scheme is all path; [`target`](Self::target) decides whether
    /// the text is a URL.
    pub(crate) fn split(url: &'a [u8]) -> Self {
        let url = without_fragment(url);
        // Nearly all begin with this.
        if let Some(rest) = url.strip_prefix(b"https://") {
            return Self::with_authority(&url[..5], rest);
        }
        let Some((scheme, rest)) = split_scheme(url) else {
            return Self { scheme: None, authority: None, path: url };
        };
        let Some(rest) = rest.strip_prefix(b"//") else {
            return Self { scheme: Some(scheme), authority: None, path: rest };
        };
        Self::with_authority(scheme, rest)
    }

    #[inline]
    fn with_authority(scheme: &'a [u8], rest: &'a [u8]) -> Self {
        let (authority, path) = rest.split_at(path_start(rest));
        Self { scheme: Some(scheme), authority: Some(authority), path }
    }

    /// Path and query, which the rules are compared with; or the reason why no rule applies
    /// (REP-ACCESS-8, REP-AMB-52, REP-AMB-62).
    #[inline]
    pub(crate) fn target(self, schemes: Schemes) -> Result<&'a [u8], Reason> {
        let Some(scheme) = self.scheme else {
            let is_path = matches!(self.path, [b'/' | b'?', ..]);
            return if is_path { Ok(self.path) } else { Err(Reason::NotAUrl) };
        };
        if !self.authority.is_some_and(has_host) {
            let is_exempt = is_one_of(scheme, &SCHEMES_WITHOUT_ORIGIN);
            return Err(if is_exempt { Reason::NoRobotsForScheme } else { Reason::NotAUrl });
        }
        let has_robots = match schemes {
            Schemes::WithAuthority => true,
            Schemes::Http => is_one_of(scheme, &["https", "http"]),
        };
        if has_robots { Ok(self.path) } else { Err(Reason::NoRobotsForScheme) }
    }
}

/// Schemes whose URLs need no host, and then have no robots.txt. A text with another scheme and
/// without a host is not a URL: it may be a host with a port, or a line of a robots.txt.
const SCHEMES_WITHOUT_ORIGIN: [&str; 9] =
    ["file", "mailto", "data", "javascript", "about", "blob", "tel", "urn", "cid"];

/// Whether an authority has a host beside credentials and port. The octets of the host are not
/// checked.
#[inline]
fn has_host(authority: &[u8]) -> bool {
    // Credentials are rare.
    if has_octet(authority, b'@') {
        let host = authority.rsplit(|&octet| octet == b'@').next();
        return host.is_some_and(|host| !matches!(host, [] | [b':', ..]));
    }
    !matches!(authority, [] | [b':', ..])
}

/// Fragments are rare in checked URLs.
#[inline]
fn without_fragment(url: &[u8]) -> &[u8] {
    if !has_octet(url, b'#') {
        return url;
    }
    url.split(|&octet| octet == b'#').next().unwrap_or_default()
}

/// The position of the first `/` or `?`, or the end. Eight octets are checked at once, because the
/// lengths of hosts vary.
#[inline]
fn path_start(rest: &[u8]) -> usize {
    // `/` and `?` differ in this bit, and no other octet becomes `?` with it.
    const BOTH: u8 = b'/' ^ b'?';
    let (strides, _) = rest.as_chunks::<8>();
    for (at, stride) in strides.iter().enumerate() {
        let octets = u64::from_le_bytes(*stride) | u64::from_le_bytes([BOTH; 8]);
        let found = zero_octets(octets ^ u64::from_le_bytes([b'?'; 8]));
        if found != 0 {
            return 8 * at + found.trailing_zeros() as usize / 8;
        }
    }
    let seen = 8 * strides.len();
    let last = rest[seen..].iter().position(|&octet| octet | BOTH == b'?');
    last.map_or(rest.len(), |at| seen + at)
}

/// The classic test for zero octets: it sets the high bit of the first one, and none if there is no
/// zero octet.
#[inline]
const fn zero_octets(octets: u64) -> u64 {
    octets.wrapping_sub(u64::from_le_bytes([1; 8])) & !octets & u64::from_le_bytes([0x80; 8])
}

/// Eight octets at a time; the last eight overlap those before, so that no loop is needed for the
/// rest.
#[inline]
fn has_octet(text: &[u8], octet: u8) -> bool {
    let Some(last) = text.last_chunk() else {
        return text.contains(&octet);
    };
    let bits = |stride: &[u8; 8]| {
        zero_octets(u64::from_le_bytes(*stride) ^ u64::from_le_bytes([octet; 8]))
    };
    let (strides, _) = text.as_chunks();
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_path_starts_at_the_first_slash_or_question_mark_of_any() {
        let text: Vec<u8> = (0..=255).filter(|octet| !matches!(octet, b'/' | b'?')).collect();
        assert_eq!(path_start(&text), text.len());
        for length in 0..30 {
            for at in 0..length {
                for mark in *b"/?" {
                    let mut rest = [b'0'; 30];
                    (rest[at], rest[length - 1]) = (mark, b'/');
                    assert_eq!(path_start(&rest[..length]), at);
                }
            }
        }
    }
}
