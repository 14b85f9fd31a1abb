//! Searches through all keys, to list or clear a store.

use std::collections::BTreeMap;

use verger_fetch::record::{Miss, OriginRecord};
use verger_fetch::store::{StoreEntry, StoreError};

use crate::keys::RECORD;
use crate::limits::{SCAN_COUNT, VALUE_BYTES};
use crate::link::{Link, Node};
use crate::store::Shared;

impl Shared {
    /// The first `most` records after a key, in the order of the texts of their keys. A damaged
    /// record has no readable key and is not listed, nor is one that Redis refuses to read.
    pub(crate) async fn list(
        &self,
        after: Option<&str>,
        most: usize,
    ) -> Result<Vec<StoreEntry>, StoreError> {
        let mut entries: BTreeMap<String, StoreEntry> = BTreeMap::new();
        let (mut is_readable, mut refused) = (false, None);
        let mut scan = Scan::new(&self.link, self.keys.records()).await?;
        while let Some(keys) = scan.next().await? {
            for key in keys {
                let stored = match self.link.value("list", &key, VALUE_BYTES).await {
                    Err(error) if !error.kind().is_temporary() => {
                        tracing::warn!(key, %error, "Redis refuses to read a record");
                        refused = Some(error);
                        continue;
                    }
                    stored => stored?.unwrap_or_default(),
                };
                is_readable = true;
                let Some(entry) = self.options.seal.open(&key, &stored).and_then(entry) else {
                    continue;
                };
                if after.is_none_or(|after| *entry.key > *after) {
                    entries.insert(entry.key.clone(), entry);
                }
                if entries.len() > most {
                    entries.pop_last();
                }
            }
        }
        match refused {
            // No permission to read is no empty store.
            Some(error) if !is_readable => Err(error),
            _ => Ok(entries.into_values().collect()),
        }
    }

    /// Removes the records of the namespace, and all keys that are derived from them. Returns the
    /// number of records.
    pub(crate) async fn clear(&self) -> Result<u64, StoreError> {
        let mut records = 0;
        let mut scan = Scan::new(&self.link, self.keys.all()).await?;
        while let Some(keys) = scan.next().await? {
            for key in keys.iter().filter(|key| !self.keys.coordinates(key)) {
                let command = redis::cmd("UNLINK").arg(key).clone();
                let removed: u64 = self.link.send("remove", key, &command).await?;
                records += if key.ends_with(RECORD) { removed } else { 0 };
            }
        }
        Ok(records)
    }
}

/// A search for the keys of all nodes that fit a pattern.
struct Scan<'l> {
    link: &'l Link,
    pattern: String,
    nodes: Vec<Node>,
    /// The place in the last of the nodes.
    cursor: u64,
}

impl<'l> Scan<'l> {
    async fn new(link: &'l Link, pattern: String) -> Result<Self, StoreError> {
        Ok(Self { link, pattern, nodes: link.nodes().await?, cursor: 0 })
    }

    /// Some of the keys; `None` after the last ones.
    async fn next(&mut self) -> Result<Option<Vec<String>>, StoreError> {
        let Some(node) = self.nodes.last() else { return Ok(None) };
        let mut command = redis::cmd("SCAN");
        command.arg(self.cursor).arg("MATCH").arg(&self.pattern).arg("COUNT").arg(SCAN_COUNT);
        let keys;
        (self.cursor, keys) = self.link.send_to(node, &command).await?;
        if self.cursor == 0 {
            self.nodes.pop();
        }
        Ok(Some(keys))
    }
}

/// The entry of an encoded record; `None` if its key is unknown.
fn entry(value: &[u8]) -> Option<StoreEntry> {
    let record = OriginRecord::decode_any(value).ok()?;
    Some(StoreEntry::new(record.key().as_str().to_owned(), Ok::<_, Miss>(&record)))
}
