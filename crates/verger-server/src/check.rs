//! `GET` and `POST /v1/check`: may a crawler fetch these URLs?

#![expect(
    unused_qualifications,
    reason = "the macro of a route repeats the path of its parameters"
)]

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use hyper::header::{AGE, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue};
use hyper::{Request, StatusCode};
use serde::Deserialize;
use tokio::time::Instant;
use utoipa::IntoParams;

use crate::answers::{ANSWER_BYTES, Ask, Written};
use crate::app::App;
use crate::asked_url::AskedUrl;
use crate::limits::{PENDING_RETRY, RESPONSE_BYTES, STREAM_EXPLAINED, STREAM_WAITING};
use crate::prepared::Validity;
use crate::problem::{Errors, Kind, Problem};
use crate::question::{Keys, Question, Text, read};
use crate::request::{is_known, json, media_type, parsed, query};
use crate::response::{answered, retried};
use crate::schemas::{DialectName, GivenAnswer, RequestProblem, ServiceProblem};
use crate::stream::answers;

/// Query parameters of a question.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description")]
struct CheckParameters {
    /// Name of the crawler, with its documented fallbacks, or its User-Agent header. Either this or
    /// `token` is needed.
    #[param(min_length = 1, max_length = 256, example = "GPTBot")]
    agent: Option<String>,
    /// Product token without fallbacks, in place of `agent`.
    #[param(min_length = 1, max_length = 256)]
    token: Option<String>,
    /// URL with scheme http or https.
    #[param(max_length = 8192, example = "https://shop.example/cart")]
    url: String,
    /// Dialect of robots.txt.
    #[param(value_type = Option<DialectName>)]
    dialect: Option<String>,
    /// Milliseconds to wait for a robots.txt that is not in the store.
    #[param(minimum = 0, maximum = 30000)]
    wait_ms: Option<u64>,
    /// Whether the answer has all matching rules.
    explain: Option<bool>,
}

/// May a crawler fetch a URL?
#[utoipa::path(
    get, path = "/v1/check", tag = "questions", operation_id = "check", params(CheckParameters),
    responses(
        (status = 200, description = "The answer. Caches may use it until the end of its validity", body = GivenAnswer),
        (status = 202, description = "robots.txt is being fetched: ask again", body = GivenAnswer),
        (status = 304, description = "The answer has not changed since that of If-None-Match"),
        RequestProblem,
        ServiceProblem,
    )
)]
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let names = ["agent", "crawler", "token", "url", "dialect", "wait_ms", "explain"];
    let values = query(request.uri().query(), names)?;
    let [agent, crawler, token, url, dialect, wait_ms, explain] = values;
    if agent.is_some() && crawler.is_some() {
        let detail = "give either `agent` or `crawler`";
        return Err(Problem::parameter("crawler", detail));
    }
    let missing = || Problem::parameter("url", "missing `url`");
    let keys = Keys {
        // `crawler` is an earlier name of `agent`.
        agent: agent.or(crawler).map(Text),
        token: token.map(Text),
        url: Some(Text(url.ok_or_else(missing)?)),
        dialect: dialect.map(Cow::into_owned),
        wait_ms: parsed("wait_ms", wait_ms, "a whole number")?,
        explain: parsed("explain", explain, "true or false")?,
        ..Keys::default()
    };
    let question = Question::of(keys, 1).map_err(Errors::of_parameters)?;
    let url = question.urls.first().ok_or_else(missing)?;
    let ask = app.answers.ask(&question, url);
    let mut out = Vec::with_capacity(ANSWER_BYTES);
    let written = app.answers.write(ask, app.wait(question.wait), &mut out).await;
    out.push(b'\n');
    match written {
        Written::Decided(Some(validity)) => {
            let tag = validity.entity_tag(url.text(), question.explain);
            cacheable(request.headers(), out, validity, &tag, app.answers.now().seconds())
        }
        Written::Decided(None) => Ok(answered(StatusCode::OK, out)),
        Written::Pending => Ok(retried(answered(StatusCode::ACCEPTED, out), PENDING_RETRY)),
        Written::Refused => {
            let detail = "the guard of this service refuses to connect to the site of `url`";
            Err(Problem::new(Kind::RefusedDestination, detail).with_answer(out))
        }
        Written::Busy => Err(Problem::busy("a limit of the service was reached")),
        Written::Invalid => {
            Err(Problem::parameter("url", "expected a URL, but found another text"))
        }
    }
}

