//! One request and its answer, by HTTP/1.1.
//!
//! Hyper speaks the protocol on a stream that we have connected; it has no pool, follows nothing,
//! decodes nothing and reads no environment. A connection serves one request: a robots.txt is asked for
//! once a day, and what is left over on a connection can then harm nobody.

use std::error::Error as _;
use std::io;
use std::pin::pin;

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::client::conn::http1;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{HeaderMap, Request, Version};
use hyper_util::rt::TokioIo;
use tokio::time::Instant;
use url::Url;

use super::coding::{ACCEPTED, Coding};
use super::meter::{Meter, Reading};
use super::{Body, Identity, Timings, Validators};
use crate::limits::{Limits, TRAILER_BYTES};
use crate::net::{BoxStream, Incomplete, NetworkError, Phase, ProtocolError, within};

/// Media types in the order of our liking.
const ACCEPT: &str = "text/plain, */*;q=0.1";

/// Hyper's buffer is larger than any head the meter lets through, so that the meter decides.
const BUFFER_ROOM: usize = 16 * 1024;

/// An answer.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    /// The body of a 2xx; of other answers it is not read.
    pub(super) body: Result<Body, NetworkError>,
}

/// Asks for a URL on a connected stream.
pub(super) async fn ask(
    stream: BoxStream,
    url: &Url,
    identity: &Identity,
    validators: Option<&Validators>,
    limits: &Limits,
    timings: &mut Timings,
) -> Result<Answer, NetworkError> {
    let start = Instant::now();
    let request = request(url, identity, validators)?;
    let (meter, reading) = Meter::new(stream, *limits);
    let handshake = http1::Builder::new()
        .max_headers(limits.head_fields())
        .max_buf_size(limits.head_bytes() + BUFFER_ROOM)
        .handshake(TokioIo::new(meter));
    let (mut sender, connection) =
        handshake.await.map_err(|_| NetworkError::Protocol(ProtocolError::Malformed))?;

    // The connection runs in this task, so that dropping the fetch drops it too.
    let exchange = async {
        let head = async {
            sender.send_request(request).await.map_err(|error| head_error(&error, &reading))
        };
        let response = within(limits.head(), Phase::Head, head).await?;
        timings.head += start.elapsed();
        let start = Instant::now();
        let (parts, incoming) = response.into_parts();
        let status = parts.status.as_u16();
        check(status, parts.version, &parts.headers)?;
        let body = if matches!(status, 200..=299) && !matches!(status, 204 | 205) {
            read(incoming, &parts.headers, limits, &reading).await
        } else {
            Ok(Body::default())
        };
        timings.body += start.elapsed();
        Ok(Answer { status, headers: parts.headers, body })
    };
    let mut exchange = pin!(exchange);
    tokio::select! {
        biased;
        answer = &mut exchange => answer,
        // The connection may end first, well or not; what it has said is still to be heard.
        _ = connection => exchange.await,
    }
}

fn request(
    url: &Url,
    identity: &Identity,
    validators: Option<&Validators>,
) -> Result<Request<Empty<Bytes>>, NetworkError> {
    let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let mut builder = Request::get(path)
        .header(header::HOST, host)
        // REP-ACCESS-12: the crawler says who it is.
        .header(header::USER_AGENT, identity.user_agent());
    if let Some(from) = identity.from() {
        builder = builder.header(header::FROM, from);
    }
    builder = builder
        .header(header::ACCEPT, ACCEPT)
        .header(header::ACCEPT_ENCODING, ACCEPTED)
        .header(header::CONNECTION, "close");
    if let Some(etag) = validators.and_then(Validators::etag) {
        builder = builder.header(header::IF_NONE_MATCH, etag);
    }
    if let Some(time) = validators.and_then(Validators::last_modified) {
        builder = builder.header(header::IF_MODIFIED_SINCE, time);
    }
    builder.body(Empty::new()).map_err(|_| NetworkError::Protocol(ProtocolError::Malformed))
}

/// Refuses what can be read in two ways.
fn check(status: u16, version: Version, headers: &HeaderMap) -> Result<(), NetworkError> {
    let refused = |error| Err(NetworkError::Protocol(error));
    if status < 200 {
        return refused(ProtocolError::InterimStatus);
    }
    let codings: Vec<&HeaderValue> = headers.get_all(header::TRANSFER_ENCODING).iter().collect();
    match codings.as_slice() {
        [] => Ok(()),
        _ if headers.contains_key(header::CONTENT_LENGTH) => refused(ProtocolError::TwoLengths),
        [one]
            if version == Version::HTTP_11
                && one.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked") =>
        {
            Ok(())
        }
        _ => refused(ProtocolError::TransferCoding),
    }
}

async fn read(
    mut incoming: Incoming,
    headers: &HeaderMap,
    limits: &Limits,
    reading: &Reading,
) -> Result<Body, NetworkError> {
    let coding = Coding::of(headers).map_err(NetworkError::Coding)?;
    // One byte more than the limit tells that there is more.
    let most = match coding {
        Coding::Identity => limits.body() + 1,
        _ => limits.wire_or_body() + 1,
    };
    let mut wire = Vec::new();
    while wire.len() < most {
        let frame = async {
            incoming.frame().await.transpose().map_err(|error| body_error(&error, reading))
        };
        let Some(frame) = within(limits.idle(), Phase::Idle, frame).await? else { break };
        match frame.into_data() {
            Ok(data) => wire.extend_from_slice(&data[..data.len().min(most - wire.len())]),
            Err(frame) if trailer_bytes(&frame) > TRAILER_BYTES => {
                return Err(NetworkError::FramingTooLarge);
            }
            Err(_) => {}
        }
    }
    let is_cut = wire.len() == most;
    let told = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if let Some(told) = told.and_then(|text| text.parse().ok())
        && !is_cut
        && reading.body_bytes() > told
    {
        return Err(NetworkError::Protocol(ProtocolError::ExcessBytes));
    }
    let wire_bytes = wire.len();
    let decoded = coding.decode(wire, limits.body());
    // REP-SYNTAX-8 asks for 500 KiB of the text, and these have not come.
    if is_cut && !matches!(decoded, Ok((_, true))) {
        return Err(NetworkError::WireTooLarge);
    }
    let (bytes, truncated) = decoded.map_err(NetworkError::Coding)?;
    Ok(Body { bytes, truncated, wire_bytes })
}

/// Bytes of a frame's trailers on the wire: a colon, a space and a line end for each.
fn trailer_bytes(frame: &Frame<Bytes>) -> usize {
    let field = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + 4;
    frame.trailers_ref().map_or(0, |trailers| trailers.iter().map(field).sum())
}

fn head_error(error: &hyper::Error, reading: &Reading) -> NetworkError {
    if let Some(fault) = reading.fault() {
        return fault;
    }
    if error.is_parse() {
        NetworkError::Protocol(ProtocolError::Malformed)
    } else if error.is_canceled() && reading.has_begun() {
        // Hyper gives a connection up that has something to read before there is a request.
        NetworkError::Protocol(ProtocolError::Unasked)
    } else {
        NetworkError::Incomplete(Incomplete::Head)
    }
}

fn body_error(error: &hyper::Error, reading: &Reading) -> NetworkError {
    if let Some(fault) = reading.fault() {
        return fault;
    }
    // Hyper tells broken chunks by these kinds, and an early end by others.
    let kind = error.source().and_then(|source| source.downcast_ref()).map(io::Error::kind);
    NetworkError::Incomplete(match kind {
        Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => Incomplete::Chunks,
        _ => Incomplete::Body,
    })
}
