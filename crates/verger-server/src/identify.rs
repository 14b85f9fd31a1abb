//! `POST /v1/identify`: whether a crawler sent a request.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use hyper::{Request, StatusCode};

use crate::app::{App, Identification};
use crate::problem::Problem;
use crate::question::read;
use crate::request::json;
use crate::response::{answered, write_json};
use crate::schemas::{RequestProblem, ServiceProblem};

/// Verifies who sent a request: the crawler that it names, or another client?
#[utoipa::path(
    post, path = "/v1/identify", tag = "operation", operation_id = "identify",
    request_body(content = Object, description = "A request, as a line of `verger identify --batch`"),
    responses(
        (status = 200, description = "The answer, as `verger identify --format json`", body = Object),
        RequestProblem,
        ServiceProblem,
    )
)]
pub(crate) async fn identify(
    State(app): State<Arc<App>>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let body = json(&app, request).await?;
    let Identification { identifier, lookups } = &app.identification;
    let mut out = Vec::new();
    let pending = identifier.begin(&read(&body)?, app.answers.now());
    write_json(&mut out, &lookups.finish(pending).await);
    out.push(b'\n');
    Ok(answered(StatusCode::OK, out))
}
