//! Routes for operators: health, readiness, metrics, and the description of the API.

use std::sync::{Arc, OnceLock};

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, StatusCode};
use metrics::gauge;
use tokio::time::timeout;

use crate::limits::READY_TIME;
use crate::openapi::description;
use crate::problem::{Kind, Problem};
use crate::response::answered;
use crate::routes::App;

/// The process answers.
pub(crate) async fn health() -> Response {
    text("ok\n".to_owned())
}

/// The service takes requests: it does not stop, and its store answers.
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.stopping.has_begun() {
        return Problem::busy("the service stops").into_response();
    }
    if let Ok(Ok(())) = timeout(READY_TIME, app.store.ping()).await {
        return text("ready\n".to_owned());
    }
    let problem = Problem::new(Kind::Unavailable, "the store does not answer");
    problem.with_retry_after(1).into_response()
}

/// The metrics of this process in the format of Prometheus.
pub(crate) async fn metrics(State(app): State<Arc<App>>, _: Request<Body>) -> Response {
    update(&app);
    let mut response = text(app.prometheus.render());
    let media = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, media);
    response
}

/// Sets the gauges that are read and not counted.
#[expect(clippy::cast_precision_loss, reason = "a gauge needs no more precision")]
pub(crate) fn update(app: &App) {
    let metrics = &app.answers.metrics;
    metrics.requests.set(app.running() as f64);
    metrics.prepared_bytes.set(app.answers.prepared.bytes() as f64);
    metrics.work.set(app.work.len() as f64);
    let load = app.answers.client.load();
    gauge!("verger_fetch_queue").set(load.fetches as f64);
    gauge!("verger_fetch_waiting").set(load.waiting as f64);
}

/// The description of the API.
pub(crate) async fn openapi() -> Response {
    static JSON: OnceLock<Vec<u8>> = OnceLock::new();
    let json = JSON.get_or_init(|| {
        let mut json = description().to_pretty_json().unwrap_or_default().into_bytes();
        json.push(b'\n');
        json
    });
    answered(StatusCode::OK, json.clone())
}

fn text(text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    let media = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, media);
    response
}
