//! Taking turns: when a crawler with an HTTP stack of its own may ask, and what it tells us then.

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

use super::{CheckError, Inner, RobotsClient, telemetry};
use crate::decision::Decision;
use crate::fetch::{is_downgrade, target};
use crate::limits::LimitReached;
use crate::polite::{Answered, Turn};
use crate::record::BackOff;

/// The permission to send one request, now.
///
/// It counts among the requests to its origin that run at the same time
/// ([`Politeness::with_at_once`](crate::polite::Politeness::with_at_once), by default one), until it is
/// given back: by [`report`](Self::report), [`report_failure`](Self::report_failure), or by dropping it.
///
/// A back-off is in effect at once. A task of the runtime in which [`RobotsClient::turn`] ran writes it to
/// the record, whichever thread reports.
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
    held: Held,
    inner: Arc<Inner>,
}

/// The turn of a permit.
#[derive(Debug)]
struct Held {
    turn: Turn,
    /// The back-off in the shared record when the turn came.
    back_off: Option<BackOff>,
    /// The runtime that writes to the record: a report may come from a thread without one.
    runtime: Handle,
}

/// Why there is no turn. The URL must not be fetched then.
///
/// [`decision`](Self::decision) returns the decision if robots.txt is the cause.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TurnError {
    /// There is no decision: the same error as that of [`RobotsClient::check`].
    Check(CheckError),
    /// robots.txt disallows the URL.
    Disallowed(Box<Decision>),
    /// robots.txt cannot be fetched: the site is down, or this client could not request it. The URL may be
    /// allowed later; an empty crawl is not what the site wants.
    ///
    /// Nearly all causes are temporary: ask again after `again_in`, a limited number of times, and report the
    /// URL if it is given up. Two causes last until the configuration of the client changes, so do not ask
    /// again: a refusal by the guard ([`Failure::Refused`](crate::record::Failure::Refused)) and an origin
    /// without a URL to request ([`Failure::NoUrl`](crate::record::Failure::NoUrl)). [`Decision::failure`] has
    /// the cause. [`Decision::fault`] tells failures of the client or its proxy from those of the site.
    ///
    /// ```
    /// use verger_fetch::client::TurnError;
    /// use verger_fetch::record::Failure;
    ///
    /// fn is_worth_another_try(error: &TurnError) -> bool {
    ///     match error {
    ///         TurnError::Unreachable { decision, .. } => {
    ///             !matches!(decision.failure(), Some(Failure::Refused(_) | Failure::NoUrl))
    ///         }
    ///         TurnError::Disallowed(_) | TurnError::Scheme | TurnError::Offline => false,
    ///         _ => true,
    ///     }
    /// }
    /// assert!(!is_worth_another_try(&TurnError::Scheme));
    /// ```
    Unreachable {
        /// The decision, with the failure.
        decision: Box<Decision>,
        /// When the next fetch of robots.txt is due, counted from now ([`Decision::retry_in`]).
        again_in: Duration,
    },
    /// A limit of this client was reached: too many requests wait for their turn
    /// ([`TURNS`](crate::limits::TURNS), [`LANE_TURNS`](crate::limits::LANE_TURNS)), or for a connection.
    /// Ask again later.
    Busy {
        /// The URL that was to be requested.
        url: String,
        /// The limit.
        limit: LimitReached,
    },
    /// The turn comes later than the crawler is willing to wait
    /// ([`Politeness::with_longest_wait`](crate::polite::Politeness::with_longest_wait)).
    TooLong {
        /// The URL that was to be requested.
        url: String,
        /// The turn does not come before this time has passed, counted from now. Requests that wait before
        /// it are not counted.
        again_in: Duration,
    },
    /// As many requests to the origin as may run at the same time are running, and the crawler is not
    /// willing to wait any longer. When one of them ends is not known.
    Held {
        /// The URL that was to be requested.
        url: String,
    },
    /// The scheme of the URL has no robots.txt, such as `data:` or `mailto:`. [`RobotsClient::get`] fetches
    /// http and https only.
    Scheme,
    /// The client is offline ([`RobotsClientBuilder::offline`](super::RobotsClientBuilder::offline)), and no
    /// stored robots.txt disallows the URL: no request may be sent.
    Offline,
}

impl TurnError {
    /// The decision that disallows the URL, the same as that of [`RobotsClient::check`]. `None`: robots.txt
    /// is not the cause.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(client: &verger_fetch::client::RobotsClient) {
    /// match client.get("https://shop.example/cart").await {
    ///     Ok(page) => println!("{} bytes", page.body().len()),
    ///     Err(error) => match error.decision() {
    ///         Some(decision) => println!("robots.txt: {decision}"),
    ///         None => println!("not fetched: {error}"),
    ///     },
    /// }
    /// # }
    /// ```
    pub fn decision(&self) -> Option<&Decision> {
        match self {
            Self::Disallowed(decision) | Self::Unreachable { decision, .. } => Some(decision),
            _ => None,
        }
    }

