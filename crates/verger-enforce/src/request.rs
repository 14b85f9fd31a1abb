//! Requests: the raw target, and the path that a server would serve.

use crate::octets::{Spelt, is_encoded, spelt};

/// A request, as the conditions see it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The target without its fragment.
    pub(crate) raw: Vec<Spelt>,
    /// The served path, decoded.
    pub(crate) decoded: Vec<Spelt>,
    /// The served path, with its escapes.
    pub(crate) merged: Vec<Spelt>,
    pub(crate) query: Option<Vec<Spelt>>,
    /// The target of the served path, with the query.
    pub(crate) served: Vec<u8>,
}

impl Request {
    /// The request for a target as it is in the request line: without scheme and host.
    pub(crate) fn of(target: &[u8]) -> Self {
        let end = target.iter().position(|&octet| octet == b'#').unwrap_or(target.len());
        let target = &target[..end];
        let raw = if target.starts_with(b"/") { target.to_vec() } else { [b"/", target].concat() };
        let mark = raw.iter().position(|&octet| octet == b'?');
        let (path, query) = raw.split_at(mark.unwrap_or(raw.len()));
        let merged = served(&spelt(path));
        let octets = merged.iter().map(|part| part.octet());
        let mut served = Vec::with_capacity(raw.len());
        for octet in octets.clone() {
            if is_encoded(octet) || matches!(octet, b'%' | b'?' | b'#') {
                served.extend(format!("%{octet:02X}").bytes());
            } else {
                served.push(octet);
            }
        }
        served.extend(query);
        let decoded = octets.map(Spelt::Plain).collect();
        let query = mark.map(|mark| spelt(&raw[mark + 1..]));
        Self { raw: spelt(&raw), decoded, merged, query, served }
    }

    /// Whether the request is always answered: for robots.txt, and for well-known paths.
    ///
    /// Both the raw target and the served path must be such a path.
    pub(crate) fn is_exempt(&self) -> bool {
        let starts = |text: &[Spelt], start: &[u8]| {
            text.len() >= start.len()
                && text.iter().zip(start).all(|(part, octet)| match part {
                    Spelt::Plain(found) => found == octet,
                    Spelt::Escape(found) => found == octet && *octet != b'/',
                    Spelt::Malformed => false,
                })
        };
        let mark = |part: Option<&Spelt>| matches!(part, None | Some(Spelt::Plain(b'?')));
        let is_robots_txt = starts(&self.raw, ROBOTS_TXT) && mark(self.raw.get(ROBOTS_TXT.len()));
        is_robots_txt || starts(&self.raw, WELL_KNOWN) && starts(&self.decoded, WELL_KNOWN)
    }
}

pub(crate) const ROBOTS_TXT: &[u8] = b"/robots.txt";
pub(crate) const WELL_KNOWN: &[u8] = b"/.well-known/";

/// A path with slashes merged and dot segments removed, whether they are escaped or not (RFC 3986
/// section 5.2.4).
fn served(path: &[Spelt]) -> Vec<Spelt> {
    let is =
        |part: &Spelt, octet| matches!(*part, Spelt::Plain(it) | Spelt::Escape(it) if it == octet);
    let mut segments: Vec<&[Spelt]> = Vec::new();
    let mut is_directory = false;
    for segment in path.split(|part| is(part, b'/')) {
        is_directory = segment.is_empty();
        match segment {
            [] => {}
            [one] if is(one, b'.') => is_directory = true,
            [one, two] if is(one, b'.') && is(two, b'.') => {
                segments.pop();
                is_directory = true;
            }
            _ => segments.push(segment),
        }
    }
    let mut served = Vec::with_capacity(path.len());
    for segment in &segments {
        served.push(Spelt::Plain(b'/'));
        served.extend(*segment);
    }
    if is_directory || segments.is_empty() {
        served.push(Spelt::Plain(b'/'));
    }
    served
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_merges_slashes_removes_dots_and_decodes() {
        for (target, expected) in [
            ("/a", "/a"),
            ("//a//b/", "/a/b/"),
            ("/./a/../b", "/b"),
            ("/a/b/..", "/a/"),
            ("/a/.", "/a/"),
            ("/a/b/../../../c", "/c"),
            ("/%2e%2E/%70%2Fx%3f%25?%70=//", "/p/x%3F%25?%70=//"),
            ("/a%2f..%2fb", "/b"),
            ("?x", "/?x"),
            ("/a#b?c", "/a"),
            ("/%zz\u{e9}", "/%25zz%C3%A9"),
        ] {
            let served = Request::of(target.as_bytes()).served;
            assert_eq!(String::from_utf8(served).unwrap(), expected, "{target}");
        }
    }

    #[test]
    fn robots_txt_and_well_known_paths_are_exempt() {
        for (target, expected) in [
            ("/robots.txt", true),
            ("/robot%73.txt?x", true),
            ("/robots.txt/", false),
            ("//robots.txt", false),
            ("/x/..%2frobots.txt", false),
            ("/.well-known/x", true),
            ("/.well-known/../private", false),
            ("/.well-known", false),
        ] {
            assert_eq!(Request::of(target.as_bytes()).is_exempt(), expected, "{target}");
        }
    }
}
