//! The report of a fetch.

use std::net::SocketAddr;
use std::time::Duration;

use hyper::HeaderMap;
use hyper::header::{self, HeaderName};
use url::Url;

use crate::failure::Failure;
use crate::limits::FIELD_BYTES;

/// The result of a fetch.
///
/// Use `body` only without a failure.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts about the response")]
pub(crate) struct FetchReport {
    /// `None` for a whole 2xx response, whose body is the file (that of 204 and 205 is empty,
    /// REP-AMB-46), and for a 304 to a conditional request: the stored file is current
    /// (REP-ACCESS-24).
    pub failure: Option<Failure>,
    /// The last status, as the server sent it; `None` without a response.
    pub status: Option<u16>,
    /// Every requested URL, in order.
    pub hops: Vec<Hop>,
    /// The last requested URL.
    pub final_url: Url,
    /// The target of a redirect that was not followed; of a page only.
    pub location: Option<Url>,
    /// The header fields that a client needs, unchanged.
    pub headers: Headers,
    /// The decoded body of a 2xx response, including 206, which is not a success; otherwise empty.
    pub body: Vec<u8>,
    /// The first [`ERROR_PAGE_BYTES`](crate::limits::ERROR_PAGE_BYTES) of the decoded body of a
    /// page with a status from 400, if they arrived in time.
    pub error_page: Vec<u8>,
    /// Bytes of the last body on the wire, without chunk framing.
    pub wire_bytes: usize,
    /// The body was cut at [`BODY`](crate::limits::BODY), a page at [`PAGE`](crate::limits::PAGE),
    /// perhaps inside a line (REP-AMB-22).
    pub truncated: bool,
    /// Bytes after the compressed data of a page were ignored. Those of a robots.txt are an error.
    pub has_trailing_bytes: bool,
    /// A redirect led from https to http, where anyone on the network path can change the response.
    pub downgraded: bool,
    /// Perhaps an HTML page: the type is not text/plain, or the first octet other than white space
    /// is `<` (REP-AMB-19).
    pub looks_like_html: bool,
    /// Time from begin to end.
    pub time: Duration,
}

/// One request of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hop {
    /// The requested URL.
    pub url: Url,
    /// The status; `None` without a response. For FTP, the last reply.
    pub status: Option<u16>,
    /// The address of the site. `None` without a connection, or through a proxy, where it is
    /// unknown.
    pub peer: Option<SocketAddr>,
    /// Whether the site itself was reached, as far as known. If not, a failure can be that of the
    /// crawler's own network (REP-CACHE-28). Through a proxy, a response to an http URL counts as
    /// the site's, unless its status may come from the proxy: 429, 5xx, and for a page a 4xx
    /// without `Via`.
    pub reached: bool,
    /// All header fields of the response to a request for a page or another file, also of a
    /// redirect: names in lower case, lines of one name in order. Empty for a robots.txt.
    pub fields: Vec<(String, Vec<u8>)>,
    /// Whether its response shows that the crawler's own network works: the site sent it from a
    /// public address (REP-CACHE-28a).
    pub(crate) is_proof: bool,
}

/// Header fields of the last response, raw. A line, or a joined value, of more than [`FIELD_BYTES`]
/// is omitted.
///
/// Fields about time have one entry for each line, in order: some are lists and some are not, and
/// the choice between several lines is not made here. Several lines of another field are joined by
/// `, `.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Headers {
    /// `Age`, each line.
    pub age: Vec<Vec<u8>>,
    /// `Cache-Control`, each line.
    pub cache_control: Vec<Vec<u8>>,
    /// `Content-Type`.
    pub content_type: Option<Vec<u8>>,
    /// `Date`, each line.
    pub date: Vec<Vec<u8>>,
    /// `ETag`.
    pub etag: Option<Vec<u8>>,
    /// `Expires`, each line.
    pub expires: Vec<Vec<u8>>,
    /// `Last-Modified`.
    pub last_modified: Option<Vec<u8>>,
    /// `Retry-After`, each line.
    pub retry_after: Vec<Vec<u8>>,
}

impl Hop {
    pub(super) fn new(url: &Url) -> Self {
        Self {
            url: url.clone(),
            status: None,
            peer: None,
            reached: false,
            fields: Vec::new(),
            is_proof: false,
        }
    }
}

impl FetchReport {
    /// Whether the server confirmed the stored file.
    pub(crate) const fn is_not_modified(&self) -> bool {
        self.failure.is_none() && matches!(self.status, Some(304))
    }
}

impl Headers {
    pub(super) fn of(map: &HeaderMap) -> Self {
        let lines = |name: HeaderName| {
            let all = map.get_all(name).iter().map(|value| value.as_bytes().to_vec());
            all.filter(|line| line.len() <= FIELD_BYTES).collect()
        };
        let joined = |name: HeaderName| {
            let mut values = map.get_all(name).iter();
            let mut joined = values.next()?.as_bytes().to_vec();
            for value in values {
                joined.extend_from_slice(b", ");
                joined.extend_from_slice(value.as_bytes());
            }
            (joined.len() <= FIELD_BYTES).then_some(joined)
        };
        Self {
            age: lines(header::AGE),
            cache_control: lines(header::CACHE_CONTROL),
            content_type: joined(header::CONTENT_TYPE),
            date: lines(header::DATE),
            etag: joined(header::ETAG),
            expires: lines(header::EXPIRES),
            last_modified: joined(header::LAST_MODIFIED),
            retry_after: lines(header::RETRY_AFTER),
        }
    }
}

/// All fields; limited by the limits of the head.
pub(super) fn fields(map: &HeaderMap) -> Vec<(String, Vec<u8>)> {
    map.iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect()
}

/// A `Content-Type` without its parameters.
pub(crate) fn media_type(content_type: &[u8]) -> &[u8] {
    content_type.split(|&octet| octet == b';').next().unwrap_or_default().trim_ascii()
}

/// Whether a body is perhaps an HTML page.
pub(super) fn looks_like_html(content_type: Option<&[u8]>, body: &[u8]) -> bool {
    // REP-AMB-19: a hint, never a reason to reject.
    let is_plain =
        content_type.is_none_or(|value| media_type(value).eq_ignore_ascii_case(b"text/plain"));
    let text = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    !is_plain || text.trim_ascii_start().first() == Some(&b'<')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_pages_are_detected_by_type_or_first_octet() {
        for (kind, body, expected) in [
            (Some("text/plain"), "User-agent: *", false),
            (Some("Text/Plain; charset=utf-8"), "", false),
            (None, "User-agent: *", false),
            (Some("text/html"), "User-agent: *", true),
            (Some("application/json"), "{}", true),
            (Some("text/plain"), " \r\n<html>", true),
            (None, "\u{feff}<!doctype html>", true),
        ] {
            let found = looks_like_html(kind.map(str::as_bytes), body.as_bytes());
            assert_eq!(found, expected, "{kind:?} {body:?}");
        }
    }

    #[test]
    fn repeated_fields_are_joined_or_listed_and_long_ones_dropped() {
        let long = "x".repeat(FIELD_BYTES + 1);
        let mut map = HeaderMap::new();
        for (name, value) in [
            ("expires", "0"),
            ("expires", &long),
            ("expires", "1"),
            ("content-type", "text/plain"),
            ("content-type", "text/html"),
            ("etag", &long),
        ] {
            map.append(name, value.parse().unwrap());
        }
        let headers = Headers::of(&map);
        assert_eq!(headers.expires, [b"0", b"1"]);
        assert_eq!(headers.content_type.unwrap(), b"text/plain, text/html");
        assert_eq!(headers.etag, None);
    }
}
