//! A decision: a verdict and what it rests on.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use url::Url;
use verger::access::{Access, State, Timestamp};
use verger::{Crawler, DetachedVerdict, Reason, Robots, Verdict};

use crate::polite::{Pace, Politeness};
use crate::record::{Failure, File, OriginRecord, Response, Way};

/// Whether a crawler may fetch a URL, and the evidence: which file of which bytes, fetched when and by
/// which redirects, read in which dialect and access profile, by which version.
///
/// `Display` is the sentence of the verdict, and why robots.txt cannot be had where that decides.
///
/// # Examples
///
/// ```
/// use verger::Crawler;
/// use verger_fetch::client::RobotsClient;
/// use verger_fetch::decision::Source;
/// use verger_fetch::fetch::Identity;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
/// let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity).offline(true).build()?;
///
/// let decision = client.check("https://shop.example/a/../cart#part").await?;
/// assert_eq!(decision.url().as_str(), "https://shop.example/cart");
/// assert_eq!(decision.crawler(), &Crawler::new("ExampleBot"));
/// assert_eq!((decision.is_allowed(), decision.source()), (false, Source::Offline));
/// assert!(decision.file().is_none() && decision.retry_in().is_some());
///
/// let decision = client.check("mailto:a@shop.example").await?;
/// assert_eq!((decision.is_allowed(), decision.source()), (true, Source::Nothing));
/// assert!(decision.record().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Decision {
    url: Url,
    crawler: Arc<Crawler>,
    access_profile: &'static str,
    access: Access,
    state: State,
    verdict: DetachedVerdict,
    next_try: Option<Timestamp>,
    last: Option<Arc<Response>>,
    file: Option<Arc<File>>,
    record: Option<Arc<OriginRecord>>,
    robots: Arc<Robots>,
    source: Source,
    decided_at: Timestamp,
    politeness: Politeness,
    /// How long the lane of the origin was not free when this was decided.
    lane: Duration,
}

/// What a decision rests on.
pub(crate) struct Grounds {
    pub(crate) access: Access,
    pub(crate) state: State,
    pub(crate) next_try: Option<Timestamp>,
    pub(crate) last: Option<Arc<Response>>,
    pub(crate) file: Option<Arc<File>>,
    pub(crate) record: Option<Arc<OriginRecord>>,
    pub(crate) robots: Arc<Robots>,
    pub(crate) source: Source,
    pub(crate) lane: Duration,
}

/// Where the record of a decision is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// A fetch that the question waited for.
    Fetch,
    /// The store.
    Store,
    /// Neither: the client is offline, and a fetch is due. The answer of before stands (REP-CACHE-28).
    Offline,
    /// No record was needed: the URL or the crawler needs no robots.txt.
    Nothing,
}

impl Source {
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

/// The failure of the client itself because of which nothing may be fetched; `None` if the site or an earlier answer
/// decided.
pub(crate) fn fault(
    is_allowed: bool,
    reason: Option<Reason>,
    failure: Option<&Failure>,
) -> Option<&Failure> {
    let is_unreachable = !is_allowed && reason == Some(Reason::Unreachable);
    failure.filter(|failure| is_unreachable && failure.is_fault())
}

impl Decision {
    pub(crate) fn new(
        url: Url,
        crawler: Arc<Crawler>,
        access_profile: &'static str,
        politeness: Politeness,
        decided_at: Timestamp,
        grounds: Grounds,
    ) -> Self {
        let Grounds { access, state, next_try, last, file, record, robots, source, lane } = grounds;
        let verdict = access.verdict(&*robots, crawler.as_ref(), url.as_str());
        // With a record there is one: its access is known (`Inner::decide`). Without, it is missing
        // only for a text that has no origin, where the dialect finds a path in any text; the file
        // without rules answers.
        let verdict = verdict.unwrap_or_else(|| robots.check(crawler.as_ref(), url.as_str()));
        let verdict = verdict.detach();
        Self {
            url,
            crawler,
            access_profile,
            access,
            state,
            verdict,
            next_try,
            last,
            file,
            record,
            robots,
            source,
            decided_at,
            politeness,
            lane,
        }
    }

    /// Whether the crawler may fetch the URL.
    pub const fn is_allowed(&self) -> bool {
        self.verdict.is_allowed()
    }

