//! The records of an origin: the shared one of the store, and the one of this client alone.

use std::sync::Arc;

use tokio::time::Instant;
use verger::Origin;
use verger::access::Outcome;

use super::{Inner, telemetry};
use crate::limits::{MERGES, TIER_AGE, UNSTORED_BYTES};
use crate::record::{
    Attempt, BackOff, Failure, Miss, Next, OriginRecord, RecordKey, Records, Response,
};
use crate::store::{Lookup, MemoryStore, Replaced, Store as _, StoreError};

/// The records that were found for a key.
pub(super) struct Found {
    pub(super) key: RecordKey,
    pub(super) records: Records,
    /// The stored record, which a change replaces.
    stored: Option<Arc<OriginRecord>>,
    /// A record that the store rejected.
    unstored: Option<UnstoredRecord>,
    /// Time of the question to the store.
    asked: Instant,
}

impl Inner {
    /// The records of an origin. Writes of other processes may be missing for a moment.
    pub(super) async fn find(&self, origin: &Origin) -> Found {
        let (key, asked) = (self.read_options.key(origin), Instant::now());
        let found = self.store.get(&key).await;
        self.found(key, found, asked)
    }

    /// The same, read from the store itself.
    pub(super) async fn find_now(&self, origin: &Origin) -> Found {
        let (key, asked) = (self.read_options.key(origin), Instant::now());
        let found = self.store.get_now(&key).await;
        self.found(key, found, asked)
    }

