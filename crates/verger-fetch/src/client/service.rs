//! Methods for services that answer for many crawlers and workers.

use std::sync::Arc;
use std::time::Duration;

use verger::Origin;
use verger::access::{Profile, Timestamp};

use super::{Inner, RobotsClient};
use crate::limits::OWN_BYTES;
use crate::polite::back_off;
use crate::record::{BackOff, ReadOptions};
use crate::store::MemoryStore;

impl RobotsClient {
    /// A client with another access profile that shares everything else with this one: fetches and
    /// their limits, store, parsed files, queues and pauses. At most one of them fetches an origin
    /// at a time. The same profile returns a clone.
    ///
    /// A service whose callers choose the access profile has one such client for each.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    /// use verger::access::Profile;
    /// use verger_fetch::client::RobotsClient;
    /// use verger_fetch::fetch::Identity;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let identity = Identity::new("ExampleService/1.0 (+https://service.example/)")?;
    /// let client = RobotsClient::builder(Crawler::new("ExampleService"), identity).build()?;
    /// let strict = client.with_access(Profile::STRICT);
    /// let decision = strict.check("mailto:a@shop.example").await?;
    /// assert_eq!(decision.access_profile(), "strict");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_access(&self, profile: Profile) -> Self {
        let inner = &self.0;
        if profile == *inner.read_options.profile() {
            return self.clone();
        }
        let options = ReadOptions::new(profile).with_body_limit(inner.read_options.body_limit());
        Self(Arc::new(Inner {
            crawler: Arc::clone(&inner.crawler),
            read_options: options,
            dialect: inner.dialect,
            fetcher: Arc::clone(&inner.fetcher),
            store: Arc::clone(&inner.store),
            unstored: Arc::clone(&inner.unstored),
            // Faults and disallowed hops are states of one profile.
            own: MemoryStore::bounded(OWN_BYTES),
            host_answers: Arc::clone(&inner.host_answers),
            parsed: Arc::clone(&inner.parsed),
            availability: Arc::clone(&inner.availability),
            clock: Arc::clone(&inner.clock),
            seed: inner.seed,
            offline: inner.offline,
            answers_while_refreshing: inner.answers_while_refreshing,
            single_flight: Arc::clone(&inner.single_flight),
            fetches: inner.fetches.clone(),
            politeness: inner.politeness,
            queues: inner.queues.clone(),
            turns: inner.turns.clone(),
            max_age: inner.max_age,
        }))
    }

    /// The time now by the client's clock.
    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// The number of fetches and waiting checks now, for numbers of a service.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    /// use verger_fetch::client::RobotsClient;
    /// use verger_fetch::fetch::Identity;
    ///
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    /// # let _inside = runtime.enter();
    /// let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
    /// let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity).build()?;
    /// assert_eq!((client.load().fetches, client.load().waiting), (0, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(&self) -> Load {
        self.0.single_flight.load()
    }

    /// Reports the response of an origin to a page request of another program, for example of a
    /// worker that has its turn from a service. `None` as status: there was no whole response.
    ///
    /// Returns the back-off, zero without one: the time without requests after 429, 503 or no
    /// response. It is written to the record, so all clients of the store respect it. It also
    /// counts as [`report_available`](Self::report_available).
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
        let records = inner.find_now(origin).await.records;
        let stored = records.shared.as_ref().and_then(|record| record.back_off());
        let before = stored.map_or(0, |back_off| back_off.refusals);
        let is_refused = status.is_none_or(|status| matches!(status, 429 | 503));
        let wait = if is_refused { back_off(before, retry_after) } else { Duration::ZERO };
        let until = inner.clock.now().after(wait);
        let next = is_refused.then(|| BackOff { until, refusals: before.saturating_add(1) });
        if stored.is_some() || next.is_some() {
            inner.store_back_off(origin, next).await;
        }
        wait
    }
}

/// The work of a client now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Load {
    /// Origins whose robots.txt is fetched or waits for it.
    pub fetches: usize,
    /// Checks that wait for a fetch.
    pub waiting: usize,
}
