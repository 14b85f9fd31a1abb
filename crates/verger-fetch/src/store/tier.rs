//! A memory tier in front of a store, and the timeouts of store calls.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::time;
use verger::Origin;
use verger::access::Timestamp;

use super::memory::MemoryStore;
use super::{Claim, Lookup, Pending, Replaced, Store, StoreError, StoreErrorKind};
use crate::limits::{STALL_REST, TIER_AGE, TIER_BYTES, WARNING_INTERVAL};
use crate::lock;
use crate::record::{BackOff, OriginRecord, RecordKey};
use crate::running::timeout;

/// Recently read or written records of a store.
///
/// They are valid for [`TIER_AGE`]; then the store is read again, so that writes by other processes
/// become visible. While the store fails, they answer however old they are; the access profile
/// alone decides whether they are fresh. A store in memory has no tier.
#[derive(Debug)]
pub(crate) struct Tier {
    back: Arc<dyn Store>,
    front: Option<MemoryStore>,
    reads: CallTimeout,
    writes: CallTimeout,
    /// The last warning about a failed call.
    warned_at: Mutex<Option<time::Instant>>,
}

impl Tier {
    /// `timeout`: maximum time of each call of the store.
    pub(crate) fn new(back: Arc<dyn Store>, timeout: Duration) -> Self {
        let front = (!back.is_memory()).then(|| MemoryStore::bounded(TIER_BYTES));
        // Separate, so that a writer that waits for a lock delays no reader.
        let [reads, writes] = [0; 2].map(|_| CallTimeout::new(timeout));
        Self { back, front, reads, writes, warned_at: Mutex::default() }
    }

    /// The record with a key, at most [`TIER_AGE`] old.
    pub(crate) async fn get(&self, key: &RecordKey) -> Result<Lookup, StoreError> {
        let found = self.front.as_ref().and_then(|front| front.younger_than(key, TIER_AGE));
        match found {
            Some(record) => {
                count_lookup("memory");
                Ok(Lookup::Found(record))
            }
            None => self.get_now(key).await,
        }
    }

    /// The record with a key, read from the store itself.
    pub(crate) async fn get_now(&self, key: &RecordKey) -> Result<Lookup, StoreError> {
        let Some(front) = &self.front else { return self.back.get(key).await };
        let asked = Instant::now();
        let found = self.reads.wait(self.back.get(key)).await;
        count_lookup(if found.is_ok() { "store" } else { "failed" });
        match &found {
            // A record that was put meanwhile is newer.
            Ok(Lookup::Found(record)) => front.put_as_of(record, asked),
            Ok(Lookup::Missing(_)) => front.remove_as_of(key, asked),
            // The last known record is used until the store works again.
            Err(_) => {}
        }
        found
    }

    /// The record with a key when the store last had it, for answers while the store fails.
    pub(crate) fn last_known(&self, key: &RecordKey) -> Option<Arc<OriginRecord>> {
        let known = self.front.as_ref()?.younger_than(key, Duration::MAX)?;
        count_lookup("last_known");
        Some(known)
    }

    /// Whether the answer to a question at this time may be another one by now, as far as this
    /// process knows.
    pub(crate) fn has_new(&self, key: &RecordKey, asked: Instant) -> bool {
        self.front.as_ref().is_none_or(|front| !front.is_older(key, asked))
    }

    /// Whether a failure of the store is worth a warning: not if there was one a moment ago.
    pub(crate) fn is_worth_warning(&self) -> bool {
        let mut warned_at = lock(&self.warned_at);
        let now = time::Instant::now();
        let is_worth = warned_at.is_none_or(|at| now - at >= WARNING_INTERVAL);
        if is_worth {
            *warned_at = Some(now);
        }
        is_worth
    }

    /// [`Store::replace`]; a stored record is also put into memory.
    pub(crate) async fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Result<Replaced, StoreError> {
        let Some(front) = &self.front else { return self.back.replace(before, record).await };
        let done = self.writes.wait(self.back.replace(before, Arc::clone(&record))).await;
        match &done {
            Ok(Replaced::By(record) | Replaced::No(Lookup::Found(record))) => {
                front.put_as_of(record, Instant::now());
            }
            Ok(Replaced::No(Lookup::Missing(_))) | Err(_) => {
                front.remove_as_of(record.key(), Instant::now());
            }
        }
        done
    }

    /// [`Store::set_back_off`], also in memory.
    pub(crate) async fn set_back_off(
        &self,
        origin: &Origin,
        back_off: Option<BackOff>,
    ) -> Result<(), StoreError> {
        let Some(front) = &self.front else {
            return self.back.set_back_off(origin, back_off).await;
        };
        front.set_back_off(origin, back_off).await?;
        self.writes.wait(self.back.set_back_off(origin, back_off)).await
    }

