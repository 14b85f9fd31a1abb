//! The records of an origin: that of the store, and that of this client alone.

use std::sync::Arc;

use verger::Origin;
use verger::access::Outcome;

use super::{Inner, telemetry};
use crate::limits::{MERGES, UNSTORED_BYTES};
use crate::record::{Attempt, BackOff, Failure, Known, Miss, Next, OriginRecord, Response};
use crate::store::{Lookup, MemoryStore, Store as _, StoreError};

/// The records of an origin as they were found.
pub(super) struct Found {
    pub(super) known: Known,
    /// That of the store, which a change replaces.
    stored: Option<Arc<OriginRecord>>,
    /// One that the store did not take.
    unstored: Option<Kept>,
}

impl Inner {
    /// What is known of an origin; writes of other processes may be missing for a moment.
    pub(super) async fn find(&self, origin: &Origin) -> Found {
        let found = self.store.get(origin).await;
        self.found(origin, found).await
    }

    /// The same as it is in the store now.
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
                tracing::warn!(%origin, %miss, "a record of the store is passed over");
                None
            }
            Err(error) => {
                is_unread = true;
                tracing::warn!(%origin, %error, "the store gave no answer");
                telemetry::store_failed();
                None
            }
        };
        let unstored = self.unstored.get(origin).await;
        let now = self.clock.now();
        let shared = match (&stored, &unstored) {
            // A write that came late after all.
            (Some(stored), Some(kept)) if *stored == kept.record => Some(Arc::clone(stored)),
            (Some(stored), Some(kept)) if !kept.is_made_from(stored) => {
                let seed = self.seed_of(origin);
                Some(Arc::new(stored.merged(&kept.record, &self.viewer, now, seed)))
            }
            (stored, kept) => {
                let records = stored.iter().chain(kept.as_ref().map(|kept| &kept.record));
                records.max_by_key(|record| record.order(now)).cloned()
            }
        };
        let own = self.own.get(origin).await.ok().and_then(Lookup::found);
        Found { known: Known { shared, own, is_unread }, stored, unstored }
    }

    /// Keeps the records after a fetch. `before`: the record when it began, which stands where the store
    /// has lost it since. The file that a 304 confirmed may have been replaced: then nothing is kept, and
    /// the error is the record as it is now.
    pub(super) async fn conclude(
        &self,
        origin: &Origin,
        mut before: Option<Arc<OriginRecord>>,
        attempt: &Attempt,
    ) -> Result<Known, Option<Arc<OriginRecord>>> {
        let is_renewal = attempt.response.outcome == Outcome::NotModified;
        let seed = self.seed_of(origin);
        let mut merges = 0;
        loop {
            // Others who use the store may have changed the record since the fetch began.
            let mut found = self.find_now(origin).await;
            before = found.known.shared.take().or(before);
            let now = self.clock.now();
            if before.as_ref().is_some_and(|before| before.outdates(attempt, &self.viewer, now)) {
                return Ok(Known { shared: before, ..found.known });
            }
            let has_file = |hash| before.as_ref().is_some_and(|record| record.has_file(hash));
            if is_renewal && !attempt.renews.is_none_or(has_file) {
                return Err(before);
            }
            let mut attempt = attempt.clone();
            if let Some(before) = &before {
                attempt.set_time_after(before, now);
            }
            if found.known.is_unread && attempt.is_failure(&self.viewer) {
                // The store may have a copy, and an outage that began long ago: nothing is concluded.
                (attempt.response.is_unclear, attempt.heard) = (true, None);
            }
            let base = before.get_or_insert_with(|| Arc::new(OriginRecord::new(origin.clone())));
            let own = found.known.own.as_deref();
            let Next { shared, own, .. } = base.after(own, &self.viewer, attempt, seed);
            let shared = shared.map(Arc::new);
            if let Some(shared) = &shared
                && !self.share(&found, shared).await
            {
                merges += 1;
                if merges < MERGES {
                    continue;
                }
                tracing::warn!(%origin, "a record is kept in memory only: others change it");
                let Found { stored, unstored, .. } = &found;
                let done = self.unstored.replace(unstored.as_ref(), stored.as_ref(), shared).await;
                warn_unkept(origin, done);
            }
            let own = own.map(Arc::new);
            let done = match &own {
                Some(own) => self.own.put(Arc::clone(own)).await,
                None => self.own.remove(origin).await.map(drop),
            };
            warn_unkept(origin, done);
            let is_unread = found.known.is_unread;
            return Ok(Known { shared: shared.or(before), own, is_unread });
        }
    }

    /// Keeps a record in place of the one that was found: in the store, or in memory where the store
    /// fails or has one that was not read. False: another client has changed it meanwhile.
    pub(super) async fn share(&self, found: &Found, record: &Arc<OriginRecord>) -> bool {
        let origin = record.origin();
        let Found { known, stored, unstored } = found;
        if !known.is_unread {
            match self.store.replace(stored.clone(), Arc::clone(record)).await {
                Ok(true) => {
                    if let Some(kept) = unstored {
                        self.unstored.remove(kept);
                    }
                    return true;
                }
                Ok(false) => return false,
                Err(error) => {
                    tracing::warn!(%origin, %error, "a record is kept in memory only");
                    telemetry::store_failed();
                }
            }
        }
        let done = self.unstored.replace(unstored.as_ref(), stored.as_ref(), record).await;
        done.unwrap_or_else(|error| {
            warn_unkept(origin, Err::<(), _>(error));
            true
        })
    }

    /// Keeps until when an origin is left alone, for other processes and the time after this one. Another
    /// process may have kept a later time.
    pub(super) async fn keep_back_off(&self, origin: &Origin, back_off: Option<BackOff>) {
        for _ in 0..MERGES {
            let found = self.find_now(origin).await;
            let Some(record) = found.known.shared.as_deref() else { return };
            let kept = record.back_off();
            let back_off = back_off.and_then(|it| BackOff::later(kept, Some(it)));
            let next = Arc::new(record.clone().with_back_off(back_off));
            if kept == back_off || self.share(&found, &next).await {
                return;
            }
        }
    }

    /// Offline, the answer of before stands (REP-CACHE-28). Nothing is stored.
    pub(super) fn as_offline(
        &self,
        origin: &Origin,
        known: Option<Arc<OriginRecord>>,
    ) -> OriginRecord {
        let has_record = known.is_some();
        let response = Response::new(self.clock.now(), Outcome::LocalFault, origin.robots_url());
        let failure = Some(Failure::Offline { has_record });
        let record = known.map_or_else(|| OriginRecord::new(origin.clone()), Arc::unwrap_or_clone);
        record.with_fault(&self.viewer, Response { failure, ..response })
    }
}

