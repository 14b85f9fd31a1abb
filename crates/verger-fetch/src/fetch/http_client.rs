//! One GET: what stands between a fetch and an HTTP library.

use std::fmt::Debug;
use std::net::SocketAddr;

use hyper::HeaderMap;
use hyper::header;
use url::Url;

use super::http::check_is_decoded;
use super::request::Kind;
use super::{Identity, Preconditions, Trip};
use crate::net::{BoxFuture, NetworkError, RequestError};

/// Sends one GET and reads its response. Redirects, rules, caching and retries are not its business.
///
/// A crawler that has an HTTP stack already gives it to
/// [`RobotsClientBuilder::http_client`](crate::client::RobotsClientBuilder::http_client), so that its
/// connections, proxy, certificates and test doubles serve robots.txt, too. `examples/reqwest_crawler`
/// does so with reqwest.
///
/// # What an implementation must guarantee
///
/// - **One request.** No redirect is followed, nothing is repeated, nothing is answered from a cache. The
///   header fields are those of [`HttpRequest::headers`], besides those that HTTP itself needs; no
///   cookies, no credentials.
/// - **Safe addresses.** The [guard](crate::guard) has judged the URL, and with it a literal address, before
///   `get` is called. What a name resolves to only the implementation knows: it asks
///   [`Guard::check_addresses`](crate::guard::Guard::check_addresses) and connects to these
///   addresses, or runs behind a proxy or firewall that keeps private networks out of reach. Give it a clone
///   of the guard that the robots client gets. A refusal in the resolver becomes [`RequestError::Refused`]:
///   [`RequestError::find`] finds it among the sources of the library's error.
/// - **Verified certificates** for https.
/// - **A whole body or an error.** A body that was cut short, has a wrong length or cannot be decoded is an
///   error ([`NetworkError`]): half a file could allow what the rest forbids. The content coding is undone.
/// - **Bounded memory.** Of the body at most one byte more than [`HttpRequest::body_limit`] is read: this byte
///   tells that there is more.
/// - **It can be dropped** at any time. The time limit is kept by the caller, who drops the future.
pub trait HttpClient: Debug + Send + Sync {
    /// The final response, whatever its status.
    ///
    /// # Errors
    ///
    /// When there is none. The error decides what an outage means: a [`NetworkError::Connect`] may be the
    /// crawler's own network, an [`Incomplete::Head`](crate::net::Incomplete::Head) is the site's
    /// ([`NetworkError::blames`]).
    fn get<'a>(
        &'a self,
        request: &'a HttpRequest<'a>,
    ) -> BoxFuture<'a, Result<HttpResponse, RequestError>>;
}

/// A GET request.
#[derive(Debug)]
pub struct HttpRequest<'a> {
    pub(super) url: &'a Url,
    pub(super) headers: HeaderMap,
    pub(super) kind: Kind,
    pub(super) body_limit: usize,
    pub(super) trip: &'a Trip<'a>,
}

/// A response.
#[derive(Debug)]
pub struct HttpResponse {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Result<Vec<u8>, NetworkError>,
    pub(super) wire_bytes: usize,
    /// False if a proxy may have responded instead of the site.
    pub(super) is_of_site: bool,
}

impl<'a> HttpRequest<'a> {
    pub(super) fn new(
        url: &'a Url,
        kind: Kind,
        identity: &Identity,
        preconditions: Option<&Preconditions>,
        body_limit: usize,
        trip: &'a Trip<'a>,
    ) -> Self {
        let mut headers = HeaderMap::new();
        // REP-ACCESS-12: the crawler says who it is.
        headers.insert(header::USER_AGENT, identity.user_agent().clone());
        let conditions = [
            (header::FROM, identity.from()),
            (header::IF_NONE_MATCH, preconditions.and_then(Preconditions::etag)),
            (header::IF_MODIFIED_SINCE, preconditions.and_then(Preconditions::last_modified)),
        ];
        for (name, value) in conditions {
            headers.extend(value.map(|value| (name, value.clone())));
        }
        headers.insert(header::ACCEPT, header::HeaderValue::from_static(kind.accept()));
        Self { url, headers, kind, body_limit, trip }
    }

    /// What is requested. It has no fragment and no credentials, and the guard has judged it.
    pub const fn url(&self) -> &Url {
        self.url
    }

    /// The header fields to send: `User-Agent`, `From`, `Accept` and preconditions. `Host` and
    /// `Accept-Encoding` are added by the HTTP library.
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Bytes of the decoded body that are used. One more is read to know that there is more.
    pub const fn body_limit(&self) -> usize {
        self.body_limit
    }

    /// Tells the address that the request is connected to. It is shown to people, and a timeout after it is
    /// the site's, no longer perhaps the crawler's own network's (REP-CACHE-28).
    pub fn note_peer(&self, peer: SocketAddr) {
        let mut progress = self.trip.progress();
        (progress.peer, progress.is_reached) = (Some(peer), true);
    }
}

impl HttpResponse {
    /// A response with its status, its header fields, and its decoded body. The body of a status other
    /// than 2xx is ignored and may be empty. A body is cut after the limit of its request.
    ///
    /// Pass the header fields as they came, but drop `Content-Encoding` after undoing the coding, as HTTP
    /// libraries do. A body whose coding is still there is an error ([`CodingError`](crate::net::CodingError)):
    /// read as a robots.txt, it would have no rules and allow everything.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_fetch::fetch::HttpResponse;
    /// use verger_fetch::http::HeaderMap;
    /// use verger_fetch::net::{Incomplete, NetworkError};
    ///
    /// let whole = HttpResponse::new(200, HeaderMap::new(), Ok(b"User-agent: *".to_vec()));
    /// // The status counts even where the body was cut short.
    /// let cut = Err(NetworkError::Incomplete(Incomplete::Body));
    /// let part = HttpResponse::new(200, HeaderMap::new(), cut);
    /// ```
    pub fn new(status: u16, headers: HeaderMap, body: Result<Vec<u8>, NetworkError>) -> Self {
        let wire_bytes = body.as_ref().map_or(0, Vec::len);
        let body = body.and_then(|body| match check_is_decoded(&headers) {
            // It is empty in every coding.
            Err(error) if !body.is_empty() => Err(NetworkError::Coding(error)),
            _ => Ok(body),
        });
        Self { status, headers, body, wire_bytes, is_of_site: true }
    }
}
