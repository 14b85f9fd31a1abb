//! The service: its routes, and one request from its checks to its response.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Extension, MatchedPath, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Router, http};
use futures_util::FutureExt as _;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use metrics::{Histogram, histogram};
use tokio::sync::OwnedSemaphorePermit;
use utoipa::OpenApi as _;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access_control::{Right, check_framing, check_site};
use crate::app::App;
use crate::description::Description;
use crate::problem::{Kind, Problem};
use crate::response::answered;
use crate::{check, crawlers, diff, evaluate, identify, operator, origins, page, turns};

impl App {
    /// Checks a request by its head. An admitted one has a place until the end of its response.
    fn admit(
        &self,
        request: &Request<Body>,
        route: &str,
        from: SocketAddr,
    ) -> Result<Option<OwnedSemaphorePermit>, Problem> {
        let (path, headers) = (request.uri().path(), request.headers());
        check_framing(headers)?;
        // Probes know neither names nor tokens, and the answers say nothing.
        if !matches!(path, "/healthz" | "/readyz") {
            self.access.check_names(request)?;
            // The page asks for the token, so its files need none, and their number is no load.
            if page::find(path).is_some() {
                return Ok(None);
            }
            check_site(headers)?;
            self.access.check_rate(from.ip())?;
            let is_import = *request.method() == Method::PUT && route == "/v1/origins/{origin}";
            let right = if is_import { Right::Import } else { Right::Ask };
            if path != "/openapi.json" {
                self.access.check_token(headers, right)?;
            }
        }
        let busy = |_| Problem::busy("the service answers too many requests");
        Arc::clone(&self.places).try_acquire_owned().map(Some).map_err(busy)
    }
}

/// All routes but the files of the page, with their description.
fn described() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(check::one, check::several))
        .routes(routes!(evaluate::evaluate))
        .routes(routes!(diff::diff))
        .routes(routes!(origins::show, origins::import))
        .routes(routes!(origins::refresh))
        .routes(routes!(turns::reserve))
        .routes(routes!(turns::give_up))
        .routes(routes!(turns::renew))
        .routes(routes!(turns::release))
        .routes(routes!(crawlers::list))
        .routes(routes!(identify::identify))
        .routes(routes!(operator::health))
        .routes(routes!(operator::ready))
        .routes(routes!(operator::metrics))
        .routes(routes!(openapi))
        .routes(routes!(page::index))
}

/// This description.
#[utoipa::path(get, path = "/openapi.json", tag = "operation", operation_id = "openapi", security(()),
    responses((status = 200, description = "OpenAPI 3.1", body = Object, content_type = "application/json")))]
async fn openapi() -> Response {
    static JSON: OnceLock<Vec<u8>> = OnceLock::new();
    let json = JSON.get_or_init(|| {
        let mut json = described().into_openapi().to_pretty_json().unwrap_or_default().into_bytes();
        json.push(b'\n');
        json
    });
    answered(StatusCode::OK, json.clone())
}

/// The service.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let (described, description) = described().split_for_parts();
    let seconds = Arc::new(Seconds::new(description.paths.paths.into_keys()));
    page::paths()
        .fold(described, |router, path| router.route(&path, get(page::index)))
        .fallback(async || {
            Problem::new(Kind::NotFound, "expected a path of /openapi.json, but found another one")
        })
        .method_not_allowed_fallback(async || {
            Problem::new(Kind::Method, "expected one of the methods in the header Allow")
        })
        .layer(from_fn_with_state((Arc::clone(app), seconds), respond))
        .with_state(Arc::clone(app))
}

/// Responds to a request.
async fn respond(
    State((app, seconds)): State<(Arc<App>, Arc<Seconds>)>,
    Extension(from): Extension<SocketAddr>,
    matched: Option<MatchedPath>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let begun = Instant::now();
    // From a closed set: it is a label.
    let route = match &matched {
        _ if page::find(request.uri().path()).is_some() => "/",
        Some(matched) => matched.as_str(),
        None => OTHER,
    };
    let seconds = seconds.of(route);
    tracing::trace!(method = %request.method(), route, "request");
    let mut response = match app.admit(&request, route, from) {
        Err(problem) => problem.into_response(),
        Ok(place) => {
            let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
            let answer = answer.unwrap_or_else(|_| {
                tracing::error!("a handler has panicked");
                Problem::internal().into_response()
            });
            answer.map(|body| {
                // Held by the body.
                Body::new(body.map_err(move |error| {
                    let _held = &place;
                    error
                }))
            })
        }
    };
    let status = response.status();
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(NOTHING);
    headers.insert(RESOURCE_POLICY, SAME_ORIGIN);
    headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
    let time = begun.elapsed();
    seconds.record(time);
    app.answers.metrics.responded(status.as_u16());
    if status.is_server_error() {
        tracing::warn!(route, status = status.as_u16(), ?time, "failed request");
    } else {
        tracing::debug!(route, status = status.as_u16(), ?time, "response");
    }
    response
}

/// The times of requests by route, looked up once.
struct Seconds {
    routes: HashMap<String, Histogram>,
    other: Histogram,
}

impl Seconds {
    fn new(routes: impl Iterator<Item = String>) -> Self {
        let of = |route: String| histogram!("verger_serve_request_seconds", "route" => route);
        let routes = routes.map(|route| (route.clone(), of(route))).collect();
        Self { routes, other: of(OTHER.to_owned()) }
    }

    fn of(&self, route: &str) -> &Histogram {
        self.routes.get(route).unwrap_or(&self.other)
    }
}

/// The route of requests without one.
const OTHER: &str = "other";

const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
