//! The check of a URL: from its origin to a record, and from a record to a decision.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tracing::Instrument as _;
use url::Url;
use verger::access::{Access, Kind, State, Timestamp};
use verger::{Crawler, Dialect, Origin, Robots};

use super::records::Found;
use super::single_flight::{FetchResult, Joined, Leader, Need};
use super::{CheckError, Inner, RobotsClient, telemetry};
use crate::decision::{Decision, RecordSource};
use crate::fetch::sent_url_and_origin;
use crate::limits::{
    CHECK_RETRIES, FETCH_LIMIT, FETCH_STARTS, GRACE_SHARE, LEASE_CHECK, LEASE_RENEWALS,
    LEASE_SHARE, LimitReached,
};
use crate::net::Slot;
use crate::record::{BackOff, OriginRecord};
use crate::running::{Timeout, measured, timeout};
use crate::store::{Claim, Lease};

impl RobotsClient {
    /// [`check`](Self::check) for any crawler and dialect, with the records of this client. A
    /// service for many crawlers fetches each file once.
    ///
    /// Requests carry the identity of this client. Access profiles that check redirects by a
    /// crawler's rules (REP-ACCESS-22) use this client's crawler. A service for many crawlers sets
    /// [`Profile::disallowed_hop`](verger::access::Profile::disallowed_hop) to `None`.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    ///
    /// # Complexity
    ///
    /// As [`check`](Self::check). Each dialect has its own parsed file.
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
    ///
    /// let news = Crawler::chain(["ExampleBot-News", "ExampleBot"]);
    /// let decision = client.check_as(news, &Dialect::GOOGLE, "mailto:a@shop.example").await?;
    /// assert!(decision.is_allowed());
    /// assert_eq!(decision.dialect(), "google");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn check_as(
        &self,
        crawler: impl Into<Arc<Crawler>>,
        dialect: &Dialect,
        url: &str,
    ) -> Result<Decision, CheckError> {
        let (inner, crawler) = (&self.0, crawler.into());
        let (sent, origin) = sent_url_and_origin(url)?;
        let robots = self.0.origins.empty(dialect);
        let needs_robots = || dialect.needs_robots(&*crawler, sent.as_str());
        let Some(origin) = origin.filter(|_| needs_robots()) else {
            let decision = inner.decide(&crawler, &sent, None, robots, RecordSource::Nothing);
            return decision.ok_or(CheckError::Ended);
        };
        // If the clock was set or the machine slept during the fetch, the result has expired, and
        // there is a second fetch.
        let time = inner.check_time();
        for _ in 0..=CHECK_RETRIES {
            let (record, source) = inner.record(&origin, &time).await?;
            let file = inner.origins.parsed(&record, &inner.read_options, dialect);
            let file = file.unwrap_or_else(|| Arc::clone(&robots));
            if let Some(decision) = inner.decide(&crawler, &sent, Some(record), file, source) {
                return Ok(decision);
            }
        }
        Err(CheckError::Ended)
    }
}

impl Inner {
    /// The access that a record grants now.
    pub(super) fn access(&self, record: &OriginRecord) -> Access {
        self.access_at(record, self.clock.now())
    }

    fn access_at(&self, record: &OriginRecord, now: Timestamp) -> Access {
        let access = record.access(&self.read_options, now, false);
        // Other answers of the site count during an outage only; usually there is a fresh file.
        let is_fresh_file = access.kind() == Kind::Rules && access.stale().is_none();
        if is_fresh_file || !self.origins.has_answered(record.key(), now) {
            return access;
        }
        record.access(&self.read_options, now, true)
    }

