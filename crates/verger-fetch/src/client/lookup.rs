//! Finds or fetches the record of an origin.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use tracing::Instrument as _;
use verger::Origin;
use verger::access::Timestamp;

use super::records::Found;
use super::single_flight::{FetchResult, Joined, Leader, Need};
use super::{CheckError, Inner, telemetry};
use crate::decision::Source;
use crate::limits::{FETCH_LIMIT, FETCH_STARTS, GRACE_SHARE, LimitReached, REFETCHES};
use crate::net::Slot;
use crate::record::{Records, OriginRecord};

impl Inner {
    /// Record for an answer now, with its source, before the deadline of a check that began at
    /// `begun`.
    pub(super) async fn record(
        self: &Arc<Self>,
        origin: &Origin,
        begun: Instant,
    ) -> Result<(Arc<OriginRecord>, Source), CheckError> {
        self.in_time(begun, self.find_or_fetch(origin, begun)).await
    }

    /// Ends a check with [`CheckError::Late`] at its deadline.
    pub(super) async fn in_time<T>(
        &self,
        begun: Instant,
        answer: impl Future<Output = Result<T, CheckError>>,
    ) -> Result<T, CheckError> {
        let total = self.fetcher.limits().total();
        let answered = timeout_at(begun + total + total / GRACE_SHARE, answer).await;
        answered.unwrap_or(Err(CheckError::Late(total)))
    }

    async fn find_or_fetch(
        self: &Arc<Self>,
        origin: &Origin,
        begun: Instant,
    ) -> Result<(Arc<OriginRecord>, Source), CheckError> {
        let now = self.clock.now();
        let found = self.find(origin).await;
        self.add_state(&found).await;
        let record = found.known.answer(origin, &self.read_options);
        if let Some(record) = &record {
            // Offline, a fresh file answers whatever its age.
            let is_all_there_is = self.offline
                && record.file_for(&self.read_options).is_some()
                && !record.needs_fetch(&self.read_options, now);
            if is_all_there_is || !self.needs_fetch(record, now) {
                return Ok((Arc::clone(record), Source::Store));
            }
            if !self.offline
                && self.answers_while_refreshing
                && !self.is_unwanted(record, now)
                && record.may_answer_while_refreshing(&self.read_options, now)
            {
                if let Err(error) = self.join_or_start(origin, Need::OriginRecord, Instant::now()) {
                    tracing::warn!(%origin, %error, "robots.txt is not refreshed");
                }
                return Ok((Arc::clone(record), Source::Store));
            }
        }
        if self.offline {
            return Ok((Arc::new(self.as_offline(origin, record)), Source::Offline));
        }
        Ok((self.fetch_shared(origin, Need::OriginRecord, begun).await?, Source::Fetch))
    }

    fn needs_fetch(&self, record: &OriginRecord, now: Timestamp) -> bool {
        record.needs_fetch(&self.read_options, now) || self.is_unwanted(record, now)
    }

    /// Whether a fresh result is older than `max_age`. During an outage the access state alone
    /// schedules the next try, so a site that has just failed is left alone.
    fn is_unwanted(&self, record: &OriginRecord, now: Timestamp) -> bool {
        let state = record.state(&self.read_options);
        let age = state.fetched_at().map(|fetched| now.since(fetched));
        let is_old = self.max_age.zip(age).is_some_and(|(most, age)| age >= most);
        is_old
            && state.failures() == 0
            && !record.has_fault()
            && !record.has_just_failed(&self.read_options, now)
    }

    /// Adds a state for this client's profile to the stored record on first use, so that fetches by
    /// other clients count for it too (REP-CACHE-29).
    async fn add_state(&self, found: &Found) {
        let Records { shared, is_unread, .. } = &found.known;
        let Some(record) = shared.as_deref().filter(|record| !record.has_state(&self.read_options))
        else {
            return;
        };
        if !self.offline && !is_unread {
            let record = Arc::new(record.clone().with_first(&self.read_options));
            // If another client has changed the record, the next check does it.
            self.share(found, &record).await;
        }
    }

