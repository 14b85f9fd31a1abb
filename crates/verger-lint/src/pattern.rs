//! Patterns as text: escapes, and patterns that match everything.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A pattern with all octets from 0x80 as escapes. It has the same matches and the same priority in
/// every published dialect (REP-MATCH-20).
pub(crate) fn escaped(pattern: &[u8]) -> Cow<'_, [u8]> {
    if pattern.is_ascii() {
        return Cow::Borrowed(pattern);
    }
    let mut out = Vec::with_capacity(3 * pattern.len());
    for &octet in pattern {
        if octet.is_ascii() { out.push(octet) } else { out.extend(escape(&[octet]).bytes()) }
    }
    Cow::Owned(out)
}

/// A pattern as RFC 9309 and Google's parser compare it: as [`escaped`], with escapes in upper
/// case.
pub(crate) fn normalised(pattern: &[u8]) -> Vec<u8> {
    let mut out = escaped(pattern).into_owned();
    for percent in percents(&out).into_iter().filter(|percent| percent.octet.is_some()) {
        out[percent.at + 1..percent.at + 3].make_ascii_uppercase();
    }
    out
}

/// Octets as escapes: `%C3%A9`.
pub(crate) fn escape(octets: &[u8]) -> String {
    octets.iter().fold(String::new(), |mut out, octet| {
        // Writing to a string does not fail.
        let _ = write!(out, "%{octet:02X}");
        out
    })
}

/// An escape or a malformed `%` of a pattern.
pub(crate) struct Percent {
    /// The offset of the `%` in the pattern.
    pub(crate) at: usize,
    /// The octet of the escape; `None` if no two hex digits follow.
    pub(crate) octet: Option<u8>,
}

/// Every `%` of a pattern that is no part of an earlier escape, in order.
pub(crate) fn percents(pattern: &[u8]) -> Vec<Percent> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(next) = pattern[at..].iter().position(|&octet| octet == b'%') {
        at += next;
        let octet = pattern.get(at + 1..at + 3).and_then(octet_of);
        found.push(Percent { at, octet });
        at += if octet.is_some() { 3 } else { 1 };
    }
    found
}

/// The octet of two hex digits.
fn octet_of(digits: &[u8]) -> Option<u8> {
    let digit = |octet: &u8| char::from(*octet).to_digit(16);
    let [high, low] = digits else { return None };
    u8::try_from(16 * digit(high)? + digit(low)?).ok()
}

/// Whether an octet needs no escape (RFC 3986 section 2.3).
pub(crate) const fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

/// Whether a pattern matches every URL: `/`, `*`, or several `*` after one of them.
pub(crate) fn is_everything(pattern: &[u8]) -> bool {
    let rest = pattern.strip_prefix(b"/").unwrap_or(pattern);
    !pattern.is_empty() && rest.iter().all(|&octet| octet == b'*')
}

/// Whether a pattern covers another one in the middle of a word: `/ad` covers `/admin`.
pub(crate) fn is_start_of_word(covering: &[u8], covered: &[u8]) -> bool {
    let ends = [covering.last(), covered.strip_prefix(covering).and_then(<[u8]>::first)];
    ends.iter().all(|octet| octet.is_some_and(u8::is_ascii_alphanumeric))
}

/// Whether an `Allow` with this pattern opens pages other than the home page and single files.
pub(crate) fn opens_pages(pattern: &[u8]) -> bool {
    const FILES: &str = "css gif gz ico jpeg jpg js json png svg txt webp woff woff2 xml";
    let can_match = matches!(pattern, [b'/' | b'*', ..]);
    let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
    let name = body.rsplit(|&octet| octet == b'/').next().unwrap_or_default().to_ascii_lowercase();
    let name = str::from_utf8(&name).unwrap_or_default().trim_end_matches('*');
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_file = name == "admin-ajax.php" || FILES.split(' ').any(|it| it == extension);
    can_match && !is_file && pattern != b"/$" && !body.starts_with(b"/.well-known/")
}

/// A path that the pattern matches, with `x` for each `*`.
pub(crate) fn example(pattern: &str) -> String {
    let body = pattern.strip_suffix('$').unwrap_or(pattern);
    let path = body.replace('*', "x");
    if path.starts_with('/') { path } else { format!("/{path}") }
}

/// Host and path of a pattern that is a URL, with `http` or `https` or beginning with `www.`.
pub(crate) fn split(pattern: &[u8]) -> Option<(&[u8], &[u8])> {
    let without = |scheme: &[u8]| {
        let (start, rest) = pattern.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    };
    let is_www = pattern.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"www."));
    let rest = without(b"http://")
        .or_else(|| without(b"https://"))
        .or_else(|| is_www.then_some(pattern))?;
    let end = rest.iter().position(|&octet| octet == b'/').unwrap_or(rest.len());
    Some(rest.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_outside_of_ascii_become_escapes() {
        assert_eq!(*escaped(b"/a%e9"), *b"/a%e9");
        assert_eq!(*escaped("/é\u{e9}".as_bytes()), *b"/%C3%A9%C3%A9");
        assert_eq!(*escaped(b"/\xe9*$"), *b"/%E9*$");
        assert_eq!(normalised("/é%2b%zz%61".as_bytes()), b"/%C3%A9%2B%zz%61");
    }

    #[test]
    fn each_percent_is_an_escape_or_malformed() {
        let found: Vec<_> =
            percents(b"/%61%%341%zz%").iter().map(|found| (found.at, found.octet)).collect();
        let expected = [(1, Some(0x61)), (4, None), (5, Some(0x34)), (9, None), (12, None)];
        assert_eq!(found, expected);
    }

    #[test]
    fn patterns_that_match_everything() {
        for pattern in ["/", "*", "/*", "/**", "**"] {
            assert!(is_everything(pattern.as_bytes()), "{pattern}");
        }
        for pattern in ["", "/a", "*a", "/$", "//", "*/"] {
            assert!(!is_everything(pattern.as_bytes()), "{pattern}");
        }
    }

    #[test]
    fn the_home_page_and_files_are_not_the_pages_of_a_site() {
        for pattern in [
            "",
            "cart",
            "/$",
            "/ads.txt",
            "/ads.txt$",
            "/wp-admin/admin-ajax.php",
            "/*.css*",
            "/.well-known/security",
            "/a/*.JS$",
            "/sitemap.xml.gz",
        ] {
            assert!(!opens_pages(pattern.as_bytes()), "{pattern}");
        }
        for pattern in ["/", "*", "/shop", "/index.php", "/a.txt/b", "/*?p=$", "/robots", "/m/$"] {
            assert!(opens_pages(pattern.as_bytes()), "{pattern}");
        }
    }

    #[test]
    fn an_example_matches_its_pattern() {
        for pattern in ["/*.css$", "*.js", "/a*b", "/js/"] {
            let robots = verger::Robots::parse(&format!("User-agent: *\nDisallow: {pattern}\n"));
            assert!(!robots.is_allowed("b", &example(pattern)), "{pattern}");
        }
    }
}
