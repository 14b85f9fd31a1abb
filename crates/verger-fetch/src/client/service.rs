//! Methods for services that answer for many crawlers and workers.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use url::Url;
use verger::access::{Outcome, Timestamp};
use verger::{Crawler, Dialect, Origin, Robots};

use super::single_flight::Load;
use super::{Inner, RobotsClient};
use crate::decision::{Decision, RecordSource};
use crate::failure::Failure;
use crate::fetch::Request;
use crate::limits::MERGES;
use crate::polite::{Pace, back_off};
use crate::record::{Attempt, BackOff, File, OriginRecord, Response};
use crate::store::{Replaced, StoreError};

impl RobotsClient {
    /// A client without [`max_age`](super::RobotsClientBuilder::max_age) that shares everything
    /// else with this one.
    ///
    /// A program that asks for results younger than itself uses it for all questions about an
    /// origin except the first.
    #[must_use]
    pub fn without_max_age(&self) -> Self {
        Self(Arc::new(Inner { max_age: None, ..Inner::clone(&self.0) }))
    }

    /// A client whose requests for robots.txt are unconditional, and that shares everything else
    /// with this one. A fetch of this one that it joins can still be conditional.
    ///
    /// A program that compares what a site sends now uses it: a server that answers 304 by the time
    /// of a file or by its length can be wrong after a change.
    #[must_use]
    pub fn without_preconditions(&self) -> Self {
        Self(Arc::new(Inner { sends_preconditions: false, ..Inner::clone(&self.0) }))
    }

    /// The time now by the client's clock.
    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// Fetches a file that a site publishes for programs, such as a key set or a list of addresses.
    /// Only status 200 is a success. Redirects are not followed, and robots.txt is not consulted:
    /// fetch only files that their site asks programs to fetch. The guard checks the URL and its
    /// addresses. A longer file is cut after `limit` bytes.
    ///
    /// # Errors
    ///
    /// There is no response with status 200 and a body of this length or its whole one, or the
    /// client is offline.
    pub async fn file(&self, url: &Url, limit: usize) -> Result<Vec<u8>, Failure> {
        self.online()?;
        let slot = self.0.slot().await.map_err(Failure::Busy)?;
        let request = Request { slot: Some(&slot), ..Request::file(url.clone(), limit) };
        let fetched = self.0.fetcher.fetch(&request).await;
        match (fetched.failure, fetched.status) {
            (None, Some(200)) => Ok(fetched.body),
            (Some(failure), _) => Err(failure),
            (None, status) => Err(Failure::Status(status.unwrap_or_default())),
        }
    }

    /// Sends the head of a request as it is, by HTTP/1.1, to the host of a URL, and returns the
    /// status and the field `Location`. For tests of the own site with targets that a URL cannot
    /// have, such as `/x/../y`. Neither robots.txt nor pauses are considered. The guard checks the
    /// URL and its addresses.
    ///
    /// # Errors
    ///
    /// There is no response, or the client is offline, or uses a proxy or another HTTP library.
    pub async fn raw_status(
        &self,
        url: &Url,
        head: &[u8],
    ) -> Result<(u16, Option<String>), Failure> {
        self.online()?;
        let slot = self.0.slot().await.map_err(Failure::Busy)?;
        self.0.fetcher.raw_status(url, head, &slot).await
    }

    fn online(&self) -> Result<(), Failure> {
        if self.0.offline { Err(Failure::Offline { has_record: false }) } else { Ok(()) }
    }

    /// The number of fetches and waiting checks now, for the metrics of a service.
    pub fn load(&self) -> Load {
        self.0.single_flight.load()
    }

