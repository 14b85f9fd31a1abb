//! The records of an origin: that of the store, and that of this client alone.

use std::sync::Arc;

use verger::Origin;
use verger::access::Outcome;

use super::{Inner, telemetry};
use crate::record::{Failure, Known, Miss, Next, Record, Response};
use crate::store::{Lookup, Store as _, StoreError};

impl Inner {
    /// What is known of an origin; writes of other processes may be missing for a moment.
    pub(super) async fn known(&self, origin: &Origin) -> Known {
        let found = self.store.get(origin).await;
        self.known_by(origin, found).await
    }

    /// The same as it is in the store now.
    pub(super) async fn known_now(&self, origin: &Origin) -> Known {
        let found = self.store.get_now(origin).await;
        self.known_by(origin, found).await
    }

    async fn known_by(&self, origin: &Origin, found: Result<Lookup, StoreError>) -> Known {
        let mut is_unread = false;
        let found = match found {
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
        let unstored = self.unstored.get(origin).await.ok().and_then(Lookup::found);
        let now = self.clock.now();
        let shared = found.into_iter().chain(unstored).max_by_key(|record| record.order(now));
        let own = self.own.get(origin).await.ok().and_then(Lookup::found);
        Known { shared, own, is_unread }
    }

    /// Keeps the records after a fetch; in memory only where the store has one that was not read.
    pub(super) async fn keep(&self, origin: &Origin, next: Next, is_unread: bool) -> Known {
        let Next { shared, own, .. } = next;
        let (shared, own) = (shared.map(Arc::new), own.map(Arc::new));
        let done = match &own {
            Some(own) => self.own.put(Arc::clone(own)).await,
            None => self.own.remove(origin).await.map(drop),
        };
        warn_unkept(origin, done);
        match &shared {
            Some(shared) if is_unread => {
                warn_unkept(origin, self.unstored.put(Arc::clone(shared)).await);
            }
            Some(shared) => self.share(shared).await,
            None => {}
        }
        Known { shared, own, is_unread }
    }

    /// Keeps a record in the store, or in memory where the store does not take it.
    pub(super) async fn share(&self, record: &Arc<Record>) {
        let origin = record.origin();
        let done = match self.store.put(Arc::clone(record)).await {
            Ok(()) => self.unstored.remove(origin).await.map(drop),
            Err(error) => {
                tracing::warn!(%origin, %error, "a record is kept in memory only");
                telemetry::store_failed();
                self.unstored.put(Arc::clone(record)).await
            }
        };
        warn_unkept(origin, done);
    }

    /// Offline, the answer of before stands (REP-CACHE-28). Nothing is stored.
    pub(super) fn as_offline(&self, origin: &Origin, known: Option<Arc<Record>>) -> Record {
        let has_record = known.is_some();
        let response = Response::new(self.clock.now(), Outcome::LocalFault, origin.robots_url());
        let failure = Some(Failure::Offline { has_record });
        let record = known.map_or_else(|| Record::new(origin.clone()), Arc::unwrap_or_clone);
        record.with_fault(&self.viewer, Response { failure, ..response })
    }
}

fn warn_unkept(origin: &Origin, done: Result<(), StoreError>) {
    if let Err(error) = done {
        tracing::warn!(%origin, %error, "a record is not kept");
    }
}