    /// Whether the same question may be answered otherwise later, with nothing changed by the caller: a
    /// limit was reached, a wait was too long, or robots.txt cannot be fetched.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Check(error) => error.is_temporary(),
            Self::Unreachable { .. }
            | Self::Busy { .. }
            | Self::TooLong { .. }
            | Self::Held { .. } => true,
            Self::Disallowed(_) | Self::Scheme | Self::Offline => false,
        }
    }
}

impl RobotsClient {
    /// Waits until a URL may be fetched, and gives the permission to fetch it once.
    ///
    /// Requests to one origin run one at a time, or as many as
    /// [`Politeness::with_at_once`](crate::polite::Politeness::with_at_once) allows. They get their turns
    /// in the order in which they asked. The pause of [`Decision::pace`] follows each, and a longer one
    /// follows 429 and 503. [`Decision::delay`] is the shortest wait as far as it is known beforehand. Drop
    /// the future to give up, or limit the wait by
    /// [`Politeness::with_longest_wait`](crate::polite::Politeness::with_longest_wait). A decision that
    /// expires during the wait is made again.
    ///
    /// The crawler sends one request, now, to this URL and nowhere else. A redirect leads to another URL
    /// and needs a turn of its own; so does a retry. Give the permit back with the response when the body
    /// has been read, and before the next turn is asked for. As long as all permits of an origin are held,
    /// another turn waits: one that the same task asks for waits for ever, or ends with
    /// [`TurnError::Held`].
    ///
    /// Turns and pauses belong to this client and its clones; other processes have their own. Back-off is in
    /// the record, so all clients that share a store keep to it. The record is read again before each turn.
    ///
    /// Connections go where the crawler's own HTTP stack lets them: the guard of this client is asked for
    /// robots.txt and by [`get`](Self::get) alone. Ask [`Guard::check_url`](crate::guard::Guard::check_url) before
    /// each request, because an address in place of a name never reaches a resolver, and
    /// [`Guard::check_addresses`](crate::guard::Guard::check_addresses) in the resolver. With
    /// [`RobotsClientBuilder::http_client`](super::RobotsClientBuilder::http_client) the same stack fetches robots.txt.
    ///
    /// # Complexity
    ///
    /// As [`check`](Self::check) and [`Politeness::pace`](crate::polite::Politeness::pace), again after
    /// every wait.
    ///
    /// # Errors
    ///
    /// [`TurnError`], and those of [`check`](Self::check).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn own_request(url: &url::Url) -> std::io::Result<u16> { Ok(200) }
    /// # async fn example(client: &verger_fetch::client::RobotsClient) -> Result<(), Box<dyn std::error::Error>> {
    /// let permit = client.turn("https://shop.example/cart").await?;
    /// // Send what was checked.
    /// match own_request(permit.decision().url()).await {
    ///     Ok(status) => permit.report(status, None),
    ///     Err(_) => permit.report_failure(),
    /// }
    /// # Ok(())
    /// # }
    /// ```
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
        let longest = inner.politeness.longest_wait().unwrap_or(Duration::MAX);
        let left = || longest.saturating_sub(begun.elapsed());
        let mut turn = inner.line(url, &origin, &decision, left()).await?;
        // What was decided this second cannot be had newer.
        let mut is_newest = decision.decided_at() == inner.clock.now();
        let (pace, back_off) = loop {
            // Others may have changed it during the wait: requests before this one, and other processes.
            let known = inner.find(&origin).await.known;
            let back_off = known.shared.as_ref().and_then(|record| record.back_off());
            // robots.txt itself needs no record, but its origin has a pace.
            let file =
                decision.record().is_none().then(|| inner.file_of(&origin, &known)).flatten();
            let pace = inner.pace(file.as_ref().unwrap_or_else(|| decision.robots()));
            let refused = BackOff::left(back_off, inner.clock.now());
            let wait = turn.wait().max(refused).max(pace.opens_in);
            if !wait.is_zero() {
                if wait > left() {
                    return Err(TurnError::TooLong { url: url.to_owned(), again_in: wait });
                }
                // What is held is the place in line, and no lock.
                sleep(wait).await;
                is_newest = false;
                continue;
            }
            if is_newest || !decision.has_expired(inner.clock.now()) {
                break (pace, back_off);
            }
            // The others in line wait for this one.
            let late = |_| TurnError::Check(CheckError::Late(longest));
            decision = timeout(left(), self.allowed(url)).await.map_err(late)??;
            is_newest = true;
        };
        // From here on it is a request: who gave up before owes no pause.
        turn.set_pause(pace.kept);
        let waited = start.elapsed();
        telemetry::waited(waited);
        let held = Held { turn, back_off, runtime: Handle::current() };
        Ok(Permit { decision, waited, held, inner })
    }

    /// The decision of [`check`](Self::check) if it allows the URL, else as an error.
    pub(super) async fn allowed(&self, url: &str) -> Result<Decision, TurnError> {
        let decision = self.check(url).await?;
        if decision.is_allowed() {
            return Ok(decision);
        }
        let again_in = decision.retry_in();
        let decision = Box::new(decision);
        Err(match again_in {
            Some(again_in) => TurnError::Unreachable { decision, again_in },
            None => TurnError::Disallowed(decision),
        })
    }
}

