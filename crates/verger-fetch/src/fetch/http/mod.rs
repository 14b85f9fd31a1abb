//! One request and its answer, by HTTP.
//!
//! Hyper speaks the protocol on a stream that we have connected; it has no pool, follows nothing,
//! decodes nothing and reads no environment. A connection serves one request: a robots.txt is asked for
//! once a day, a page after a pause, and what is left over on a connection can then harm nobody.

mod body;
mod coding;
mod http1;
#[cfg(feature = "http2")]
mod http2;
mod meter;

use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper::{HeaderMap, Request, Response, header};
use tokio::time::Instant;
use url::{Position, Url};

use self::coding::ACCEPTED;
use super::request::Kind;
use super::{Body, Identity, Timings, Validators};
use crate::limits::Limits;
use crate::net::{Connected, NetworkError, Protocol, ProtocolError};

/// An answer.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    /// The body of a 2xx; of other answers it is not read.
    pub(super) body: Result<Body, NetworkError>,
}

/// What is asked, by whom.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) url: &'a Url,
    pub(super) kind: Kind,
    pub(super) identity: &'a Identity,
    pub(super) validators: Option<&'a Validators>,
}

/// How a version of HTTP names what it asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// By the path, beside a Host field.
    Path,
    /// By the whole URL.
    #[cfg(feature = "http2")]
    Url,
}

/// Asks for a URL on a connection.
pub(super) async fn ask(
    connected: Connected,
    asked: Asked<'_>,
    limits: &Limits,
    timings: &mut Timings,
) -> Result<Answer, NetworkError> {
    let stream = connected.stream;
    match connected.protocol {
        Protocol::Http1 => http1::ask(stream, asked, limits, timings).await,
        #[cfg(feature = "http2")]
        Protocol::Http2 => http2::ask(stream, asked, limits, timings).await,
    }
}

impl Asked<'_> {
    fn request(&self, target: Target) -> Result<Request<Empty<Bytes>>, NetworkError> {
        let url = self.url;
        let mut builder = match target {
            Target::Path => Request::get(&url[Position::BeforePath..Position::AfterQuery])
                .header(header::HOST, &url[Position::BeforeHost..Position::AfterPort]),
            #[cfg(feature = "http2")]
            Target::Url => Request::get(&url[..Position::AfterQuery]),
        };
        // REP-ACCESS-12: the crawler says who it is.
        builder = builder.header(header::USER_AGENT, self.identity.user_agent());
        if let Some(from) = self.identity.from() {
            builder = builder.header(header::FROM, from);
        }
        builder = builder
            .header(header::ACCEPT, self.kind.accept())
            .header(header::ACCEPT_ENCODING, ACCEPTED);
        if target == Target::Path {
            builder = builder.header(header::CONNECTION, "close");
        }
        if let Some(etag) = self.validators.and_then(Validators::etag) {
            builder = builder.header(header::IF_NONE_MATCH, etag);
        }
        if let Some(time) = self.validators.and_then(Validators::last_modified) {
            builder = builder.header(header::IF_MODIFIED_SINCE, time);
        }
        builder.body(Empty::new()).map_err(|_| NetworkError::Protocol(ProtocolError::Malformed))
    }
}

impl Answer {
    /// The answer whose head has come.
    async fn of(
        response: Response<Incoming>,
        limits: &Limits,
        version: &impl body::Version,
        timings: &mut Timings,
    ) -> Result<Self, NetworkError> {
        let start = Instant::now();
        let (parts, incoming) = response.into_parts();
        let status = parts.status.as_u16();
        if status < 200 {
            return Err(NetworkError::Protocol(ProtocolError::InterimStatus));
        }
        let body = if matches!(status, 200..=299) && !matches!(status, 204 | 205) {
            body::read(incoming, &parts.headers, limits, version).await
        } else {
            Ok(Body::default())
        };
        timings.body += start.elapsed();
        Ok(Self { status, headers: parts.headers, body })
    }
}
