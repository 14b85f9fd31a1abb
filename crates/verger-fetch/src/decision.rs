//! A decision: a verdict and its evidence.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use url::Url;
use verger::access::{Access, Outcome, State, Timestamp};
use verger::{Crawler, DetachedVerdict, Reason, Robots, Verdict};

use crate::failure::Failure;
use crate::polite::{Pace, Politeness};
use crate::record::{File, OriginRecord, Response};

/// A verdict with its evidence: the bytes of the file, the time and redirects of its fetch,
/// dialect, access profile and version.
///
/// `Display` writes the sentence of the verdict, and the failure if robots.txt is unreachable.
///
/// # Examples
///
/// ```
/// use verger::Crawler;
/// use verger_fetch::client::RobotsClient;
/// use verger_fetch::decision::RecordSource;
/// use verger_fetch::fetch::Identity;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
/// let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity).offline(true).build()?;
///
/// let decision = client.check("https://shop.example/a/../cart#part").await?;
/// assert_eq!(decision.url().as_str(), "https://shop.example/cart");
/// assert_eq!(decision.crawler(), &Crawler::new("ExampleBot"));
/// assert_eq!((decision.is_allowed(), decision.source()), (false, RecordSource::Offline));
/// assert!(decision.file().is_none() && decision.retry_in().is_some());
///
/// let decision = client.check("mailto:a@shop.example").await?;
/// assert_eq!((decision.is_allowed(), decision.source()), (true, RecordSource::Nothing));
/// assert!(decision.record().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Decision {
    pub(crate) url: Url,
    pub(crate) crawler: Arc<Crawler>,
    pub(crate) access_profile: &'static str,
    pub(crate) verdict: DetachedVerdict,
    pub(crate) decided_at: Timestamp,
    pub(crate) politeness: Politeness,
    pub(crate) access: Access,
    pub(crate) record: Option<Arc<OriginRecord>>,
    pub(crate) file: Option<Arc<File>>,
    pub(crate) robots: Arc<Robots>,
    pub(crate) source: RecordSource,
    /// Wait for the queue of the origin at the time of the decision.
    pub(crate) queue_wait: Duration,
}

/// The source of the record of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordSource {
    /// A fetch during this check.
    Fetch,
    /// The store.
    Store,
    /// Neither: the client is offline and a fetch is due. The previous answer applies
    /// (REP-CACHE-28).
    Offline,
    /// No record: the URL or the crawler needs no robots.txt.
    Nothing,
}

impl RecordSource {
    /// The name in JSON output: `store`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::Store => "store",
            Self::Offline => "offline",
            Self::Nothing => "nothing",
        }
    }
}

/// The failure of the client itself that forbids fetching; `None` if the site or an earlier answer
/// decided.
pub(crate) fn fault(
    is_allowed: bool,
    reason: Option<Reason>,
    last: Option<&Response>,
) -> Option<&Failure> {
    let is_unreachable = !is_allowed && reason == Some(Reason::Unreachable);
    let last = last.filter(|_| is_unreachable)?;
    // Also a status 3xx of a proxy, but not what may be a failure of the site.
    let is_own = last.outcome == Outcome::LocalFault && !last.is_unclear;
    last.failure.as_ref().filter(|failure| is_own || failure.is_fault())
}

impl Decision {
    /// Whether the crawler may fetch the URL.
    pub const fn is_allowed(&self) -> bool {
        self.verdict.is_allowed()
    }

    /// The reason.
    pub const fn reason(&self) -> Reason {
        self.verdict.reason()
    }

