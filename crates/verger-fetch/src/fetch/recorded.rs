//! Recorded responses, such as those of a web archive, read as a fetch reads received ones.

use hyper::HeaderMap;
use hyper::header::{HeaderValue, LOCATION};
use url::Url;
use verger::access::Outcome;

use super::coding::Coding;
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
#[expect(clippy::exhaustive_enums, reason = "a redirect, or the end of a fetch")]
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
}

impl RecordedResponse {
    /// Reads a final response to an unconditional request. `body` has its content codings, but no
    /// transfer coding. A body that cannot be decoded is [`Outcome::Network`] (REP-ACCESS-34).
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
        let decoded = if body.is_empty() {
            Ok(body)
        } else {
            Coding::of(headers).and_then(|coding| coding.decode(body, limit))
        };
        let Ok(mut body) = decoded else { return done(Outcome::Network) };
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
            RecordedResponse::Redirect { next, .. } => panic!("a redirect to {next}"),
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
    fn a_body_is_decoded_and_cut_or_no_answer() {
        let body = |found| match found {
            RecordedResponse::Done { body, truncated, .. } => (body, truncated),
            RecordedResponse::Redirect { .. } => panic!("a redirect"),
        };
        assert_eq!(body(read(200, "x", "y", b"12345")), (b"1234".to_vec(), true));
        assert_eq!(body(read(200, "x", "y", b"1234")), (b"1234".to_vec(), false));
        for coding in ["gzip", "deflate", "br, gzip", "unheard-of"] {
            let name = "content-encoding";
            assert_eq!(outcome(200, name, coding, b"plain"), Outcome::Network, "{coding}");
            assert_eq!(outcome(200, name, coding, b""), Outcome::Success, "{coding}");
        }
    }

    #[test]
    fn downgrades_are_marked() {
        let is_downgrade = |location| match read(302, "location", location, b"") {
            RecordedResponse::Redirect { is_downgrade, .. } => is_downgrade,
            RecordedResponse::Done { .. } => panic!("no redirect"),
        };
        assert!(is_downgrade("http://shop.example/"));
        assert!(!is_downgrade("/x"));
    }
}
