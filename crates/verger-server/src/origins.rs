//! `/v1/origins/{origin}`: the record of an origin and the versions of its file; import and refresh.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use hyper::{Request, StatusCode};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use verger::Origin;
use verger::access::{Outcome, Timestamp};
use verger_fetch::client::CheckError;
use verger_fetch::record::{Attempt, Failure, File, OriginRecord, Response as Fetched};
use verger_fetch::store::{FileVersion, Lookup, StoreError};
use verger_json::Foreign;
use verger_json::stored_record::RecordReport;

use crate::answers::write_json;
use crate::check::{answered, retried, wait};
use crate::limits::{REFRESH_PAUSE, REFRESHED};
use crate::problem::{Item, Kind, Problem};
use crate::question::{read, wait_of};
use crate::request::{Query, Segment, file, json};
use crate::routes::App;

/// The record of an origin in this service.
#[derive(Debug, Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    record: RecordReport<'a>,
    /// The identity with which this service fetches.
    user_agent: &'a str,
    versions: Vec<Version>,
}

/// A file of the origin.
#[derive(Debug, Serialize)]
struct Version {
    sha256: String,
    from: u64,
    until: u64,
    bytes: u64,
}

/// An earlier file.
#[derive(Debug, Serialize)]
struct OldFile<'a> {
    sha256: String,
    #[serde(flatten)]
    body: Foreign<&'a [u8]>,
}

