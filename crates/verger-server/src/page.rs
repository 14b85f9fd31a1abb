//! The page at `/`. Its files are part of the program (`page/`), and its policy permits nothing else.

use axum::body::Body;
use axum::response::Response;
use hyper::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, REFERRER_POLICY};

/// The index.
pub(crate) async fn index() -> Response {
    let mut response = Response::new(Body::from(INDEX));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

const INDEX: &str = include_str!("page/index.html");

/// Scripts, styles and requests of this origin only; nothing in the page is ever evaluated, and no
/// other page contains it.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
                      img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";
