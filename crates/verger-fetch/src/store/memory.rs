//! A store in memory, lost with the process.

use std::fmt;
use std::future::ready;
use std::sync::{Arc, Mutex};

use verger::Origin;
use verger::access::Timestamp;

use super::lru::Lru;
use super::{Lookup, Pending, Replaced, Store, StoreEntry, StoreError, cost, registrable};
use crate::limits::{ANSWERS_SEARCHED, DOMAIN_SHARE, MEMORY_STORE_BYTES};
use crate::lock;
use crate::record::{BackOff, File, Miss, OriginRecord, RecordKey, Redirect, Response};

/// Records in memory, bounded by bytes. The least recently used are evicted first. The hosts of one
/// registrable domain together take at most one percent of the bytes, or one record if that is
/// more.
///
/// # Complexity
///
/// Each operation takes O(log n) of n records, and as much for each evicted record; a list is
/// linear in its length.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use verger::Origin;
/// use verger::access::Profile;
/// use verger_fetch::record::{Miss, OriginRecord, ReadOptions};
/// use verger_fetch::store::{Lookup, MemoryStore, Store};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let store = MemoryStore::new();
/// let origin = Origin::from_parts("https", "shop.example", None)?;
/// let key = ReadOptions::new(Profile::RFC9309).key(&origin);
/// assert_eq!(store.get(&key).await?, Lookup::Missing(Miss::Absent));
///
/// store.put(Arc::new(OriginRecord::new(key.clone()))).await?;
/// assert!(store.get(&key).await?.found().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemoryStore(Mutex<Records>);

type Records = Lru<Arc<OriginRecord>>;

impl MemoryStore {
    /// A store of 64 MiB.
    pub fn new() -> Self {
        Self::bounded(MEMORY_STORE_BYTES)
    }

    /// A store with this maximum of bytes.
    pub fn bounded(bytes: u64) -> Self {
        Self(Mutex::new(Lru::new(bytes, DOMAIN_SHARE)))
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let records = lock(&self.0);
        f.debug_struct("MemoryStore")
            .field("records", &records.len())
            .field("bytes", &records.bytes())
            .field("most", &records.most())
            .finish()
    }
}

impl Store for MemoryStore {
    fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Lookup> {
        let found = lock(&self.0).used(key.as_str()).cloned();
        Box::pin(ready(Ok(found.map_or(Lookup::Missing(Miss::Absent), Lookup::Found))))
    }

    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
        let size = record.memory();
        Box::pin(ready(put(&mut lock(&self.0), record, size).map(drop)))
    }

    fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Pending<'_, Replaced> {
        let size = record.memory();
        let mut records = lock(&self.0);
        let found = records.get(record.key().as_str()).cloned();
        let found = found.map_or(Lookup::Missing(Miss::Absent), Lookup::Found);
        let done = if found.allows(before.as_ref(), &record) {
            put(&mut records, record, size).map(Replaced::By)
        } else {
            Ok(Replaced::No(found))
        };
        Box::pin(ready(done))
    }

    fn remove<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, bool> {
        Box::pin(ready(Ok(lock(&self.0).remove(key.as_str()).is_some())))
    }

    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<StoreEntry>> {
        let records = lock(&self.0);
        let entry =
            |(key, record): (&str, &Arc<OriginRecord>)| StoreEntry::new(key.into(), Ok(record));
        let entries = records.after(after).take(most).map(entry).collect();
        Box::pin(ready(Ok(entries)))
    }

    fn clear(&self) -> Pending<'_, u64> {
        let mut records = lock(&self.0);
        let empty = Lru::new(records.most(), DOMAIN_SHARE);
        let before = std::mem::replace(&mut *records, empty);
        Box::pin(ready(Ok(before.len() as u64)))
    }

    fn set_back_off<'a>(
        &'a self,
        origin: &'a Origin,
        back_off: Option<BackOff>,
    ) -> Pending<'a, ()> {
        let mut records = lock(&self.0);
        let keys: Vec<Arc<str>> = records.keys(&RecordKey::range(origin)).cloned().collect();
        for key in keys {
            if let Some(record) = records.get_mut(&key) {
                OriginRecord::advance_back_off(record, back_off);
            }
        }
        Box::pin(ready(Ok(())))
    }

    fn last_answer<'a>(&'a self, except: &'a str) -> Pending<'a, Option<Timestamp>> {
        let records = lock(&self.0);
        let recent = records.recent().take(ANSWERS_SEARCHED);
        let answered = recent.filter_map(|record| record.last_answer_unless(except));
        Box::pin(ready(Ok(answered.max())))
    }

    fn is_memory(&self) -> bool {
        true
    }
}

/// Puts a record with the back-off of its origin, unless it is too large.
fn put(
    records: &mut Records,
    mut record: Arc<OriginRecord>,
    size: u64,
) -> Result<Arc<OriginRecord>, StoreError> {
    if size > records.most() {
        return Err(StoreError::too_large(size, records.most()));
    }
    let known = records.keys(&RecordKey::range(record.origin())).next();
    if let Some(known) = known.and_then(|key| records.get(key)).map(|known| known.back_off()) {
        OriginRecord::set_back_off(&mut record, known);
    }
    let (key, domain) = (record.key().as_str(), registrable(record.origin()));
    records.put(key, domain, Arc::clone(&record), size);
    Ok(record)
}

