//! The robots client.
//!
//! # Flow
//!
//! A check (`check.rs`) has these steps:
//!
//! 1. Look up the record of the URL's origin, in the store and in memory (`records.rs`,
//!    `origins.rs`).
//! 2. Decide whether it is fresh. If so, go to the last step.
//! 3. Join the fetch that runs for the origin, or lead a new one in a separate task
//!    (`single_flight.rs`).
//! 4. Fetch robots.txt (`robots_fetch.rs`).
//! 5. Conclude: make the next record and store it, merged if another client has changed it.
//! 6. Decide by the record ([`verger::access`]), and by the parsed file (`origins.rs`).
//!
//! A check without a record reads the store once and writes it once; with leases, it reads the
//! store once more after its claim.
//!
//! # Promises
//!
//! - At most one fetch for an origin at a time, whatever the number of callers. It continues when
//!   they stop waiting. With a store that grants leases ([`Store::claim`](crate::store::Store)),
//!   this includes the callers in all processes.
//! - A failed fetch is recorded too, and retried after growing delays.
//! - A failing store changes no answer: it costs a fetch and a warning.
//!
//! # Errors and decisions
//!
//! [`RobotsClient::check`], [`turn`](RobotsClient::turn) and [`get`](RobotsClient::get) report
//! alike:
//!
//! - The result of robots.txt is a [`Decision`], also if robots.txt cannot be fetched:
//!   [`Reason::Unreachable`](verger::Reason::Unreachable), disallowed for now.
//! - `check` fails with [`CheckError`] if there is no decision: the text is not a URL, a limit of
//!   this client was reached, or there was no answer in time. `turn` and `get` return the same
//!   error in [`TurnError::Check`].
//! - `turn` and `get` need an allowed URL. If the decision disallows it, they fail with
//!   [`TurnError::Disallowed`] or [`TurnError::Unreachable`], which contain the decision.
//! - All other errors of `turn` and `get` say nothing about robots.txt.
//!
//! # Telemetry
//!
//! Spans and events of [`tracing`]: `robots` and `page` for fetches, `fetched` at the end of each;
//! warnings for a robots.txt that is unreachable or not refreshed, and for store failures. Counters
//! and histograms of [`metrics`]:
//!
//! | name | labels | meaning |
//! |---|---|---|
//! | `verger_decisions_total` | `access`, `source` | checks with a decision |
//! | `verger_fetches_total` | `what`: `robots`, `page`; `outcome` | finished fetches |
//! | `verger_fetch_seconds` | `what` | duration of a fetch |
//! | `verger_wire_bytes_total` | `what` | bytes of bodies before decoding |
//! | `verger_joined_fetches_total` | | checks that joined the fetch of another check |
//! | `verger_turn_wait_seconds` | | wait for a turn |
//! | `verger_store_failures_total` | | failed calls of the store |
//! | `verger_store_lookups_total` | `tier`: `memory`, `store`, `failed`, `last_known` | lookups of a store that is not memory: answered by memory, by the store, not at all; and then by the last known record |
//! | `verger_lease_wait_seconds` | | one wait for another process that fetches the same robots.txt |
//! | `verger_leases_lost_total` | | leases that ended during their fetch |
//! | `verger_turns_lost_total` | | shared turns that expired during their request |
//! | `verger_turn_store_failures_total` | | failed calls of the store of turns |

mod builder;
mod call_timeout;
mod check;
mod host_answers;
mod origins;
mod page;
mod records;
mod robots_fetch;
mod service;
mod shared_turn;
mod single_flight;
mod telemetry;
mod turn;

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

pub use self::builder::{Clock, RobotsClientBuilder, SystemClock};
pub use self::page::FetchedPage;
pub use self::service::{ImportError, Imported};
pub use self::single_flight::Load;
pub use self::turn::{Permit, TurnError};
use tokio::task::JoinSet;
use verger::access::{Access, Kind};
use verger::extension::Sitemap;
use verger::{Crawler, Dialect, Origin, OriginError};

