//! `/v1/turns`: permissions for workers to send one request each to an origin.
//!
//! # Flow
//!
//! A worker reserves a turn, sends its request, and releases the turn with the status of the
//! response. Between two turns of an origin is the pause that its robots.txt asks for, and after
//! 429 or 503 a longer back-off. A worker that dies loses its turn when the time of the reservation
//! is over. The turns are in a [`TurnStore`](verger_fetch::polite::TurnStore): of this process, or
//! of all that share a Redis server.
//!
//! The name of a turn has everything that its end needs, so any process of a fleet can end it.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::{Request, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep, timeout};
use utoipa::ToSchema;
use verger::Origin;
use verger_fetch::decision::Decision;
use verger_fetch::limits::{PAUSE, TURN_HOLD};
use verger_fetch::polite::{Reservation, TurnId, TurnRequest};
use verger_fetch::store::StoreError;

use crate::answers::{ANSWER_BYTES, Ask, Written};
use crate::app::App;
use crate::limits::{LAST_CHECK, PENDING_RETRY, STOPPING_STORE_TIME, TURN_PAUSE, TURN_STORE_PAUSE};
use crate::problem::{Document, Kind, Problem};
use crate::question::{self, Question, Text, read};
use crate::request::{Segment, complete, json, query};
use crate::response::{json_line, raw, retried};
use crate::schemas::{DialectName, GivenAnswer, LongHead, RequestProblem, ServiceProblem};

/// A request for a turn.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TurnRequest)]
struct Keys {
    #[serde(alias = "crawler")]
    #[schema(min_length = 1, max_length = 256, example = "GPTBot")]
    agent: Option<String>,
    #[schema(min_length = 1, max_length = 256)]
    token: Option<String>,
    #[schema(min_items = 1, max_items = 16)]
    agents: Option<Vec<String>>,
    union: Option<bool>,
    #[schema(max_length = 8192, example = "https://shop.example/cart", required = true)]
    url: Option<String>,
    #[schema(value_type = Option<DialectName>)]
    dialect: Option<String>,
    /// Milliseconds to wait for the turn.
    #[schema(minimum = 0, maximum = 30000)]
    wait_ms: Option<u64>,
    /// Seconds after which the turn ends by itself.
    #[schema(minimum = 1, maximum = 3600)]
    hold_seconds: Option<u64>,
}

/// A longer reservation.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RenewRequest)]
struct RenewKeys {
    #[schema(minimum = 1, maximum = 3600)]
    hold_seconds: Option<u64>,
}

/// The result of a request: `status`, or `failed` without a whole response.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReleaseRequest)]
struct ReleaseKeys {
    #[schema(minimum = 100, maximum = 999)]
    status: Option<u16>,
    /// Seconds of the header Retry-After.
    retry_after: Option<u64>,
    failed: Option<bool>,
}

/// A turn, or the reason why there is none.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "the key of the contract")]
struct Turn<'a> {
    granted: bool,
    /// The name of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
    /// Its number: later turns of an origin have larger ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    fence: Option<u64>,
    /// Milliseconds until it ends by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_in_ms: Option<u64>,
    /// Milliseconds between its end and the next turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pause_ms: Option<u64>,
    /// Milliseconds until another try makes sense.
    #[serde(skip_serializing_if = "Option::is_none")]
    wait_ms: Option<u64>,
    /// Why the URL may be fetched or not.
    #[schema(value_type = GivenAnswer)]
    answer: &'a RawValue,
}

impl<'a> Turn<'a> {
    /// No turn.
    fn none(answer: &'a RawValue, wait: Option<Duration>) -> Self {
        Self {
            granted: false,
            turn: None,
            fence: None,
            expires_in_ms: None,
            pause_ms: None,
            wait_ms: wait.map(milliseconds),
            answer,
        }
    }
}

/// The end of a turn.
#[derive(Debug, Serialize, ToSchema)]
struct Released {
    /// Milliseconds until the next turn of the origin.
    pause_ms: u64,
}

/// The new end of a turn.
#[derive(Debug, Serialize, ToSchema)]
struct Renewed {
    expires_in_ms: u64,
}