impl OriginRecord {
    /// Bytes of the record, as counted for limits of memory.
    pub(crate) fn memory(&self) -> u64 {
        let redirects = |redirects: &[Redirect]| {
            redirects.iter().map(|hop| hop.url.len() + size_of_val(hop)).sum()
        };
        let files = self.file().into_iter().chain(self.piece());
        let file: usize = files
            .map(|file| {
                let fields =
                    [&file.validators.etag, &file.validators.last_modified, &file.media_type];
                let fields: usize = fields.into_iter().flatten().map(Vec::len).sum();
                let redirects: usize = redirects(&file.redirects);
                size_of::<File>()
                    + redirects
                    + fields
                    + file.final_url.len()
                    + file.body.as_bytes().len()
            })
            .sum();
        let response = |it: &Response| {
            let redirects: usize = redirects(&it.redirects);
            let failure = it.failure.as_ref().map_or(0, |failure| failure.to_string().len());
            size_of::<Response>() + redirects + it.final_url.len() + failure
        };
        let last = self.last().map_or(0, |last| response(last));
        cost(size_of::<Self>() + file + last + 3 * self.key().as_str().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record_of;
    use crate::store::StoreErrorKind;

    fn run<T>(pending: Pending<'_, T>) -> Result<T, StoreError> {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(pending)
    }

    fn key(host: &str) -> RecordKey {
        record(host, 0).key().clone()
    }

    fn record(host: &str, bytes: usize) -> Arc<OriginRecord> {
        let origin = Origin::from_parts("https", host, None).unwrap();
        Arc::new(record_of(&origin, vec![b'#'; bytes]))
    }

    fn hosts(store: &MemoryStore) -> Vec<String> {
        let entries = run(store.list(None, usize::MAX)).unwrap();
        entries.into_iter().map(|entry| entry.origin().replace("https://", "")).collect()
    }

    #[test]
    fn least_recently_used_records_are_evicted_first() {
        // Room for four, each of another domain.
        let store = MemoryStore::bounded(4 * record("a.example", 1_000).memory());
        for host in ["a.example", "b.example", "c.example", "d.example"] {
            run(store.put(record(host, 1_000))).unwrap();
        }
        assert!(run(store.get(&key("a.example"))).unwrap().found().is_some());
        run(store.put(record("e.example", 1_000))).unwrap();
        assert_eq!(hosts(&store), ["a.example", "c.example", "d.example", "e.example"]);
        // As large as two.
        run(store.put(record("f.example", 2_000))).unwrap();
        assert_eq!(hosts(&store), ["a.example", "e.example", "f.example"]);
        // Putting a record again uses it, and counts it once.
        run(store.put(record("a.example", 1_000))).unwrap();
        run(store.put(record("g.example", 1_000))).unwrap();
        assert_eq!(hosts(&store), ["a.example", "f.example", "g.example"]);
    }

    #[test]
    fn ten_thousand_names_of_one_site_evict_no_other_site() {
        let store = MemoryStore::bounded(10_000_000);
        for site in 0..50 {
            run(store.put(record(&format!("site-{site}.example"), 1_000))).unwrap();
        }
        for name in 0..10_000 {
            run(store.put(record(&format!("n{name}.flood.example"), 1_000))).unwrap();
        }
        let hosts = hosts(&store);
        assert_eq!(hosts.iter().filter(|host| host.starts_with("site-")).count(), 50);
        let flood: Vec<_> = hosts.iter().filter(|host| host.ends_with(".flood.example")).collect();
        assert!(flood.len() as u64 * record("n1.flood.example", 1_000).memory() <= 100_000);
        assert!(flood.contains(&&"n9999.flood.example".to_owned()));
    }

    #[test]
    fn record_larger_than_its_share_stays_alone() {
        let store = MemoryStore::bounded(100_000);
        run(store.put(record("a.shop.example", 10_000))).unwrap();
        run(store.put(record("b.shop.example", 10_000))).unwrap();
        assert_eq!(hosts(&store), ["b.shop.example"]);
        let error = run(store.put(record("c.shop.example", 100_000))).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::TooLarge);
        assert_eq!(hosts(&store), ["b.shop.example"]);
    }

    #[test]
    fn removal_frees_all_bytes() {
        let store = MemoryStore::new();
        for host in ["a.example", "b.example", "www.b.example"] {
            run(store.put(record(host, 10))).unwrap();
        }
        assert!(run(store.remove(&key("b.example"))).unwrap());
        assert!(!run(store.remove(&key("b.example"))).unwrap());
        assert_eq!(hosts(&store), ["a.example", "www.b.example"]);
        assert_eq!(run(store.clear()).unwrap(), 2);
        assert!(lock(&store.0).is_empty());
    }

    #[test]
    fn pages_of_a_list_follow_each_other() {
        let store = MemoryStore::new();
        for host in ["c.example", "a.example", "b.example"] {
            run(store.put(record(host, 10))).unwrap();
        }
        let page = |after: Option<&str>| -> Vec<String> {
            let after = after.map(key);
            let entries = run(store.list(after.as_ref().map(RecordKey::as_str), 2)).unwrap();
            entries.iter().map(|entry| entry.origin().to_owned()).collect()
        };
        assert_eq!(page(None), ["https://a.example", "https://b.example"]);
        assert_eq!(page(Some("b.example")), ["https://c.example"]);
        assert!(page(Some("c.example")).is_empty());
    }
}