    /// The records that were found a moment ago, without another question to the store unless it
    /// may answer otherwise by now.
    pub(super) async fn find_again(&self, found: Found) -> Found {
        let Found { key, records, stored, asked, .. } = found;
        if asked.elapsed() >= TIER_AGE || self.store.has_new(&key, asked.into_std()) {
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
                if self.store.is_worth_warning() {
                    tracing::warn!(%origin, %error, "the store gave no answer");
                }
                telemetry::store_failed();
                self.store.last_known(&key)
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
        let unstored = self.unstored.get(&key);
        let shared = match (&stored, &unstored) {
            (stored, None) => stored.clone(),
            // The store took the write late.
            (Some(stored), Some(rejected)) if stored.is_same(&rejected.record) => {
                Some(Arc::clone(stored))
            }
            (Some(stored), Some(rejected)) if !rejected.is_made_from(stored) => {
                let (seed, now) = (self.seed_of(key.origin()), self.clock.now());
                Some(Arc::new(stored.merged(&rejected.record, &self.read_options, now, seed)))
            }
            (stored, Some(rejected)) => {
                let now = self.clock.now();
                let records = stored.iter().chain([&rejected.record]);
                records.max_by_key(|record| record.order(now)).cloned()
            }
        };
        let own = self.own.find(&key);
        Found { records: Records { shared, own, is_unread }, key, stored, unstored, asked }
    }

    /// Stores the records after a fetch. `found` are those at its beginning. If the file that a 304
    /// confirmed has been replaced, nothing is stored, and the error are the current records.
    pub(super) async fn conclude(
        &self,
        mut found: Found,
        attempt: &Attempt,
    ) -> Result<Records, Found> {
        let is_renewal = attempt.response.outcome == Outcome::NotModified;
        let seed = self.seed_of(found.key.origin());
        let mut merges = 0;
        loop {
            if found.records.is_unread {
                // The store may work again.
                let before = found.records.shared.take();
                found = self.find_now(found.key.origin()).await;
                found.records.shared = found.records.shared.or(before);
            }
            let before = found.records.shared.clone();
            let now = self.clock.now();
            if before
                .as_ref()
                .is_some_and(|before| before.supersedes(attempt, &self.read_options, now))
            {
                return Ok(found.records);
            }
            let has_file = |hash| before.as_ref().is_some_and(|record| record.has_file(hash));
            if is_renewal && !attempt.renews.is_none_or(has_file) {
                return Err(found);
            }
            let mut attempt = attempt.clone();
            if let Some(before) = &before {
                attempt.set_time_after(before, now);
            }
            if found.records.is_unread && attempt.is_failure(&self.read_options) {
                // The store may have a file or an older outage that was not read, so this failure
                // counts as unclear.
                (attempt.response.is_unclear, attempt.other_answer) = (true, None);
            }
            let base = before.unwrap_or_else(|| Arc::new(OriginRecord::new(found.key.clone())));
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
                        let Found { unstored, .. } = &found;
                        let done =
                            self.unstored.replace(unstored.as_ref(), stored.as_ref(), &shared);
                        warn_unstored(origin, done.await);
                        found.records.shared = Some(shared);
                    }
                }
            }
            let own = own.map(Arc::new);
            let done = match &own {
                Some(own) => self.own.put(Arc::clone(own)).await,
                None => self.own.remove(&found.key).await.map(drop),
            };
            warn_unstored(found.key.origin(), done);
            found.records.own = own;
            return Ok(found.records);
        }
    }

    /// Replaces the record that was found: in the store, or in memory if the store fails or its
    /// record was not read. Returns the record as it is stored; the error is that of another client.
    async fn share(
        &self,
        found: &Found,
        record: &Arc<OriginRecord>,
    ) -> Result<Arc<OriginRecord>, Lookup> {
        let origin = record.origin();
        let Found { records, stored, unstored, .. } = found;
        if !records.is_unread {
            match self.store.replace(stored.clone(), Arc::clone(record)).await {
                Ok(Replaced::By(record)) => {
                    if let Some(rejected) = unstored {
                        self.unstored.remove(rejected);
                    }
                    return Ok(record);
                }
                Ok(Replaced::No(current)) => return Err(current),
                Err(error) => {
                    tracing::warn!(%origin, %error, "a record is stored in memory only");
                    telemetry::store_failed();
                }
            }
        }
        let done = self.unstored.replace(unstored.as_ref(), stored.as_ref(), record).await;
        match done {
            Ok(false) => Err(stored.clone().map_or(Lookup::Missing(Miss::Absent), Lookup::Found)),
            done => {
                warn_unstored(origin, done);
                Ok(Arc::clone(record))
            }
        }
    }

    /// Stores the end of a back-off, for other processes and for a restart. Another process may
    /// have stored a later time.
    pub(super) async fn store_back_off(&self, origin: &Origin, back_off: Option<BackOff>) {
        if let Err(error) = self.store.set_back_off(origin, back_off).await {
            tracing::warn!(%origin, %error, "a back-off is not stored");
            telemetry::store_failed();
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

fn warn_unstored<T>(origin: &Origin, done: Result<T, StoreError>) {
    if let Err(error) = done {
        tracing::warn!(%origin, %error, "a record is not stored");
    }
}

/// Rejected records in memory, each with the stored record on which it is based. If the store has
/// another record by now, the two are merged.
#[derive(Debug)]
pub(super) struct Unstored {
    records: MemoryStore,
    bases: MemoryStore,
}

/// A record that the store rejected.
#[derive(Clone, Debug)]
pub(super) struct UnstoredRecord {
    record: Arc<OriginRecord>,
    /// The stored record at that time, or an empty one. It may be evicted.
    base: Option<Arc<OriginRecord>>,
}

impl UnstoredRecord {
    /// Whether it is based on this stored record, and so includes its content.
    fn is_made_from(&self, stored: &Arc<OriginRecord>) -> bool {
        self.base.as_ref().is_some_and(|base| base.is_same(stored))
    }
}

impl Unstored {
    pub(super) fn new() -> Self {
        let store = || MemoryStore::bounded(UNSTORED_BYTES);
        Self { records: store(), bases: store() }
    }

    pub(super) fn get(&self, key: &RecordKey) -> Option<UnstoredRecord> {
        Some(UnstoredRecord { record: self.records.find(key)?, base: self.bases.find(key) })
    }

    /// Replaces the record that was found; false if another one has replaced it by now.
    pub(super) async fn replace(
        &self,
        before: Option<&UnstoredRecord>,
        stored: Option<&Arc<OriginRecord>>,
        record: &Arc<OriginRecord>,
    ) -> Result<bool, StoreError> {
        let before = before.map(|before| Arc::clone(&before.record));
        let replaced = self.records.replace(before, Arc::clone(record)).await?;
        let is_replaced = matches!(replaced, Replaced::By(_));
        if is_replaced {
            let none = || Arc::new(OriginRecord::new(record.key().clone()));
            self.bases.put(stored.cloned().unwrap_or_else(none)).await?;
        }
        Ok(is_replaced)
    }

    /// Removes a record that the store has accepted, but no later one.
    pub(super) fn remove(&self, stored: &UnstoredRecord) {
        self.records.remove_exactly(&stored.record);
    }
}