use self::host_answers::HostAnswers;
use self::origins::Origins;
use self::single_flight::{Need, SingleFlight};
use crate::decision::{Decision, fault};
use crate::failure::Failure;
use crate::fetch::Fetcher;
pub use crate::fetch::builder::BuildError;
use crate::limits::{FETCHES, LimitReached};
use crate::net::Pool;
use crate::polite::{Politeness, Queues, TurnStore};
use crate::record::{OriginRecord, ReadOptions};

/// Answers whether a crawler may fetch a URL, and fetches robots.txt as needed.
///
/// Cheap to clone; clones share all state. It needs a tokio runtime with I/O and time.
///
/// # Examples
///
/// ```
/// use verger::{Crawler, Reason};
/// use verger_fetch::client::RobotsClient;
/// use verger_fetch::fetch::Identity;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
/// let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity).build()?;
///
/// // The guard permits no private address, so there is no robots.txt, and everything is
/// // disallowed.
/// let decision = client.check("http://169.254.169.254/latest/meta-data/").await?;
/// assert!(!decision.is_allowed());
/// assert_eq!(decision.reason(), Reason::Unreachable);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RobotsClient(Arc<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    crawler: Arc<Crawler>,
    read_options: ReadOptions,
    dialect: Dialect,
    fetcher: Arc<Fetcher>,
    origins: Arc<Origins>,
    host_answers: Arc<HostAnswers>,
    clock: Arc<dyn Clock>,
    seed: u64,
    offline: bool,
    answers_while_refreshing: bool,
    sends_preconditions: bool,
    single_flight: Arc<SingleFlight>,
    fetches: Pool,
    politeness: Politeness,
    queues: Queues,
    /// Turns among all processes.
    turns: Option<Arc<dyn TurnStore>>,
    max_age: Option<Duration>,
}

impl RobotsClient {
    /// Returns whether and why the crawler may fetch a URL.
    ///
    /// The URL is parsed by the URL standard, and the check applies to the URL as sent: dot
    /// segments are resolved, fragment and credentials removed.
    ///
    /// # Errors
    ///
    /// [`CheckError`] if there is no decision: [`CheckError::InvalidUrl`] if the text is not a URL,
    /// [`CheckError::Busy`] if a limit of this client was reached, [`CheckError::Late`] if there
    /// was no answer in time. An unreachable origin is a decision, not an error
    /// ([module](self#errors-and-decisions)).
    ///
    /// # Complexity
    ///
    /// At most one fetch and its slot among [`FETCHES`]; then as
    /// [`Robots::check`](verger::Robots::check), and parsing if the file is not in the cache of
    /// parsed files. It ends within [`TOTAL`](crate::limits::TOTAL) plus a tenth, whatever the
    /// server, the store and other callers do.
    pub async fn check(&self, url: &str) -> Result<Decision, CheckError> {
        let inner = &self.0;
        self.check_as(Arc::clone(&inner.crawler), &inner.dialect, url).await
    }