    /// The verdict, with the deciding rule and its position.
    pub fn verdict(&self) -> Verdict<'_> {
        self.verdict.attach(&self.robots)
    }

    /// The URL that was checked, as a client would send it.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// The crawler of the check.
    pub fn crawler(&self) -> &Crawler {
        &self.crawler
    }

    /// The version of the library that decided.
    pub const fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// The name of the dialect.
    pub fn dialect(&self) -> &'static str {
        self.robots.dialect().name
    }

    /// The name of the access profile.
    pub const fn access_profile(&self) -> &'static str {
        self.access_profile
    }

    /// The access of the fetches so far: its kind, its end, whether it is stale, and the reason.
    pub const fn access(&self) -> Access {
        self.access
    }

    /// The state of the access profile: the time of its result and the length of an outage.
    pub fn state(&self) -> State {
        self.record.as_ref().map_or(State::UNKNOWN, |record| record.state())
    }

    /// The record of the origin: its last file and its last response. `None` if no robots.txt was
    /// needed.
    pub const fn record(&self) -> Option<&Arc<OriginRecord>> {
        self.record.as_ref()
    }

    /// Time at which the next fetch is due; `None` if no robots.txt was needed.
    pub fn next_try(&self) -> Option<Timestamp> {
        self.record.as_ref().map(|record| record.next_try())
    }

    /// Time from the decision until a new check may differ, for a URL that is disallowed because
    /// robots.txt is unreachable. `None` if something else decided, or if waiting does not help
    /// ([`Failure::lasts`]).
    pub fn retry_in(&self) -> Option<Duration> {
        self.unreachable_for().filter(|_| !self.failure().is_some_and(Failure::lasts))
    }

    /// Time from the decision to the next fetch of robots.txt, if the URL is disallowed because
    /// robots.txt is unreachable.
    pub(crate) fn unreachable_for(&self) -> Option<Duration> {
        let is_unreachable = !self.is_allowed() && self.reason() == Reason::Unreachable;
        self.next_try().filter(|_| is_unreachable).map(|next| next.since(self.decided_at))
    }

    /// The file in the record for this access profile, decoded; `None` if there is none.
    pub fn file(&self) -> Option<&File> {
        self.file.as_deref()
    }

    /// The last response that counts for this access profile; `None` if there is none.
    pub fn last(&self) -> Option<&Response> {
        self.record.as_ref()?.last().map(|last| &**last)
    }

    /// The failure of the last fetch; `None` if it succeeded.
    pub fn failure(&self) -> Option<&Failure> {
        self.last()?.failure.as_ref()
    }

    /// The failure of the client, its proxy or its guard that makes the URL disallowed
    /// ([`Failure::is_fault`], or a status 3xx that a proxy may have made); the site received no
    /// request. `None` if the site or an earlier answer decided.
    pub fn fault(&self) -> Option<&Failure> {
        fault(self.is_allowed(), Some(self.reason()), self.last())
    }

    /// The parsed file, or one without rules.
    pub const fn robots(&self) -> &Arc<Robots> {
        &self.robots
    }

    /// The source of the record.
    pub const fn source(&self) -> RecordSource {
        self.source
    }

    /// Time of the decision.
    pub const fn decided_at(&self) -> Timestamp {
        self.decided_at
    }

    /// The pause between two requests to the origin, as requested by the file and as applied.
    ///
    /// # Complexity
    ///
    /// As [`Politeness::pace`]: computed at each call.
    pub fn pace(&self) -> Pace {
        self.politeness.pace(&self.robots, &self.crawler, self.decided_at)
    }

    /// Minimum wait for a turn, as known at the time of the decision: the pause after the last
    /// request, the end of a back-off, the next `Visit-time`. Requests ahead in the queue are not
    /// counted.
    ///
    /// # Complexity
    ///
    /// As [`pace`](Self::pace).
    pub fn delay(&self) -> Duration {
        self.queue_wait.max(self.pace().opens_in)
    }

    /// Whether its record must be checked again: it has expired, or the clock went back
    /// (REP-CACHE-23).
    pub(crate) fn has_expired(&self, now: Timestamp) -> bool {
        self.record.is_some() && (self.access.valid_until() <= now || now < self.decided_at)
    }
}

impl fmt::Display for Decision {
    /// The sentence of the verdict, and the failure if robots.txt is unreachable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.verdict().fmt(f)?;
        match self.failure().filter(|_| self.reason() == Reason::Unreachable) {
            Some(failure) => write!(f, " ({failure})"),
            None => Ok(()),
        }
    }
}
