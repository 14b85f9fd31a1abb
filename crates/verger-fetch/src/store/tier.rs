//! Memory in front of a store.

use std::sync::Arc;
use std::time::Instant;

use verger::Origin;

use super::memory::MemoryStore;
use super::{Lookup, Pending, Store, StoreError};
use crate::limits::{TIER_AGE, TIER_BYTES};
use crate::record::Record;

/// Records of a store that were read or written a moment ago.
///
/// They answer for [`TIER_AGE`]; then the store is asked again, so that writes by other processes
/// become visible. A store that is memory itself needs no tier and gets none.
#[derive(Debug)]
pub(crate) struct Tier {
    back: Arc<dyn Store>,
    front: Option<MemoryStore>,
}

impl Tier {
    pub(crate) fn new(back: Arc<dyn Store>) -> Self {
        let front = (!back.is_memory()).then(|| MemoryStore::bounded(TIER_BYTES));
        Self { back, front }
    }

    /// The record of an origin, at most [`TIER_AGE`] old.
    pub(crate) async fn get(&self, origin: &Origin) -> Result<Lookup, StoreError> {
        let found = self.front.as_ref().and_then(|front| front.younger_than(origin, TIER_AGE));
        match found {
            Some(record) => Ok(Lookup::Found(record)),
            None => self.get_now(origin).await,
        }
    }

    /// The record of an origin as the store has it now.
    pub(crate) async fn get_now(&self, origin: &Origin) -> Result<Lookup, StoreError> {
        let Some(front) = &self.front else { return self.back.get(origin).await };
        let asked = Instant::now();
        let found = self.back.get(origin).await;
        match &found {
            // A record that was put meanwhile is newer.
            Ok(Lookup::Found(record)) => front.put_as_of(record, asked),
            _ => front.remove_as_of(origin, asked),
        }
        found
    }

    /// Keeps a record in the store, and then in memory.
    pub(crate) async fn put(&self, record: Arc<Record>) -> Result<(), StoreError> {
        let Some(front) = &self.front else { return self.back.put(record).await };
        let done = self.back.put(Arc::clone(&record)).await;
        match done {
            Ok(()) => front.put_as_of(&record, Instant::now()),
            Err(_) => front.remove_as_of(record.origin(), Instant::now()),
        }
        done
    }

    /// [`Store::last_answer`].
    pub(crate) fn last_answer<'a>(
        &'a self,
        except: &'a str,
    ) -> Pending<'a, Option<verger::access::Timestamp>> {
        self.back.last_answer(except)
    }
}
