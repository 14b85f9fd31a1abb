//! The response to an http URL through a proxy: the site's or the proxy's own.
//!
//! Both look alike. Most 4xx of a site allow everything, so in doubt a response counts as the
//! proxy's (REP-CACHE-28).
//!
//! Some proxies answer 404 if they find no address of the site, as sites without a robots.txt do.
//! Login portals redirect every request. So before an unmarked 404 or redirect counts, the proxy is
//! asked for a name that cannot exist (REP-CACHE-28a). The cost: through a proxy that answers this
//! with 404, 410, a redirect or a page, a site without robots.txt stays unanswered; with a redirect
//! or a page, also a site with a redirect of it.

use std::sync::Arc;

use hyper::HeaderMap;
use hyper::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH, VIA};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use url::Url;

use super::BuiltIn;
use crate::failure::{Incomplete, NetworkError, Phase, ProtocolError, ProxyError};
use crate::fetch::http_client::{HttpRequest, HttpResponse};
use crate::fetch::request::Kind;
use crate::limits::{PROXY_PROBE, PROXY_PROBE_RETRY, PROXY_PROBE_SHARE};
use crate::net::Alpn;

/// A name that no DNS has (RFC 6761 section 6.4).
const NO_SITE: &str = "http://x.invalid/robots.txt";

/// The last answer of the proxy for a name that cannot exist. The lock is held during the question,
/// so concurrent fetches ask once.
#[derive(Clone, Debug, Default)]
pub(super) struct Probe(Arc<Mutex<Option<ProbeAnswer>>>);

/// A status, `None` without an answer, and the end of this knowledge.
type ProbeAnswer = (Option<u16>, Instant);

impl BuiltIn {
    /// Rejects a 404, a 410 or a redirect for robots.txt that the proxy may have generated.
    pub(super) async fn check_generated(
        &self,
        request: &HttpRequest<'_>,
        response: HttpResponse,
    ) -> Result<HttpResponse, NetworkError> {
        let is_suspect = matches!(response.status, 301 | 302 | 303 | 307 | 308 | 404 | 410);
        if request.kind != Kind::Robots || !is_suspect || response.headers.contains_key(VIA) {
            return Ok(response);
        }
        let mut known = self.probe.0.lock().await;
        let current = known.filter(|&(_, end)| Instant::now() < end);
        let of_no_site = if let Some((of_no_site, _)) = current {
            of_no_site
        } else {
            let progress = *request.context.progress();
            let time = self.net.limits.total / PROXY_PROBE_SHARE;
            let answer = timeout(time, self.ask_for_no_site(request)).await.ok().flatten();
            *request.context.progress() = progress;
            let time = answer.map_or(PROXY_PROBE_RETRY, |_| PROXY_PROBE);
            *known = Some((answer, Instant::now() + time));
            answer
        };
        if may_generate(response.status, of_no_site) {
            return Err(NetworkError::Proxy(ProxyError::Generated(response.status)));
        }
        Ok(HttpResponse { is_of_site: true, ..response })
    }

    /// The status of the proxy for a name that cannot exist; `None` without an answer.
    async fn ask_for_no_site(&self, request: &HttpRequest<'_>) -> Option<u16> {
        let url = Url::parse(NO_SITE).ok()?;
        let mut headers = request.headers.clone();
        headers.remove(IF_NONE_MATCH);
        headers.remove(IF_MODIFIED_SINCE);
        let probe = HttpRequest { url: &url, headers, ..*request };
        let connected = self.net.connect(&url, Alpn::Http1, &request.context.budget).await.ok()?;
        self.ask(connected, &probe, &self.net.limits).await.ok().map(|answer| answer.status)
    }
}

/// Whether a proxy that answers like this for a name that cannot exist may have generated an
/// unmarked status.
const fn may_generate(status: u16, of_no_site: Option<u16>) -> bool {
    match of_no_site {
        // The doubt remains. A site that is wrongly unanswered is asked again; one that is wrongly
        // open is crawled against its rules.
        None => true,
        // It redirects nothing.
        Some(404 | 410) => matches!(status, 404 | 410),
        Some(of_no_site) => !matches!(of_no_site, 400..=599),
    }
}

/// Classifies a response through a proxy.
pub(super) fn classify(
    answer: Result<HttpResponse, NetworkError>,
    kind: Kind,
) -> Result<HttpResponse, NetworkError> {
    let mut response = answer.map_err(of_proxy)?;
    let status = response.status;
    let headers = &response.headers;
    // A proxy adds `Via` to each response that it forwards (RFC 9110 section 7.6.3). Without it,
    // the proxy may be a hidden one.
    let may_be_own = matches!(status, 300..=499) && !headers.contains_key(VIA);
    let is_rejected = match kind {
        // Not rejected here: redirects and statuses of a missing file, about which the proxy is
        // asked, and those of a busy site.
        Kind::Robots => may_be_own && !matches!(status, 300..=399 | 404 | 410 | 429),
        // Reported unchanged, because no rules follow from it.
        Kind::Page | Kind::File(_) => false,
    };
    if status == 407 || is_marked(headers) || is_rejected {
        return Err(NetworkError::Proxy(ProxyError::Status(status)));
    }
    // A proxy reports an unreachable site as 502 to 504; tinyproxy uses 500. Any page and redirect
    // may be a portal's.
    let is_doubtful =
        matches!(status, 429 | 500..=599) || may_be_own && (kind != Kind::Robots || status < 400);
    response.is_of_site = !is_doubtful;
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

/// An error before the head may be the proxy's or the site's.
fn of_proxy(error: NetworkError) -> NetworkError {
    NetworkError::Proxy(match error {
        NetworkError::Timeout(Phase::Head) => ProxyError::Timeout(Phase::Head),
        NetworkError::Incomplete(Incomplete::Head) => ProxyError::Closed,
        NetworkError::Protocol(ProtocolError::Unsendable) => return error,
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
            (301, &[], (None, false)),
            (301, &[("via", "1.1 tinyproxy")], (None, true)),
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
