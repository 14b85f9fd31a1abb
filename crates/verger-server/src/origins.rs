//! `/v1/origins/{origin}`: the record of an origin and the versions of its file; import and
//! refresh.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use futures_util::FutureExt as _;
use hyper::{Request, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use verger::Origin;
use verger::access::Timestamp;
use verger_fetch::client::{CheckError, ImportError};
use verger_fetch::failure::Failure;
use verger_fetch::record::OriginRecord;
use verger_fetch::store::{FileVersion, Lookup};
use verger_json::Foreign;
use verger_json::stored_record::RecordReport;

use crate::app::App;
use crate::limits::{PENDING_RETRY, REFRESH_PAUSE};
use crate::problem::{Document, Errors, Kind, Problem};
use crate::question::{read, wait_of};
use crate::refreshes::{Begun, Fetch};
use crate::request::{Segment, complete, file, json, parsed, query};
use crate::response::{json_line, retried};
use crate::schemas::{LongHead, RequestProblem, ServiceProblem, any_of};

/// The record of an origin in this service.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OriginReport<'a> {
    #[serde(flatten)]
    record: RecordReport<'a>,
    /// The identity with which this service fetches.
    user_agent: &'a str,
    versions: Vec<Version>,
}

/// A file of the origin.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Version {
    sha256: String,
    /// End of the first fetch with this file, in seconds since 1970.
    from: u64,
    /// End of the last fetch that returned or confirmed it.
    until: u64,
    bytes: u64,
}

/// An earlier file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OldFile<'a> {
    sha256: String,
    #[serde(flatten)]
    #[schema(schema_with = verger_json::schema::body)]
    body: Foreign<&'a [u8]>,
}

any_of! {
    /// A record, or with `version` an earlier file.
    OriginAnswer: OriginReport<'_>, OldFile<'_>
}

impl Version {
    fn of(version: &FileVersion) -> Self {
        Self {
            sha256: hex::encode(version.sha256),
            from: version.from.seconds(),
            until: version.until.seconds(),
            bytes: version.bytes,
        }
    }
}

/// The origin of a path.
fn origin(text: &str) -> Result<Origin, Problem> {
    let bad = |detail: String| Problem::parameter("origin", detail);
    let origin: Origin = text.parse().map_err(|error| {
        let found = verger::quoted(text);
        bad(format!(
            "expected an origin such as `https%3A%2F%2Fshop.example`, but found {found}: {error}"
        ))
    })?;
    if !matches!(origin.scheme(), "http" | "https") {
        return Err(bad(
            "expected an origin with scheme http or https, but found another one".to_owned()
        ));
    }
    Ok(origin)
}

/// The record of an origin.
#[utoipa::path(
    get, path = "/v1/origins/{origin}", tag = "origins", operation_id = "showOrigin",
    params(
        ("origin" = String, Path, description = "Scheme, host and port, percent-encoded", example = "https%3A%2F%2Fshop.example"),
        ("body" = Option<bool>, Query, description = "Whether the record has the body of the file"),
        ("version" = Option<String>, Query, description = "SHA-256 of a file: returns that file", pattern = "^[0-9a-f]{64}$"),
    ),
    responses(
        (status = 200, description = "The record, or the file of `version`", body = OriginAnswer),
        (status = "4XX", description = "A problem of the request; 404: no record", body = Document<'static>, content_type = "application/problem+json"),
        LongHead,
        ServiceProblem,
    )
)]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Segment(path): Segment,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let [body, version] = query(request.uri().query(), ["body", "version"])?;
    let with_body = parsed("body", body, "true or false")?.unwrap_or_default();
    let origin = origin(&path)?;
    let key = app.answers.client.read_options().key(&origin);
    if let Some(version) = version {
        let mut sha256 = [0; 32];
        hex::decode_to_slice(&*version, &mut sha256).map_err(|_| {
            Problem::parameter("version", "expected 64 hexadecimal digits in `version`")
        })?;
        let missing = || {
            Problem::new(Kind::NotFound, "the store has no file of this origin with this SHA-256")
        };
        let body = app.store.version(&key, &sha256).await?.ok_or_else(missing)?;
        let old =
            OldFile { sha256: hex::encode(sha256), body: Foreign::new("body", body.as_bytes()) };
        return Ok(json_line(StatusCode::OK, &old));
    }
    match app.store.get(&key).await? {
        Lookup::Found(record) => report(&app, StatusCode::OK, &record, with_body).await,
        Lookup::Missing(miss) => {
            Err(Problem::new(Kind::NotFound, format!("there is no record of this origin: {miss}")))
        }
    }
}

/// A response with a record.
async fn report(
    app: &App,
    status: StatusCode,
    record: &OriginRecord,
    with_body: bool,
) -> Result<Response, Problem> {
    let versions = app.store.versions(record.key()).await?;
    let keys = RecordReport::of(record, record.file());
    let report = OriginReport {
        record: if with_body { keys } else { keys.without_body() },
        user_agent: &app.settings.user_agent,
        versions: versions.iter().map(Version::of).collect(),
    };
    Ok(json_line(status, &report))
}

/// A robots.txt that was fetched elsewhere.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ImportRequest)]
struct ImportKeys {
    robots: Option<String>,
    robots_b64: Option<String>,
    /// Time of its fetch in seconds since 1970. Default: now.
    fetched_at: Option<u64>,
}

