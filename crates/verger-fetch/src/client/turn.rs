//! Turns: permission for a crawler with its own HTTP stack to send a request, and its reports.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use url::Url;
use verger::Origin;
use verger::access::{self, Outcome};

use super::shared_turn::SharedTurn;
use super::{CheckError, Inner, RobotsClient, telemetry};
use crate::decision::Decision;
use crate::fetch::{is_downgrade, target};
use crate::limits::{LimitReached, TURN_RETRY};
use crate::polite::{RequestResult, Turn};
use crate::record::BackOff;

/// Permission to send one request now.
///
/// It occupies one of the concurrent requests to its origin
/// ([`Politeness::at_once`](crate::polite::Politeness::at_once), by default one) until
/// [`report`](Self::report), [`report_failure`](Self::report_failure) or drop.
///
/// A back-off takes effect immediately. A task of the runtime of [`RobotsClient::turn`] writes it
/// to the record, whichever thread reports.
///
/// # Examples
///
/// ```no_run
/// use verger::Crawler;
/// use verger_fetch::client::{RobotsClient, TurnError};
/// use verger_fetch::fetch::Identity;
///
/// # async fn own_request(url: &str) -> std::io::Result<(u16, Option<Vec<u8>>)> { Ok((200, None)) }
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
/// let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity).build()?;
///
/// let url = "https://shop.example/cart";
/// match client.turn(url).await {
///     Ok(permit) => match own_request(url).await {
///         Ok((status, retry_after)) => permit.report(status, retry_after.as_deref()),
///         Err(_) => permit.report_failure(),
///     },
///     Err(TurnError::Disallowed(decision)) => println!("{decision}"),
///     Err(error) => return Err(error.into()),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "the turn ends when it is dropped"]
pub struct Permit {
    decision: Decision,
    waited: Duration,
    held: HeldTurn,
    inner: Arc<Inner>,
}

/// The turn of a permit.
#[derive(Debug)]
struct HeldTurn {
    turn: Turn,
    /// The back-off in the shared record at the beginning of the turn.
    back_off: Option<BackOff>,
    /// The runtime that writes the record; a report may come from a thread without one.
    runtime: Handle,
    /// The same turn among all processes. It is dropped last.
    shared: Option<SharedTurn>,
}

/// There is no turn. Do not fetch the URL.
///
/// [`decision`](Self::decision) returns the decision if robots.txt is the cause.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TurnError {
    /// There is no decision; the same error as from [`RobotsClient::check`].
    Check(CheckError),
    /// robots.txt disallows the URL.
    Disallowed(Box<Decision>),
    /// robots.txt cannot be fetched: the site is down, or this client could not request it. The URL
    /// may be allowed later; the site does not want an empty crawl.
    ///
    /// Nearly all causes are temporary: try again after [`retry_in`](Self::retry_in), a limited
    /// number of times, then report the URL. [`Decision::failure`] has the cause.
    /// [`Decision::fault`] distinguishes failures of the client or its proxy from those of the
    /// site.
    Unreachable {
        /// The decision, with the failure.
        decision: Box<Decision>,
        /// Time from now to the next fetch of robots.txt.
        again_in: Duration,
    },
    /// A limit of this client was reached: too many requests wait for turns or for a
    /// connection. Try again later.
    Busy {
        /// The URL of the request.
        url: String,
        /// The limit.
        limit: LimitReached,
    },
    /// The turn comes after the longest wait
    /// ([`Politeness::longest_wait`](crate::polite::Politeness::longest_wait)).
    TooLong {
        /// The URL of the request.
        url: String,
        /// Minimum time from now to the turn. Requests that wait ahead of it are not counted.
        again_in: Duration,
    },
    /// The maximum number of concurrent requests to the origin is running, and the longest wait is
    /// over. The end of those requests is unknown.
    Held {
        /// The URL of the request.
        url: String,
    },
    /// The scheme of the URL has no robots.txt, such as `data:` or `mailto:`.
    /// [`RobotsClient::get`] fetches http and https only.
    Scheme,
    /// The client is offline
    /// ([`RobotsClientBuilder::offline`](super::RobotsClientBuilder::offline)) and sends no
    /// request. No stored robots.txt disallows the URL.
    Offline,
}

