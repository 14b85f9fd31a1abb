//! One request by HTTP/1.1.

use std::error::Error as _;
use std::io;

use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{self, HeaderValue};
use hyper::{HeaderMap, Version};
use hyper_util::rt::TokioIo;

use super::meter::{Meter, Reading};
use super::{Target, body, drive};
use crate::failure::{Incomplete, NetworkError, Phase, ProtocolError};
use crate::fetch::http_client::{HttpRequest, HttpResponse};
use crate::limits::{HEAD_ROOM, Limits};
use crate::net::{BoxStream, within};

/// Sends a request on a connected stream.
pub(super) async fn ask(
    stream: BoxStream,
    request: &HttpRequest<'_>,
    limits: &Limits,
    target: Target<'_>,
) -> Result<HttpResponse, NetworkError> {
    let to_send = request.to_hyper(target)?;
    let (meter, reading) = Meter::new(stream, *limits);
    let handshake = http1::Builder::new()
        .max_headers(limits.head_fields)
        .max_buf_size(limits.head_bytes + HEAD_ROOM)
        // Obsolete, but old servers fold fields, and their meaning is clear.
        .allow_obsolete_multiline_headers_in_responses(true)
        .handshake(TokioIo::new(meter));
    let (mut sender, connection) =
        handshake.await.map_err(|_| NetworkError::Protocol(ProtocolError::Malformed))?;

    let exchange = async {
        let head = async {
            sender.send_request(to_send).await.map_err(|error| head_error(&error, &reading))
        };
        let response = within(limits.head, Phase::Head, head).await?;
        check(response.version(), response.headers())?;
        Ok(HttpResponse::of(response, request, limits, &reading).await)
    };
    drive(connection, exchange).await
}

/// Refuses ambiguous framing.
fn check(version: Version, headers: &HeaderMap) -> Result<(), NetworkError> {
    let refused = |error| Err(NetworkError::Protocol(error));
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

fn head_error(error: &hyper::Error, reading: &Reading) -> NetworkError {
    if let Some(fault) = reading.fault() {
        return fault;
    }
    if error.is_parse() {
        NetworkError::Protocol(ProtocolError::Malformed)
    } else if error.is_canceled() && reading.has_begun() {
        // Hyper drops a connection with data to read before the request.
        NetworkError::Protocol(ProtocolError::Unasked)
    } else {
        NetworkError::Incomplete(Incomplete::Head)
    }
}

impl body::Version for Reading {
    fn error(&self, error: &hyper::Error) -> NetworkError {
        if let Some(fault) = self.fault() {
            return fault;
        }
        // Hyper reports broken chunks by these kinds, and an early end by others.
        let kind = error.source().and_then(|source| source.downcast_ref()).map(io::Error::kind);
        NetworkError::Incomplete(match kind {
            Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => Incomplete::Chunks,
            _ => Incomplete::Body,
        })
    }

    /// Hyper reports an early end as an error.
    fn has_ended(&self, _: &Incoming) -> bool {
        true
    }

    fn is_more_than(&self, declared: usize) -> bool {
        self.body_bytes() > declared
    }
}