    /// The pace of an origin for a crawler by the stored robots.txt, and the minimum wait for a turn.
    /// Nothing is fetched. It is for a URL that needs no robots.txt, such as that of robots.txt
    /// itself: turns and back-off belong to the origin (REP-CACHE-29).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Crawler, Dialect};
    /// use verger_fetch::client::RobotsClient;
    /// use verger_fetch::fetch::Identity;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let identity = Identity::new("ExampleService/1.0 (+https://service.example/)")?;
    /// let client = RobotsClient::builder(Crawler::new("ExampleService"), identity).build()?;
    /// let origin = "https://shop.example".parse()?;
    /// let slow = "User-agent: *\nCrawl-delay: 9\n";
    /// client.import(&origin, slow.into(), client.now()).await?;
    /// let crawler = Crawler::new("ExampleBot");
    /// let (pace, wait) = client.pace_of(&origin, &crawler, &Dialect::RFC9309).await;
    /// assert_eq!((pace.applied.as_secs(), wait.as_secs()), (9, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn pace_of(
        &self,
        origin: &Origin,
        crawler: &Crawler,
        dialect: &Dialect,
    ) -> (Pace, Duration) {
        let inner = &self.0;
        let (pace, back_off) = inner.pace_of(origin, crawler, dialect, None).await;
        let refused = BackOff::left(back_off, inner.clock.now());
        (pace, inner.queues.wait(origin).max(refused).max(pace.opens_in))
    }

    /// The same decision, or one that disallows everything if it needed no robots.txt and the guard
    /// refuses its URL. Otherwise the guard decides at the fetch of robots.txt.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    /// use verger_fetch::client::RobotsClient;
    /// use verger_fetch::fetch::Identity;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let identity = Identity::new("ExampleService/1.0 (+https://service.example/)")?;
    /// let client = RobotsClient::builder(Crawler::new("ExampleService"), identity).build()?;
    /// let decision = client.check("http://10.0.0.1/robots.txt").await?;
    /// assert!(decision.is_allowed());
    /// let decision = client.guarded(decision);
    /// assert!(!decision.is_allowed() && decision.fault().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn guarded(&self, decision: Decision) -> Decision {
        let (inner, url, now) = (&self.0, &decision.url, decision.decided_at);
        let needed_none = decision.record.is_none();
        let Some(Err(refusal)) = needed_none.then(|| inner.fetcher.guard.check_url(url)) else {
            return decision;
        };
        let Ok(Some(origin)) = Origin::of(url.as_str()) else { return decision };
        let failure = Some(refusal.into());
        let response = Response::new(now, Outcome::LocalFault, origin.robots_url());
        let record = OriginRecord::new(inner.read_options.key(&origin))
            .with_fault(Response { failure, ..response });
        let access = record.access(&inner.read_options, now, false);
        // That of any other URL, for any crawler.
        let Some(verdict) = access.verdict(None, "*", &format!("{origin}/")) else {
            return decision;
        };
        Decision {
            verdict: verdict.detach(),
            access,
            record: Some(Arc::new(record)),
            source: RecordSource::Fetch,
            ..decision
        }
    }

    /// Reports the response of an origin to a page request of another program, for example of a
    /// worker that has its turn from a service. `None` as status: there was no whole response.
    ///
    /// Returns the back-off, zero without one: the time without requests after 429, 503 or no
    /// response. It is written to the record, so all clients of the store respect it. The site then
    /// counts as available, as after [`report_available`](Self::report_available). But the report
    /// does not show that the network of this client works (REP-CACHE-28a).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use verger::Crawler;
    /// use verger_fetch::client::RobotsClient;
    /// use verger_fetch::fetch::Identity;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let identity = Identity::new("ExampleService/1.0 (+https://service.example/)")?;
    /// let client = RobotsClient::builder(Crawler::new("ExampleService"), identity).build()?;
    /// let origin = "https://shop.example".parse()?;
    /// let wait = Some(Duration::from_secs(120));
    /// assert_eq!(client.report_page(&origin, Some(503), wait).await, Duration::from_secs(120));
    /// assert_eq!(client.report_page(&origin, Some(200), None).await, Duration::ZERO);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn report_page(
        &self,
        origin: &Origin,
        status: Option<u16>,
        retry_after: Option<Duration>,
    ) -> Duration {
        let inner = &self.0;
        if let Some(status) = status {
            inner.report_available(origin, status);
        }
        let (stored, wait) = inner.back_off_after(origin, status, retry_after).await;
        let before = stored.map_or(0, |back_off| back_off.refusals);
        let until = inner.clock.now().after(wait);
        let next = (!wait.is_zero()).then(|| BackOff { until, refusals: before.saturating_add(1) });
        if stored.is_some() || next.is_some() {
            inner.store_back_off(origin, next).await;
        }
        wait
    }

    /// The back-off that [`report_page`](Self::report_page) would return now; nothing is reported.
    /// A program that ends a turn with this pause first, and reports then, reports only once.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    /// use verger_fetch::client::RobotsClient;
    /// use verger_fetch::fetch::Identity;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let identity = Identity::new("ExampleService/1.0 (+https://service.example/)")?;
    /// let client = RobotsClient::builder(Crawler::new("ExampleService"), identity).build()?;
    /// let origin = "https://shop.example".parse()?;
    /// let back_off = client.back_off_after(&origin, Some(503), None).await;
    /// assert_eq!(client.report_page(&origin, Some(503), None).await, back_off);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn back_off_after(
        &self,
        origin: &Origin,
        status: Option<u16>,
        retry_after: Option<Duration>,
    ) -> Duration {
        // Most pages are no refusal: without a look at the store.
        if !is_refused(status) {
            return Duration::ZERO;
        }
        self.0.back_off_after(origin, status, retry_after).await.1
    }

    /// Stores a robots.txt that another program has fetched with status 200 at this time. The
    /// robots.txt is limited as a fetched one is
    /// ([`ReadOptions::body_limit`](crate::record::ReadOptions::body_limit)).
    ///
    /// # Errors
    ///
    /// The record is of a later fetch, the store fails, or other clients of it change the record
    /// all the time. Nothing is stored then.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    /// use verger_fetch::client::{ImportError, RobotsClient};
    /// use verger_fetch::fetch::Identity;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let identity = Identity::new("ExampleService/1.0 (+https://service.example/)")?;
    /// let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity).build()?;
    /// let origin = "https://shop.example".parse()?;
    /// let (now, robots) = (client.now(), "User-agent: *\nDisallow: /cart\n");
    /// let imported = client.import(&origin, robots.into(), now).await?;
    /// assert!(imported.is_new);
    /// assert!(!client.check("https://shop.example/cart").await?.is_allowed());
    ///
    /// let older = verger::access::Timestamp::from_seconds(1_000_000);
    /// let error = client.import(&origin, robots.into(), older).await.unwrap_err();
    /// assert!(matches!(error, ImportError::Older));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn import(
        &self,
        origin: &Origin,
        robots: Vec<u8>,
        fetched_at: Timestamp,
    ) -> Result<Imported, ImportError> {
        let response = Response::new(fetched_at, Outcome::Success, origin.robots_url());
        let mut attempt = Attempt::new(Response { status: Some(200), ..response });
        attempt.file = Some(File::new(origin, robots, fetched_at));
        attempt.proves_network = false;
        let inner = &self.0;
        let (options, key) = (&inner.read_options, inner.read_options.key(origin));
        // Not from memory: another process may have fetched the file.
        let mut found = inner.origins.get_now(&key).await.map_err(ImportError::Store)?;
        for _ in 0..MERGES {
            let before = found.found();
            // REP-CACHE-23: a record with a time after now shows a wrong clock.
            let is_later = |record: &Arc<OriginRecord>| {
                fetched_at < record.tried_at() && record.tried_at() <= inner.clock.now()
            };
            if before.as_ref().is_some_and(is_later) {
                return Err(ImportError::Older);
            }
            let is_new = before.is_none();
            let base = before.as_deref().cloned();
            let base = base.unwrap_or_else(|| OriginRecord::new(key.clone()));
            let next = base.after(None, options, attempt.clone(), inner.seed_of(origin)).shared;
            let Some(record) = next.map(Arc::new) else { return Err(ImportError::Older) };
            match inner.origins.replace(before, record).await.map_err(ImportError::Store)? {
                Replaced::By(record) => return Ok(Imported { record, is_new }),
                Replaced::No(current) => found = current,
            }
        }
        Err(ImportError::Contended)
    }
}