impl TurnError {
    /// The decision that disallows the URL, the same as from [`RobotsClient::check`]. `None` if
    /// robots.txt is not the cause.
    pub fn decision(&self) -> Option<&Decision> {
        match self {
            Self::Disallowed(decision) | Self::Unreachable { decision, .. } => Some(decision),
            _ => None,
        }
    }

    /// Minimum wait before another call makes sense; `None` if it would fail again until the URL or
    /// the configuration of the client changes.
    ///
    /// So `None` also if robots.txt cannot be requested at all ([`Decision::retry_in`]).
    pub fn retry_in(&self) -> Option<Duration> {
        match self {
            Self::Unreachable { decision, .. } => decision.retry_in(),
            Self::TooLong { again_in, .. } => Some(*again_in),
            Self::Check(error) => error.is_temporary().then_some(TURN_RETRY),
            Self::Busy { .. } | Self::Held { .. } => Some(TURN_RETRY),
            Self::Disallowed(_) | Self::Scheme | Self::Offline => None,
        }
    }
}

impl RobotsClient {
    /// Waits until a URL may be fetched, and returns the permission to fetch it once.
    ///
    /// By default one request to an origin runs at a time;
    /// [`Politeness::at_once`](crate::polite::Politeness::at_once) allows more. Turns are
    /// granted in the order of the calls. After each request there is the pause of
    /// [`Decision::pace`], after 429 and 503 a longer one. [`Decision::delay`] is the minimum wait
    /// known in advance. Drop the future to give up, or limit the wait by
    /// [`Politeness::longest_wait`](crate::polite::Politeness::longest_wait). A decision
    /// that expires during the wait is renewed.
    ///
    /// The crawler sends one request, now, to this URL only. A redirect or a retry needs another
    /// turn. Report the response when its body has been read and before the next call of `turn`.
    /// While all permits of an origin are held, `turn` waits; a task that holds the last one would
    /// wait forever, or get [`TurnError::Held`].
    ///
    /// Turns and pauses belong to this client and its clones, not to other processes, unless they
    /// share a store of turns ([`RobotsClientBuilder::turns`](super::RobotsClientBuilder::turns)).
    /// Back-off is in the record, so all clients that share a store respect it. The record is read
    /// again before each turn.
    ///
    /// The guard of this client applies to robots.txt and to [`get`](Self::get), not to the
    /// crawler's own HTTP stack. Call [`Guard::check_url`](crate::guard::Guard::check_url) before
    /// each request, because a literal address never reaches a resolver, and
    /// [`Guard::check_addresses`](crate::guard::Guard::check_addresses) in the resolver.
    /// [`RobotsClientBuilder::http_client`](super::RobotsClientBuilder::http_client) makes the same
    /// stack fetch robots.txt.
    ///
    /// # Complexity
    ///
    /// As [`check`](Self::check) and [`Politeness::pace`](crate::polite::Politeness::pace), again
    /// after each wait.
    ///
    /// # Errors
    ///
    /// [`TurnError`], and those of [`check`](Self::check).
    pub async fn turn(&self, url: &str) -> Result<Permit, TurnError> {
        let inner = Arc::clone(&self.0);
        let begun = Instant::now();
        let decision = self.allowed(url).await;
        if inner.offline {
            let is_known = |error: &TurnError| !matches!(error, TurnError::Unreachable { .. });
            return Err(decision.err().filter(is_known).unwrap_or(TurnError::Offline));
        }
        let mut decision = decision?;
        let Ok(Some(origin)) = Origin::of(url) else { return Err(TurnError::Scheme) };
        let start = Instant::now();
        let longest = inner.politeness.longest_wait.unwrap_or(Duration::MAX);
        let left = || longest.saturating_sub(begun.elapsed());
        let mut turn = self.queue(url, &origin, &decision, left()).await?;
        // A decision of this second cannot be newer.
        let mut is_newest = decision.decided_at() == inner.clock.now();
        let request = inner.turn_request();
        let (pace, back_off, shared) = loop {
            // Earlier requests and other processes may have changed the back-off during the wait.
            let decided = decision.record().map(|_| decision.robots());
            let (pace, back_off) =
                inner.pace_of(&origin, &inner.crawler, &inner.dialect, decided).await;
            let refused = BackOff::left(back_off, inner.clock.now());
            let wait = turn.wait().max(refused).max(pace.opens_in);
            if !wait.is_zero() {
                if wait > left() {
                    return Err(TurnError::TooLong { url: url.to_owned(), again_in: wait });
                }
                // Only the position in the queue is held, no lock.
                sleep(wait).await;
                is_newest = false;
                continue;
            }
            if is_newest || !decision.has_expired(inner.clock.now()) {
                match inner.reserve(&origin, &request, pace.applied).await {
                    Ok(shared) => break (pace, back_off, shared),
                    Err(wait) if wait > left() => {
                        return Err(TurnError::TooLong { url: url.to_owned(), again_in: wait });
                    }
                    // Meanwhile the record may change.
                    Err(wait) => sleep(wait).await,
                }
                is_newest = false;
                continue;
            }
            // Other requests in the queue wait for this one.
            let late = |_| TurnError::Check(CheckError::Late(longest));
            decision = timeout(left(), self.allowed(url)).await.map_err(late)??;
            is_newest = true;
        };
        // From here on it counts as a request. A caller that gave up earlier leaves no pause.
        turn.pause = pace.applied;
        if let Some(shared) = &shared {
            shared.extend_pause(pace.applied);
        }
        let waited = start.elapsed();
        telemetry::waited(waited);
        let held = HeldTurn { turn, back_off, runtime: Handle::current(), shared };
        Ok(Permit { decision, waited, held, inner })
    }

