//! Routes for operators: health, readiness and metrics.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use metrics::gauge;
use tokio::time::{Instant, timeout};

use crate::app::App;
use crate::limits::{READY_AGE, READY_TIME};
use crate::problem::{Document, Kind, Problem};
use crate::schemas::RequestProblem;

/// The process answers.
#[utoipa::path(get, path = "/healthz", tag = "operation", operation_id = "health", security(()),
    responses((status = 200, description = "ok", body = String, content_type = "text/plain")))]
pub(crate) async fn health() -> Response {
    text("ok\n".to_owned())
}

/// The service takes requests, and its store answers.
#[utoipa::path(get, path = "/readyz", tag = "operation", operation_id = "ready", security(()),
    responses(
        (status = 200, description = "ready", body = String, content_type = "text/plain"),
        (status = 503, description = "Not ready", body = Document<'static>, content_type = "application/problem+json"),
    ))]
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.stopping.has_begun() {
        return Problem::busy("the service stops").into_response();
    }
    // The lock is held during the question, so concurrent probes ask once.
    let mut known = app.ready.lock().await;
    let current = known.filter(|&(_, asked)| asked.elapsed() < READY_AGE);
    let is_ready = if let Some((is_ready, _)) = current {
        is_ready
    } else {
        let is_ready = matches!(timeout(READY_TIME, app.store.ping()).await, Ok(Ok(())));
        *known = Some((is_ready, Instant::now()));
        is_ready
    };
    drop(known);
    if is_ready {
        return text("ready\n".to_owned());
    }
    let problem = Problem::new(Kind::Unavailable, "the store does not answer");
    problem.with_retry_after(1).into_response()
}

/// Metrics in the format of Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "operation", operation_id = "metrics",
    responses(
        (status = 200, description = "The metrics", body = String, content_type = "text/plain"),
        RequestProblem,
    ))]
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> Response {
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

fn text(text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    let media = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, media);
    response
}
