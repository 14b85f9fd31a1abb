//! Recorded responses, such as those of a web archive, read as a fetch reads received ones.

use hyper::HeaderMap;
use hyper::header::{HeaderValue, LOCATION};
use url::Url;
use verger::access::Outcome;

use super::coding::decode_recorded;
use super::{cut, is_downgrade, target};

/// The meaning of one recorded response for a fetch of robots.txt.
///
/// # Examples
///
/// ```
/// use verger_fetch::fetch::RecordedResponse;
/// use verger_fetch::http::{HeaderMap, HeaderValue, header::LOCATION};
/// use verger_fetch::verger::access::Outcome;
///
/// let url = "http://shop.example/robots.txt".parse()?;
/// let read = |status, headers: &HeaderMap, body: &str| {
///     RecordedResponse::read(&url, status, headers, body.into(), 500 * 1024)
/// };
/// let mut headers = HeaderMap::new();
/// let found = read(404, &headers, "Not found");
/// assert!(matches!(found, RecordedResponse::Done { outcome: Outcome::Status(404), .. }));
///
/// headers.insert(LOCATION, HeaderValue::from_static("https://shop.example/robots.txt"));
/// let RecordedResponse::Redirect { next, .. } = read(301, &headers, "") else { panic!() };
/// assert_eq!(next.as_str(), "https://shop.example/robots.txt");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a redirect, the end of a fetch, or no readable one")]
pub enum RecordedResponse {
    /// A redirect to another URL. The caller counts redirects, and knows its limit.
    Redirect {
        /// The target, without credentials and fragment.
        next: Url,
        /// Whether it leads from https to http, where some profiles do not follow.
        is_downgrade: bool,
    },
    /// The end of a fetch.
    Done {
        /// The outcome, for [`State::after`](verger::access::State::after).
        outcome: Outcome,
        /// The decoded body of a status from 200 to 299, up to the limit; else empty.
        body: Vec<u8>,
        /// Whether the body was longer than the limit.
        truncated: bool,
    },
    /// A status from 200 to 299 with a body that cannot be decoded. The site has answered, but its
    /// rules are unknown.
    Undecodable,
}

impl RecordedResponse {
    /// Reads a final response to an unconditional request. `body` has no transfer coding. It has
    /// its content codings, or not all of them any more: archives decode bodies, and keep the
    /// header fields. Text is never decoded, and `deflate` may have no zlib header.
    ///
    /// # Complexity
    ///
    /// O(bytes); decodes at most `limit` bytes.
    pub fn read(url: &Url, status: u16, headers: &HeaderMap, body: Vec<u8>, limit: usize) -> Self {
        let done = |outcome| Self::Done { outcome, body: Vec::new(), truncated: false };
        match status {
            // No final response.
            ..200 => return done(Outcome::Network),
            200..300 => {}
            300..400 => {
                let locations = headers.get_all(LOCATION).iter().map(HeaderValue::as_bytes);
                return match target(status, url, locations) {
                    Ok(next) => Self::Redirect { is_downgrade: is_downgrade(url, &next), next },
                    Err(_) => done(Outcome::BrokenRedirect),
                };
            }
            400.. => return done(Outcome::Status(status)),
        }
        // An empty body is empty in every coding.
        let decoded =
            if body.is_empty() { Ok(body) } else { decode_recorded(headers, body, limit) };
        let Ok(mut body) = decoded else { return Self::Undecodable };
        let truncated = cut(&mut body, limit);
        Self::Done { outcome: success(status, body.is_empty()), body, truncated }
    }
}

/// The outcome of a whole response with a status from 200 to 299.
pub(crate) const fn success(status: u16, is_empty: bool) -> Outcome {
    match status {
        200 => Outcome::Success,
        202 if is_empty => Outcome::AcceptedEmpty,
        status => Outcome::Status(status),
    }
}

#[cfg(test)]
mod tests {
    use verger_testkit::server;

    use super::*;

    fn read(status: u16, name: &'static str, value: &'static str, body: &[u8]) -> RecordedResponse {
        let url = "https://shop.example/robots.txt".parse().expect("a URL");
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        RecordedResponse::read(&url, status, &headers, body.to_vec(), 4)
    }

