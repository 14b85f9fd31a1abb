//! One request and its response, by HTTP.
//!
//! Hyper implements the protocol on a stream connected here. It has no pool, follows no redirects,
//! decodes nothing and reads no environment. A connection serves one request: robots.txt is
//! requested once a day, a page after a pause, and data left on a connection harm no other request.

mod body;
mod http1;
#[cfg(feature = "http2")]
mod http2;
mod meter;
mod proxied;

use std::pin::pin;

use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderValue;
use hyper::{Request, Response, header};
use url::Position;

use super::coding::{ACCEPTED, whole};
use super::http_client::{HttpClient, HttpRequest, HttpResponse};
use super::request::Kind;
use crate::failure::{Failure, NetworkError, ProtocolError};
use crate::limits::{ERROR_PAGE_BYTES, ERROR_PAGE_TIME, Limits};
use crate::net::{Alpn, BoxFuture, Connected, Net, Protocol, Route};
use crate::running::timeout;

/// The built-in HTTP client.
#[derive(Clone, Debug)]
pub(super) struct BuiltIn {
    net: Net,
    http2_for_robots: bool,
    probe: proxied::Probe,
}

/// The form of the request target in a version of HTTP.
#[derive(Clone, Copy)]
enum Target<'a> {
    /// The path, with a Host field.
    Path,
    /// The whole URL, to a proxy and with the credentials for it.
    Proxy(Option<&'a HeaderValue>),
    /// The whole URL.
    #[cfg(feature = "http2")]
    Url,
}

impl BuiltIn {
    pub(super) fn new(net: Net, http2_for_robots: bool) -> Self {
        Self { net, http2_for_robots, probe: proxied::Probe::default() }
    }

    /// Sends a request on a connection.
    async fn ask(
        &self,
        connected: Connected,
        request: &HttpRequest<'_>,
        limits: &Limits,
    ) -> Result<HttpResponse, NetworkError> {
        let target = match connected.route {
            Route::Direct | Route::Tunnel => Target::Path,
            Route::Relay => Target::Proxy(
                self.net.proxy.as_ref().and_then(|proxy| proxy.authorization.as_ref()),
            ),
        };
        let stream = connected.stream;
        match connected.protocol {
            Protocol::Http1 => http1::ask(stream, request, limits, target).await,
            #[cfg(feature = "http2")]
            Protocol::Http2 => http2::ask(stream, request, limits).await,
        }
    }

    /// The protocols offered to a server.
    const fn alpn(&self, kind: Kind) -> Alpn {
        if !matches!(kind, Kind::Robots) || self.http2_for_robots {
            Alpn::Http2OrHttp1
        } else {
            Alpn::Http1
        }
    }
}

impl HttpClient for BuiltIn {
    fn get<'a>(
        &'a self,
        request: &'a HttpRequest<'a>,
    ) -> BoxFuture<'a, Result<HttpResponse, Failure>> {
        Box::pin(async move {
            let alpn = self.alpn(request.kind);
            let connected = self.net.connect(request.url, alpn, &request.context.budget).await?;
            *request.context.progress() = (&connected).into();
            let limits = request.kind.limits(&self.net.limits);
            let route = connected.route;
            let answer = self.ask(connected, request, &limits).await;
            Ok(match route {
                Route::Relay => {
                    let response = proxied::classify(answer, request.kind)?;
                    self.check_generated(request, response).await?
                }
                Route::Direct | Route::Tunnel => answer?,
            })
        })
    }
}

/// Runs an exchange and its connection. The connection runs in this task, so that dropping the
/// fetch drops it too.
async fn drive<T>(connection: impl Future, exchange: impl Future<Output = T>) -> T {
    let mut exchange = pin!(exchange);
    tokio::select! {
        biased;
        result = &mut exchange => result,
        // The connection may end first, with or without an error. Data received before are still
        // read.
        _ = connection => exchange.await,
    }
}

impl HttpRequest<'_> {
    fn to_hyper(&self, target: Target<'_>) -> Result<Request<Empty<Bytes>>, NetworkError> {
        let url = self.url;
        let (uri, is_http1) = match target {
            Target::Path => (&url[Position::BeforePath..Position::AfterQuery], true),
            // RFC 9112 section 3.2.2: the absolute form. The URL has no credentials.
            Target::Proxy(_) => (&url[..Position::AfterQuery], true),
            #[cfg(feature = "http2")]
            Target::Url => (&url[..Position::AfterQuery], false),
        };
        let mut builder = Request::get(uri);
        if is_http1 {
            let host = &url[Position::BeforeHost..Position::AfterPort];
            builder = builder.header(header::HOST, host);
        }
        for (name, value) in &self.headers {
            builder = builder.header(name, value);
        }
        builder = builder.header(header::ACCEPT_ENCODING, ACCEPTED);
        if is_http1 {
            builder = builder.header(header::CONNECTION, "close");
        }
        if let Target::Proxy(Some(authorization)) = target {
            builder = builder.header(header::PROXY_AUTHORIZATION, authorization);
        }
        builder.body(Empty::new()).map_err(|_| NetworkError::Protocol(ProtocolError::Unsendable))
    }
}

impl HttpResponse {
    /// Reads the body after the head.
    async fn of(
        response: Response<Incoming>,
        request: &HttpRequest<'_>,
        limits: &Limits,
        version: &impl body::Version,
    ) -> Self {
        let (parts, incoming) = response.into_parts();
        let status = parts.status.as_u16();
        let (mut wire_bytes, mut has_trailing_bytes) = (0, false);
        let body = match (status, request.kind) {
            (204 | 205, _) => Ok(Vec::new()),
            (200..=299, kind) => {
                let read = body::read(incoming, &parts.headers, limits, version, &mut wire_bytes);
                match kind {
                    Kind::Page | Kind::File(_) => read.await.map(|(body, has_tail)| {
                        has_trailing_bytes = has_tail;
                        body
                    }),
                    Kind::Robots => {
                        read.await.and_then(|read| whole(read).map_err(NetworkError::Coding))
                    }
                }
            }
            (400.., Kind::Page) => {
                let limits = Limits { body: ERROR_PAGE_BYTES, ..*limits };
                let read = body::read(incoming, &parts.headers, &limits, version, &mut wire_bytes);
                let read = timeout(ERROR_PAGE_TIME, read).await.and_then(Result::ok);
                Ok(read.map(|(body, _)| body).unwrap_or_default())
            }
            _ => Ok(Vec::new()),
        };
        Self {
            status,
            headers: parts.headers,
            body,
            wire_bytes,
            has_trailing_bytes,
            is_of_site: true,
        }
    }
}