impl Inner {
    /// The place at the head of the line of an origin, unless it takes too long to get there.
    async fn line(
        &self,
        url: &str,
        origin: &Origin,
        decision: &Decision,
        longest: Duration,
    ) -> Result<Turn, TurnError> {
        let back_off = decision.record().and_then(|record| record.back_off());
        let wait = self.lanes.wait(origin).max(BackOff::left(back_off, self.clock.now()));
        if wait > longest {
            return Err(TurnError::TooLong { url: url.to_owned(), again_in: wait });
        }
        match timeout(longest, self.lanes.turn(origin)).await {
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

    /// How long the turn was waited for.
    pub const fn waited(&self) -> Duration {
        self.waited
    }

    /// What the server answered: the status, and the value of `Retry-After` as it came.
    ///
    /// After 429 and 503 the origin is left alone: for as long as it asks, between a minute and a day, or
    /// else a while that grows from [`FIRST_BACK_OFF`](crate::limits::FIRST_BACK_OFF).
    ///
    /// An answer also says that the site is there ([`RobotsClient::report_available`]).
    pub fn report(self, status: u16, retry_after: Option<&[u8]>) {
        drop(self.report_lines(status, retry_after));
    }

    /// The same with every line of the field: the first that can be read counts. The task, where there is
    /// one, writes to the record.
    pub(super) fn report_lines<'v>(
        self,
        status: u16,
        retry_after: impl IntoIterator<Item = &'v [u8]>,
    ) -> Option<JoinHandle<()>> {
        // An answer to robots.txt itself does not show that the site is there.
        if let Some(record) = self.decision.record() {
            self.inner.report_available(record.origin(), status);
        }
        let headers = retry_after.into_iter().map(|value| ("retry-after", value));
        let read = access::Fetched::of(Outcome::Status(status), headers, self.inner.clock.now());
        self.answered(if matches!(status, 429 | 503) {
            Answered::Refused(read.retry_after)
        } else {
            Answered::Fine
        })
    }

    /// What the server answered, by the header fields as any HTTP library has them, and the URL of the next
    /// request where the answer is a redirect. That one needs a turn of its own, and so does the
    /// robots.txt of its origin: `None` also for a redirect that must not be followed, because its target
    /// is no http or https URL, or leaves https for http where the access profile does not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use verger_fetch::client::{RobotsClient, TurnError};
    ///
    /// # struct Response { status: u16, headers: Vec<(String, Vec<u8>)> }
    /// # async fn send(_: &url::Url) -> std::io::Result<Response> { unimplemented!() }
    /// /// Fetches a page through at most five redirects.
    /// async fn page(client: &RobotsClient, url: &str) -> Result<Option<Response>, TurnError> {
    ///     let mut next = url.to_owned();
    ///     for _ in 0..=5 {
    ///         let permit = client.turn(&next).await?;
    ///         // Redirects of the HTTP library are switched off.
    ///         let Ok(response) = send(permit.decision().url()).await else {
    ///             permit.report_failure();
    ///             return Ok(None);
    ///         };
    ///         let headers = response.headers.iter().map(|(name, value)| (name, value));
    ///         match permit.report_response(response.status, headers) {
    ///             Some(url) => next = url.into(),
    ///             None => return Ok(Some(response)),
    ///         }
    ///     }
    ///     Ok(None)
    /// }
    /// ```
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
        let follows_downgrades = self.inner.viewer.profile().follow_downgrades;
        let next = next.filter(|next| follows_downgrades || !is_downgrade(base, next));
        drop(self.report_lines(status, retry_after.iter().map(AsRef::as_ref)));
        next
    }

    /// That there was no answer: no connection, or one that broke off. The origin is left alone for a
    /// while that grows.
    pub fn report_failure(self) {
        drop(self.report_silence());
    }

    /// The same, with the task that writes to the record.
    pub(super) fn report_silence(self) -> Option<JoinHandle<()>> {
        self.answered(Answered::Refused(None))
    }

    fn answered(&self, answered: Answered) -> Option<JoinHandle<()>> {
        let Held { turn, back_off, runtime } = &self.held;
        let before = back_off.map_or(0, |back_off| back_off.refusals).max(turn.refusals());
        let (refusals, wait) = turn.answered(answered, before);
        let until = self.inner.clock.now().after(wait);
        let next = (refusals > 0).then_some(BackOff { until, refusals });
        let is_to_be_kept = before > 0 || back_off.is_some() || next.is_some();
        is_to_be_kept.then(|| {
            let (inner, origin) = (Arc::clone(&self.inner), turn.origin().clone());
            runtime.spawn(async move { inner.keep_back_off(&origin, next).await })
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
                write!(f, "the turn comes in {} s at the earliest", again_in.as_secs_f64().ceil())
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
