//! Fetches of robots.txt, and authorities.

use verger::access::Timestamp;

use crate::log::Request;
pub(crate) use crate::log::{ROBOTS_TXT, path_of};

/// The place and the end of a fetch of robots.txt, before which the client cannot have the file; `None` if the
/// request is none.
pub(crate) fn fetch_of(request: &Request<'_>, origin: Option<usize>) -> Option<(usize, Timestamp)> {
    let is_fetch = request.is_for_robots_txt() && matches!(&*request.method, b"" | b"GET");
    // With a query, it is another resource, and no crawler reads it as rules (REP-ACCESS-1).
    let is_fetch = is_fetch && !request.target.contains(&b'?');
    origin.zip(request.written()).filter(|_| is_fetch)
}

/// Whether most servers serve a path as robots.txt, although it is another one: nobody is accused of a
/// fetch in this way.
pub(crate) fn is_served_as_robots_txt(path: &[u8]) -> bool {
    let is_some = |segment: &&[u8]| !segment.is_empty() && *segment != b".";
    let mut segments = path.split(|octet| *octet == b'/').filter(is_some);
    let first = segments.next().filter(|_| segments.next().is_none());
    first.is_some_and(|it| it.eq_ignore_ascii_case(&ROBOTS_TXT[1..]))
}

/// Host and port of an authority.
pub(crate) fn split_port(authority: &[u8]) -> (&[u8], Option<u16>) {
    let bracket = authority.iter().rposition(|octet| *octet == b']').unwrap_or(0);
    let colon = authority[bracket..].iter().position(|octet| *octet == b':');
    let Some(colon) = colon.map(|at| at + bracket) else { return (authority, None) };
    let port = std::str::from_utf8(&authority[colon + 1..]).ok().and_then(|text| text.parse().ok());
    (&authority[..colon], port)
}
