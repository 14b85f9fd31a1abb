//! A store in memory, lost with the process.
//!
//! A custom cache, because those from the registry may refuse a record, evict later, and have no
//! shares of domains.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::future::ready;
use std::ops::Bound;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use verger::Origin;
use verger::access::Timestamp;

use super::{Entry, Lookup, Pending, Store, StoreError, cost, registrable};
use crate::limits::{ANSWERS_SEARCHED, DOMAIN_SHARE, MEMORY_STORE_BYTES};
use crate::lock;
use crate::record::{File, Miss, OriginRecord, ProfileState, Redirect, Response};

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
/// use verger_fetch::record::{Miss, OriginRecord};
/// use verger_fetch::store::{Lookup, MemoryStore, Store};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let store = MemoryStore::new();
/// let origin = Origin::from_parts("https", "shop.example", None)?;
/// assert_eq!(store.get(&origin).await?, Lookup::Missing(Miss::Absent));
///
/// store.put(Arc::new(OriginRecord::new(origin.clone()))).await?;
/// assert!(store.get(&origin).await?.found().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemoryStore {
    records: Mutex<Records>,
    most: u64,
}

impl MemoryStore {
    /// A store of [`MEMORY_STORE_BYTES`].
    pub fn new() -> Self {
        Self::bounded(MEMORY_STORE_BYTES)
    }

    /// A store with this maximum of bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_fetch::store::MemoryStore;
    ///
    /// let store = MemoryStore::bounded(10_000_000);
    /// assert_eq!(store.bytes(), 0);
    /// ```
    pub fn bounded(bytes: u64) -> Self {
        Self { records: Mutex::default(), most: bytes }
    }

    /// Bytes of all records, as counted for the limit.
    pub fn bytes(&self) -> u64 {
        lock(&self.records).bytes
    }

    /// The record of an origin, if it was put within this time; it counts as used.
    pub(super) fn younger_than(&self, origin: &Origin, age: Duration) -> Option<Arc<OriginRecord>> {
        lock(&self.records).used(origin, |slot| slot.put_at.elapsed() < age)
    }

    /// Puts a record that another store had at a time, unless a later one was put or it is too
    /// large.
    pub(super) fn put_as_of(&self, record: &Arc<OriginRecord>, at: Instant) {
        let size = record.memory();
        let mut records = lock(&self.records);
        if records.is_older(record.origin(), at) && size <= self.most {
            records.put(Arc::clone(record), size, self.most, at);
        }
    }

    /// Removes this record, but no other one of the same origin.
    pub(crate) fn remove_exactly(&self, record: &Arc<OriginRecord>) {
        let mut records = lock(&self.records);
        let key = record.origin().to_string();
        if records.slots.get(&*key).is_some_and(|slot| Arc::ptr_eq(&slot.record, record)) {
            records.remove(&key);
        }
    }

    /// Removes the record of an origin that another store did not have at a time, unless it was put
    /// later.
    pub(super) fn remove_as_of(&self, origin: &Origin, at: Instant) {
        let mut records = lock(&self.records);
        if records.is_older(origin, at) {
            records.remove(&origin.to_string());
        }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Records { slots, bytes, .. } = &*lock(&self.records);
        f.debug_struct("MemoryStore")
            .field("records", &slots.len())
            .field("bytes", bytes)
            .field("most", &self.most)
            .finish_non_exhaustive()
    }
}