impl Version {
    fn of(version: &FileVersion) -> Self {
        Self {
            sha256: hex(&version.sha256),
            from: version.from.seconds(),
            until: version.until.seconds(),
            bytes: version.bytes,
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(bytes)
}

/// The origin of a path.
fn origin(text: &str) -> Result<Origin, Problem> {
    let bad = |detail: String| {
        let item = Item::of("origin", detail);
        Problem::items(Kind::Invalid, vec![item])
    };
    let origin: Origin = text.parse().map_err(|error| {
        let found = crate::error::quoted(text);
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

fn unavailable(error: &StoreError) -> Problem {
    tracing::warn!(%error, "the store gave no answer");
    Problem::new(Kind::Unavailable, "the store does not answer").with_retry_after(1)
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Segment(path): Segment,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let mut query = Query::read(request.uri().query(), ["body", "version"])?;
    let with_body = query.switch("body")?.unwrap_or_default();
    let origin = origin(&path)?;
    if let Some(version) = query.take("version") {
        let sha256 = from_hex(&version).ok_or_else(|| {
            Problem::parameter("version", "expected 64 hexadecimal digits in `version`")
        })?;
        let body =
            app.store.version(&origin, &sha256).await.map_err(|error| unavailable(&error))?;
        let missing = || {
            Problem::new(Kind::NotFound, "the store has no file of this origin with this SHA-256")
        };
        let body = body.ok_or_else(missing)?;
        let mut out = Vec::new();
        let old = OldFile { sha256: hex(&sha256), body: Foreign::new("body", body.as_bytes()) };
        write_json(&mut out, &old);
        out.push(b'\n');
        return Ok(answered(StatusCode::OK, out));
    }
    let found = app.store.get(&origin).await.map_err(|error| unavailable(&error))?;
    match found {
        Lookup::Found(record) => {
            Ok(answered(StatusCode::OK, report(&app, &record, with_body).await?))
        }
        Lookup::Missing(miss) => {
            Err(Problem::new(Kind::NotFound, format!("there is no record of this origin: {miss}")))
        }
    }
}

/// A record as JSON.
async fn report(app: &App, record: &OriginRecord, with_body: bool) -> Result<Vec<u8>, Problem> {
    let versions =
        app.store.versions(record.origin()).await.map_err(|error| unavailable(&error))?;
    let is_used = record.states().first().is_some_and(|first| first.state.has_copy());
    let keys = RecordReport::of(record, record.file().filter(|_| is_used));
    let report = Report {
        record: if with_body { keys } else { keys.without_body() },
        user_agent: &app.settings.user_agent,
        versions: versions.iter().map(Version::of).collect(),
    };
    let mut out = Vec::new();
    write_json(&mut out, &report);
    out.push(b'\n');
    Ok(out)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportKeys {
    robots: Option<String>,
    robots_b64: Option<String>,
    fetched_at: Option<u64>,
}

/// Stores a robots.txt that somebody else has fetched.
pub(crate) async fn import(
    State(app): State<Arc<App>>,
    Segment(path): Segment,
    request: Request<Body>,
) -> Result<Response, Problem> {
    Query::read(request.uri().query(), [])?;
    let origin = origin(&path)?;
    let body = json(&app, request).await?;
    let keys: ImportKeys = read(&body)?;
    let mut errors = Vec::new();
    let mut note = |pointer: String, detail: String| {
        errors.push(Item::at(pointer, detail));
    };
    let robots = file("robots", keys.robots, keys.robots_b64, &mut note);
    let now = app.answers.now();
    let fetched_at = keys.fetched_at.unwrap_or(now);
    if fetched_at > now {
        let detail = format!("expected a time up to now ({now}), but found {fetched_at}");
        note("/fetched_at".to_owned(), detail);
    }
    let options = app.answers.client().read_options().clone();
    if let Some(found) = robots.as_ref().map(Vec::len).filter(|&bytes| bytes > options.body_limit())
    {
        let most = options.body_limit();
        note("/robots".to_owned(), format!("expected at most {most} bytes, but found {found}"));
    }
    let (Some(robots), true) = (robots, errors.is_empty()) else {
        return Err(Problem::items(Kind::Invalid, errors));
    };
    let fetched_at = Timestamp::from_seconds(fetched_at);
    for _ in 0..IMPORT_TRIES {
        let found = app.store.get(&origin).await.map_err(|error| unavailable(&error))?.found();
        if found.as_ref().is_some_and(|record| record.tried_at() > fetched_at) {
            let detail =
                "expected a newer file than that of the last fetch, but found an older one";
            return Err(Problem::at(Kind::Invalid, "/fetched_at", detail));
        }
        let response = Fetched::new(fetched_at, Outcome::Success, origin.robots_url());
        let mut attempt = Attempt::new(Fetched { status: Some(200), ..response });
        attempt.file = Some(File::new(&origin, robots.clone(), fetched_at));
        let base = match &found {
            Some(record) => OriginRecord::clone(record),
            None => OriginRecord::new(origin.clone()),
        };
        let next = base.after(None, &options, attempt, 0).shared;
        let Some(next) = next.map(Arc::new) else { break };
        let is_new = found.is_none();
        let stored = app.store.replace(found, Arc::clone(&next)).await;
        if stored.map_err(|error| unavailable(&error))? {
            app.answers.forget(&origin);
            let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
            return Ok(answered(status, report(&app, &next, false).await?));
        }
    }
    Err(Problem::busy("other clients of the store change this record"))
}

/// Tries of an import while other clients change the record.
const IMPORT_TRIES: usize = 4;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RefreshKeys {
    wait_ms: Option<u64>,
}

/// Fetches robots.txt even if the record is fresh.
pub(crate) async fn refresh(
    State(app): State<Arc<App>>,
    Segment(path): Segment,
    request: Request<Body>,
) -> Result<Response, Problem> {
    Query::read(request.uri().query(), [])?;
    let origin = origin(&path)?;
    let body = json(&app, request).await?;
    let keys: RefreshKeys = read(&body)?;
    let asked = keys.wait_ms.map(wait_of).transpose();
    let asked = asked.map_err(|detail| Problem::at(Kind::Invalid, "/wait_ms", detail))?;
    if let Some(left) = app.refreshes.left(&origin, Instant::now()) {
        let detail =
            format!("this origin was fetched within the last {} s", REFRESH_PAUSE.as_secs());
        return Err(
            Problem::new(Kind::TooManyRequests, detail).with_retry_after(left.as_secs() + 1)
        );
    }
    let (service, of) = (Arc::clone(&app), origin.clone());
    // The fetch goes on if the client stops waiting.
    let fetch = tokio::spawn(async move {
        let fetched = service.answers.client().refresh(&of).await;
        service.answers.forget(&of);
        fetched
    });
    let Ok(fetched) = timeout(wait(&app, asked), fetch).await else {
        let detail = br#"{"reason":"pending","retry_after":1}"#;
        return Ok(retried(answered(StatusCode::ACCEPTED, detail.to_vec())));
    };
    let Ok(record) = fetched.unwrap_or(Err(CheckError::Ended)) else {
        return Err(Problem::busy("a limit of the service was reached"));
    };
    if let Some(Failure::Refused(_)) = app.answers.client().fault(&record) {
        let detail = "the guard of this service refuses to connect to this origin";
        return Err(Problem::new(Kind::RefusedDestination, detail));
    }
    Ok(answered(StatusCode::OK, report(&app, &record, false).await?))
}

/// Times of the last forced fetches, in two generations as in [`Cache`](crate::prepared::Cache).
#[derive(Debug, Default)]
pub(crate) struct Refreshes(Mutex<[HashMap<Origin, Instant>; 2]>);

impl Refreshes {
    /// Time until an origin may be fetched again; `None` if now, which is then noted.
    fn left(&self, origin: &Origin, now: Instant) -> Option<Duration> {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let [young, old] = &mut *times;
        let last = young.get(origin).or_else(|| old.get(origin));
        let left =
            last.map(|&last| REFRESH_PAUSE.saturating_sub(now.saturating_duration_since(last)));
        if let Some(left) = left.filter(|left| !left.is_zero()) {
            return Some(left);
        }
        if young.len() >= REFRESHED / 2 {
            *old = std::mem::take(young);
        }
        young.insert(origin.clone(), now);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_fetched_once_a_minute() {
        let (refreshes, start) = (Refreshes::default(), Instant::now());
        let origin = |number: usize| format!("https://{number}.example").parse::<Origin>().unwrap();
        assert_eq!(refreshes.left(&origin(0), start), None);
        let later = start + REFRESH_PAUSE / 4;
        assert_eq!(refreshes.left(&origin(0), later), Some(REFRESH_PAUSE * 3 / 4));
        assert_eq!(refreshes.left(&origin(1), later), None);
        assert_eq!(refreshes.left(&origin(0), start + REFRESH_PAUSE), None);
        for number in 0..REFRESHED * 2 {
            refreshes.left(&origin(number), later);
        }
        let remembered: usize = refreshes.0.lock().unwrap().iter().map(HashMap::len).sum();
        assert!(remembered <= REFRESHED, "{remembered}");
    }

    #[test]
    fn hashes_are_read_as_written() {
        let bytes: [u8; 32] = std::array::from_fn(|at| u8::try_from(at * 7).unwrap());
        assert_eq!(from_hex(&hex(&bytes)), Some(bytes));
        for bad in ["", "00", &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(from_hex(bad), None);
        }
    }
}