/// The name of a turn: its id, the pause after it, and the origin.
#[derive(Debug)]
struct Name {
    id: TurnId,
    pause: Duration,
    origin: Origin,
}

impl Name {
    fn text(&self) -> String {
        let Self { id, pause, origin } = self;
        format!("{id}.{}.{}", pause.as_millis(), URL_SAFE_NO_PAD.encode(origin.to_string()))
    }

    fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '.');
        let id = TurnId::from_text(parts.next()?)?;
        let pause = parts.next()?.parse().ok().map(Duration::from_millis)?;
        let origin = URL_SAFE_NO_PAD.decode(parts.next()?).ok()?;
        let origin = String::from_utf8(origin).ok()?.parse().ok()?;
        // The name is in the hands of the worker, which must not become impolite by a mistake.
        Some(Self { id, pause: pause.clamp(PAUSE.default, PAUSE.most), origin })
    }

    fn of(path: &str) -> Result<Self, Problem> {
        Self::read(path).ok_or_else(|| {
            Problem::new(Kind::NotFound, "expected the name of a turn, but found another text")
        })
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The time of a reservation.
fn hold(seconds: Option<u64>) -> Result<Duration, Problem> {
    let Some(seconds) = seconds else { return Ok(TURN_HOLD.default) };
    let (least, most) = (TURN_HOLD.least.as_secs().max(1), TURN_HOLD.most.as_secs());
    if !(least..=most).contains(&seconds) {
        let detail = format!("expected {least} to {most} seconds, but found {seconds}");
        return Err(Problem::at(Kind::Invalid, "/hold_seconds", detail));
    }
    Ok(Duration::from_secs(seconds))
}

/// Reserves a turn: permission to send one request to the origin of a URL.
#[utoipa::path(
    post, path = "/v1/turns", tag = "turns", operation_id = "reserveTurn", request_body = Keys,
    responses(
        (status = 200, description = "No turn: disallowed, or not yet", body = Turn),
        (status = 201, description = "The turn", body = Turn),
        RequestProblem,
        ServiceProblem,
    )
)]
pub(crate) async fn reserve(
    State(app): State<Arc<App>>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let body = json(&app, request).await?;
    let keys: Keys = read(&body)?;
    let hold = hold(keys.hold_seconds)?;
    let text = |text: String| Text(text.into());
    let keys = question::Keys {
        agent: keys.agent.map(text),
        agents: keys.agents,
        union: keys.union,
        token: keys.token.map(text),
        url: keys.url.map(text),
        dialect: keys.dialect,
        wait_ms: keys.wait_ms,
        ..question::Keys::default()
    };
    let question = Question::of(keys, 1)?;
    let missing = || Problem::new(Kind::Invalid, "missing `url`");
    let url = question.urls.first().ok_or_else(missing)?;
    let ask = app.answers.ask(&question, url);
    let deadline = Instant::now() + app.wait(question.wait);
    // A repeated call after a lost answer must not block itself.
    let mut request = TurnRequest::new(PAUSE.default, hold);
    let mut unsure = None;
    let response = reserve_until(&app, ask, deadline, &mut request, &mut unsure).await;
    if let Some(origin) = unsure {
        give_back(&app, origin, request).await;
    }
    response
}