    fn outcome(status: u16, name: &'static str, value: &'static str, body: &[u8]) -> Outcome {
        match read(status, name, value, body) {
            RecordedResponse::Done { outcome, .. } => outcome,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn statuses_have_the_outcomes_of_a_fetch() {
        for (status, expected) in [
            (0, Outcome::Network),
            (101, Outcome::Network),
            (200, Outcome::Success),
            (202, Outcome::AcceptedEmpty),
            (204, Outcome::Status(204)),
            (206, Outcome::Status(206)),
            (300, Outcome::BrokenRedirect),
            (301, Outcome::BrokenRedirect),
            (304, Outcome::BrokenRedirect),
            (404, Outcome::Status(404)),
            (503, Outcome::Status(503)),
            (999, Outcome::Status(999)),
        ] {
            assert_eq!(outcome(status, "x", "y", b""), expected, "{status}");
        }
    }

    #[test]
    fn a_body_is_cut_at_the_limit() {
        let body = |found| match found {
            RecordedResponse::Done { body, truncated, .. } => (body, truncated),
            other => panic!("{other:?}"),
        };
        assert_eq!(body(read(200, "x", "y", b"12345")), (b"1234".to_vec(), true));
        assert_eq!(body(read(200, "x", "y", b"1234")), (b"1234".to_vec(), false));
    }

    const TEXT: &[u8] = b"User-agent: *\nDisallow: /private\nDisallow: /cart\n";

    fn coded(name: &str, body: &[u8]) -> Vec<u8> {
        match name {
            "gzip" => server::gzip(body),
            "zlib" => server::zlib(body),
            "raw" => server::deflate(body),
            _ => server::brotli(body).expect("in memory"),
        }
    }

    /// The body under a `Content-Encoding`; `None` if it cannot be decoded.
    fn decoded(header: &str, wire: Vec<u8>) -> Option<Vec<u8>> {
        let url = "https://shop.example/robots.txt".parse().expect("a URL");
        let mut headers = HeaderMap::new();
        headers.insert("content-encoding", HeaderValue::from_str(header).expect("a value"));
        match RecordedResponse::read(&url, 200, &headers, wire, 500 * 1024) {
            RecordedResponse::Done { outcome: Outcome::Success, body, .. } => Some(body),
            RecordedResponse::Undecodable => None,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn codings_of_a_body_are_undone_in_any_spelling_and_number() {
        let gzip = |body: &[u8]| coded("gzip", body);
        let mut cases = vec![
            ("GZIP", gzip(TEXT)),
            ("X-Gzip", gzip(TEXT)),
            ("deflate", coded("zlib", TEXT)),
            ("Deflate", coded("raw", TEXT)),
            ("deflate, gzip", gzip(&coded("raw", TEXT))),
            ("gzip, identity", gzip(TEXT)),
            ("identity, gzip", gzip(TEXT)),
        ];
        if cfg!(feature = "brotli") {
            cases.push(("BR", coded("br", TEXT)));
            cases.push(("br, gzip", gzip(&coded("br", TEXT))));
            cases.push(("br,gzip", coded("br", TEXT)));
            cases.push(("gzip, br", coded("br", &gzip(TEXT))));
        }
        for (header, wire) in cases {
            assert_eq!(decoded(header, wire).as_deref(), Some(TEXT), "{header}");
        }
    }

    #[test]
    fn text_under_any_coding_is_kept() {
        let latin: Vec<u8> = [TEXT, b"# \xfcber uns\n"].concat();
        let chinese =
            "# \u{5173}\u{4e8e}\u{6211}\u{4eec}\u{5173}\u{4e8e}\u{6211}\u{4eec}\n".as_bytes();
        for header in ["gzip", "deflate", "br", "zstd", "br, gzip", "windows-1251", "compress"] {
            for body in [TEXT, &latin, chinese, b""] {
                assert_eq!(decoded(header, body.to_vec()).as_deref(), Some(body), "{header}");
            }
        }
    }

    #[test]
    fn a_body_that_cannot_be_decoded_is_no_outage_and_no_file() {
        let zstd = b"\x28\xb5\x2f\xfd\x04\x00\x01";
        for (header, wire) in [
            ("br", coded("gzip", TEXT)),
            ("gzip", coded("zlib", TEXT)),
            ("gzip, br", coded("raw", TEXT)),
            ("identity, gzip", coded("raw", TEXT)),
            ("unheard-of", coded("gzip", TEXT)),
            ("zstd", zstd.to_vec()),
        ] {
            assert_eq!(decoded(header, wire), None, "{header}");
        }
        for (name, header) in [("gzip", "gzip"), ("zlib", "deflate"), ("raw", "deflate")] {
            let wire = coded(name, TEXT);
            for length in 1..wire.len() {
                assert_eq!(decoded(header, wire[..length].to_vec()), None, "{name} {length}");
            }
        }
    }

    #[test]
    fn downgrades_are_marked() {
        let is_downgrade = |location| match read(302, "location", location, b"") {
            RecordedResponse::Redirect { is_downgrade, .. } => is_downgrade,
            other => panic!("{other:?}"),
        };
        assert!(is_downgrade("http://shop.example/"));
        assert!(!is_downgrade("/x"));
    }
}