    /// Decision of a record for a crawler; `None` if the record has expired. Without a record, the
    /// URL needs no robots.txt.
    fn decide(
        &self,
        crawler: &Arc<Crawler>,
        url: &Url,
        record: Option<Arc<OriginRecord>>,
        robots: Arc<Robots>,
        source: RecordSource,
    ) -> Option<Decision> {
        // The clock is read once, so that no answer is older than its record.
        let now = self.clock.now();
        let profile = self.read_options.profile();
        let unknown = || State::UNKNOWN.access(profile, now);
        let access = record.as_ref().map_or_else(unknown, |record| self.access_at(record, now));
        if record.is_some() && access.kind() == Kind::Unknown {
            return None;
        }
        let verdict = access.verdict(&*robots, crawler.as_ref(), url.as_str());
        // Without a record, the verdict is missing only for text without an origin in a dialect
        // that finds a path in any text. Then the file without rules answers.
        let verdict = verdict.unwrap_or_else(|| robots.check(crawler.as_ref(), url.as_str()));
        let wait = |record: &Arc<OriginRecord>| {
            self.queues.wait(record.origin()).max(BackOff::left(record.back_off(), now))
        };
        let decision = Decision {
            url: url.clone(),
            crawler: Arc::clone(crawler),
            access_profile: profile.name,
            verdict: verdict.detach(),
            decided_at: now,
            politeness: self.politeness,
            access,
            file: record.as_ref().and_then(|it| it.file_for(&self.read_options)).cloned(),
            queue_wait: record.as_ref().map(wait).unwrap_or_default(),
            record,
            robots,
            source,
        };
        telemetry::decided(&decision);
        Some(decision)
    }

    /// Whether a URL needs the robots.txt of its origin.
    pub(super) fn needs_robots(&self, url: &str) -> bool {
        let sent = sent_url_and_origin(url);
        sent.is_ok_and(|(sent, origin)| {
            let crawler = self.crawler.as_ref();
            origin.is_some() && self.dialect.needs_robots(crawler, sent.as_str())
        })
    }

    /// Record for an answer now, with its source, within the time of a check.
    pub(super) async fn record(
        self: &Arc<Self>,
        origin: &Origin,
        time: &Timeout,
    ) -> Result<(Arc<OriginRecord>, RecordSource), CheckError> {
        self.in_time(time, async {
            let now = self.clock.now();
            let found = self.find(origin).await;
            let record = found.records.answer();
            if let Some(record) = &record {
                // Offline, a fresh file answers whatever its age.
                let may_answer_offline = self.offline
                    && record.file_for(&self.read_options).is_some()
                    && !record.needs_fetch(&self.read_options, now);
                if may_answer_offline || !self.needs_fetch(record, now) {
                    return Ok((Arc::clone(record), RecordSource::Store));
                }
                if !self.offline
                    && self.answers_while_refreshing
                    && !self.is_unwanted(record, now)
                    && record.may_answer_while_refreshing(&self.read_options, now)
                {
                    let need = Need::OriginRecord;
                    let done = self.join_or_start(origin, need, Duration::ZERO, &mut Some(found));
                    if let Err(error) = done {
                        tracing::warn!(%origin, %error, "could not refresh robots.txt");
                    }
                    return Ok((Arc::clone(record), RecordSource::Store));
                }
            }
            if self.offline {
                return Ok((Arc::new(self.as_offline(origin, record)), RecordSource::Offline));
            }
            let fetch = self.fetch_shared(origin, Need::OriginRecord, time, Some(found));
            Ok((fetch.await?, RecordSource::Fetch))
        })
        .await
    }

    /// The time of a check that begins now.
    pub(super) fn check_time(&self) -> Timeout {
        let total = self.fetcher.limits.total;
        Timeout::start(total + total / GRACE_SHARE)
    }

    /// Ends a check with [`CheckError::Late`] after its time.
    pub(super) async fn in_time<T>(
        &self,
        time: &Timeout,
        answer: impl Future<Output = Result<T, CheckError>>,
    ) -> Result<T, CheckError> {
        let late = CheckError::Late(self.fetcher.limits.total);
        time.limit(answer).await.unwrap_or(Err(late))
    }

    fn needs_fetch(&self, record: &OriginRecord, now: Timestamp) -> bool {
        record.needs_fetch(&self.read_options, now) || self.is_unwanted(record, now)
    }