/// Reserves a turn. `unsure` is the origin of a reservation that the store may have made although
/// its answer is lost.
async fn reserve_until(
    app: &Arc<App>,
    ask: Ask<'_>,
    deadline: Instant,
    request: &mut TurnRequest,
    unsure: &mut Option<Origin>,
) -> Result<Response, Problem> {
    loop {
        let left = left_of(deadline);
        let named = ask.crawler.named(&ask.dialect);
        let checked = app.answers.check(ask, &named, left.max(LAST_CHECK)).await;
        let decision = checked.decision().cloned();
        let mut answer = Vec::with_capacity(ANSWER_BYTES);
        let written = app.answers.write_checked(ask, &named, checked, &mut answer);
        let answer = raw(answer).ok_or_else(Problem::internal)?;
        let Some(decision) = decision.filter(Decision::is_allowed) else {
            let retry = matches!(written, Written::Pending | Written::Busy);
            let wait = retry.then(|| Duration::from_secs(PENDING_RETRY));
            return Ok(not_granted(&answer, wait));
        };
        let Some(origin) = decision
            .record()
            .map(|record| record.origin().clone())
            .or_else(|| Origin::of(decision.url().as_str()).ok().flatten())
        else {
            return Ok(not_granted(&answer, None));
        };
        let (pace, mut wait) = if decision.record().is_some() {
            (decision.pace(), decision.delay())
        } else {
            let (client, crawler) = (&app.answers.client, decision.crawler());
            client.pace_of(&origin, crawler, &ask.dialect).await
        };
        if wait.is_zero() {
            request.pause = pace.applied;
            let reserved = app.turns.reserve(&origin, request).await;
            *unsure = reserved.is_err().then(|| origin.clone());
            match reserved {
                Ok(Reservation::Granted { fence, left }) => {
                    let name = Name { id: request.id, pause: pace.applied, origin };
                    let turn = Turn {
                        granted: true,
                        turn: Some(name.text()),
                        fence: Some(fence),
                        expires_in_ms: Some(milliseconds(left)),
                        pause_ms: Some(milliseconds(pace.applied)),
                        ..Turn::none(&answer, None)
                    };
                    return Ok(json_line(StatusCode::CREATED, &turn));
                }
                Ok(Reservation::Wait(time)) => wait = time,
                // Asked again, the store returns a turn that it has reserved.
                Err(_) if left_of(deadline) > TURN_STORE_PAUSE && !app.stopping.has_begun() => {
                    wait = TURN_STORE_PAUSE;
                }
                Err(error) => return Err(error.into()),
            }
        }
        if wait > left_of(deadline) || !app.stopping.sleep(wait.max(TURN_PAUSE)).await {
            return Ok(not_granted(&answer, Some(wait)));
        }
    }
}

/// Gives a turn back that nobody knows of; otherwise the origin would be blocked until it expires.
/// The store may fail for some time, so this goes on after the response.
async fn give_back(app: &Arc<App>, origin: Origin, request: TurnRequest) {
    let turns = Arc::clone(&app.turns);
    let until = Instant::now() + request.hold;
    let release = async move {
        while Instant::now() < until {
            sleep(TURN_STORE_PAUSE).await;
            if turns.release(&origin, request.id, Duration::ZERO).await.is_ok() {
                return;
            }
        }
    };
    if app.stopping.has_begun() {
        // Nothing goes on after the end of the service.
        let _ = timeout(STOPPING_STORE_TIME, release).await;
    } else if let Ok(place) = Arc::clone(&app.giving_back).try_acquire_owned() {
        tokio::spawn(async move {
            release.await;
            drop(place);
        });
    }
}

fn left_of(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// The response without a turn. After `wait`, another try makes sense.
fn not_granted(answer: &RawValue, wait: Option<Duration>) -> Response {
    let response = json_line(StatusCode::OK, &Turn::none(answer, wait));
    let Some(wait) = wait else { return response };
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    retried(response, seconds.max(1))
}

/// Extends a turn.
#[utoipa::path(
    post, path = "/v1/turns/{turn}/renew", tag = "turns", operation_id = "renewTurn",
    params(("turn" = String, Path, description = "Name of the turn")),
    request_body = RenewKeys,
    responses(
        (status = 200, description = "The new end", body = Renewed),
        (status = "4XX", description = "A problem of the request; 409: the turn had ended", body = Document<'static>, content_type = "application/problem+json"),
        LongHead,
        ServiceProblem,
    )
)]
pub(crate) async fn renew(
    State(app): State<Arc<App>>,
    Segment(turn): Segment,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let name = Name::of(&turn)?;
    let body = json(&app, request).await?;
    let RenewKeys { hold_seconds } = read(&body)?;
    let hold = hold(hold_seconds)?;
    if !app.turns.renew(&name.origin, name.id, hold).await? {
        return Err(lost());
    }
    Ok(json_line(StatusCode::OK, &Renewed { expires_in_ms: milliseconds(hold) }))
}