    /// [`check`](Self::check) for many URLs, in their order. Each origin is fetched once,
    /// [`FETCHES`] at a time.
    ///
    /// # Errors
    ///
    /// One result for each URL. After [`CheckError::Busy`], [`Late`](CheckError::Late) or
    /// [`Ended`](CheckError::Ended) the remaining URLs of the origin get the same error.
    ///
    /// # Complexity
    ///
    /// As [`check`](Self::check) for each URL, but an origin that times out costs one timeout.
    /// Memory for all answers.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    /// use verger_fetch::client::RobotsClient;
    /// use verger_fetch::fetch::Identity;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
    /// let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity).offline(true).build()?;
    /// let answers = client.check_all(["https://shop.example/", "mailto:a@shop.example", "no URL"]).await;
    /// let allowed: Vec<_> = answers.iter().map(|it| it.as_ref().ok().map(|it| it.is_allowed())).collect();
    /// assert_eq!(allowed, [Some(false), Some(true), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn check_all<U: AsRef<str>>(
        &self,
        urls: impl IntoIterator<Item = U>,
    ) -> Vec<Result<Decision, CheckError>> {
        let mut groups: HashMap<Option<Origin>, Vec<(usize, String)>> = HashMap::new();
        let mut count = 0;
        for (at, url) in urls.into_iter().enumerate() {
            let origin = Origin::of(url.as_ref()).ok().flatten();
            groups.entry(origin).or_default().push((at, url.as_ref().to_owned()));
            count = at + 1;
        }
        let mut groups = groups.into_values();
        let mut tasks = JoinSet::new();
        let mut all = Vec::new();
        all.resize_with(count, || Err(CheckError::Ended));
        loop {
            // At most the number of concurrent fetches, so that the shared queue has room for
            // others.
            for group in groups.by_ref().take(FETCHES - tasks.len()) {
                let client = self.clone();
                tasks.spawn(async move {
                    let mut answers = Vec::with_capacity(group.len());
                    let mut failed = None;
                    for (at, url) in group {
                        let answer = match &failed {
                            Some(error) if client.0.needs_robots(&url) => {
                                Err(CheckError::clone(error))
                            }
                            _ => client.check(&url).await,
                        };
                        if let Err(error) = &answer
                            && !matches!(error, CheckError::InvalidUrl(_))
                        {
                            // The other URLs of this origin would wait as long without success.
                            failed = Some(error.clone());
                        }
                        answers.push((at, answer));
                    }
                    answers
                });
            }
            let Some(done) = tasks.join_next().await else { return all };
            for (at, answer) in done.unwrap_or_default() {
                all[at] = answer;
            }
        }
    }

    /// Returns the record of an origin, fetched if needed.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::Kind;
    /// use verger::{Crawler, Origin};
    /// use verger_fetch::client::RobotsClient;
    /// use verger_fetch::fetch::Identity;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
    /// let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity).offline(true).build()?;
    /// let origin: Origin = "https://shop.example".parse()?;
    /// let record = client.record(&origin).await?;
    /// // There is no record, and an offline client cannot fetch.
    /// assert!(record.file().is_none());
    /// assert_eq!(client.access(&record).kind(), Kind::DisallowAll);
    /// assert!(client.sitemaps(&origin).await?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn record(&self, origin: &Origin) -> Result<Arc<OriginRecord>, CheckError> {
        self.0.record(origin, &self.0.check_time()).await.map(|(record, _)| record)
    }

    /// Fetches the robots.txt of an origin even if its record is fresh, or joins a running fetch.
    /// The request may be conditional. An offline client returns the stored record.
    ///
    /// # Errors
    ///
    /// [`CheckError::Busy`], [`CheckError::Late`], [`CheckError::Ended`].
    pub async fn refresh(&self, origin: &Origin) -> Result<Arc<OriginRecord>, CheckError> {
        if self.0.offline {
            return self.record(origin).await;
        }
        let time = self.0.check_time();
        self.0.in_time(&time, self.0.fetch_shared(origin, Need::Fetch, &time, None)).await
    }

    /// Access profile, fetching identity and size limit with which this client reads records.
    pub fn read_options(&self) -> &ReadOptions {
        &self.0.read_options
    }

    /// The access that a record grants now, in this client's access profile.
    pub fn access(&self, record: &OriginRecord) -> Access {
        self.0.access(record)
    }

    /// The failure of the client, its proxy or its guard that forbids fetching; the site received
    /// no request. `None` if the site or an earlier answer decided. [`Decision::fault`] is the same
    /// for one URL.
    pub fn fault<'r>(&self, record: &'r OriginRecord) -> Option<&'r Failure> {
        let access = self.access(record);
        let is_allowed = matches!(access.kind(), Kind::Rules | Kind::AllowAll);
        fault(is_allowed, access.reason(), record.last().map(|last| &**last))
    }

    /// Returns the sitemaps in the robots.txt of an origin, each line once (REP-SYNTAX-40); empty
    /// if no file applies.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    ///
    /// # Complexity
    ///
    /// As [`check`](Self::check), and a walk through the file.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(client: &verger_fetch::client::RobotsClient) -> Result<(), Box<dyn std::error::Error>> {
    /// for sitemap in client.sitemaps(&"https://shop.example".parse()?).await? {
    ///     if let Some(url) = sitemap.url {
    ///         println!("{url}");
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn sitemaps(&self, origin: &Origin) -> Result<Vec<SitemapUrl>, CheckError> {
        let record = self.record(origin).await?;
        let is_in_force = self.0.access(&record).kind() == Kind::Rules;
        let robots = is_in_force
            .then(|| self.0.origins.parsed(&record, &self.0.read_options, &self.0.dialect));
        let robots = robots.flatten();
        let Some(robots) = robots else { return Ok(Vec::new()) };
        let sitemap = |sitemap: Sitemap<'_>| SitemapUrl {
            url: sitemap.resolved(origin),
            raw: sitemap.raw().to_vec(),
        };
        Ok(robots.sitemaps().map(sitemap).collect())
    }

    /// Reports that a site answered a URL other than its robots.txt with this status.
    /// [`Permit::report`] does this too.
    ///
    /// After 30 days without robots.txt, Google's profile depends on the rest of the site
    /// (REP-CACHE-10). The site is available for
    /// [`SITE_ANSWER_AGE`](crate::limits::SITE_ANSWER_AGE) after a 2xx, 3xx or 4xx except 429, the
    /// statuses that would also end an outage of robots.txt (REP-CACHE-20, REP-AMB-23).
    /// Other statuses and failed requests change nothing. Without a report a site is unavailable
    /// (REP-CACHE-22).
    ///
    /// Reports are held in memory only.
    pub fn report_available(&self, origin: &Origin, status: u16) {
        self.0.note_report(origin);
        self.0.report_available(origin, status);
    }
}