impl Store for MemoryStore {
    fn get<'a>(&'a self, origin: &'a Origin) -> Pending<'a, Lookup> {
        let found = lock(&self.records).used(origin, |_| true);
        Box::pin(ready(Ok(found.map_or(Lookup::Missing(Miss::Absent), Lookup::Found))))
    }

    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
        let size = record.memory();
        Box::pin(ready(lock(&self.records).put_below(record, size, self.most)))
    }

    fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Pending<'_, bool> {
        let size = record.memory();
        let mut records = lock(&self.records);
        if !records.found(record.origin()).allows(before.as_ref(), &record) {
            return Box::pin(ready(Ok(false)));
        }
        let done = records.put_below(record, size, self.most);
        Box::pin(ready(done.map(|()| true)))
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> Pending<'a, bool> {
        Box::pin(ready(Ok(lock(&self.records).remove(&origin.to_string()))))
    }

    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<Entry>> {
        let records = lock(&self.records);
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let found = records.slots.range::<str, _>((start, Bound::Unbounded)).take(most);
        let entries =
            found.map(|(key, slot)| Entry::new((**key).to_owned(), Ok(&slot.record))).collect();
        Box::pin(ready(Ok(entries)))
    }

    fn clear(&self) -> Pending<'_, u64> {
        let records = std::mem::take(&mut *lock(&self.records));
        Box::pin(ready(Ok(records.slots.len() as u64)))
    }

    fn last_answer<'a>(&'a self, except: &'a str) -> Pending<'a, Option<Timestamp>> {
        let records = lock(&self.records);
        let last = records.order.values().rev().take(ANSWERS_SEARCHED);
        let found = last.filter_map(|key| records.slots.get(key)).map(|slot| &slot.record);
        let answered = found.filter_map(|record| record.last_answer_unless(except));
        Box::pin(ready(Ok(answered.max())))
    }

    fn is_memory(&self) -> bool {
        true
    }
}

impl OriginRecord {
    /// Bytes of the record, as counted for the limit.
    fn memory(&self) -> u64 {
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
        let last = self.last().map_or(0, response);
        let state = |entry: &ProfileState| {
            let response = entry.response.as_deref().map_or(0, response);
            size_of::<ProfileState>() + entry.profile.len() + response
        };
        let states: usize = self.states().iter().map(state).sum();
        cost(size_of::<Self>() + file + last + states + 3 * self.origin().host().len())
    }
}

/// Records by the text of their origin, in two orders of use, the least recently used first: of
/// all, and of each registrable domain.
#[derive(Default)]
struct Records {
    slots: BTreeMap<Arc<str>, Slot>,
    order: BTreeMap<u64, Arc<str>>,
    domains: HashMap<Box<str>, Share>,
    bytes: u64,
    clock: u64,
}

struct Slot {
    record: Arc<OriginRecord>,
    size: u64,
    /// The key in both orders.
    used: u64,
    put_at: Instant,
}

/// The share of the hosts of one domain.
#[derive(Default)]
struct Share {
    order: BTreeMap<u64, Arc<str>>,
    bytes: u64,
}

impl Records {
    /// The record of an origin, if it meets a condition; it counts as used.
    fn used(
        &mut self,
        origin: &Origin,
        condition: impl Fn(&Slot) -> bool,
    ) -> Option<Arc<OriginRecord>> {
        let slot = self.slots.get_mut(&*origin.to_string()).filter(|slot| condition(slot))?;
        self.clock += 1;
        let before = std::mem::replace(&mut slot.used, self.clock);
        let share = self.domains.get_mut(registrable(origin));
        for order in [Some(&mut self.order), share.map(|share| &mut share.order)] {
            let Some(order) = order else { continue };
            if let Some(key) = order.remove(&before) {
                order.insert(self.clock, key);
            }
        }
        Some(Arc::clone(&slot.record))
    }

    fn found(&self, origin: &Origin) -> Lookup {
        let slot = self.slots.get(&*origin.to_string());
        slot.map_or(Lookup::Missing(Miss::Absent), |slot| Lookup::Found(Arc::clone(&slot.record)))
    }

    /// Puts a record, unless it is too large.
    fn put_below(
        &mut self,
        record: Arc<OriginRecord>,
        size: u64,
        most: u64,
    ) -> Result<(), StoreError> {
        if size > most {
            return Err(StoreError::too_large(size, most));
        }
        self.put(record, size, most, Instant::now());
        Ok(())
    }