    /// [`Store::claim`].
    pub(crate) async fn claim(&self, key: &RecordKey, time: Duration) -> Result<Claim, StoreError> {
        self.writes.wait(self.back.claim(key, time)).await
    }

    /// [`Store::last_answer`].
    pub(crate) async fn last_answer(&self, except: &str) -> Result<Option<Timestamp>, StoreError> {
        self.reads.wait(self.back.last_answer(except)).await
    }
}

/// Counts a lookup by the tier that answered.
#[cfg_attr(not(feature = "metrics"), expect(unused_variables, reason = "there are no metrics"))]
fn count_lookup(tier: &'static str) {
    #[cfg(feature = "metrics")]
    metrics::counter!("verger_store_lookups_total", "tier" => tier).increment(1);
}

/// Limits the time of store calls: a timeout is an error. After a timeout the store is not called
/// for [`STALL_REST`], so that further checks do not wait too.
#[derive(Debug)]
struct CallTimeout {
    longest: Duration,
    skipped_until: Mutex<Option<time::Instant>>,
}

impl CallTimeout {
    fn new(longest: Duration) -> Self {
        Self { longest, skipped_until: Mutex::default() }
    }

    /// Awaits the result of a call, with the timeout.
    async fn wait<T>(&self, pending: Pending<'_, T>) -> Result<T, StoreError> {
        if lock(&self.skipped_until).is_some_and(|until| time::Instant::now() < until) {
            return Err(StoreError::new(
                StoreErrorKind::Stalled,
                "the store did not answer in time, and is not used for some seconds",
            ));
        }
        let Some(answer) = timeout(self.longest, pending).await else {
            self.skip_until(Some(time::Instant::now() + STALL_REST));
            let message = format!("the store did not answer within {:?}", self.longest);
            return Err(StoreError::new(StoreErrorKind::Stalled, message));
        };
        self.skip_until(None);
        answer
    }

    fn skip_until(&self, until: Option<time::Instant>) {
        *lock(&self.skipped_until) = until;
    }
}