impl Inner {
    /// The stored back-off of an origin, and the time without requests after this response to a
    /// page request.
    async fn back_off_after(
        &self,
        origin: &Origin,
        status: Option<u16>,
        retry_after: Option<Duration>,
    ) -> (Option<BackOff>, Duration) {
        let records = self.find_now(origin).await.records;
        let stored = records.shared.as_ref().and_then(|record| record.back_off());
        let before = stored.map_or(0, |back_off| back_off.refusals);
        let wait = if is_refused(status) { back_off(before, retry_after) } else { Duration::ZERO };
        (stored, wait)
    }

    /// The pace of an origin for a crawler, and its stored back-off. A request for robots.txt itself
    /// is decided without a file, but has the pace of its origin: that of the stored one.
    pub(super) async fn pace_of(
        &self,
        origin: &Origin,
        crawler: &Crawler,
        dialect: &Dialect,
        decided: Option<&Arc<Robots>>,
    ) -> (Pace, Option<BackOff>) {
        let records = self.find(origin).await.records;
        let back_off = records.shared.as_ref().and_then(|record| record.back_off());
        let stored = records.answer().filter(|_| decided.is_none());
        let stored =
            stored.and_then(|record| self.origins.parsed(&record, &self.read_options, dialect));
        let robots = decided.cloned().or(stored).unwrap_or_else(|| self.origins.empty(dialect));
        (self.politeness.pace(&robots, crawler, self.clock.now()), back_off)
    }
}

/// Whether a response to a page request, `None` for none, is a refusal.
fn is_refused(status: Option<u16>) -> bool {
    status.is_none_or(|status| matches!(status, 429 | 503))
}

/// A stored import.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Imported {
    /// The record with the imported file.
    pub record: Arc<OriginRecord>,
    /// Whether the store had no record of the origin.
    pub is_new: bool,
}

/// Nothing was imported.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImportError {
    /// The record is of a later fetch.
    Older,
    /// The store failed. After a timeout it may nevertheless have the file.
    Store(StoreError),
    /// Other clients of the store change the record all the time. Try again later.
    Contended,
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Older => f.write_str("the record is of a later fetch than the imported file"),
            Self::Store(error) => write!(f, "the store failed: {error}"),
            Self::Contended => f.write_str("other clients of the store change the record"),
        }
    }
}

impl Error for ImportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            Self::Older | Self::Contended => None,
        }
    }
}
