//! `GET /v1/crawlers`: the known crawlers.

use axum::body::Body;
use axum::response::Response;
use hyper::{Request, StatusCode};
use verger_json::Values;
use verger_json::known_crawler::KnownCrawlerKeys;
use verger_registry::{Crawler, Registry};

use crate::problem::Problem;
use crate::request::query;
use crate::response::answered;
use crate::schemas::RequestProblem;

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
