//! The body of a response: read within limits, then decoded.

use http_body_util::BodyExt as _;
use hyper::HeaderMap;
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{CONTENT_LENGTH, HeaderName, HeaderValue};

use crate::failure::{Incomplete, NetworkError, Phase, ProtocolError};
use crate::fetch::coding::Coding;
use crate::limits::{Limits, TRAILER_BYTES};
use crate::net::within;

/// The differences between versions of HTTP in reading a body.
pub(super) trait Version {
    /// The network error for an error of Hyper.
    fn error(&self, error: &hyper::Error) -> NetworkError;

    /// Whether a body without further frames is complete.
    fn has_ended(&self, incoming: &Incoming) -> bool;

    /// Whether the server sent more bytes than its Content-Length.
    fn is_more_than(&self, declared: usize) -> bool;
}

/// Reads a body up to one byte more than its limit, and decodes it. Whether bytes after its coded
/// end were ignored is part of the result.
pub(super) async fn read(
    mut incoming: Incoming,
    headers: &HeaderMap,
    limits: &Limits,
    version: &impl Version,
    wire_bytes: &mut usize,
) -> Result<(Vec<u8>, bool), NetworkError> {
    let coding = Coding::of(headers);
    // One byte more than the limit shows that the body is longer.
    let most = match coding {
        Ok(Coding::Identity) => limits.body + 1,
        Ok(_) => limits.wire_or_body() + 1,
        // One byte shows whether it is empty.
        Err(_) => 1,
    };
    let mut wire = Vec::new();
    while wire.len() < most {
        let frame =
            async { incoming.frame().await.transpose().map_err(|error| version.error(&error)) };
        let Some(frame) = within(limits.idle, Phase::Idle, frame).await? else { break };
        match frame.into_data() {
            Ok(data) => wire.extend_from_slice(&data[..data.len().min(most - wire.len())]),
            Err(frame) if trailer_bytes(&frame) > TRAILER_BYTES => {
                return Err(NetworkError::FramingTooLarge);
            }
            Err(_) => {}
        }
    }
    let is_cut = wire.len() == most;
    let coding = match coding {
        // An empty body is empty in every coding.
        _ if wire.is_empty() => Coding::Identity,
        Ok(coding) => coding,
        Err(error) => return Err(NetworkError::Coding(error)),
    };
    if !is_cut && !version.has_ended(&incoming) {
        return Err(NetworkError::Incomplete(Incomplete::Body));
    }
    let declared = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if let Some(declared) = declared.and_then(|text| text.parse().ok())
        && !is_cut
        && version.is_more_than(declared)
    {
        return Err(NetworkError::Protocol(ProtocolError::ExcessBytes));
    }
    *wire_bytes = wire.len();
    let decoded = coding.decode(wire, limits.body);
    let goes_on = decoded.as_ref().is_ok_and(|(body, _)| body.len() > limits.body);
    // REP-SYNTAX-8 requires 500 KiB of the text, but less was received.
    if is_cut && !goes_on {
        return Err(NetworkError::WireTooLarge);
    }
    decoded.map_err(NetworkError::Coding)
}

/// Bytes of the trailers of a frame on the wire: a colon, a space and a line end for each.
fn trailer_bytes(frame: &Frame<Bytes>) -> usize {
    let field = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + 4;
    frame.trailers_ref().map_or(0, |trailers| trailers.iter().map(field).sum())
}
