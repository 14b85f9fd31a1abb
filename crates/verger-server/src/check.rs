//! `GET` and `POST /v1/check`: may a crawler fetch these URLs?

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use hyper::header::{AGE, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::http::request::Parts;
use hyper::{Request, StatusCode};
use tokio::time::Instant;

use crate::answers::{Ask, Written};
use crate::limits::{PENDING_RETRY, RESPONSE_BYTES, STREAM_EXPLAINED, STREAM_WAITING};
use crate::prepared::{Times, plain, sent, tag_of, write_number};
use crate::problem::{Item, Kind, Problem};
use crate::question::{Keys, Question, Text, asker, check_url, dialect, profile, read, wait_of};
use crate::request::{Query, is_known, json, media_type};
use crate::routes::App;
use crate::stream::answers;

/// One URL, in query parameters.
pub(crate) async fn one(app: &App, head: &Parts) -> Result<Response, Problem> {
    let mut query = Query::read(
        head.uri.query(),
        ["agent", "crawler", "url", "dialect", "access_profile", "wait_ms", "explain"],
    )?;
    let mut errors = Vec::new();
    let mut note = |parameter, detail| {
        errors.push(Item::of(parameter, detail));
    };
    let explain = query.switch("explain")?.unwrap_or_default();
    let wait = query.number("wait_ms")?.map(wait_of).transpose();
    let wait = wait.unwrap_or_else(|detail| {
        note("wait_ms", detail);
        None
    });
    let mut named = |name, parse: &mut dyn FnMut(&str) -> Result<(), String>| {
        if let Some(value) = query.take(name) {
            parse(&value).unwrap_or_else(|detail| note(name, detail));
        }
    };
    let (mut asked_dialect, mut asked_profile) = (None, None);
    named("dialect", &mut |name| dialect(name).map(|it| asked_dialect = Some(it)));
    named("access_profile", &mut |name| profile(name).map(|it| asked_profile = Some(it)));
    let url = query.take("url");
    match url.as_deref().map(check_url) {
        None => note("url", "expected `url`, but found none".to_owned()),
        Some(Err(detail)) => note("url", detail),
        Some(Ok(())) => {}
    }
    let (agent, crawler) = (query.take("agent").map(Text), query.take("crawler").map(Text));
    let name = if crawler.is_some() { "crawler" } else { "agent" };
    let crawler = asker(agent, None, None, crawler, &mut |_, detail| note(name, detail));
    let (Some(url), Some(crawler), true) = (url, crawler, errors.is_empty()) else {
        return Err(Problem::items(Kind::Invalid, errors));
    };
    let mut keys = Vec::new();
    crawler.write_keys(&mut keys);
    let ask = Ask {
        id: None,
        crawler: &crawler,
        keys: &keys,
        url: &url,
        dialect: app.answers.dialect(asked_dialect),
        profile: app.answers.profile(asked_profile),
        explain,
    };
    let mut out = Vec::with_capacity(ANSWER_BYTES);
    let written = app.answers.write(&ask, self::wait(app, wait), &mut out).await;
    out.push(b'\n');
    match written {
        Written::Decided(Some((times, tag))) => {
            let tag = tag_of(tag, &url, explain);
            Ok(cacheable(&head.headers, out, times, tag, app.answers.now()))
        }
        Written::Decided(None) => Ok(answered(StatusCode::OK, out)),
        Written::Pending => Ok(retried(answered(StatusCode::ACCEPTED, out))),
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

/// URLs in a JSON object, or questions in a stream.
pub(crate) async fn several(State(app): State<Arc<App>>, request: Request<Body>) -> Response {
    let streams = ["application/x-ndjson", "application/jsonl", "application/ndjson"];
    let media = media_type(request.headers());
    if media.is_some_and(|media| streams.iter().any(|it| it.eq_ignore_ascii_case(media))) {
        return answers(&app, request);
    }
    match array(&app, request).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    }
}

async fn array(app: &App, request: Request<Body>) -> Result<Response, Problem> {
    Query::read(request.uri().query(), [])?;
    let body = json(app, request).await?;
    let keys: Keys<'_> = read(&body)?;
    let question = Question::of(keys, app.settings.max_urls)
        .map_err(|errors| Problem::items(Kind::Invalid, errors))?;
    check_origins(&question, app.settings.max_origins)?;
    let mut keys = Vec::new();
    question.crawler.write_keys(&mut keys);
    let deadline = Instant::now() + wait(app, question.wait);
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
        answers.push_back(answer(app, question.ask(app, url, &keys), deadline, &bytes));
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
        return Ok(retried(answered(StatusCode::ACCEPTED, out)));
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
    let written = app.answers.write(&ask, wait, &mut answer).await;
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
    let mut origins = std::collections::HashSet::new();
    for url in &question.urls {
        match plain(url) {
            Some(origin) => drop(origins.insert(std::borrow::Cow::Borrowed(origin))),
            None => origins.extend(sent(url).map(|(_, origin)| std::borrow::Cow::Owned(origin))),
        }
    }
    let found = origins.len();
    if found > most {
        let detail = format!("expected URLs of at most {most} origins, but found {found}");
        return Err(Problem::at(Kind::Invalid, "/urls", detail));
    }
    Ok(())
}

/// A response with JSON.
pub(crate) fn answered(status: StatusCode, json: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(json));
    *response.status_mut() = status;
    // Room for all fields of a response: growing costs as much as writing them.
    *response.headers_mut() = HeaderMap::with_capacity(RESPONSE_FIELDS);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A response that is worth another request soon.
pub(crate) fn retried(mut response: Response) -> Response {
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(PENDING_RETRY));
    response
}

/// A response that caches may use until the end of its validity.
fn cacheable(headers: &HeaderMap, json: Vec<u8>, times: Times, tag: u64, now: u64) -> Response {
    let etag = entity_tag(tag);
    let mut response = if is_known(headers, &etag) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        answered(StatusCode::OK, json)
    };
    let Times { fetched_at, valid_until } = times;
    let lifetime = valid_until.saturating_sub(fetched_at);
    let age = now.saturating_sub(fetched_at);
    let headers = response.headers_mut();
    let mut control = b"private, max-age=".to_vec();
    write_number(&mut control, lifetime);
    headers.insert(CACHE_CONTROL, value(&control));
    headers.insert(ETAG, etag);
    headers.insert(AGE, HeaderValue::from(age));
    response
}

/// A weak entity tag: 16 hexadecimal digits. Formatting costs as much as the rest of a response.
fn entity_tag(tag: u64) -> HeaderValue {
    let mut text = *b"W/\"0123456789abcdef\"";
    let digits: [u8; 16] = *b"0123456789abcdef";
    for (at, place) in text[3..19].iter_mut().enumerate() {
        *place = digits[(tag >> (60 - 4 * at)) as usize & 0xf];
    }
    value(&text)
}

/// A header value of printable ASCII.
fn value(text: &[u8]) -> HeaderValue {
    HeaderValue::from_bytes(text).unwrap_or(HeaderValue::from_static(""))
}

/// Fields of a response.
const RESPONSE_FIELDS: usize = 12;

/// Typical bytes of an answer.
pub(crate) const ANSWER_BYTES: usize = 1_024;

/// The wait of a question.
pub(crate) fn wait(app: &App, asked: Option<Duration>) -> Duration {
    asked.unwrap_or(app.settings.wait)
}
