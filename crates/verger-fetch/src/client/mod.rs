//! The robots client: one question, everything else taken care of.
//!
//! # Flow
//!
//! A URL has an origin; the store has its record, or says why not. A record that still stands answers.
//! Otherwise there is one fetch for all who ask (`single_flight.rs`), in a task of its own; what came of it
//! becomes the next record (`robots_fetch.rs`), is stored, and answers. All meaning is the engine's:
//! [`verger::access`] says what an outcome means and for how long, the parsed file says the rest.
//!
//! # Promises
//!
//! - One fetch for an origin at a time, however many ask and whoever stops waiting.
//! - A failed fetch is remembered as well, and tried again after a growing while.
//! - Nothing that befalls a store changes an answer: it costs a fetch, and a warning.
//!
//! # Errors and decisions
//!
//! [`RobotsClient::check`], [`turn`](RobotsClient::turn) and [`get`](RobotsClient::get) ask the same
//! question and answer it alike:
//!
//! - What robots.txt says is a [`Decision`]. So is a robots.txt that cannot be fetched, for whatever
//!   reason: [`Reason::Unreachable`](verger::Reason::Unreachable), disallowed for now.
//! - An error of `check` ([`CheckError`]) means that there is no decision: the text is no URL, a limit of
//!   this client was reached, or no answer came in time. `turn` and `get` return the same error in
//!   [`TurnError::Check`].
//! - `turn` and `get` need an allowed URL. A decision that disallows is [`TurnError::Disallowed`] or
//!   [`TurnError::Unreachable`], with the decision of `check` in it.
//! - All other errors of `turn` and `get` say nothing about robots.txt.
//!
//! # Telemetry
//!
//! Spans and events of [`tracing`]: `robots` and `page` for fetches, `fetched` at the end of each; warnings
//! when a robots.txt is unreachable or not refreshed, and for what befell a store.
//! Counters and histograms of [`metrics`]:
//!
//! | name | labels | what |
//! |---|---|---|
//! | `verger_decisions_total` | `access`, `source` | questions that were answered |
//! | `verger_fetches_total` | `what`: `robots`, `page`; `outcome` | fetches that have ended |
//! | `verger_fetch_seconds` | `what` | how long they took |
//! | `verger_wire_bytes_total` | `what` | bytes of bodies before decoding |
//! | `verger_turn_wait_seconds` | | how long a turn was waited for |
//! | `verger_store_failures_total` | | stores that did not do what was asked |

mod availability;
mod builder;
mod check;
mod clock;
mod error;
mod lookup;
mod page;
mod parsed;
mod records;
mod robots_fetch;
mod single_flight;
mod telemetry;
mod turn;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;
use verger::access::{Access, Kind};
use verger::extension::Sitemap;
use verger::{Crawler, Origin, Robots};

pub use builder::RobotsClientBuilder;
pub use clock::{Clock, SystemClock};
pub use error::CheckError;
pub use page::FetchedPage;
pub use turn::{Permit, TurnError};

use self::availability::{Availability, HostAnswers};
use self::parsed::Parsed;
use self::records::Unstored;
use self::single_flight::{Need, SingleFlight};
use crate::decision::{Decision, fault};
use crate::fetch::Fetcher;
use crate::limits::FETCHES;
use crate::net::Pool;
use crate::polite::{Lanes, Politeness};
use crate::record::{Failure, OriginRecord, Viewer};
use crate::store::{MemoryStore, Tier};

/// Asks robots.txt, fetching what is not known.
///
/// Cheap to clone; all clones share everything. It lives in a tokio runtime with I/O and time.
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
/// // The guard goes to no private address, so nothing is known, and nothing may be fetched.
/// let decision = client.check("http://169.254.169.254/latest/meta-data/").await?;
/// assert!(!decision.is_allowed());
/// assert_eq!(decision.reason(), Reason::Unreachable);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RobotsClient(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    crawler: Arc<Crawler>,
    viewer: Viewer,
    /// A file without rules, for what needs none.
    empty: Arc<Robots>,
    fetcher: Fetcher,
    store: Tier,
    /// What the store did not take.
    unstored: Unstored,
    /// What concerns this client alone.
    own: MemoryStore,
    host_answers: HostAnswers,
    parsed: Parsed,
    availability: Availability,
    clock: Arc<dyn Clock>,
    seed: u64,
    offline: bool,
    answers_while_refreshing: bool,
    single_flight: Arc<SingleFlight>,
    fetches: Pool,
    politeness: Politeness,
    lanes: Lanes,
    max_age: Option<Duration>,
}

