//! Searches through all keys, for people who look at a store or clear it.

use std::collections::BTreeMap;

use verger_fetch::record::{Miss, OriginRecord};
use verger_fetch::store::{Entry, StoreError};

use crate::keys::RECORD;
use crate::limits::{SCAN_COUNT, VALUE_BYTES};
use crate::link::Node;
use crate::store::Shared;
use crate::telemetry::Call;

impl Shared {
    /// The first `most` records after a key, in the order of the texts of their keys. A damaged
    /// record has no readable key and is not listed.
    pub(crate) async fn list(
        &self,
        after: Option<&str>,
        most: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
        for node in self.link.nodes().await? {
            let mut cursor = 0;
            loop {
                let (next, keys) = self.scan(&node, cursor, &self.keys.records()).await?;
                for key in keys {
                    let command = redis::cmd("GETRANGE").arg(&key).arg(0).arg(VALUE_BYTES).clone();
                    let reply = self.link.try_send::<Vec<u8>>(Call::List, &key, &command).await?;
                    let Ok(stored) = reply else { continue };
                    let Some(value) = self.seal().open(&key, &stored) else { continue };
                    let Some(entry) = entry(value) else { continue };
                    if after.is_some_and(|after| *entry.key <= *after) {
                        continue;
                    }
                    entries.insert(entry.key.clone(), entry);
                    if entries.len() > most {
                        entries.pop_last();
                    }
                }
                if next == 0 {
                    break;
                }
                cursor = next;
            }
        }
        Ok(entries.into_values().collect())
    }

    /// Removes the records of the namespace, and all keys that are derived from them. Returns the
    /// number of records.
    pub(crate) async fn clear(&self) -> Result<u64, StoreError> {
        let mut records = 0;
        for node in self.link.nodes().await? {
            let mut cursor = 0;
            loop {
                let (next, keys) = self.scan(&node, cursor, &self.keys.all()).await?;
                for key in keys.iter().filter(|key| !self.keys.coordinates(key)) {
                    let command = redis::cmd("UNLINK").arg(key).clone();
                    let removed: u64 = self.link.send(Call::Remove, key, &command).await?;
                    records += if key.ends_with(RECORD) { removed } else { 0 };
                }
                if next == 0 {
                    break;
                }
                cursor = next;
            }
        }
        Ok(records)
    }

    /// One step through the keys of a node.
    async fn scan(
        &self,
        node: &Node,
        cursor: u64,
        pattern: &str,
    ) -> Result<(u64, Vec<String>), StoreError> {
        let mut command = redis::cmd("SCAN");
        command.arg(cursor).arg("MATCH").arg(pattern).arg("COUNT").arg(SCAN_COUNT);
        self.link.send_to(node, &command).await
    }
}

/// The entry of an encoded record; `None` if its key is unknown.
fn entry(value: &[u8]) -> Option<Entry> {
    let record = OriginRecord::decode_any(value).ok()?;
    Some(Entry::new(record.key().as_str().to_owned(), Ok::<_, Miss>(&record)))
}
