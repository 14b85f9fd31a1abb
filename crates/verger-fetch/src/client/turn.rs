//! Taking turns: when a crawler with an HTTP stack of its own may ask, and what it tells us then.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout};
use url::Url;
use verger::Origin;
use verger::access::{self, Outcome};
use verger::limits::RETRY;

use super::{CheckError, Inner, RobotsClient, telemetry};
use crate::decision::Decision;
use crate::fetch::{is_downgrade, target};
use crate::limits::LimitReached;
use crate::polite::{Answered, Turn};
use crate::record::BackOff;

/// The permission to send one request, now. Its origin is asked by nobody else until it is given back,
/// by [`report`](Self::report), [`report_failure`](Self::report_failure), or by dropping it.
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
    turn: Option<Turn>,
    inner: Arc<Inner>,
}

/// Why there is no turn. Nothing may be fetched then.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TurnError {
    /// There is no decision.
    Check(CheckError),
    /// robots.txt disallows the URL.
    Disallowed(Box<Decision>),
    /// robots.txt cannot be fetched: the site is down, or the guard refuses its address. The URL may be
    /// allowed later; an empty crawl is not what the site wants.
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
    /// Another request to the origin has the turn, and the crawler is not willing to wait any longer. When
    /// that one ends is not known.
    Held {
        /// The URL that was to be requested.
        url: String,
    },
    /// Pages are fetched by http and https alone.
    Scheme,
    /// The client sends nothing
    /// ([`RobotsClientBuilder::offline`](super::RobotsClientBuilder::offline)).
    Offline,
}

impl RobotsClient {
    /// Waits until a URL may be fetched, and gives the permission to fetch it once.
    ///
    /// The requests to one origin come one after another, in the order in which they were asked for,
    /// with the pause of [`Decision::pace`] behind each, and later after 429 and 503. How long that
    /// takes at the least, [`Decision::delay`] says beforehand; give up by dropping the future, or never
    /// wait longer than
    /// [`Politeness::with_longest_wait`](crate::polite::Politeness::with_longest_wait). What
    /// is decided is decided anew when it has grown old in the meantime.
    ///
    /// What is left to the crawler is the request itself: one, sent now, to this URL and nowhere else.
    /// A redirect is another URL and needs a turn of its own; so does a retry. The permit is given back
    /// when the body has been read, with what was answered, and before the next turn is asked for: while it
    /// is held nobody else asks this origin, and a second turn of the same task would wait for ever, or end
    /// with [`TurnError::Held`].
    /// Turns and pauses are those of this client and its clones: other processes keep their own. Back-off
    /// is in the record, so all who share a store keep to it.
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
    pub async fn turn(&self, url: &str) -> Result<Permit, TurnError> {
        let inner = Arc::clone(&self.0);
        let begun = Instant::now();
        let mut decision = self.allowed(url).await?;
        let start = Instant::now();
        let Ok(Some(origin)) = Origin::of(url) else {
            return Ok(Permit { decision, waited: Duration::ZERO, turn: None, inner });
        };
        let longest = inner.politeness.longest_wait().unwrap_or(Duration::MAX);
        let left = longest.saturating_sub(begun.elapsed());
        let mut turn = inner.line(url, &origin, &decision, left).await?;
        let mut is_newest = false;
        // robots.txt itself needs no record, but its origin has a pace.
        let known =
            if decision.record().is_none() { inner.known_file(&origin).await } else { None };
        let pace = loop {
            let robots = known.as_ref().unwrap_or_else(|| decision.robots());
            let pace = inner.pace(robots);
            let wait = turn.wait().max(inner.back_off(&decision)).max(pace.opens_in);
            if begun.elapsed().saturating_add(wait) > longest {
                return Err(TurnError::TooLong { url: url.to_owned(), again_in: wait });
            }
            if !wait.is_zero() {
                // What is held is the place in line, and no lock.
                sleep(wait).await;
                continue;
            }
            if is_newest || !decision.has_expired(inner.clock.now()) {
                break pace;
            }
            decision = self.allowed(url).await?;
            // What is old at once, nothing newer is to be had of.
            is_newest = decision.has_expired(inner.clock.now());
        };
        // From here on it is a request: who gave up before owes no pause.
        turn.set_pause(pace.kept);
        let waited = start.elapsed();
        telemetry::waited(waited);
        Ok(Permit { decision, waited, turn: Some(turn), inner })
    }

    async fn allowed(&self, url: &str) -> Result<Decision, TurnError> {
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
        let wait = || self.lanes.wait(origin).max(self.back_off(decision));
        if wait() > longest {
            return Err(TurnError::TooLong { url: url.to_owned(), again_in: wait() });
        }
        match timeout(longest, self.lanes.turn(origin)).await {
            Ok(turn) => turn.map_err(|limit| TurnError::Busy { url: url.to_owned(), limit }),
            Err(_) => Err(TurnError::Held { url: url.to_owned() }),
        }
    }

    /// How long an origin is still left alone because it has refused, by the record of a decision.
    pub(super) fn back_off(&self, decision: &Decision) -> Duration {
        let back_off = decision.record().and_then(|record| record.back_off());
        let now = self.clock.now();
        // A clock that was wrong keeps nobody away for longer than a server may ask for.
        let left = |back_off: BackOff| back_off.until.since(now).min(RETRY);
        back_off.map(left).unwrap_or_default()
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
        self.report_lines(status, retry_after);
    }

    /// The same with every line of the field: the first that can be read counts.
    pub(super) fn report_lines<'v>(
        self,
        status: u16,
        retry_after: impl IntoIterator<Item = &'v [u8]>,
    ) {
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
        });
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
        self.report_lines(status, retry_after.iter().map(AsRef::as_ref));
        next
    }

    /// That there was no answer: no connection, or one that broke off. The origin is left alone for a
    /// while that grows.
    pub fn report_failure(self) {
        self.answered(Answered::Refused(None));
    }

    fn answered(&self, answered: Answered) {
        let Some(turn) = &self.turn else { return };
        let before = self.decision.record().and_then(|record| record.back_off());
        let (refusals, wait) = turn.answered(answered, before.map_or(0, |it| it.refusals));
        let until = self.inner.clock.now().after(wait);
        let back_off = (refusals > 0).then_some(BackOff { until, refusals });
        // Without a runtime, memory alone knows.
        if (before.is_some() || back_off.is_some())
            && let Ok(runtime) = Handle::try_current()
        {
            let (inner, origin) = (Arc::clone(&self.inner), turn.origin().clone());
            runtime.spawn(async move { inner.keep_back_off(&origin, back_off).await });
        }
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
