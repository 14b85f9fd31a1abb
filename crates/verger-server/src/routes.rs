//! The service: one request from its checks to its response.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::FutureExt as _;
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue,
    X_CONTENT_TYPE_OPTIONS,
};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_service::Service as _;
use verger_fetch::polite::TurnStore;
use verger_fetch::store::Store;

use crate::access_control::{AccessControl, Right, check_framing, check_site};
use crate::answers::Answers;
use crate::connection::{Handle, Running};
use crate::diff::Diff;
use crate::evaluate::Evaluate;
use crate::limits::GIVING_BACK;
use crate::origins::Refreshes;
use crate::problem::{Kind, Problem};
use crate::settings::Settings;
use crate::stopping::Stopping;
use crate::telemetry::Metrics;
use crate::work::Work;
use crate::{check, crawlers, operator, origins, page, turns, work};

/// All that handlers share.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) answers: Answers,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) turns: Arc<dyn TurnStore>,
    pub(crate) settings: Settings,
    pub(crate) access: AccessControl,
    pub(crate) work: Work,
    pub(crate) refreshes: Refreshes,
    pub(crate) prometheus: PrometheusHandle,
    pub(crate) stopping: Stopping,
    places: Arc<Semaphore>,
    /// Limits the turns that are given back now.
    pub(crate) giving_back: Arc<Semaphore>,
}

/// The service of an [`App`].
pub(crate) struct Service {
    pub(crate) app: Arc<App>,
    router: Router,
}

/// One of the concurrent requests. It is dropped at the end of the request, and of a stream at its
/// end.
#[derive(Debug)]
#[expect(dead_code, reason = "it is held")]
pub(crate) struct Place(OwnedSemaphorePermit, Running);

/// The routes as labels of `/metrics`.
pub(crate) const ROUTES: [&str; 15] = [
    "/v1/check",
    "/v1/evaluate",
    "/v1/diff",
    "/v1/origins/{origin}",
    "/v1/origins/{origin}/refresh",
    "/v1/turns",
    "/v1/turns/{turn}",
    "/v1/turns/{turn}/renew",
    "/v1/turns/{turn}/release",
    "/v1/crawlers",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/",
];

/// The label of a path.
fn label(path: &str) -> &'static str {
    let of_turn = |rest: &str| match rest.split_once('/') {
        Some((_, "renew")) => "/v1/turns/{turn}/renew",
        Some((_, "release")) => "/v1/turns/{turn}/release",
        _ => "/v1/turns/{turn}",
    };
    let of_origin = |rest: &str| {
        if rest.ends_with("/refresh") {
            "/v1/origins/{origin}/refresh"
        } else {
            "/v1/origins/{origin}"
        }
    };
    if let Some(known) = ROUTES.iter().find(|route| **route == path) {
        return known;
    }
    if page::find(path).is_some() {
        return "/";
    }
    let turn = path.strip_prefix("/v1/turns/").map(of_turn);
    turn.or_else(|| path.strip_prefix("/v1/origins/").map(of_origin)).unwrap_or("other")
}

impl App {
    pub(crate) fn new(
        answers: Answers,
        store: Arc<dyn Store>,
        turns: Arc<dyn TurnStore>,
        settings: Settings,
        access: AccessControl,
        prometheus: PrometheusHandle,
        stopping: Stopping,
    ) -> Self {
        Self {
            answers,
            store,
            turns,
            places: Arc::new(Semaphore::new(settings.max_requests)),
            settings,
            access,
            work: Work::new(),
            refreshes: Refreshes::new(),
            prometheus,
            stopping,
            giving_back: Arc::new(Semaphore::new(GIVING_BACK)),
        }
    }

    /// A place for a request; an error at the limit.
    fn place(&self, running: Running) -> Result<Place, Problem> {
        let busy = |_| Problem::busy("the service answers too many requests");
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(busy)?;
        Ok(Place(place, running))
    }

    /// The wait of a question.
    pub(crate) fn wait(&self, asked: Option<Duration>) -> Duration {
        asked.unwrap_or(self.settings.wait)
    }

    /// The number of running requests.
    pub(crate) fn running(&self) -> usize {
        self.settings.max_requests - self.places.available_permits()
    }
}

/// Runs a task to its end, also if the client closes the connection.
pub(crate) async fn complete<T: Send + 'static>(
    task: impl Future<Output = T> + Send + 'static,
) -> Result<T, Problem> {
    tokio::spawn(task).await.map_err(|_| {
        tracing::error!("a task has panicked");
        Problem::internal()
    })
}

impl Service {
    pub(crate) fn new(app: Arc<App>) -> Self {
        let router = Router::new()
            .route("/v1/check", post(check::several))
            .route("/v1/evaluate", post(work::run::<Evaluate>))
            .route("/v1/diff", post(work::run::<Diff>))
            .route("/v1/origins/{origin}", get(origins::show).put(origins::import))
            .route("/v1/origins/{origin}/refresh", post(origins::refresh))
            .route("/v1/turns", post(turns::reserve))
            .route("/v1/turns/{turn}", axum::routing::delete(turns::give_up))
            .route("/v1/turns/{turn}/renew", post(turns::renew))
            .route("/v1/turns/{turn}/release", post(turns::release))
            .route("/v1/crawlers", get(crawlers::list))
            .route("/healthz", get(operator::health))
            .route("/readyz", get(operator::ready))
            .route("/metrics", get(operator::metrics))
            .route("/openapi.json", get(operator::openapi))
            .fallback(missing)
            .method_not_allowed_fallback(wrong_method)
            .with_state(Arc::clone(&app));
        Self { app, router }
    }

