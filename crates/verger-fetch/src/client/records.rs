//! The records of an origin: the shared one of the store, and the one of this client alone.

use std::sync::Arc;

use tokio::time::Instant;
use verger::Origin;
use verger::access::Outcome;

use super::origins::Unstored;
use super::{Inner, telemetry};
use crate::failure::Failure;
use crate::limits::{MERGES, TIER_AGE};
use crate::record::{Attempt, BackOff, Miss, Next, OriginRecord, RecordKey, Records, Response};
use crate::store::{Lookup, Replaced, StoreError};

/// The records that were found for a key.
pub(super) struct Found {
    pub(super) key: RecordKey,
    pub(super) records: Records,
    /// The stored record, which a change replaces.
    stored: Option<Arc<OriginRecord>>,
    /// A record that the store rejected.
    unstored: Option<Unstored>,
    /// Time of the question to the store.
    asked: Instant,
}

impl Inner {
    /// The records of an origin. Writes of other processes may be missing for a moment.
    pub(super) async fn find(&self, origin: &Origin) -> Found {
        let (key, asked) = (self.read_options.key(origin), Instant::now());
        let found = self.origins.get(&key).await;
        self.found(key, found, asked)
    }

    /// The same, read from the store itself.
    pub(super) async fn find_now(&self, origin: &Origin) -> Found {
        let (key, asked) = (self.read_options.key(origin), Instant::now());
        let found = self.origins.get_now(&key).await;
        self.found(key, found, asked)
    }

    /// The records that were found a moment ago, without another question to the store unless it
    /// may answer otherwise by now.
    pub(super) async fn find_again(&self, found: Found) -> Found {
        let Found { key, records, stored, asked, .. } = found;
        if asked.elapsed() >= TIER_AGE || self.origins.has_other(&key, stored.as_ref()) {
            return self.find(key.origin()).await;
        }
        self.combined(key, stored, records.is_unread, asked)
    }

    fn found(&self, key: RecordKey, found: Result<Lookup, StoreError>, asked: Instant) -> Found {
        let origin = key.origin();
        let mut is_unread = false;
        let stored = match found {
            Ok(Lookup::Found(record)) => Some(record),
            Ok(Lookup::Missing(Miss::Absent)) => None,
            Ok(Lookup::Missing(miss)) => {
                is_unread = matches!(miss, Miss::Newer { .. });
                tracing::warn!(%origin, %miss, "a record of the store is ignored");
                None
            }
            Err(error) => {
                is_unread = true;
                if self.origins.is_worth_warning() {
                    tracing::warn!(%origin, %error, "the store did not answer");
                }
                telemetry::count(telemetry::STORE_FAILURES);
                self.origins.last_known(&key)
            }
        };
        self.combined(key, stored, is_unread, asked)
    }

    /// The stored record with those of this client.
    fn combined(
        &self,
        key: RecordKey,
        stored: Option<Arc<OriginRecord>>,
        is_unread: bool,
        asked: Instant,
    ) -> Found {
        let known = self.origins.look(&key, |known| (known.unstored.clone(), known.own.clone()));
        let (unstored, own) = known.unwrap_or_default();
        let shared = match (&stored, &unstored) {
            (stored, None) => stored.clone(),
            // The store took the write late.
            (Some(stored), Some(rejected)) if stored.is_same(&rejected.record) => {
                Some(Arc::clone(stored))
            }
            (Some(stored), Some(Unstored { record, base }))
                if !base.as_ref().is_some_and(|base| base.is_same(stored)) =>
            {
                let (seed, now) = (self.seed_of(key.origin()), self.clock.now());
                Some(Arc::new(stored.merged(record, &self.read_options, now, seed)))
            }
            (stored, Some(rejected)) => {
                let now = self.clock.now();
                let records = stored.iter().chain([&rejected.record]);
                // One of a wrong clock only if there is no other.
                records.max_by_key(|it| (it.tried_at() <= now, it.tried_at())).cloned()
            }
        };
        Found { records: Records { shared, own, is_unread }, key, stored, unstored, asked }
    }