fn warn_unkept<T>(origin: &Origin, done: Result<T, StoreError>) {
    if let Err(error) = done {
        tracing::warn!(%origin, %error, "a record is not kept");
    }
}

/// Records in memory, each with the record of the store that it was made from: where the store has
/// another one by now, both have something that the other lacks.
#[derive(Debug)]
pub(super) struct Unstored {
    records: MemoryStore,
    bases: MemoryStore,
}

/// A record that the store did not take.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    record: Arc<OriginRecord>,
    /// The record of the store at that time, an empty one if there was none. It may be forgotten.
    base: Option<Arc<OriginRecord>>,
}

impl Kept {
    /// Whether it was made from this record of the store, and so holds all that this one does.
    fn is_made_from(&self, stored: &Arc<OriginRecord>) -> bool {
        self.base.as_ref() == Some(stored)
    }
}

impl Unstored {
    pub(super) fn new() -> Self {
        let store = || MemoryStore::bounded(UNSTORED_BYTES);
        Self { records: store(), bases: store() }
    }

    pub(super) async fn get(&self, origin: &Origin) -> Option<Kept> {
        let found = self.records.get(origin).await;
        let record = found.ok().and_then(Lookup::found)?;
        let base = self.bases.get(origin).await.ok().and_then(Lookup::found);
        Some(Kept { record, base })
    }

    /// Keeps a record in place of the one that was found; false when another one is kept by now.
    pub(super) async fn replace(
        &self,
        before: Option<&Kept>,
        stored: Option<&Arc<OriginRecord>>,
        record: &Arc<OriginRecord>,
    ) -> Result<bool, StoreError> {
        let before = before.map(|kept| Arc::clone(&kept.record));
        let is_kept = self.records.replace(before, Arc::clone(record)).await?;
        if is_kept {
            let none = || Arc::new(OriginRecord::new(record.origin().clone()));
            self.bases.put(stored.cloned().unwrap_or_else(none)).await?;
        }
        Ok(is_kept)
    }

    /// Forgets a record that the store has taken, and no later one.
    pub(super) fn remove(&self, kept: &Kept) {
        self.records.remove_exactly(&kept.record);
    }
}