    /// The answer of the handler of a route. The request has the place too, for a stream, which
    /// keeps it.
    async fn route(&self, mut request: Request<Body>, place: Place) -> Response {
        let place = Arc::new(place);
        request.extensions_mut().insert(Arc::clone(&place));
        let answer = self.router.clone().call(request).await;
        drop(place);
        answer.unwrap_or_else(|never| match never {})
    }

    async fn checked(
        &self,
        request: Request<Incoming>,
        from: SocketAddr,
        running: Running,
    ) -> Response {
        let app = &self.app;
        let path = request.uri().path();
        let is_read = matches!(*request.method(), hyper::Method::GET | hyper::Method::HEAD);
        if let Err(problem) = check_framing(request.headers()) {
            return problem.into_response();
        }
        // Probes know neither names nor tokens, and the answers say nothing.
        let is_probe = matches!(path, "/healthz" | "/readyz");
        if !is_probe {
            if let Err(problem) = app.access.check_names(&request) {
                return problem.into_response();
            }
            // The page asks for the token, so its files need none, and their number is no load.
            if let Some(file) = page::find(path).filter(|_| is_read) {
                return file.response(request.headers());
            }
            let is_import = request.method() == hyper::Method::PUT;
            let right = if is_import { Right::Import } else { Right::Ask };
            let is_public = path == "/openapi.json";
            let checked = check_site(request.headers())
                .and_then(|()| app.access.check_rate(from.ip()))
                .and_then(|()| {
                    let headers = request.headers();
                    if is_public { Ok(()) } else { app.access.check_token(headers, right) }
                });
            if let Err(problem) = checked {
                return problem.into_response();
            }
        }
        // Most requests are a question about one URL. The router would allocate for each of them.
        let is_one = is_read && path == "/v1/check";
        let answer = async {
            if is_one {
                let place = match app.place(running) {
                    Ok(place) => place,
                    Err(problem) => return problem.into_response(),
                };
                let (head, _) = request.into_parts();
                let answer = check::one(app, &head).await;
                drop(place);
                answer.unwrap_or_else(IntoResponse::into_response)
            } else {
                match app.place(running) {
                    Ok(place) => self.route(request.map(Body::new), place).await,
                    Err(problem) => problem.into_response(),
                }
            }
        };
        AssertUnwindSafe(answer).catch_unwind().await.unwrap_or_else(|_| {
            tracing::error!("a handler has panicked");
            Problem::internal().into_response()
        })
    }
}

impl Handle for Service {
    async fn handle(
        &self,
        request: Request<Incoming>,
        from: SocketAddr,
        running: Running,
    ) -> Response {
        let begun = Instant::now();
        let route = label(request.uri().path());
        tracing::trace!(method = %request.method(), route, "request");
        let mut response = self.checked(request, from, running).await;
        let status = response.status();
        let headers = response.headers_mut();
        if !headers.contains_key(X_CONTENT_TYPE_OPTIONS) {
            add_fields(headers);
        }
        let time = begun.elapsed();
        self.metrics().responded(route, status.as_u16(), time);
        if status.is_server_error() {
            tracing::warn!(route, status = status.as_u16(), ?time, "failed request");
        } else {
            tracing::debug!(route, status = status.as_u16(), ?time, "response");
        }
        response
    }

    fn metrics(&self) -> &Metrics {
        &self.app.answers.metrics
    }
}

/// Adds the fields of all responses to those of one.
pub(crate) fn add_fields(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(NOTHING);
    headers.insert(RESOURCE_POLICY, SAME_ORIGIN);
    headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
}

const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

async fn missing(request: Request<Body>) -> Problem {
    if page::find(request.uri().path()).is_some() {
        let methods = "GET, HEAD";
        return Problem::new(Kind::Method, format!("expected one of the methods {methods}"))
            .with_allow(methods);
    }
    Problem::new(Kind::NotFound, "expected a path of /openapi.json, but found another one")
}

async fn wrong_method(State(_): State<Arc<App>>, request: Request<Body>) -> Problem {
    let methods = match label(request.uri().path()) {
        "/v1/check" => "GET, HEAD, POST",
        "/v1/evaluate"
        | "/v1/diff"
        | "/v1/turns"
        | "/v1/origins/{origin}/refresh"
        | "/v1/turns/{turn}/renew"
        | "/v1/turns/{turn}/release" => "POST",
        "/v1/origins/{origin}" => "GET, HEAD, PUT",
        "/v1/turns/{turn}" => "DELETE",
        _ => "GET, HEAD",
    };
    Problem::new(Kind::Method, format!("expected one of the methods {methods}")).with_allow(methods)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_from_a_closed_set() {
        for (path, expected) in [
            ("/v1/check", "/v1/check"),
            ("/", "/"),
            ("/v1/turns/x", "/v1/turns/{turn}"),
            ("/v1/turns/x/renew", "/v1/turns/{turn}/renew"),
            ("/v1/origins/https%3A%2F%2Fa.example", "/v1/origins/{origin}"),
            ("/v1/origins/x/refresh", "/v1/origins/{origin}/refresh"),
            ("/etc/passwd", "other"),
        ] {
            assert_eq!(label(path), expected);
        }
    }
}