impl Inner {
    /// Records an answer to the HTTP stack of the crawler itself, which shows that its network
    /// works.
    fn note_report(&self, origin: &Origin) {
        if self.fetcher.is_public(origin) {
            self.host_answers.note(origin.host(), self.clock.now());
        }
    }

    fn report_available(&self, origin: &Origin, status: u16) {
        if matches!(status, 200..=499) && status != 429 {
            self.origins.note_answer(&self.read_options.key(origin), self.clock.now());
        }
    }

    /// Number specific to the origin, for the spread of its retries (REP-CACHE-21).
    fn seed_of(&self, origin: &Origin) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.seed, origin).hash(&mut hasher);
        hasher.finish()
    }
}

/// A sitemap line of a robots.txt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SitemapUrl {
    /// The URL, resolved against that of the robots.txt; `None` if the value is not a URL.
    pub url: Option<String>,
    /// The value as written.
    pub raw: Vec<u8>,
}

/// A check without a decision. Do not fetch the URL.
///
/// It says nothing about robots.txt: a disallowed URL and an unreachable site are decisions
/// ([module](super#errors-and-decisions)).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckError {
    /// A limit of this client was reached: waiting or running fetches, callers that wait for one
    /// ([`FETCH_QUEUE`](crate::limits::FETCH_QUEUE), [`FETCHES`]), or connections to one address.
    /// Try again later.
    Busy(LimitReached),
    /// No answer within [`TOTAL`](crate::limits::TOTAL) plus a tenth: other fetches came first, or
    /// the store was slow. Or the decision of a turn expired during the wait and its time is used
    /// up ([`Politeness::longest_wait`](crate::polite::Politeness::longest_wait)). A
    /// fetch that has begun continues, so try again soon.
    Late(Duration),
    /// The text is not a URL with a valid origin.
    InvalidUrl(OriginError),
    /// The fetch ended without a valid result: its runtime ended, it panicked, or the clock was set
    /// and the result had expired.
    Ended,
}

impl CheckError {
    /// Whether the same check can succeed later: true for every error except an invalid URL.
    pub const fn is_temporary(&self) -> bool {
        match self {
            Self::Busy(_) | Self::Late(_) | Self::Ended => true,
            Self::InvalidUrl(_) => false,
        }
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy(limit) => limit.fmt(f),
            Self::InvalidUrl(error) => error.fmt(f),
            Self::Late(time) => {
                write!(f, "no answer within {} s: other requests came first", time.as_secs_f64())
            }
            Self::Ended => f.write_str("the fetch of robots.txt ended without a result"),
        }
    }
}

impl Error for CheckError {}

impl From<OriginError> for CheckError {
    fn from(error: OriginError) -> Self {
        Self::InvalidUrl(error)
    }
}