    /// Whether a fresh result is older than `max_age`. During an outage the access state alone
    /// schedules the next try, so a site that has just failed is left alone.
    fn is_unwanted(&self, record: &OriginRecord, now: Timestamp) -> bool {
        let state = record.state();
        let age = state.fetched_at().map(|fetched| now.since(fetched));
        let is_old = self.max_age.zip(age).is_some_and(|(most, age)| age >= most);
        is_old
            && state.failures() == 0
            && !record.has_fault()
            && !record.has_just_failed(&self.read_options, now)
    }

    /// Joins or starts the fetch of an origin, and waits for its result. A new fetch gets the rest
    /// of the check's time, and the records that the check has found.
    pub(super) async fn fetch_shared(
        self: &Arc<Self>,
        origin: &Origin,
        need: Need,
        time: &Timeout,
        mut found: Option<Found>,
    ) -> Result<Arc<OriginRecord>, CheckError> {
        let mut starts = 0;
        loop {
            match self.join_or_start(origin, need, time.elapsed(), &mut found)? {
                Joined::Current(waiter) => {
                    starts += 1;
                    match self.single_flight.wait(origin, waiter).await? {
                        Some(record) => return Ok(record),
                        // The fetching task is gone: this check takes over.
                        None if starts < FETCH_STARTS => {}
                        None => return Err(CheckError::Ended),
                    }
                }
                Joined::Next(waiter) => {
                    // The queue for the next fetch is full, or there is no slot.
                    if let Err(CheckError::Busy(limit)) =
                        self.single_flight.wait(origin, waiter).await
                    {
                        return Err(CheckError::Busy(limit));
                    }
                }
            }
        }
    }

    /// Joins the fetch of an origin, or starts it in a separate task.
    fn join_or_start(
        self: &Arc<Self>,
        origin: &Origin,
        need: Need,
        spent: Duration,
        found: &mut Option<Found>,
    ) -> Result<Joined, CheckError> {
        let (joined, leader) = self.single_flight.join(origin, need)?;
        if leader.is_none() {
            telemetry::count("verger_joined_fetches_total");
        }
        if let Some(leader) = leader {
            let span = tracing::info_span!("robots", %origin);
            let (inner, origin) = (Arc::clone(self), origin.clone());
            let (heartbeat, found) = (leader.heartbeat(), found.take());
            let fetch = async move {
                tokio::select! {
                    never = heartbeat => match never {},
                    () = inner.run_fetch(origin, found, leader, spent) => {}
                }
            };
            tokio::spawn(fetch.instrument(span));
        }
        Ok(joined)
    }

    /// Runs a shared fetch to its end, unless a record is found meanwhile.
    async fn run_fetch(
        &self,
        origin: Origin,
        mut found: Option<Found>,
        mut leader: Leader,
        mut spent: Duration,
    ) {
        let total = self.fetcher.limits.total;
        let mut check = LEASE_CHECK.default;
        loop {
            let slot = match self.slot().await {
                Ok(slot) => slot,
                Err(limit) => return leader.complete(Err(CheckError::Busy(limit))),
            };
            leader.set_slot(Some(&slot));
            // Another task or process may have fetched it in the meantime.
            let asking = async {
                let claim = self.claim(&origin).await;
                let known = found.take().filter(|_| matches!(claim, Claim::Granted(None)));
                match known {
                    Some(found) => (claim, self.find_again(found).await),
                    None => (claim, self.find_now(&origin).await),
                }
            };
            let ((claim, now_found), asked) = measured(total, asking).await;
            spent += asked;
            let now = self.clock.now();
            if let Some(record) = now_found.records.answer()
                && !self.needs_fetch(&record, now)
            {
                match leader.complete_without_fetch(record) {
                    Ok(()) => return,
                    Err(returned) => leader = returned,
                }
            }
            let left = match claim {
                Claim::Granted(lease) => {
                    let fetch = self.fetch_next(now_found, &slot, &leader, spent);
                    let result = self.with_lease(&origin, lease.as_deref(), fetch).await;
                    return leader.complete(result);
                }
                Claim::Held { left } => left,
            };
            // Its callers have given up by then.
            if spent > total {
                return leader.complete(Err(CheckError::Late(total)));
            }
            leader.set_slot(None);
            drop(slot);
            let wait = check.min(left).max(LEASE_CHECK.least);
            telemetry::waited_for_lease(wait);
            sleep(wait).await;
            spent += wait;
            check = (check * 2).min(LEASE_CHECK.most);
        }
    }

