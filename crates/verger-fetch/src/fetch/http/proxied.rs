//! The response to an http URL through a proxy: the site's or the proxy's own.
//!
//! Both look alike. Most 4xx of a site allow everything, so in doubt a response counts as the
//! proxy's (REP-CACHE-28).

use hyper::HeaderMap;
use hyper::header::VIA;

use crate::fetch::http_client::HttpResponse;
use crate::fetch::request::Kind;
use crate::net::{Incomplete, NetworkError, Phase, ProxyError};

/// Classifies a response through a proxy.
pub(super) fn classify(
    answer: Result<HttpResponse, NetworkError>,
    kind: Kind,
) -> Result<HttpResponse, NetworkError> {
    let mut response = answer.map_err(of_proxy)?;
    let status = response.status;
    let headers = &response.headers;
    // For a page, an unmarked status is reported unchanged, because no rules follow from it.
    let may_be_own = kind == Kind::Robots && matches!(status, 400..=499);
    if status == 407 || is_marked(headers) || may_be_own && is_unmarked(status, headers) {
        return Err(NetworkError::Proxy(ProxyError::Status(status)));
    }
    // A proxy reports an unreachable site as 502 to 504; tinyproxy uses 500.
    response.is_of_site = !matches!(status, 429 | 500..=599);
    Ok(response)
}

/// Whether the response is marked as the proxy's own, whatever its status: block pages have 200,
/// redirects to them 302.
fn is_marked(headers: &HeaderMap) -> bool {
    // RFC 9209 section 2.1.1.
    let has_error = headers
        .get_all("proxy-status")
        .iter()
        .any(|value| value.to_str().is_ok_and(|text| text.to_ascii_lowercase().contains("error=")));
    // Squid also adds `Via` to its own responses.
    has_error || headers.contains_key("x-squid-error")
}

/// Whether the response may be the proxy's own. A proxy adds `Via` to each response that it
/// forwards (RFC 9110 section 7.6.3). Without it, the proxy may be a hidden one. Then only the
/// usual statuses of a missing file or a busy site count as the site's.
fn is_unmarked(status: u16, headers: &HeaderMap) -> bool {
    !headers.contains_key(VIA) && !matches!(status, 404 | 410 | 429)
}

/// An error before the head may be the proxy's or the site's.
fn of_proxy(error: NetworkError) -> NetworkError {
    NetworkError::Proxy(match error {
        NetworkError::Timeout(Phase::Head) => ProxyError::Timeout(Phase::Head),
        NetworkError::Incomplete(Incomplete::Head) => ProxyError::Closed,
        NetworkError::HeadTooLarge
        | NetworkError::TooManyFields
        | NetworkError::TooManyInterim
        | NetworkError::Protocol(_) => ProxyError::Malformed,
        other => return other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_that_may_be_the_proxys_do_not_count_as_the_sites() {
        let with = |status| Some(NetworkError::Proxy(ProxyError::Status(status)));
        let own = with(403);
        for (status, headers, expected) in [
            (200, &[][..], (None, true)),
            (301, &[], (None, true)),
            (403, &[("via", "1.1 tinyproxy")], (None, true)),
            (404, &[], (None, true)),
            (410, &[], (None, true)),
            (429, &[], (None, false)),
            (500, &[("via", "1.1 tinyproxy")], (None, false)),
            (503, &[], (None, false)),
            (403, &[], (own, false)),
            (200, &[("x-squid-error", "ERR_ACCESS_DENIED 0")], (with(200), false)),
            (302, &[("via", "1.1 p"), ("x-squid-error", "302 Access Denied")], (with(302), false)),
            (200, &[("proxy-status", "p; error=http_request_denied")], (with(200), false)),
            (503, &[("x-squid-error", "ERR_CONNECT_FAIL 111")], (with(503), false)),
            (
                403,
                &[("via", "1.1 h (squid)"), ("x-squid-error", "ERR_ACCESS_DENIED 0")],
                (own, false),
            ),
            (
                403,
                &[("via", "1.1 p"), ("proxy-status", "p; error=http_request_denied")],
                (own, false),
            ),
            (403, &[("via", "1.1 p"), ("proxy-status", "p; received-status=403")], (None, true)),
        ] {
            let mut map = HeaderMap::new();
            for &(name, value) in headers {
                map.insert(name, value.parse().unwrap());
            }
            let response = || HttpResponse::new(status, map.clone(), Ok(Vec::new()));
            let found = match classify(Ok(response()), Kind::Robots) {
                Ok(response) => (None, response.is_of_site),
                Err(error) => (Some(error), false),
            };
            assert_eq!(found, expected, "{status} {headers:?}");
            assert_eq!(classify(Ok(response()), Kind::Page).is_err(), is_marked(&map));
        }
        for kind in [Kind::Robots, Kind::Page] {
            let wanted = HttpResponse::new(407, HeaderMap::new(), Ok(Vec::new()));
            let expected = NetworkError::Proxy(ProxyError::Status(407));
            assert_eq!(classify(Ok(wanted), kind).unwrap_err(), expected);
        }
    }
}