/// May a crawler fetch these URLs?
///
/// With `application/x-ndjson` each line is a question, and the answers come in their order
/// while the questions are sent.
#[utoipa::path(
    post, path = "/v1/check", tag = "questions", operation_id = "checkMany",
    request_body(content((Keys = "application/json"), (String = "application/x-ndjson"))),
    responses(
        (status = 200, description = "The answers in the order of the URLs",
         content((Vec<GivenAnswer> = "application/json"), (String = "application/x-ndjson"))),
        (status = 202, description = "As 200, and at least one robots.txt is being fetched: ask again", body = Vec<GivenAnswer>),
        RequestProblem,
        ServiceProblem,
    )
)]
pub(crate) async fn several(
    State(app): State<Arc<App>>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let streams = ["application/x-ndjson", "application/jsonl", "application/ndjson"];
    let media = media_type(request.headers());
    if media.is_some_and(|media| streams.iter().any(|it| it.eq_ignore_ascii_case(media))) {
        return answers(&app, request);
    }
    array(&app, request).await
}

async fn array(app: &App, request: Request<Body>) -> Result<Response, Problem> {
    let body = json(app, request).await?;
    let question = Question::of(read(&body)?, app.settings.max_urls)?;
    check_origins(&question, app.settings.max_origins)?;
    let deadline = Instant::now() + app.wait(question.wait);
    let mut out = Vec::with_capacity(question.urls.len().min(CAPACITY) * ANSWER_BYTES);
    let mut is_pending = false;
    let mut add = |(written, answer): (Written, Vec<u8>)| {
        out.extend_from_slice(if out.is_empty() { b"[\n" } else { b",\n" });
        out.extend_from_slice(&answer);
        is_pending |= matches!(written, Written::Pending | Written::Busy);
    };
    let most = if question.explain { STREAM_EXPLAINED } else { STREAM_WAITING };
    // Declared before the answers, which borrow it.
    let bytes = AtomicUsize::new(0);
    let mut answers = FuturesOrdered::new();
    for url in &question.urls {
        answers.push_back(answer(app, app.answers.ask(&question, url), deadline, &bytes));
        if answers.len() >= most
            && let Some(answer) = answers.next().await
        {
            add(answer);
        }
    }
    while let Some(answer) = answers.next().await {
        add(answer);
    }
    if bytes.load(Ordering::Relaxed) > RESPONSE_BYTES {
        return Err(too_long());
    }
    out.extend_from_slice(b"\n]\n");
    if is_pending {
        return Ok(retried(answered(StatusCode::ACCEPTED, out), PENDING_RETRY));
    }
    Ok(answered(StatusCode::OK, out))
}

/// Answers for which there is room in the beginning.
const CAPACITY: usize = 64;

/// An answer; an empty one if `bytes`, those of all answers so far, are too many.
async fn answer(
    app: &App,
    ask: Ask<'_>,
    deadline: Instant,
    bytes: &AtomicUsize,
) -> (Written, Vec<u8>) {
    if bytes.load(Ordering::Relaxed) > RESPONSE_BYTES {
        return (Written::Busy, Vec::new());
    }
    let mut answer = Vec::with_capacity(ANSWER_BYTES);
    let wait = deadline.saturating_duration_since(Instant::now());
    let written = app.answers.write(ask, wait, &mut answer).await;
    bytes.fetch_add(answer.len(), Ordering::Relaxed);
    (written, answer)
}

/// The problem of a response with too many bytes.
pub(crate) fn too_long() -> Problem {
    let detail = format!(
        "expected answers of at most {RESPONSE_BYTES} bytes, but found more: ask about fewer URLs, or \
         without `explain`"
    );
    Problem::at(Kind::Invalid, "/urls", detail)
}

/// Rejects URLs of too many origins.
fn check_origins(question: &Question<'_>, most: usize) -> Result<(), Problem> {
    let found = question.urls.iter().map(AskedUrl::origin).collect::<HashSet<_>>().len();
    if found > most {
        let detail = format!("expected URLs of at most {most} origins, but found {found}");
        return Err(Problem::at(Kind::Invalid, "/urls", detail));
    }
    Ok(())
}

/// A response that caches may use until the end of its validity.
fn cacheable(
    headers: &HeaderMap,
    json: Vec<u8>,
    validity: Validity,
    tag: &str,
    now: u64,
) -> Result<Response, Problem> {
    let Validity { fetched_at, until, .. } = validity;
    let lifetime = until.saturating_sub(fetched_at);
    let control = HeaderValue::try_from(format!("private, max-age={lifetime}"));
    let (Ok(etag), Ok(control)) = (HeaderValue::from_str(tag), control) else {
        return Err(Problem::internal());
    };
    let mut response = answered(StatusCode::OK, json);
    if is_known(headers, &etag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.headers_mut().remove(CONTENT_TYPE);
    }
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, control);
    headers.insert(ETAG, etag);
    headers.insert(AGE, HeaderValue::from(now.saturating_sub(fetched_at)));
    Ok(response)
}