/// Ends a turn with the result of its request, so that a refusing site gets a back-off.
#[utoipa::path(
    post, path = "/v1/turns/{turn}/release", tag = "turns", operation_id = "releaseTurn",
    params(("turn" = String, Path, description = "Name of the turn")),
    request_body = ReleaseKeys,
    responses(
        (status = 200, description = "The pause that follows", body = Released),
        (status = "4XX", description = "A problem of the request; 409: the turn had ended", body = Document<'static>, content_type = "application/problem+json"),
        LongHead,
        ServiceProblem,
    )
)]
pub(crate) async fn release(
    State(app): State<Arc<App>>,
    Segment(turn): Segment,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let name = Name::of(&turn)?;
    let body = json(&app, request).await?;
    let keys: ReleaseKeys = read(&body)?;
    let failed = keys.failed.unwrap_or_default();
    let wrong = match keys.status {
        Some(_) if failed => Some(("", "give either `status` or `failed`")),
        None if !failed => Some(("", "missing `status` or `failed`")),
        Some(status) if !(100..=999).contains(&status) => {
            Some(("/status", "expected a status from 100 to 999"))
        }
        _ => None,
    };
    if let Some((pointer, detail)) = wrong {
        return Err(Problem::at(Kind::Invalid, pointer, detail));
    }
    let retry_after = keys.retry_after.map(Duration::from_secs);
    // In a task, because a worker that closes the connection must not lose its back-off.
    let released = complete(async move {
        let Name { id, pause, origin } = name;
        let client = &app.answers.client;
        // The turn ends with the back-off: an origin without a record has no other.
        let back_off = client.back_off_after(&origin, keys.status, retry_after).await;
        let pause = back_off.max(pause);
        // Only the request that ends the turn reports, so a repeated one counts once.
        if !app.turns.release(&origin, id, pause).await? {
            return Ok(None);
        }
        client.report_page(&origin, keys.status, retry_after).await;
        if !back_off.is_zero() {
            app.answers.forget(&origin);
        }
        Ok::<_, StoreError>(Some(Released { pause_ms: milliseconds(pause) }))
    });
    Ok(json_line(StatusCode::OK, &released.await??.ok_or_else(lost)?))
}

/// Gives up a turn that was not used.
#[utoipa::path(
    delete, path = "/v1/turns/{turn}", tag = "turns", operation_id = "giveUpTurn",
    params(("turn" = String, Path, description = "Name of the turn")),
    responses(
        (status = 204, description = "The turn has ended"),
        (status = "4XX", description = "A problem of the request; 409: the turn had ended", body = Document<'static>, content_type = "application/problem+json"),
        LongHead,
        ServiceProblem,
    )
)]
pub(crate) async fn give_up(
    State(app): State<Arc<App>>,
    Segment(turn): Segment,
    request: Request<Body>,
) -> Result<StatusCode, Problem> {
    query(request.uri().query(), [])?;
    let name = Name::of(&turn)?;
    let released = app.turns.release(&name.origin, name.id, name.pause).await?;
    if released { Ok(StatusCode::NO_CONTENT) } else { Err(lost()) }
}

fn lost() -> Problem {
    Problem::new(Kind::TurnLost, "the turn has expired or was released")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_written_with_a_polite_pause() {
        let origin: Origin = "https://shop.example:8443".parse().unwrap();
        let (id, pause) = (TurnId::random(), Duration::from_millis(2_500));
        let text = Name { id, pause, origin: origin.clone() }.text();
        let read = Name::read(&text).unwrap();
        assert_eq!((read.id, read.pause, read.origin), (id, pause, origin.clone()));
        let hasty = Name { id, pause: Duration::ZERO, origin }.text();
        assert_eq!(Name::read(&hasty).unwrap().pause, PAUSE.default);
        for bad in ["", "x", "' OR 1=1 --", &text[..40], &format!("{text}!"), &text[1..]] {
            assert!(Name::read(bad).is_none(), "{bad}");
        }
    }
}
