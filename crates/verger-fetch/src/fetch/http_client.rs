//! The interface between a fetch and an HTTP library.

use std::fmt::Debug;
use std::net::SocketAddr;

use hyper::HeaderMap;
use hyper::header::{self, HeaderName, HeaderValue};
use url::Url;

use super::coding::check_is_decoded;
use super::request::Kind;
use super::{FetchContext, Identity, Preconditions};
use crate::failure::{Failure, NetworkError};
use crate::net::BoxFuture;

/// Sends one GET request and reads its response. It does not follow redirects, apply rules, cache
/// or retry.
///
/// A crawler with an existing HTTP stack passes it to
/// [`RobotsClientBuilder::http_client`](crate::client::RobotsClientBuilder::http_client), so that
/// its connections, proxy, certificates and test doubles also serve robots.txt.
/// `examples/reqwest_crawler` does this with reqwest.
///
/// # Requirements
///
/// - **One request.** No redirect, no retry, no cache. The header fields are those of
///   [`HttpRequest::headers`] plus those that HTTP itself needs; no cookies, no credentials.
/// - **Safe addresses.** The [guard](crate::guard) checks the URL, including a literal address,
///   before `get` is called. It does not know the addresses of a name. The implementation calls
///   [`Guard::check_addresses`](crate::guard::Guard::check_addresses) and connects to these
///   addresses only, or a proxy or firewall blocks private networks. Give it a clone of the robots
///   client's guard. A refusal in the resolver becomes [`Failure::Refused`]:
///   [`Failure::find`] finds it among the sources of the library's error.
/// - **Verified certificates** for https.
/// - **A whole body or an error.** A body that was cut, has a wrong length or cannot be decoded is
///   an error ([`NetworkError`]): half a file could allow what the rest forbids. The content coding
///   is removed.
/// - **Bounded memory.** At most one byte of the body more than [`HttpRequest::body_limit`] is
///   read; this byte shows that the body is longer.
/// - **Cancellation.** The future can be dropped at any time. The caller enforces the time limit in
///   this way.
pub trait HttpClient: Debug + Send + Sync {
    /// Returns the final response, whatever its status.
    ///
    /// # Errors
    ///
    /// If there is no response: [`Failure::Network`], [`Failure::Refused`] or [`Failure::Busy`]. A
    /// status is a response, not an error. The error decides the meaning of an outage: a
    /// [`NetworkError::Connect`] may be the crawler's own network, an
    /// [`Incomplete::Head`](crate::failure::Incomplete::Head) is the site's.
    fn get<'a>(
        &'a self,
        request: &'a HttpRequest<'a>,
    ) -> BoxFuture<'a, Result<HttpResponse, Failure>>;
}

/// Signs requests, so that sites can verify the crawler.
pub trait Sign: Debug + Send + Sync {
    /// Returns the header fields that sign a GET request for a URL; none if it cannot be signed.
    fn sign(&self, url: &Url) -> Vec<(HeaderName, HeaderValue)>;
}

/// A GET request.
#[derive(Debug)]
pub struct HttpRequest<'a> {
    pub(super) url: &'a Url,
    pub(super) headers: HeaderMap,
    pub(super) kind: Kind,
    pub(super) body_limit: usize,
    pub(super) context: &'a FetchContext<'a>,
}

/// A response.
#[derive(Debug)]
pub struct HttpResponse {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Result<Vec<u8>, NetworkError>,
    pub(super) wire_bytes: usize,
    pub(super) has_trailing_bytes: bool,
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
        context: &'a FetchContext<'a>,
        signer: Option<&dyn Sign>,
    ) -> Self {
        let mut headers = HeaderMap::new();
        // REP-ACCESS-12: the crawler identifies itself.
        headers.insert(header::USER_AGENT, identity.user_agent.clone());
        let conditions = [
            (header::FROM, identity.from.as_ref()),
            (header::IF_NONE_MATCH, preconditions.and_then(|it| it.etag.as_ref())),
            (header::IF_MODIFIED_SINCE, preconditions.and_then(|it| it.last_modified.as_ref())),
        ];
        for (name, value) in conditions {
            headers.extend(value.map(|value| (name, value.clone())));
        }
        headers.insert(header::ACCEPT, HeaderValue::from_static(kind.accept()));
        for (name, value) in signer.map(|signer| signer.sign(url)).unwrap_or_default() {
            headers.insert(name, value);
        }
        Self { url, headers, kind, body_limit, context }
    }

    /// The URL, without fragment and credentials. The guard has permitted it.
    pub const fn url(&self) -> &Url {
        self.url
    }

    /// The header fields to send: `User-Agent`, `From`, `Accept`, preconditions and signatures.
    /// `Host` and `Accept-Encoding` are added by the HTTP library.
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Maximum bytes of the decoded body that are used. Read one more to detect a longer body.
    pub const fn body_limit(&self) -> usize {
        self.body_limit
    }

    /// Reports the connected address. It is shown to people, and later timeouts count as the
    /// site's, not as perhaps the crawler's own network's (REP-CACHE-28).
    pub fn note_peer(&self, peer: SocketAddr) {
        let mut progress = self.context.progress();
        (progress.peer, progress.is_reached) = (Some(peer), true);
    }
}

impl HttpResponse {
    /// A response with its status, header fields and decoded body. The body is cut after the limit
    /// of the request. That of a status other than 2xx can be empty; only
    /// [`FetchedPage::error_page`](crate::client::FetchedPage::error_page) has it.
    ///
    /// Pass the header fields unchanged, but remove `Content-Encoding` after decoding, as HTTP
    /// libraries do. A body that still has a coding is an error
    /// ([`CodingError`](crate::failure::CodingError)): parsed as robots.txt, it would have no rules
    /// and allow everything.
    pub fn new(status: u16, headers: HeaderMap, body: Result<Vec<u8>, NetworkError>) -> Self {
        let wire_bytes = body.as_ref().map_or(0, Vec::len);
        let body = body.and_then(|body| match check_is_decoded(&headers) {
            // An empty body is empty in every coding.
            Err(error) if !body.is_empty() => Err(NetworkError::Coding(error)),
            _ => Ok(body),
        });
        Self { status, headers, body, wire_bytes, has_trailing_bytes: false, is_of_site: true }
    }
}
