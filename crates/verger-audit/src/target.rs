//! Fetches of robots.txt, times of requests, and authorities.

use std::time::Duration;

use verger::access::Timestamp;

use crate::limits::SLOWEST_BYTES;
use crate::log::Request;
pub(crate) use crate::log::{ROBOTS_TXT, absolute, path_of};

/// The place and the end of a fetch of robots.txt, before which the client cannot have the file; `None` if the
/// request is none.
pub(crate) fn fetch_of(request: &Request<'_>, origin: Option<usize>) -> Option<(usize, Timestamp)> {
    let is_fetch = is_for_rules(request) && matches!(&*request.method, b"" | b"GET");
    origin.zip(request.written()).filter(|_| is_fetch)
}

/// The earliest time at which a request can have begun whose time may be that of its end.
pub(crate) fn begin_of(request: &Request<'_>, at: Timestamp) -> Timestamp {
    let is_end = request.end == Some(at);
    let seconds = request.body_bytes.filter(|_| is_end).unwrap_or(0) / SLOWEST_BYTES;
    before(at, Duration::from_secs(seconds))
}

/// Whether its response can make a copy fresh again, without the file (RFC 9111 section 4.3.5).
pub(crate) fn freshens(request: &Request<'_>) -> bool {
    is_for_rules(request) && &*request.method == b"HEAD" && request.status == Some(200)
}

/// With a query, it is another resource, and no crawler reads it as rules (REP-ACCESS-1).
fn is_for_rules(request: &Request<'_>) -> bool {
    request.is_for_robots_txt() && !request.target.contains(&b'?')
}

/// Whether most servers serve a path as robots.txt, although it is another one: nobody is accused of a
/// fetch in this way.
pub(crate) fn is_served_as_robots_txt(path: &[u8]) -> bool {
    let is_some = |segment: &&[u8]| !segment.is_empty() && *segment != b".";
    let mut segments = path.split(|octet| *octet == b'/').filter(is_some);
    let first = segments.next().filter(|_| segments.next().is_none());
    first.is_some_and(|it| it.eq_ignore_ascii_case(&ROBOTS_TXT[1..]))
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

/// The time before a duration.
pub(crate) const fn before(time: Timestamp, duration: Duration) -> Timestamp {
    Timestamp::from_seconds(time.seconds().saturating_sub(duration.as_secs()))
}