/// Imports a robots.txt that was fetched elsewhere.
#[utoipa::path(
    put, path = "/v1/origins/{origin}", tag = "origins", operation_id = "importOrigin",
    params(("origin" = String, Path, description = "Scheme, host and port, percent-encoded")),
    request_body = ImportKeys,
    responses(
        (status = 200, description = "The changed record", body = OriginReport),
        (status = 201, description = "The new record", body = OriginReport),
        RequestProblem,
        ServiceProblem,
    )
)]
pub(crate) async fn import(
    State(app): State<Arc<App>>,
    Segment(path): Segment,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let origin = origin(&path)?;
    let body = json(&app, request).await?;
    let keys: ImportKeys = read(&body)?;
    let mut errors = Errors::default();
    let key = if keys.robots.is_some() { "/robots" } else { "/robots_b64" };
    let robots = file(["robots", "robots_b64"], keys.robots, keys.robots_b64, &mut errors);
    let now = app.answers.now().seconds();
    let fetched_at = keys.fetched_at.unwrap_or(now);
    if fetched_at > now {
        let detail = format!("expected a time up to now ({now}), but found {fetched_at}");
        errors.note("/fetched_at", detail);
    }
    let most = app.answers.client.read_options().body_limit();
    if let Some(found) = robots.as_ref().map(Vec::len).filter(|&bytes| bytes > most) {
        errors.note(key, format!("expected at most {most} bytes, but found {found}"));
    }
    let robots = errors.unless_any(robots)?;
    let fetched_at = Timestamp::from_seconds(fetched_at);
    let service = Arc::clone(&app);
    let imported = complete(async move {
        let imported = service.answers.client.import(&origin, robots, fetched_at).await;
        // Also after an error: the store may have the file although its answer is lost.
        service.answers.forget(&origin);
        imported
    });
    let imported = imported.await?.map_err(|error| match error {
        ImportError::Older => {
            let detail = "the file is older than that of the last fetch";
            Problem::at(Kind::Invalid, "/fetched_at", detail)
        }
        ImportError::Store(error) => error.into(),
        _ => Problem::busy("other clients of the store change this record"),
    })?;
    let status = if imported.is_new { StatusCode::CREATED } else { StatusCode::OK };
    report(&app, status, &imported.record, false).await
}

/// A fetch goes on.
#[derive(Debug, Serialize, ToSchema)]
struct Pending {
    reason: &'static str,
    retry_after: u64,
}

/// A forced fetch.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RefreshRequest)]
struct RefreshKeys {
    #[schema(minimum = 0, maximum = 30000)]
    wait_ms: Option<u64>,
}

/// Fetches a robots.txt again, at most once a minute.
#[utoipa::path(
    post, path = "/v1/origins/{origin}/refresh", tag = "origins", operation_id = "refreshOrigin",
    params(("origin" = String, Path, description = "Scheme, host and port, percent-encoded")),
    request_body = RefreshKeys,
    responses(
        (status = 200, description = "The record after the fetch", body = OriginReport),
        (status = 202, description = "The fetch is still running", body = Pending),
        (status = "4XX", description = "A problem of the request; 429: fetched within the last minute", body = Document<'static>, content_type = "application/problem+json"),
        LongHead,
        ServiceProblem,
    )
)]
pub(crate) async fn refresh(
    State(app): State<Arc<App>>,
    Segment(path): Segment,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let origin = origin(&path)?;
    let body = json(&app, request).await?;
    let keys: RefreshKeys = read(&body)?;
    let asked = keys.wait_ms.map(wait_of).transpose();
    let asked = asked.map_err(|detail| Problem::at(Kind::Invalid, "/wait_ms", detail))?;
    let fetch = match app.refreshes.begin(&origin, Instant::now(), || fetch(&app, &origin)) {
        Begun::Fetch(fetch) => fetch,
        Begun::Show => {
            let key = app.answers.client.read_options().key(&origin);
            let record = app.store.get(&key).await?.found().ok_or_else(|| {
                Problem::new(Kind::NotFound, "there is no record of this origin any more")
            })?;
            return refreshed(&app, &record).await;
        }
        Begun::Wait(left) => {
            let detail =
                format!("this origin was fetched within the last {} s", REFRESH_PAUSE.as_secs());
            let problem = Problem::new(Kind::TooManyRequests, detail);
            return Err(problem.with_retry_after(left.as_secs() + 1));
        }
    };
    let fetched = tokio::select! {
        fetched = fetch => fetched,
        () = app.stopping.pause(app.wait(asked)) => {
            app.refreshes.note_pending(&origin);
            let pending = Pending { reason: "pending", retry_after: PENDING_RETRY };
            return Ok(retried(json_line(StatusCode::ACCEPTED, &pending), PENDING_RETRY));
        }
    };
    let record = fetched.map_err(|_| Problem::busy("a limit of the service was reached"))?;
    refreshed(&app, &record).await
}

/// Fetches robots.txt, also if no client waits any more.
fn fetch(app: &Arc<App>, origin: &Origin) -> Fetch {
    let (app, origin) = (Arc::clone(app), origin.clone());
    let fetch = tokio::spawn(async move {
        let fetched = app.answers.client.refresh(&origin).await;
        app.answers.forget(&origin);
        app.refreshes.end(&origin, fetched.is_ok(), Instant::now());
        fetched
    });
    fetch.map(|fetched| fetched.unwrap_or(Err(CheckError::Ended))).boxed().shared()
}

async fn refreshed(app: &App, record: &OriginRecord) -> Result<Response, Problem> {
    if let Some(Failure::Refused(_)) = app.answers.client.fault(record) {
        let detail = "the guard of this service refuses to connect to this origin";
        return Err(Problem::new(Kind::RefusedDestination, detail));
    }
    report(app, StatusCode::OK, record, false).await
}
