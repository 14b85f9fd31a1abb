//! Taking turns: when a crawler with an HTTP stack of its own may ask, and what it tells us then.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use verger::Origin;
use verger::access::{self, Outcome};

use super::{CheckError, Inner, RobotsClient, telemetry};
use crate::decision::Decision;
use crate::polite::{Answered, Turn};

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
    /// The URL is disallowed.
    Disallowed(Box<Decision>),
    /// As many requests wait for their turn as there may be
    /// ([`TURNS`](crate::limits::TURNS), [`LANES`](crate::limits::LANES)), or there was no place at the
    /// address of a page ([`ADDRESS_WAIT`](crate::limits::ADDRESS_WAIT)): ask again later.
    Busy,
    /// The turn comes later than the crawler is willing to wait
    /// ([`Politeness::with_longest_wait`](crate::polite::Politeness::with_longest_wait)): not before this
    /// time has passed, counted from now, and those who stand in line before it.
    TooLong(Duration),
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
    /// is held nobody else asks this origin, and a second turn of the same task would wait for ever.
    /// Turns, pauses and back-offs are those of this client and its clones: other processes keep their own,
    /// also where they share a store. Connections go where the crawler's own HTTP stack lets them: the guard
    /// of this client is asked for robots.txt and by [`get`](Self::get) alone.
    ///
    /// # Complexity
    ///
    /// As [`check`](Self::check) and [`Politeness::pace`](crate::polite::Politeness::pace), again after
    /// every wait.
    ///
    /// # Errors
    ///
    /// [`TurnError::Disallowed`], [`TurnError::Busy`], [`TurnError::TooLong`], and those of
    /// [`check`](Self::check).
    pub async fn turn(&self, url: &str) -> Result<Permit, TurnError> {
        let inner = Arc::clone(&self.0);
        let begun = Instant::now();
        let mut decision = self.allowed(url).await?;
        let start = Instant::now();
        let Ok(Some(origin)) = Origin::of(url) else {
            return Ok(Permit { decision, waited: Duration::ZERO, turn: None, inner });
        };
        let longest = inner.politeness.longest_wait().unwrap_or(Duration::MAX);
        let mut turn = inner.line(&origin, longest.saturating_sub(begun.elapsed())).await?;
        let mut is_newest = false;
        let pace = loop {
            let pace = inner.pace(&decision);
            let wait = turn.wait().max(pace.opens_in);
            if begun.elapsed().saturating_add(wait) > longest {
                return Err(TurnError::TooLong(wait));
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
            Ok(decision)
        } else {
            Err(TurnError::Disallowed(Box::new(decision)))
        }
    }
}

impl Inner {
    /// The place at the head of the line of an origin, unless it takes too long to get there.
    async fn line(&self, origin: &Origin, longest: Duration) -> Result<Turn, TurnError> {
        // Of the line it is only known that it moves.
        let too_long = || TurnError::TooLong(self.lanes.wait(origin));
        if self.lanes.wait(origin) > longest {
            return Err(too_long());
        }
        match timeout(longest, self.lanes.turn(origin)).await {
            Ok(turn) => turn.map_err(|_full| TurnError::Busy),
            Err(_) => Err(too_long()),
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
        self.report_lines(status, retry_after);
    }

    /// The same with every line of the field: the first that can be read counts.
    pub(super) fn report_lines<'v>(
        self,
        status: u16,
        retry_after: impl IntoIterator<Item = &'v [u8]>,
    ) {
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

    /// That there was no answer: no connection, or one that broke off. The origin is left alone for a
    /// while that grows.
    pub fn report_failure(self) {
        self.answered(Answered::Refused(None));
    }

    fn answered(&self, answered: Answered) {
        if let Some(turn) = &self.turn {
            turn.answered(answered);
        }
    }
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(error) => error.fmt(f),
            Self::Disallowed(decision) => decision.fmt(f),
            Self::Scheme => f.write_str("expected an http or https URL"),
            Self::Offline => f.write_str("offline, so no page is fetched"),
            Self::Busy => f.write_str("too many requests wait for their turn already"),
            Self::TooLong(wait) => {
                write!(f, "the turn comes in {} s at the earliest", wait.as_secs_f64().ceil())
            }
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
