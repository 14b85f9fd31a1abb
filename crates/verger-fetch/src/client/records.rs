//! The records of an origin: the shared one of the store, and the one of this client alone.

use std::sync::Arc;

use verger::Origin;
use verger::access::Outcome;

use super::{Inner, telemetry};
use crate::limits::{MERGES, UNSTORED_BYTES};
use crate::record::{Attempt, BackOff, Failure, Miss, Next, OriginRecord, Records, Response};
use crate::store::{Lookup, MemoryStore, Store as _, StoreError};

/// The records that were found for an origin.
pub(super) struct Found {
    pub(super) records: Records,
    /// The stored record, which a change replaces.
    stored: Option<Arc<OriginRecord>>,
    /// A record that the store rejected.
    unstored: Option<UnstoredRecord>,
}

impl Inner {
    /// The records of an origin. Writes of other processes may be missing for a moment.
    pub(super) async fn find(&self, origin: &Origin) -> Found {
        let found = self.store.get(origin).await;
        self.found(origin, found).await
    }

    /// The same, read from the store itself.
    pub(super) async fn find_now(&self, origin: &Origin) -> Found {
        let found = self.store.get_now(origin).await;
        self.found(origin, found).await
    }

    async fn found(&self, origin: &Origin, found: Result<Lookup, StoreError>) -> Found {
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
                self.store.last_known(origin)
            }
        };
        let unstored = self.unstored.get(origin).await;
        let now = self.clock.now();
        let shared = match (&stored, &unstored) {
            // The store took the write late.
            (Some(stored), Some(rejected)) if *stored == rejected.record => {
                Some(Arc::clone(stored))
            }
            (Some(stored), Some(rejected)) if !rejected.is_made_from(stored) => {
                let seed = self.seed_of(origin);
                Some(Arc::new(stored.merged(&rejected.record, &self.read_options, now, seed)))
            }
            (stored, rejected) => {
                let records =
                    stored.iter().chain(rejected.as_ref().map(|rejected| &rejected.record));
                records.max_by_key(|record| record.order(now)).cloned()
            }
        };
        let own = self.own.get(origin).await.ok().and_then(Lookup::found);
        Found { records: Records { shared, own, is_unread }, stored, unstored }
    }

    /// Stores the records after a fetch. `before` is the record at its beginning, used if the store
    /// has lost it since. If the file that a 304 confirmed has been replaced, nothing is stored,
    /// and the error is the current record.
    pub(super) async fn conclude(
        &self,
        origin: &Origin,
        mut before: Option<Arc<OriginRecord>>,
        attempt: &Attempt,
    ) -> Result<Records, Option<Arc<OriginRecord>>> {
        let is_renewal = attempt.response.outcome == Outcome::NotModified;
        let seed = self.seed_of(origin);
        let mut merges = 0;
        loop {
            // Another client of the store may have changed the record during the fetch.
            let mut found = self.find_now(origin).await;
            before = found.records.shared.take().or(before);
            let now = self.clock.now();
            if before
                .as_ref()
                .is_some_and(|before| before.supersedes(attempt, &self.read_options, now))
            {
                return Ok(Records { shared: before, ..found.records });
            }
            let has_file = |hash| before.as_ref().is_some_and(|record| record.has_file(hash));
            if is_renewal && !attempt.renews.is_none_or(has_file) {
                return Err(before);
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
            let base = before.get_or_insert_with(|| Arc::new(OriginRecord::new(origin.clone())));
            let own = found.records.own.as_deref();
            let Next { shared, own, .. } = base.after(own, &self.read_options, attempt, seed);
            let shared = shared.map(Arc::new);
            if let Some(shared) = &shared
                && !self.share(&found, shared).await
            {
                merges += 1;
                if merges < MERGES {
                    continue;
                }
                tracing::warn!(%origin, "a record is stored in memory only: others change it");
                let Found { stored, unstored, .. } = &found;
                let done = self.unstored.replace(unstored.as_ref(), stored.as_ref(), shared).await;
                warn_unstored(origin, done);
            }
            let own = own.map(Arc::new);
            let done = match &own {
                Some(own) => self.own.put(Arc::clone(own)).await,
                None => self.own.remove(origin).await.map(drop),
            };
            warn_unstored(origin, done);
            let is_unread = found.records.is_unread;
            return Ok(Records { shared: shared.or(before), own, is_unread });
        }
    }

    /// Replaces the record that was found: in the store, or in memory if the store fails or its
    /// record was not read. False if another client has changed it meanwhile.
    pub(super) async fn share(&self, found: &Found, record: &Arc<OriginRecord>) -> bool {
        let origin = record.origin();
        let Found { records, stored, unstored } = found;
        if !records.is_unread {
            match self.store.replace(stored.clone(), Arc::clone(record)).await {
                Ok(true) => {
                    if let Some(rejected) = unstored {
                        self.unstored.remove(rejected);
                    }
                    return true;
                }
                Ok(false) => return false,
                Err(error) => {
                    tracing::warn!(%origin, %error, "a record is stored in memory only");
                    telemetry::store_failed();
                }
            }
        }
        let done = self.unstored.replace(unstored.as_ref(), stored.as_ref(), record).await;
        done.unwrap_or_else(|error| {
            warn_unstored(origin, Err::<(), _>(error));
            true
        })
    }

    /// Stores the end of a back-off, for other processes and for a restart. Another process may
    /// have stored a later time.
    pub(super) async fn store_back_off(&self, origin: &Origin, back_off: Option<BackOff>) {
        for _ in 0..MERGES {
            let found = self.find_now(origin).await;
            let Some(record) = found.records.shared.as_deref() else { return };
            let stored = record.back_off();
            let back_off = back_off.and_then(|it| BackOff::later(stored, Some(it)));
            let next = Arc::new(record.clone().with_back_off(back_off));
            if stored == back_off || self.share(&found, &next).await {
                return;
            }
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
        let record = known.map_or_else(|| OriginRecord::new(origin.clone()), Arc::unwrap_or_clone);
        record.with_fault(&self.read_options, Response { failure, ..response })
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
        self.base.as_ref() == Some(stored)
    }
}

impl Unstored {
    pub(super) fn new() -> Self {
        let store = || MemoryStore::bounded(UNSTORED_BYTES);
        Self { records: store(), bases: store() }
    }

    pub(super) async fn get(&self, origin: &Origin) -> Option<UnstoredRecord> {
        let found = self.records.get(origin).await;
        let record = found.ok().and_then(Lookup::found)?;
        let base = self.bases.get(origin).await.ok().and_then(Lookup::found);
        Some(UnstoredRecord { record, base })
    }

    /// Replaces the record that was found; false if another one has replaced it by now.
    pub(super) async fn replace(
        &self,
        before: Option<&UnstoredRecord>,
        stored: Option<&Arc<OriginRecord>>,
        record: &Arc<OriginRecord>,
    ) -> Result<bool, StoreError> {
        let before = before.map(|before| Arc::clone(&before.record));
        let is_replaced = self.records.replace(before, Arc::clone(record)).await?;
        if is_replaced {
            let none = || Arc::new(OriginRecord::new(record.origin().clone()));
            self.bases.put(stored.cloned().unwrap_or_else(none)).await?;
        }
        Ok(is_replaced)
    }

    /// Removes a record that the store has accepted, but no later one.
    pub(super) fn remove(&self, stored: &UnstoredRecord) {
        self.records.remove_exactly(&stored.record);
    }
}