    /// Why.
    pub const fn reason(&self) -> Reason {
        self.verdict.reason()
    }

    /// The verdict, with the rule that decided and its place.
    pub fn verdict(&self) -> Verdict<'_> {
        self.verdict.attach(&self.robots)
    }

    /// The URL as it was checked: as a client would send it.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// Who asked.
    pub fn crawler(&self) -> &Crawler {
        &self.crawler
    }

    /// The version of the library that decided.
    pub const fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// What the file was read as.
    pub fn dialect(&self) -> &'static str {
        self.robots.dialect().name
    }

    /// The name of the access profile.
    pub const fn access_profile(&self) -> &'static str {
        self.access_profile
    }

    /// What the fetches so far allow, until when, and whether that is stale and why it may be.
    pub const fn access(&self) -> Access {
        self.access
    }

    /// The state of the access profile: when its result was fetched, and how long an outage is.
    pub const fn state(&self) -> State {
        self.state
    }

    /// The record of the origin: its last file and its last response. `None` where no robots.txt was
    /// needed.
    pub const fn record(&self) -> Option<&Arc<OriginRecord>> {
        self.record.as_ref()
    }

    /// When the next fetch is due; `None` where no robots.txt was needed.
    pub const fn next_try(&self) -> Option<Timestamp> {
        self.next_try
    }

    /// When a URL that is disallowed because robots.txt cannot be fetched may be asked about again: the
    /// time until the next fetch is due, from when this was decided. `None` where something else decided.
    pub fn retry_in(&self) -> Option<Duration> {
        let is_unreachable = !self.is_allowed() && self.reason() == Reason::Unreachable;
        self.next_try.filter(|_| is_unreachable).map(|next| next.since(self.decided_at))
    }

    /// The file that the record holds for this access profile, received and decoded; `None` where there
    /// is none to go by.
    pub fn file(&self) -> Option<&File> {
        self.file.as_deref()
    }

    /// The last response by which this access profile goes; `None` where there was none.
    pub fn last(&self) -> Option<&Response> {
        self.last.as_deref()
    }

    /// How the file arrived, or without a file the last response.
    pub fn way(&self) -> Way<'_> {
        Way::of(self.file(), self.last())
    }

    /// Why the last fetch brought no file; `None` where it did.
    pub fn failure(&self) -> Option<&Failure> {
        self.last()?.failure.as_ref()
    }

    /// The failure of the client, its proxy or its guard because of which the URL is disallowed
    /// ([`Failure::is_fault`]): the site was not asked. `None` if the site or an earlier answer decided.
    pub fn fault(&self) -> Option<&Failure> {
        fault(self.is_allowed(), Some(self.reason()), self.failure())
    }

    /// The parsed file; one without rules where there is none.
    pub const fn robots(&self) -> &Arc<Robots> {
        &self.robots
    }

    /// Where the record is from.
    pub const fn source(&self) -> Source {
        self.source
    }

    /// When it was decided.
    pub const fn decided_at(&self) -> Timestamp {
        self.decided_at
    }

    /// The pause between two requests to the origin: what the file asks this crawler for, and what is
    /// kept.
    ///
    /// # Complexity
    ///
    /// As [`Politeness::pace`]: it is asked, not kept.
    pub fn pace(&self) -> Pace {
        self.politeness.pace(&self.robots, &self.crawler, self.decided_at)
    }

    /// How long a request to this URL has to wait for its turn, as far as it was known when this was
    /// decided: for the pause after the last request, for the end of a back-off, for the next
    /// `Visit-time`. Those who stand in line before it are not counted.
    ///
    /// # Complexity
    ///
    /// As [`pace`](Self::pace).
    pub fn delay(&self) -> Duration {
        self.lane.max(self.pace().opens_in)
    }

    /// Whether what it rests on has to be looked at again: it is old, or the clock went back (REP-CACHE-23).
    pub(crate) fn has_expired(&self, now: Timestamp) -> bool {
        self.record.is_some() && (self.access.valid_until() <= now || now < self.decided_at)
    }
}

impl fmt::Display for Decision {
    /// The sentence of the verdict; where robots.txt cannot be had, also why.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.verdict().fmt(f)?;
        match self.failure().filter(|_| self.reason() == Reason::Unreachable) {
            Some(failure) => write!(f, " ({failure})"),
            None => Ok(()),
        }
    }
}