    /// The decision of [`check`](Self::check) if it allows the URL, otherwise an error.
    pub(super) async fn allowed(&self, url: &str) -> Result<Decision, TurnError> {
        let decision = self.check(url).await?;
        if decision.is_allowed() {
            return Ok(decision);
        }
        let again_in = decision.unreachable_for();
        let decision = Box::new(decision);
        Err(match again_in {
            Some(again_in) => TurnError::Unreachable { decision, again_in },
            None => TurnError::Disallowed(decision),
        })
    }

    /// The position at the head of the queue of an origin, unless the wait is too long.
    async fn queue(
        &self,
        url: &str,
        origin: &Origin,
        decision: &Decision,
        longest: Duration,
    ) -> Result<Turn, TurnError> {
        let back_off = decision.record().and_then(|record| record.back_off());
        let wait = self.0.queues.wait(origin).max(BackOff::left(back_off, self.0.clock.now()));
        if wait > longest {
            return Err(TurnError::TooLong { url: url.to_owned(), again_in: wait });
        }
        match timeout(longest, self.0.queues.turn(origin)).await {
            Ok(turn) => turn.map_err(|limit| TurnError::Busy { url: url.to_owned(), limit }),
            Err(_) => Err(TurnError::Held { url: url.to_owned() }),
        }
    }
}

impl Permit {
    /// Why the URL may be fetched.
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Wait for the turn.
    pub const fn waited(&self) -> Duration {
        self.waited
    }

    /// Reports the server's response: its status and the raw value of `Retry-After`.
    ///
    /// After 429 and 503 there is a back-off: the requested time, between a minute and a day, or a
    /// time that grows from a minute to an hour.
    ///
    /// A response also shows that the site is available ([`RobotsClient::report_available`]).
    pub fn report(self, status: u16, retry_after: Option<&[u8]>) {
        self.note_report();
        drop(self.report_lines(status, retry_after));
    }

    fn note_report(&self) {
        if let Some(record) = self.decision.record() {
            self.inner.note_report(record.origin());
        }
    }