    /// Joins or starts the fetch of an origin, and waits for its result. A new fetch gets the rest
    /// of the check's time.
    pub(super) async fn fetch_shared(
        self: &Arc<Self>,
        origin: &Origin,
        need: Need,
        begun: Instant,
    ) -> Result<Arc<OriginRecord>, CheckError> {
        let mut starts = 0;
        loop {
            match self.join_or_start(origin, need, begun)? {
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
        begun: Instant,
    ) -> Result<Joined, CheckError> {
        let (joined, leader) = self.single_flight.join(origin, need)?;
        if let Some(leader) = leader {
            let span = telemetry::robots_span(origin);
            let fetch = Arc::clone(self).run_fetch(origin.clone(), leader, begun.elapsed());
            tokio::spawn(fetch.instrument(span));
        }
        Ok(joined)
    }

    /// Runs a shared fetch to its end.
    async fn run_fetch(self: Arc<Self>, origin: Origin, leader: Leader, spent: Duration) {
        let heartbeat = leader.heartbeat();
        tokio::select! {
            never = heartbeat => match never {},
            () = self.fetch_unless_known(origin, leader, spent) => {}
        }
    }

    async fn fetch_unless_known(&self, origin: Origin, mut leader: Leader, spent: Duration) {
        let slot = match self.slot().await {
            Ok(slot) => slot,
            Err(limit) => return leader.complete(Err(CheckError::Busy(limit))),
        };
        leader.has_slot(&slot);
        // Another task or process may have fetched it in the meantime.
        let begun = Instant::now();
        let known = self.find_now(&origin).await.known;
        let spent = spent + begun.elapsed();
        let now = self.clock.now();
        if let Some(record) = known.answer(&origin, &self.read_options)
            && !self.needs_fetch(&record, now)
        {
            match leader.complete_without_fetch(record) {
                Ok(()) => return,
                Err(kept) => leader = kept,
            }
        }
        let result = self.fetch_next(&origin, known, &slot, &leader, spent).await;
        leader.complete(result);
    }

    /// A slot among all fetches. After the total time of a fetch, its callers have given up.
    pub(super) async fn slot(&self) -> Result<Slot, LimitReached> {
        let slot = timeout(self.fetcher.limits().total(), Slot::take(&self.fetches)).await;
        slot.ok().flatten().ok_or(FETCH_LIMIT)
    }

    /// Fetches robots.txt and stores the resulting records.
    async fn fetch_next(
        &self,
        origin: &Origin,
        known: Records,
        slot: &Slot,
        leader: &Leader,
        mut spent: Duration,
    ) -> FetchResult {
        let now = self.clock.now();
        let answers = known.answer(origin, &self.read_options);
        let is_extra = answers.is_some_and(|record| !self.needs_fetch(&record, now));
        let mut shared = known.shared;
        let total = self.fetcher.limits().total();
        for _ in 0..=REFETCHES {
            // Too little time is left: a timeout now would be blamed on the site.
            if spent > total / 2 {
                return Err(CheckError::Late(total));
            }
            let begun = Instant::now();
            let sent = shared.as_ref().and_then(|record| record.validated_file(&self.read_options));
            let sent = sent.cloned();
            let mut attempt = self.fetch(origin, sent.as_deref(), slot, spent).await?;
            attempt.is_extra = is_extra;
            leader.has_fetched();
            match self.conclude(origin, shared.clone(), &attempt).await {
                Ok(known) => {
                    let record = known.answer(origin, &self.read_options).ok_or(CheckError::Ended)?;
                    telemetry::recorded(&record, &self.read_options);
                    return Ok(record);
                }
                Err(now) => (shared, spent) = (now, spent + begun.elapsed()),
            }
        }
        Err(CheckError::Ended)
    }
}
