//! Records that the store did not take.

use std::sync::Arc;

use verger::Origin;

use crate::limits::UNSTORED_BYTES;
use crate::record::Record;
use crate::store::{Lookup, MemoryStore, Store as _, StoreError};

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
    pub(super) record: Arc<Record>,
    /// The record of the store at that time, an empty one if there was none. It may be forgotten.
    base: Option<Arc<Record>>,
}

impl Kept {
    /// Whether it was made from this record of the store, and so holds all that this one does.
    pub(super) fn is_made_from(&self, stored: &Arc<Record>) -> bool {
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
        stored: Option<&Arc<Record>>,
        record: &Arc<Record>,
    ) -> Result<bool, StoreError> {
        let before = before.map(|kept| Arc::clone(&kept.record));
        let is_kept = self.records.replace(before, Arc::clone(record)).await?;
        if is_kept {
            let none = || Arc::new(Record::new(record.origin().clone()));
            self.bases.put(stored.cloned().unwrap_or_else(none)).await?;
        }
        Ok(is_kept)
    }

    /// Forgets a record that the store has taken, and no later one.
    pub(super) fn remove(&self, kept: &Kept) {
        self.records.remove_exactly(&kept.record);
    }
}
