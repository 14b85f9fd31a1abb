//! `GET /v1/crawlers` and `POST /v1/identify`: known crawlers, and whether one sent a request.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use hyper::{Request, StatusCode};
use verger_fetch::client::{Clock as _, SystemClock};
use verger_json::Values;
use verger_json::known_crawler::KnownCrawlerKeys;
use verger_registry::{Crawler, Registry};

use crate::app::App;
use crate::problem::Problem;
use crate::question::read;
use crate::request::{json, query};
use crate::response::{answered, write_json};
use crate::schemas::{RequestProblem, ServiceProblem};

/// Lists known crawlers.
#[utoipa::path(
    get, path = "/v1/crawlers", tag = "operation", operation_id = "listCrawlers",
    params(("purpose" = Option<String>, Query, description = "Only crawlers with this purpose", example = "training")),
    responses(
        (status = 200, description = "The crawlers", body = Vec<KnownCrawlerKeys>),
        RequestProblem,
    )
)]
pub(crate) async fn list(request: Request<Body>) -> Result<Response, Problem> {
    let [purpose] = query(request.uri().query(), ["purpose"])?;
    let is_wanted = |crawler: &&Crawler| {
        purpose.as_ref().is_none_or(|purpose| crawler.purpose().name() == *purpose)
    };
    let mut crawlers = Registry::bundled().crawlers().iter().filter(is_wanted).peekable();
    if let (Some(unknown), None) = (&purpose, crawlers.peek()) {
        let found = verger::quoted(&**unknown);
        let detail = format!("expected a purpose such as `search`, but found {found}");
        return Err(Problem::parameter("purpose", detail));
    }
    let (mut out, mut values) = (Vec::new(), Values::array());
    for crawler in crawlers {
        // Writing to memory does not fail.
        let _ = values.write(&mut out, &KnownCrawlerKeys::of(crawler));
    }
    let _ = values.finish(&mut out);
    Ok(answered(StatusCode::OK, out))
}

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
    let (identifier, lookups) = &app.identity;
    let mut out = Vec::new();
    let pending = identifier.begin(&read(&body)?, SystemClock.now());
    write_json(&mut out, &lookups.finish(pending).await);
    out.push(b'\n');
    Ok(answered(StatusCode::OK, out))
}