impl RobotsClient {
    /// Whether the crawler may fetch a URL, and why.
    ///
    /// The URL is read as the URL standard has it, and what is checked is what a client would send:
    /// dot segments resolved, fragment and credentials dropped.
    ///
    /// # Errors
    ///
    /// [`CheckError`], if there is no decision: [`CheckError::InvalidUrl`] if the text is no URL;
    /// [`CheckError::Busy`] if a limit of this client was reached; [`CheckError::Late`] if no answer came in
    /// time. An origin that cannot be reached is a decision, and no error
    /// ([module](self#errors-and-decisions)).
    ///
    /// # Complexity
    ///
    /// At most one fetch ([`Fetcher::fetch`]) and its slot among [`FETCHES`];
    /// then as [`Robots::check`], and the parsing of a file that was not asked lately. All of it ends within
    /// [`TOTAL`](crate::limits::TOTAL) and a tenth, whatever server, store and other questions do.
    pub async fn check(&self, url: &str) -> Result<Decision, CheckError> {
        let inner = &self.0;
        self.check_as(&inner.crawler, &inner.empty.dialect(), url).await
    }

    /// The same for many URLs, in their order; each origin is asked for once,
    /// [`FETCHES`] at a time.
    ///
    /// # Errors
    ///
    /// Those of each URL in its place. After [`CheckError::Busy`], [`Late`](CheckError::Late) or
    /// [`Ended`](CheckError::Ended) the other URLs of the origin get the same error.
    ///
    /// # Complexity
    ///
    /// As [`check`](Self::check) for each URL, but an origin whose fetch does not end is waited for once.
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
            // Never more than can be fetched at once, or the queue of all would be full of these.
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
                            // The others of this origin would wait as long, and in vain.
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

    /// What is known of an origin, fetched where it has to be.
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
    /// // Nothing is known, and an offline client cannot fetch.
    /// assert!(record.file().is_none());
    /// assert_eq!(client.access(&record).kind(), Kind::DisallowAll);
    /// assert!(client.sitemaps(&origin).await?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn record(&self, origin: &Origin) -> Result<Arc<OriginRecord>, CheckError> {
        self.0.record(origin, Instant::now()).await.map(|(record, _)| record)
    }

    /// Fetches the robots.txt of an origin whatever is known of it; where a fetch is under way, its
    /// result. What is known may make the request conditional. A client that is offline gives what is
    /// kept.
    ///
    /// # Errors
    ///
    /// [`CheckError::Busy`], [`CheckError::Late`], [`CheckError::Ended`].
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(client: &verger_fetch::client::RobotsClient) -> Result<(), Box<dyn std::error::Error>> {
    /// let record = client.refresh(&"https://shop.example".parse()?).await?;
    /// if let Some(file) = record.file() {
    ///     println!("{} bytes", file.body.as_bytes().len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn refresh(&self, origin: &Origin) -> Result<Arc<OriginRecord>, CheckError> {
        if self.0.offline {
            return self.record(origin).await;
        }
        let begun = Instant::now();
        self.0.in_time(begun, self.0.fetch_shared(origin, Need::Fetch, begun)).await
    }

    /// How this client reads records: its access profile, and the size limit of a body.
    pub fn viewer(&self) -> &Viewer {
        &self.0.viewer
    }

    /// What a record allows now, in this client's access profile.
    pub fn access(&self, record: &OriginRecord) -> Access {
        self.0.access(record)
    }

    /// The failure of the client, its proxy or its guard because of which nothing may be fetched: the site was
    /// not asked. `None` if the site or an earlier answer decided. [`Decision::fault`] says the same of one URL.
    pub fn fault<'r>(&self, record: &'r OriginRecord) -> Option<&'r Failure> {
        let access = self.access(record);
        let is_allowed = matches!(access.kind(), Kind::Rules | Kind::AllowAll);
        let failure = record.last_for(&self.0.viewer)?.failure.as_ref();
        fault(is_allowed, access.reason(), failure)
    }

    /// The sitemaps that the robots.txt of an origin names, each line once (REP-SYNTAX-40). None where no
    /// file is in force.
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
        let robots = is_in_force.then(|| self.0.parsed.of(&record, &self.0.viewer)).flatten();
        let Some(robots) = robots else { return Ok(Vec::new()) };
        let sitemap = |sitemap: Sitemap<'_>| SitemapUrl {
            url: sitemap.resolved(origin),
            raw: sitemap.raw().to_vec(),
        };
        Ok(robots.sitemaps().map(sitemap).collect())
    }
}

/// A sitemap that a robots.txt names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SitemapUrl {
    /// The URL, resolved against that of the robots.txt; `None` for a value that is no URL.
    pub url: Option<String>,
    /// The value as it was written.
    pub raw: Vec<u8>,
}