    /// Whether the record of an origin, if any, was put before this time.
    fn is_older(&self, origin: &Origin, than: Instant) -> bool {
        self.slots.get(&*origin.to_string()).is_none_or(|slot| slot.put_at < than)
    }

    fn put(&mut self, record: Arc<OriginRecord>, size: u64, most: u64, put_at: Instant) {
        let key: Arc<str> = record.origin().to_string().into();
        self.remove(&key);
        self.clock += 1;
        let domain = registrable(record.origin());
        let share = self.domains.entry(domain.into()).or_default();
        share.order.insert(self.clock, Arc::clone(&key));
        share.bytes += size;
        // Siblings are evicted first. The record itself remains, as it is the most recently used.
        let mut excess = Vec::new();
        let mut left = share.bytes;
        for sibling in share.order.values().take(share.order.len() - 1) {
            if left <= most / DOMAIN_SHARE {
                break;
            }
            left -= self.slots.get(sibling).map_or(0, |slot| slot.size);
            excess.push(Arc::clone(sibling));
        }
        self.order.insert(self.clock, Arc::clone(&key));
        self.slots.insert(key, Slot { record, size, used: self.clock, put_at });
        self.bytes += size;
        for sibling in excess {
            self.remove(&sibling);
        }
        while self.bytes > most {
            let Some((_, oldest)) = self.order.first_key_value() else { break };
            let oldest = Arc::clone(oldest);
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, key: &str) -> bool {
        let Some(Slot { record, size, used, .. }) = self.slots.remove(key) else { return false };
        self.order.remove(&used);
        self.bytes -= size;
        let domain = registrable(record.origin());
        if let Some(share) = self.domains.get_mut(domain) {
            share.order.remove(&used);
            share.bytes -= size;
            if share.order.is_empty() {
                self.domains.remove(domain);
            }
        }
        true
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

    fn origin(host: &str) -> Origin {
        Origin::from_parts("https", host, None).unwrap()
    }

    fn record(host: &str, bytes: usize) -> Arc<OriginRecord> {
        Arc::new(record_of(origin(host), vec![b'#'; bytes]))
    }

    fn hosts(store: &MemoryStore) -> Vec<String> {
        let entries = run(store.list(None, usize::MAX)).unwrap();
        entries.into_iter().map(|entry| entry.origin.replace("https://", "")).collect()
    }

    #[test]
    fn least_recently_used_records_are_evicted_first() {
        // Room for four, each of another domain.
        let store = MemoryStore::bounded(4 * record("a.example", 1_000).memory());
        for host in ["a.example", "b.example", "c.example", "d.example"] {
            run(store.put(record(host, 1_000))).unwrap();
        }
        assert!(run(store.get(&origin("a.example"))).unwrap().found().is_some());
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
        assert!(run(store.remove(&origin("b.example"))).unwrap());
        assert!(!run(store.remove(&origin("b.example"))).unwrap());
        assert_eq!(hosts(&store), ["a.example", "www.b.example"]);
        assert_eq!(run(store.clear()).unwrap(), 2);
        let records = lock(&store.records);
        assert_eq!((records.bytes, records.order.len(), records.domains.len()), (0, 0, 0));
    }

    #[test]
    fn pages_of_a_list_follow_each_other() {
        let store = MemoryStore::new();
        for host in ["c.example", "a.example", "b.example"] {
            run(store.put(record(host, 10))).unwrap();
        }
        let page = |after| -> Vec<String> {
            let entries = run(store.list(after, 2)).unwrap();
            entries.into_iter().map(|entry| entry.origin).collect()
        };
        assert_eq!(page(None), ["https://a.example", "https://b.example"]);
        assert_eq!(page(Some("https://b.example")), ["https://c.example"]);
        assert!(page(Some("https://c.example")).is_empty());
    }
}