#[cfg(feature = "sqlite")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record_of;
    use crate::store::SqliteStore;

    const TIMEOUT: Duration = Duration::from_secs(60);

    /// A store in a file, opened by a tier and by another owner.
    async fn shared(folder: &tempfile::TempDir) -> (Tier, SqliteStore) {
        let path = folder.path().join("store.sqlite");
        let open = || SqliteStore::open(&path, crate::store::SqliteOptions::default());
        let (ours, theirs) = (open().await.unwrap(), open().await.unwrap());
        (Tier::new(Arc::new(ours), TIMEOUT), theirs)
    }

    fn site() -> RecordKey {
        record("").key().clone()
    }

    fn record(body: &str) -> Arc<OriginRecord> {
        Arc::new(record_of(&Origin::from_parts("https", "shop.example", None).unwrap(), body))
    }

    async fn body(tier: &Tier) -> Option<String> {
        let found = tier.get(&site()).await.unwrap().found()?;
        Some(String::from_utf8(found.file()?.body.as_bytes().to_vec()).unwrap())
    }

    async fn replaces(
        tier: &Tier,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> bool {
        matches!(tier.replace(before, record).await.unwrap(), Replaced::By(_))
    }

    /// The tier's record after [`TIER_AGE`].
    async fn later(tier: &Tier) -> Option<String> {
        time::sleep(TIER_AGE).await;
        body(tier).await
    }

    #[tokio::test]
    async fn writes_removals_and_a_clearing_by_others_become_visible() {
        let folder = tempfile::tempdir().unwrap();
        let (tier, theirs) = shared(&folder).await;
        assert!(replaces(&tier, None, record("# ours")).await);
        theirs.put(record("# theirs")).await.unwrap();
        assert_eq!(later(&tier).await.as_deref(), Some("# theirs"));
        assert!(theirs.remove(&site()).await.unwrap());
        assert_eq!(later(&tier).await, None);
        theirs.put(record("# again")).await.unwrap();
        assert_eq!(body(&tier).await.as_deref(), Some("# again"), "absence is not remembered");
        assert_eq!(theirs.clear().await.unwrap(), 1);
        assert_eq!(later(&tier).await, None);
    }

    #[tokio::test]
    async fn memory_answers_between_two_reads_of_the_store() {
        let folder = tempfile::tempdir().unwrap();
        let (tier, theirs) = shared(&folder).await;
        let put = Instant::now();
        assert!(replaces(&tier, None, record("# ours")).await);
        theirs.put(record("# theirs")).await.unwrap();
        let found = body(&tier).await;
        if put.elapsed() < TIER_AGE {
            assert_eq!(found.as_deref(), Some("# ours"));
        }
        // A writer reads the store itself.
        let now = tier.get_now(&site()).await.unwrap().found().unwrap();
        assert_eq!(now.file().unwrap().body.as_bytes(), b"# theirs");
        assert_eq!(body(&tier).await.as_deref(), Some("# theirs"));
    }

    #[tokio::test]
    async fn a_concurrent_write_is_not_replaced_and_visible_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (tier, theirs) = shared(&folder).await;
        let ours = record("# ours");
        assert!(replaces(&tier, None, Arc::clone(&ours)).await);
        theirs.put(record("# theirs")).await.unwrap();
        assert!(!replaces(&tier, Some(ours), record("# next")).await);
        assert_eq!(body(&tier).await.as_deref(), Some("# theirs"));
    }

    #[tokio::test]
    async fn a_store_in_memory_has_no_tier() {
        let store = Arc::new(MemoryStore::new());
        let tier = Tier::new(Arc::clone(&store) as Arc<dyn Store>, TIMEOUT);
        assert!(replaces(&tier, None, record("# ours")).await);
        assert!(store.remove(&site()).await.unwrap());
        assert_eq!(body(&tier).await, None);
    }

    #[tokio::test]
    async fn failed_writes_are_not_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.sqlite");
        let options = crate::store::SqliteOptions::default().with_most_bytes(100_000);
        let store = SqliteStore::open(&path, options).await.unwrap();
        let tier = Tier::new(Arc::new(store), TIMEOUT);
        let written = record("# written");
        assert!(replaces(&tier, None, Arc::clone(&written)).await);
        assert!(tier.replace(Some(written), record(&"#".repeat(100_001))).await.is_err());
        assert_eq!(body(&tier).await.as_deref(), Some("# written"));
    }

    /// A store with one record, until it fails.
    #[derive(Debug)]
    struct Failing {
        store: MemoryStore,
        fails: std::sync::atomic::AtomicBool,
    }

    impl Store for Failing {
        fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Lookup> {
            if self.fails.load(std::sync::atomic::Ordering::Relaxed) {
                let error = StoreError::new(StoreErrorKind::Io, "fails");
                return Box::pin(std::future::ready(Err(error)));
            }
            self.store.get(key)
        }

        fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
            self.store.put(record)
        }

        fn remove<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, bool> {
            self.store.remove(key)
        }

        fn list<'a>(
            &'a self,
            after: Option<&'a str>,
            most: usize,
        ) -> Pending<'a, Vec<crate::store::Entry>> {
            self.store.list(after, most)
        }

        fn clear(&self) -> Pending<'_, u64> {
            self.store.clear()
        }
    }

    #[tokio::test]
    async fn the_last_known_record_outlasts_a_failure_of_the_store_but_not_its_removal() {
        let store = Arc::new(Failing { store: MemoryStore::new(), fails: false.into() });
        let tier = Tier::new(store.clone(), TIMEOUT);
        assert_eq!(tier.last_known(&site()), None);
        store.put(record("# known")).await.unwrap();
        assert_eq!(body(&tier).await.as_deref(), Some("# known"));
        store.fails.store(true, std::sync::atomic::Ordering::Relaxed);
        time::sleep(TIER_AGE).await;
        assert!(tier.get(&site()).await.is_err());
        assert_eq!(tier.last_known(&site()), Some(record("# known")));
        store.fails.store(false, std::sync::atomic::Ordering::Relaxed);
        store.remove(&site()).await.unwrap();
        assert_eq!(body(&tier).await, None);
        assert_eq!(tier.last_known(&site()), None);
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_stalled_store_is_not_used_for_a_while() {
        let timeout = CallTimeout::new(SECOND);
        let after = |wait| -> Pending<'static, u8> {
            Box::pin(async move {
                time::sleep(wait).await;
                Ok(7)
            })
        };
        let start = time::Instant::now();
        assert_eq!(timeout.wait(after(SECOND / 2)).await.unwrap(), 7);
        for _ in 0..100 {
            let error = timeout.wait(after(SECOND * 1000)).await.unwrap_err();
            assert_eq!(error.kind(), StoreErrorKind::Stalled);
        }
        assert_eq!(start.elapsed(), SECOND * 3 / 2);
        time::advance(STALL_REST).await;
        assert_eq!(timeout.wait(after(SECOND / 2)).await.unwrap(), 7);
    }
}