    /// Claims the fetch of an origin among all processes that share the store. If the store fails,
    /// this client fetches for itself.
    async fn claim(&self, origin: &Origin) -> Claim {
        self.origins.claim(&self.read_options.key(origin), self.lease_time()).await.unwrap_or_else(
            |error| {
                tracing::warn!(%origin, %error, "robots.txt is fetched without a lease");
                telemetry::count(telemetry::STORE_FAILURES);
                Claim::Granted(None)
            },
        )
    }

    /// Time of a lease that is not renewed.
    fn lease_time(&self) -> Duration {
        self.fetcher.limits.total / LEASE_SHARE
    }

    /// Renews a lease, if there is one, until a fetch has ended. A lost lease costs another process
    /// a fetch; this one continues, and the store merges both results.
    async fn with_lease<T>(
        &self,
        origin: &Origin,
        lease: Option<&dyn Lease>,
        fetch: impl Future<Output = T>,
    ) -> T {
        let Some(lease) = lease else { return fetch.await };
        let time = self.lease_time();
        let renew = async {
            loop {
                sleep(time / LEASE_RENEWALS).await;
                match lease.renew(time).await {
                    Ok(true) => {}
                    Ok(false) => break tracing::warn!(%origin, "the lease ended early"),
                    Err(error) => {
                        tracing::warn!(%origin, %error, "could not renew a lease");
                        telemetry::count(telemetry::STORE_FAILURES);
                    }
                }
            }
            telemetry::count("verger_leases_lost_total");
            std::future::pending::<Infallible>().await
        };
        tokio::select! {
            done = fetch => done,
            never = renew => match never {},
        }
    }

    /// A slot among all fetches. After the total time of a fetch, its callers have given up.
    pub(super) async fn slot(&self) -> Result<Slot, LimitReached> {
        let slot = timeout(self.fetcher.limits.total, Slot::take(&self.fetches)).await;
        slot.flatten().ok_or(FETCH_LIMIT)
    }

    /// Fetches robots.txt and stores the resulting records.
    async fn fetch_next(
        &self,
        mut found: Found,
        slot: &Slot,
        leader: &Leader,
        mut spent: Duration,
    ) -> FetchResult {
        let now = self.clock.now();
        let is_extra = found.records.answer().is_some_and(|record| !self.needs_fetch(&record, now));
        let total = self.fetcher.limits.total;
        // After a 304 that confirms nothing, the second request needs a whole answer.
        for is_conditional in [true, false] {
            // Too little time is left: a timeout now would be blamed on the site.
            if spent > total / 2 {
                return Err(CheckError::Late(total));
            }
            let is_conditional = is_conditional && self.sends_preconditions;
            let shared = found.records.shared.as_ref().filter(|_| is_conditional);
            let sent = shared.and_then(|record| record.validated_file(&self.read_options)).cloned();
            let fetch = self.fetch(found.key.origin(), sent.as_deref(), slot, spent);
            let (attempt, ran) = measured(total, fetch).await;
            let mut attempt = attempt?;
            attempt.is_extra = is_extra;
            leader.has_fetched();
            match self.conclude(found, &attempt).await {
                Ok(records) => {
                    let record = records.answer().ok_or(CheckError::Ended)?;
                    telemetry::recorded(&record);
                    return Ok(record);
                }
                Err(current) => (found, spent) = (current, spent + ran),
            }
        }
        Err(CheckError::Ended)
    }
}
