//! Responses with JSON.

use axum::body::Body;
use axum::response::Response;
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use serde::Serialize;
use serde_json::value::RawValue;
use verger_json::Values;

/// Writes JSON without a line end.
pub(crate) fn write_json(out: &mut Vec<u8>, value: &impl Serialize) {
    // Writing to memory does not fail.
    let _ = Values::write_value(out, value);
}

/// JSON that is copied as it is.
pub(crate) fn raw(json: Vec<u8>) -> Option<Box<RawValue>> {
    let value = String::from_utf8(json).ok().and_then(|json| RawValue::from_string(json).ok());
    if value.is_none() {
        tracing::error!("an answer is not JSON");
    }
    value
}

/// A response with JSON.
pub(crate) fn answered(status: StatusCode, json: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(json));
    *response.status_mut() = status;
    // Room for all fields of a response: growing costs as much as writing them.
    *response.headers_mut() = HeaderMap::with_capacity(RESPONSE_FIELDS);
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// A response with one value.
pub(crate) fn json_line(status: StatusCode, value: &impl Serialize) -> Response {
    let mut out = Vec::new();
    write_json(&mut out, value);
    out.push(b'\n');
    answered(status, out)
}

/// A response that is worth another request after some seconds.
pub(crate) fn retried(mut response: Response, seconds: u64) -> Response {
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// Fields of a response.
const RESPONSE_FIELDS: usize = 12;

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
