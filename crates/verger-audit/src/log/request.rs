//! A request in an access log.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use memchr::memchr2;
use verger::access::Timestamp;

use super::escape::hex_unescaped;
use super::time::before;
use crate::limits::{SLOWEST_BYTES, WAITING_SECONDS};

/// A request in an access log. Its texts are octets as the client sent them, without the escapes of
/// the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests and other readers of logs build it")]
pub struct Request<'l> {
    /// The number of its line, from 1.
    pub line: u64,
    /// The time in UTC. It is that of the beginning if the line says it, or says the duration;
    /// otherwise the time that the server wrote, for nginx that of the end. `None` if it is
    /// unknown.
    pub at: Option<Timestamp>,
    /// The time of the end, or at which the server wrote the line; `None` if the line says only the
    /// beginning.
    pub end: Option<Timestamp>,
    /// Whether the time has no zone: it was read as UTC, but may be a local one.
    pub is_local: bool,
    /// The address of the connection.
    pub peer: Option<IpAddr>,
    /// The host that the client asked, or the virtual host; with its port if it was written.
    pub host: Option<Cow<'l, [u8]>>,
    /// `http` or `https`, if the line has it or the port of the server is 80 or 443.
    pub scheme: Option<&'static str>,
    /// The method in upper case; empty if the format lacks it.
    pub method: Cow<'l, [u8]>,
    /// The URL, or path and query, as the client sent it.
    pub target: Cow<'l, [u8]>,
    /// Whether the format has only the path, which the server may have decoded or changed, so that
    /// the client may have asked for another target.
    pub is_target_unclear: bool,
    /// The status of the response; 0 if the client closed the connection before.
    pub status: Option<u16>,
    /// The bytes of the body as it was sent: compressed, and perhaps in chunks with their lengths.
    /// `None` if the format lacks them.
    pub body_bytes: Option<u64>,
    /// How many of these bytes may be those of header fields.
    pub header_bytes: u64,
    /// The value of the User-Agent header, if the format has it and the client sent it.
    pub user_agent: Option<Cow<'l, [u8]>>,
    /// Fields of Web Bot Auth and of proxies, with names in lower case, if the format has them.
    pub headers: Vec<(&'static str, Cow<'l, [u8]>)>,
    /// Whether a line before it may have been a request for robots.txt, and was not read. All
    /// fetches before this are uncertain.
    pub is_after_loss: bool,
    /// The whole line.
    pub raw: &'l [u8],
}

impl Request<'_> {
    /// The time at which the server wrote the line, as far as it is known: its end, or else its
    /// beginning.
    pub fn written(&self) -> Option<Timestamp> {
        self.end.or(self.at)
    }

    /// The earliest time at which it can have begun, if `at` may be that of its end (rule 25).
    pub(crate) fn begun(&self, at: Timestamp) -> Timestamp {
        if self.end != Some(at) {
            return at;
        }
        let has_waited = matches!(self.status, Some(0 | 408 | 499..=599));
        let waited = if has_waited { WAITING_SECONDS } else { 0 };
        before(at, Duration::from_secs(self.body_bytes.unwrap_or(0) / SLOWEST_BYTES + waited))
    }

    /// Whether most servers answer it with robots.txt: its path is `/robots.txt`, perhaps in
    /// another spelling (`//Robots%2Etxt`), with any query.
    pub fn is_for_robots_txt(&self) -> bool {
        let is_some = |segment: &&[u8]| !segment.is_empty() && *segment != b".";
        let path = hex_unescaped(path_of(&self.target), b'%');
        let mut segments = path.split(|octet| *octet == b'/').filter(is_some);
        let first = segments.next().filter(|_| segments.next().is_none());
        first.is_some_and(|it| it.eq_ignore_ascii_case(&ROBOTS_TXT[1..]))
    }

    /// Whether it is for the file that crawlers read as rules. With a query, it is another resource
    /// (REP-ACCESS-1).
    fn is_for_rules(&self) -> bool {
        path_of(&self.target) == ROBOTS_TXT && !self.target.contains(&b'?')
    }

    /// Whether it is a fetch of robots.txt (rule 6): in another spelling only if it brought
    /// something.
    pub(crate) fn is_fetch(&self) -> bool {
        let has_answer = || matches!(self.status, Some(200..=299 | 304));
        let is_get = matches!(&*self.method, b"" | b"GET");
        is_get && self.is_for_robots_txt() && (self.is_for_rules() || has_answer())
    }

    /// The status of a fetch, if it says something about the rules.
    pub(crate) fn fetch_status(&self) -> Option<u16> {
        self.status.filter(|_| self.is_for_rules())
    }

    /// Whether its response can make a copy fresh again, without the file (RFC 9111 section 4.3.5).
    pub(crate) fn freshens(&self) -> bool {
        self.is_for_rules() && &*self.method == b"HEAD" && matches!(self.status, Some(200 | 304))
    }
}