    /// Stores the records after a fetch. `found` are those at its beginning. If a 304 confirms no
    /// file of them, perhaps because it has been replaced, nothing is stored, and the error are the
    /// current records.
    pub(super) async fn conclude(
        &self,
        mut found: Found,
        attempt: &Attempt,
    ) -> Result<Records, Found> {
        let seed = self.seed_of(found.key.origin());
        let mut merges = 0;
        loop {
            if found.records.is_unread {
                // The store may work again.
                let before = found.records.shared.take();
                found = self.find_now(found.key.origin()).await;
                found.records.shared = found.records.shared.or(before);
            }
            let base = found.records.shared.clone();
            let base = base.unwrap_or_else(|| Arc::new(OriginRecord::new(found.key.clone())));
            let now = self.clock.now();
            if base.supersedes(attempt, &self.read_options, now) {
                return Ok(found.records);
            }
            if base.is_unconfirmed_by(attempt) {
                return Err(found);
            }
            let mut attempt = attempt.clone();
            attempt.set_time_after(&base, now);
            if found.records.is_unread && attempt.is_failure(&self.read_options) {
                // The store may have a file or an older outage that was not read, so this failure
                // counts as unclear.
                (attempt.response.is_unclear, attempt.other_answer) = (true, None);
            }
            let own = found.records.own.as_deref();
            let Next { shared, own } = base.after(own, &self.read_options, attempt, seed);
            if let Some(shared) = shared.map(Arc::new) {
                match self.share(&found, &shared).await {
                    Ok(stored) => found.records.shared = Some(stored),
                    // Another client of the store has changed the record during the fetch.
                    Err(current) => {
                        merges += 1;
                        let asked = Instant::now();
                        let stored = found.stored.clone();
                        found = self.found(found.key, Ok(current), asked);
                        if merges < MERGES {
                            // The store may have lost the record.
                            found.records.shared = found.records.shared.or(Some(base));
                            continue;
                        }
                        let origin = found.key.origin();
                        tracing::warn!(%origin, "a record is stored in memory only: others change it");
                        self.keep_unstored(found.unstored.as_ref(), stored, &shared);
                        found.records.shared = Some(shared);
                    }
                }
            }
            let own = own.map(Arc::new);
            if own.is_some() || found.records.own.is_some() {
                self.origins.change(&found.key, |known| known.own.clone_from(&own));
            }
            found.records.own = own;
            return Ok(found.records);
        }
    }

    /// Replaces the record that was found: in the store, or in memory if the store fails or its
    /// record was not read. Returns the record as it is stored; the error is that of another
    /// client.
    async fn share(
        &self,
        found: &Found,
        record: &Arc<OriginRecord>,
    ) -> Result<Arc<OriginRecord>, Lookup> {
        let origin = record.origin();
        let Found { records, stored, unstored, .. } = found;
        if !records.is_unread {
            match self.origins.replace(stored.clone(), Arc::clone(record)).await {
                Ok(Replaced::By(record)) => {
                    if let Some(rejected) = unstored {
                        // But no later one.
                        self.origins.change(record.key(), |known| {
                            known.unstored.take_if(|it| Arc::ptr_eq(&it.record, &rejected.record))
                        });
                    }
                    return Ok(record);
                }
                Ok(Replaced::No(current)) => return Err(current),
                Err(error) => {
                    tracing::warn!(%origin, %error, "a record is stored in memory only");
                    telemetry::count(telemetry::STORE_FAILURES);
                }
            }
        }
        if self.keep_unstored(unstored.as_ref(), stored.clone(), record) {
            return Ok(Arc::clone(record));
        }
        Err(stored.clone().map_or(Lookup::Missing(Miss::Absent), Lookup::Found))
    }

    /// Keeps a record that the store rejected, in place of the one that was found; false if another
    /// one has replaced that by now.
    fn keep_unstored(
        &self,
        before: Option<&Unstored>,
        base: Option<Arc<OriginRecord>>,
        record: &Arc<OriginRecord>,
    ) -> bool {
        self.origins.change(record.key(), |known| {
            let current = known.unstored.as_ref().map(|it| Lookup::Found(Arc::clone(&it.record)));
            let current = current.unwrap_or(Lookup::Missing(Miss::Absent));
            let is_current = current.allows(before.map(|before| &before.record), record);
            if is_current {
                known.unstored = Some(Unstored { record: Arc::clone(record), base });
            }
            is_current
        })
    }

    /// Stores the end of a back-off, for other processes and for a restart. Another process may
    /// have stored a later time.
    pub(super) async fn store_back_off(&self, origin: &Origin, back_off: Option<BackOff>) {
        if let Err(error) =
            self.origins.set_back_off(&self.read_options.key(origin), back_off).await
        {
            tracing::warn!(%origin, %error, "could not store a back-off");
            telemetry::count(telemetry::STORE_FAILURES);
        }
    }

    /// Offline, the previous answer still applies (REP-CACHE-28). Nothing is stored.
    pub(super) fn as_offline(
        &self,
        origin: &Origin,
        known: Option<Arc<OriginRecord>>,
    ) -> OriginRecord {
        let has_record = known.is_some();
        let response = Response::new(self.clock.now(), Outcome::LocalFault, origin.robots_url());
        let failure = Some(Failure::Offline { has_record });
        let new = || OriginRecord::new(self.read_options.key(origin));
        let record = known.map_or_else(new, Arc::unwrap_or_clone);
        record.with_fault(Response { failure, ..response })
    }
}