    /// The same with all lines of the field; the first readable one counts. The returned task
    /// writes the record.
    pub(super) fn report_lines<'v>(
        self,
        status: u16,
        retry_after: impl IntoIterator<Item = &'v [u8]>,
    ) -> Option<JoinHandle<()>> {
        // A response to robots.txt itself does not show that the site is available.
        if let Some(record) = self.decision.record() {
            self.inner.report_available(record.origin(), status);
        }
        let headers = retry_after.into_iter().map(|value| ("retry-after", value));
        let read = access::Fetched::of(Outcome::Status(status), headers, self.inner.clock.now());
        self.finish(if matches!(status, 429 | 503) {
            RequestResult::Refused(read.retry_after)
        } else {
            RequestResult::Fine
        })
    }

    /// Reports the server's response by its header fields, as any HTTP library has them. Returns
    /// the URL of the next request if the response is a redirect; that request needs its own turn.
    /// `None` also for a redirect that must not be followed: its target is not an http or https
    /// URL, or it leaves https for http and the access profile forbids that.
    pub fn report_response<N: AsRef<str>, V: AsRef<[u8]>>(
        self,
        status: u16,
        headers: impl IntoIterator<Item = (N, V)>,
    ) -> Option<Url> {
        let (mut retry_after, mut locations) = (Vec::new(), Vec::new());
        for (name, value) in headers {
            let name = name.as_ref();
            if name.eq_ignore_ascii_case("retry-after") {
                retry_after.push(value);
            } else if name.eq_ignore_ascii_case("location") {
                locations.push(value);
            }
        }
        let base = self.decision.url();
        let next = target(status, base, locations.iter().map(AsRef::as_ref)).ok();
        let follows_downgrades = self.inner.read_options.profile().follow_downgrades;
        let next = next.filter(|next| follows_downgrades || !is_downgrade(base, next));
        self.note_report();
        drop(self.report_lines(status, retry_after.iter().map(AsRef::as_ref)));
        next
    }

    /// Reports that there was no whole response: no connection, or a broken one. A growing back-off
    /// follows.
    pub fn report_failure(self) {
        drop(self.report_silence());
    }

    /// The same, with the task that writes to the record.
    pub(super) fn report_silence(self) -> Option<JoinHandle<()>> {
        self.finish(RequestResult::Refused(None))
    }

    fn finish(&self, result: RequestResult) -> Option<JoinHandle<()>> {
        let HeldTurn { turn, back_off, runtime, shared } = &self.held;
        let before = back_off.map_or(0, |back_off| back_off.refusals).max(turn.refusals());
        let (refusals, wait) = turn.finish(result, before);
        let released = shared.as_ref().map(|shared| {
            shared.extend_pause(wait);
            shared.end()
        });
        let until = self.inner.clock.now().after(wait);
        let next = (refusals > 0).then_some(BackOff { until, refusals });
        let has_changed = before > 0 || back_off.is_some() || next.is_some();
        (has_changed || released.is_some()).then(|| {
            let (inner, origin) = (Arc::clone(&self.inner), turn.origin().clone());
            runtime.spawn(async move {
                if has_changed {
                    inner.store_back_off(&origin, next).await;
                }
                if let Some(released) = released {
                    released.await;
                }
            })
        })
    }
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(error) => error.fmt(f),
            Self::Disallowed(decision) | Self::Unreachable { decision, .. } => decision.fmt(f),
            Self::Scheme => f.write_str("expected an http or https URL"),
            Self::Offline => f.write_str("offline, so no page is fetched"),
            Self::Busy { limit, .. } => limit.fmt(f),
            Self::TooLong { again_in, .. } => {
                write!(f, "the next request is possible in {} s", again_in.as_secs_f64().ceil())
            }
            Self::Held { .. } => f.write_str("another request to the origin has the turn"),
        }
    }
}

impl Error for TurnError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Check(error) => error.source(),
            _ => None,
        }
    }
}

impl From<CheckError> for TurnError {
    fn from(error: CheckError) -> Self {
        Self::Check(error)
    }
}
