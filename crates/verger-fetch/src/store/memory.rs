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

use super::{Entry, Lookup, Pending, Replaced, Store, StoreError, cost, registrable};
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

    /// The record with a key; it counts as used.
    pub(crate) fn find(&self, key: &RecordKey) -> Option<Arc<OriginRecord>> {
        lock(&self.records).used(key, |_| true)
    }

    /// The record with a key, if it was put within this time; it counts as used.
    pub(super) fn younger_than(&self, key: &RecordKey, age: Duration) -> Option<Arc<OriginRecord>> {
        lock(&self.records).used(key, |slot| slot.put_at.elapsed() < age)
    }

    /// Puts a record that another store had at a time, unless a later one was put or it is too
    /// large.
    pub(super) fn put_as_of(&self, record: &Arc<OriginRecord>, at: Instant) {
        let size = record.memory();
        let mut records = lock(&self.records);
        if records.is_older(record.key(), at) && size <= self.most {
            let slot = Slot { record: Arc::clone(record), size, used: 0, put_at: at };
            records.put(slot, self.most);
        }
    }

    /// Whether the record with a key, if any, was put before this time.
    pub(super) fn is_older(&self, key: &RecordKey, than: Instant) -> bool {
        lock(&self.records).is_older(key, than)
    }

    /// Removes this record, but no other one with the same key.
    pub(crate) fn remove_exactly(&self, record: &Arc<OriginRecord>) {
        let mut records = lock(&self.records);
        let key = record.key().as_str();
        if records.slots.get(key).is_some_and(|slot| Arc::ptr_eq(&slot.record, record)) {
            records.remove(key);
        }
    }

    /// Removes the record with a key that another store did not have at a time, unless it was put
    /// later.
    pub(super) fn remove_as_of(&self, key: &RecordKey, at: Instant) {
        let mut records = lock(&self.records);
        if records.is_older(key, at) {
            records.remove(key.as_str());
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
    fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Lookup> {
        let found = self.find(key);
        Box::pin(ready(Ok(found.map_or(Lookup::Missing(Miss::Absent), Lookup::Found))))
    }

    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
        let size = record.memory();
        let done = lock(&self.records).put_below(record, size, self.most);
        Box::pin(ready(done.map(drop)))
    }

    fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Pending<'_, Replaced> {
        let size = record.memory();
        let mut records = lock(&self.records);
        let found = records.found(record.key());
        let done = if found.allows(before.as_ref(), &record) {
            records.put_below(record, size, self.most).map(Replaced::By)
        } else {
            Ok(Replaced::No(found))
        };
        Box::pin(ready(done))
    }

    fn remove<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, bool> {
        Box::pin(ready(Ok(lock(&self.records).remove(key.as_str()))))
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

    fn set_back_off<'a>(
        &'a self,
        origin: &'a Origin,
        back_off: Option<BackOff>,
    ) -> Pending<'a, ()> {
        for slot in lock(&self.records).of_origin(origin) {
            let next = back_off.and_then(|next| BackOff::later(slot.record.back_off(), Some(next)));
            slot.set_back_off(next);
        }
        Box::pin(ready(Ok(())))
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
        let last = self.last().map_or(0, |last| response(last));
        cost(size_of::<Self>() + file + last + 3 * self.key().as_str().len())
    }
}

/// Records by the text of their key, in two orders of use, the least recently used first: of
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

impl Slot {
    fn set_back_off(&mut self, back_off: Option<BackOff>) {
        if self.record.back_off() != back_off {
            let record = OriginRecord::clone(&self.record).with_back_off(back_off);
            self.record = Arc::new(record);
        }
    }
}

/// The share of the hosts of one domain.
#[derive(Default)]
struct Share {
    order: BTreeMap<u64, Arc<str>>,
    bytes: u64,
}

impl Records {
    /// The record with a key, if it meets a condition; it counts as used.
    fn used(
        &mut self,
        key: &RecordKey,
        condition: impl Fn(&Slot) -> bool,
    ) -> Option<Arc<OriginRecord>> {
        let slot = self.slots.get_mut(key.as_str()).filter(|slot| condition(slot))?;
        self.clock += 1;
        let before = std::mem::replace(&mut slot.used, self.clock);
        let share = self.domains.get_mut(registrable(key.origin()));
        for order in [Some(&mut self.order), share.map(|share| &mut share.order)] {
            let Some(order) = order else { continue };
            if let Some(key) = order.remove(&before) {
                order.insert(self.clock, key);
            }
        }
        Some(Arc::clone(&slot.record))
    }

    /// The records of an origin.
    fn of_origin(&mut self, origin: &Origin) -> impl Iterator<Item = &mut Slot> {
        let [from, to] = RecordKey::range(origin);
        let range = (Bound::Included(&*from), Bound::Excluded(&*to));
        self.slots.range_mut::<str, _>(range).map(|(_, slot)| slot)
    }

    fn found(&self, key: &RecordKey) -> Lookup {
        let slot = self.slots.get(key.as_str());
        slot.map_or(Lookup::Missing(Miss::Absent), |slot| Lookup::Found(Arc::clone(&slot.record)))
    }

    /// Puts a record with the back-off of its origin, unless it is too large.
    fn put_below(
        &mut self,
        record: Arc<OriginRecord>,
        size: u64,
        most: u64,
    ) -> Result<Arc<OriginRecord>, StoreError> {
        if size > most {
            return Err(StoreError::too_large(size, most));
        }
        let known = self.of_origin(record.origin()).next().map(|slot| slot.record.back_off());
        let mut slot = Slot { record, size, used: 0, put_at: Instant::now() };
        if let Some(known) = known {
            slot.set_back_off(known);
        }
        let record = Arc::clone(&slot.record);
        self.put(slot, most);
        Ok(record)
    }

    /// Whether the record with a key, if any, was put before this time.
    fn is_older(&self, key: &RecordKey, than: Instant) -> bool {
        self.slots.get(key.as_str()).is_none_or(|slot| slot.put_at < than)
    }

    fn put(&mut self, mut slot: Slot, most: u64) {
        let (origin, size) = (slot.record.origin(), slot.size);
        let key: Arc<str> = slot.record.key().as_str().into();
        self.remove(&key);
        self.clock += 1;
        let share = self.domains.entry(registrable(origin).into()).or_default();
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
        slot.used = self.clock;
        self.slots.insert(key, slot);
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
        let records = lock(&store.records);
        assert_eq!((records.bytes, records.order.len(), records.domains.len()), (0, 0, 0));
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
