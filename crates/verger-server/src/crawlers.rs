//! `GET /v1/crawlers`: known crawlers.

use std::sync::{Arc, OnceLock};

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use hyper::{Request, StatusCode};
use verger_json::Values;
use verger_json::known_crawler::KnownCrawlerKeys;
use verger_registry::Registry;

use crate::description::RequestProblem;
use crate::problem::Problem;
use crate::request::Query;
use crate::response::answered;
use crate::routes::App;

/// Lists known crawlers.
#[utoipa::path(
    get, path = "/v1/crawlers", tag = "operation", operation_id = "listCrawlers",
    params(("purpose" = Option<String>, Query, description = "Only crawlers with this purpose", example = "training")),
    responses(
        (status = 200, description = "The crawlers", body = Vec<KnownCrawlerKeys>),
        RequestProblem,
    )
)]
pub(crate) async fn list(
    State(_): State<Arc<App>>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let query = Query::read(request.uri().query(), ["purpose"])?;
    let [Some(purpose)] = query.into_values() else {
        static ALL: OnceLock<Vec<u8>> = OnceLock::new();
        return Ok(answered(StatusCode::OK, ALL.get_or_init(|| json(None)).clone()));
    };
    let crawlers = Registry::bundled().crawlers();
    let known = crawlers.iter().any(|crawler| crawler.purpose().name() == purpose);
    if !known {
        let found = crate::error::quoted(&*purpose);
        let detail = format!("expected a purpose such as `search`, but found {found}");
        return Err(Problem::parameter("purpose", detail));
    }
    Ok(answered(StatusCode::OK, json(Some(&purpose))))
}

/// The crawlers with a purpose as JSON.
fn json(purpose: Option<&str>) -> Vec<u8> {
    let (mut out, mut values) = (Vec::new(), Values::array());
    let crawlers = Registry::bundled().crawlers().iter();
    for crawler in
        crawlers.filter(|it| purpose.is_none_or(|purpose| it.purpose().name() == purpose))
    {
        // Writing to memory does not fail.
        let _ = values.write(&mut out, &KnownCrawlerKeys::of(crawler));
    }
    let _ = values.finish(&mut out);
    out
}