/// The scheme by its name, also of web sockets.
pub(crate) fn scheme(text: &[u8]) -> Option<&'static str> {
    let is = |name: &&str| text.eq_ignore_ascii_case(name.as_bytes());
    let http = || ["http", "ws"].iter().any(is).then_some("http");
    ["https", "wss"].iter().any(is).then_some("https").or_else(http)
}

/// Method and target of a request line: `GET /x HTTP/1.1`, or `GET /x` of HTTP/0.9.
pub(crate) fn parts_of_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (method, rest) = text.split_at(text.iter().position(|&byte| byte == b' ')?);
    if method.is_empty() || !method.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'-') {
        return None;
    }
    let rest = rest.trim_ascii();
    // A target can contain spaces, if the client sent them.
    let end = rest.windows(6).rposition(|six| six == b" HTTP/").unwrap_or(rest.len());
    Some((method, rest[..end].trim_ascii())).filter(|(_, target)| !target.is_empty())
}

/// Whether a text is a path or a URL: not `*` of `OPTIONS`, and not the host of `CONNECT`.
pub(crate) fn is_target(text: &[u8]) -> bool {
    text.starts_with(b"/") || text.windows(3).any(|three| three == b"://")
}

/// Scheme and host of an absolute URL, which count instead of the Host header (RFC 9112 section
/// 3.2.2), and the rest.
pub(crate) fn absolute(target: &[u8]) -> Option<(&'static str, &[u8], &[u8])> {
    if target.starts_with(b"/") {
        return None;
    }
    let at = target.iter().take("https:".len()).position(|&byte| byte == b':')?;
    let rest = target[at..].strip_prefix(b"://")?;
    let end = rest.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(rest.len());
    let host = rest[..end].rsplit(|&byte| byte == b'@').next().unwrap_or_default();
    Some((scheme(&target[..at])?, host, &rest[end..]))
}

pub(crate) const ROBOTS_TXT: &[u8] = b"/robots.txt";

/// The path of a target, without scheme, authority and query.
pub(crate) fn path_of(target: &[u8]) -> &[u8] {
    let path = absolute(target).map_or(target, |(_, _, path)| path);
    &path[..memchr2(b'?', b'#', path).unwrap_or(path.len())]
}

/// Host and port of an authority; `None` if the port cannot be read.
pub(crate) fn split_port(authority: &[u8]) -> Option<(&[u8], Option<u16>)> {
    let bracket = authority.iter().rposition(|octet| *octet == b']').unwrap_or(0);
    let colon = authority[bracket..].iter().position(|octet| *octet == b':');
    let Some(colon) = colon.map(|at| at + bracket) else { return Some((authority, None)) };
    let (host, port) = (&authority[..colon], &authority[colon + 1..]);
    if port.is_empty() {
        return Some((host, None));
    }
    Some((host, Some(str::from_utf8(port).ok()?.parse().ok()?)))
}

/// An address, also with a port or brackets. Envoy writes port 0 for one of a header field.
pub(crate) fn address(text: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(text).ok()?;
    let has_port = || text.parse::<SocketAddr>().is_ok();
    verger_identity::read_address(text).filter(|_| !text.ends_with(":0") || !has_port())
}

/// Whether a text begins with a product and its version, as User-Agent headers do.
pub(crate) fn is_product(text: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let name = text.iter().take_while(|byte| is_name(byte)).count();
    name > 0 && matches!(&text[name..], [b'/', b'0'..=b'9', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_absolute_targets_are_read() {
        for (target, expected) in [
            (
                &b"https://shop.example:443/a"[..],
                Some(("https", &b"shop.example:443"[..], &b"/a"[..])),
            ),
            (b"HTTP://user@h?x", Some(("http", b"h", b"?x"))),
            (b"wss://h", Some(("https", b"h", b""))),
            (b"/a?u=http://h/", None),
            (b"ftp://h/", None),
            (b"", None),
        ] {
            assert_eq!(absolute(target), expected, "{}", target.escape_ascii());
        }
    }
}
