//! All that a client knows of origins in memory: one value for each ([`Known`]), in front of the
//! store.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;
use verger::access::Timestamp;
use verger::{Dialect, Robots};

use super::call_timeout::CallTimeout;
use super::telemetry;
use crate::limits::{
    KNOWN_SHARE, PARSED_BYTES, PARSED_OVERHEAD, SITE_ANSWER_AGE, TIER_AGE, TIER_BYTES,
    WARNING_INTERVAL,
};
use crate::lock;
use crate::record::{BackOff, OriginRecord, ReadOptions, RecordKey};
use crate::store::{Claim, Lookup, Lru, Replaced, Store, StoreError, cost, registrable};

/// The store, and in front of it a value for each origin in use.
#[derive(Debug)]
pub(super) struct Origins {
    store: Arc<dyn Store>,
    known: Mutex<Lru<Known>>,
    /// A file without rules, for URLs that need no robots.txt.
    empty: Arc<Robots>,
    reads: CallTimeout,
    writes: CallTimeout,
    /// The last warning about a failed call.
    warned_at: Mutex<Option<Instant>>,
}

/// The knowledge of a client about one origin.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The record that the store had at a time; unused if the store is memory itself.
    ///
    /// It is valid for [`TIER_AGE`]; then the store is read again, so that writes by other
    /// processes become visible. While the store fails, it answers however old it is; the access
    /// profile alone decides whether it is fresh.
    stored: Option<(Arc<OriginRecord>, Instant)>,
    /// A record that the store rejected, so that a full disk does not cause a fetch for every
    /// check.
    pub(super) unstored: Option<Unstored>,
    /// The record of a result that concerns this client alone.
    pub(super) own: Option<Arc<OriginRecord>>,
    /// One parsed file for each dialect.
    parsed: Vec<Parsed>,
    /// Time of the last answer to a request other than that for robots.txt (REP-CACHE-22).
    answered_at: Option<Timestamp>,
}

/// A record that the store rejected.
#[derive(Clone, Debug)]
pub(super) struct Unstored {
    pub(super) record: Arc<OriginRecord>,
    /// The stored record at that time, on which it is based. If the store has another one by now,
    /// the two are merged.
    pub(super) base: Option<Arc<OriginRecord>>,
}

#[derive(Debug)]
struct Parsed {
    is_cut: bool,
    sha256: [u8; 32],
    robots: Arc<Robots>,
    size: usize,
}

impl Known {
    fn size(&self) -> u64 {
        let Self { stored, unstored, own, parsed, .. } = self;
        let base = unstored.iter().filter_map(|it| it.base.as_ref());
        let stored = stored.iter().map(|(record, _)| record);
        let records = stored.chain(unstored.iter().map(|it| &it.record)).chain(base).chain(own);
        let records: u64 = records.map(|record| record.memory()).sum();
        cost(parsed.iter().map(|file| file.size).sum()) + records
    }

    /// Whether the stored record was put at this time or later.
    fn has_new(&self, asked: Instant) -> bool {
        self.stored.as_ref().is_some_and(|&(_, at)| at >= asked)
    }
}

impl Origins {
    /// `timeout`: maximum time of each call of the store. `dialect`: that of most questions.
    pub(super) fn new(store: Arc<dyn Store>, timeout: Duration, dialect: Dialect) -> Self {
        let tier = if store.is_memory() { 0 } else { TIER_BYTES };
        let known = Mutex::new(Lru::new(PARSED_BYTES as u64 + tier, KNOWN_SHARE));
        // Separate, so that a writer that waits for a lock delays no reader.
        let [reads, writes] = [0; 2].map(|_| CallTimeout::new(timeout));
        let empty = Arc::new(dialect.parse(""));
        Self { store, known, empty, reads, writes, warned_at: Mutex::default() }
    }

    /// Looks at the value of an origin, which then counts as used.
    pub(super) fn look<T>(&self, key: &RecordKey, look: impl FnOnce(&Known) -> T) -> Option<T> {
        lock(&self.known).used(key.as_str()).map(|known| look(known))
    }

    /// Changes the value of an origin.
    pub(super) fn change<T>(&self, key: &RecordKey, change: impl FnOnce(&mut Known) -> T) -> T {
        let mut origins = lock(&self.known);
        let mut known = origins.remove(key.as_str()).unwrap_or_default();
        let result = change(&mut known);
        let size = known.size();
        origins.put(key.as_str(), registrable(key.origin()), known, size);
        result
    }

    fn has_tier(&self) -> bool {
        !self.store.is_memory()
    }

    /// The stored record with a key, at most [`TIER_AGE`] old.
    pub(super) async fn get(&self, key: &RecordKey) -> Result<Lookup, StoreError> {
        let is_young = |known: &Known| {
            let (record, at) = known.stored.as_ref()?;
            (at.elapsed() < TIER_AGE).then(|| Arc::clone(record))
        };
        // `combined` looks at the value next, which then counts as used.
        let young = lock(&self.known).get(key.as_str()).and_then(is_young);
        match young {
            Some(record) => {
                telemetry::looked_up("memory");
                Ok(Lookup::Found(record))
            }
            None => self.get_now(key).await,
        }
    }

    /// The record with a key, read from the store itself.
    pub(super) async fn get_now(&self, key: &RecordKey) -> Result<Lookup, StoreError> {
        if !self.has_tier() {
            return self.store.get(key).await;
        }
        let asked = Instant::now();
        let found = self.reads.wait(self.store.get(key)).await;
        telemetry::looked_up(if found.is_ok() { "store" } else { "failed" });
        match &found {
            // A record that was put meanwhile is newer.
            Ok(Lookup::Found(record)) => self.change(key, |known| {
                if !known.has_new(asked) {
                    known.stored = Some((Arc::clone(record), asked));
                }
            }),
            Ok(Lookup::Missing(_)) => self.forget(key, Some(asked)),
            // The last known record is used until the store works again.
            Err(_) => {}
        }
        found
    }

    /// Forgets the stored record, unless it was put at this time or later.
    fn forget(&self, key: &RecordKey, asked: Option<Instant>) {
        let is_old = |known: &Known| !asked.is_some_and(|asked| known.has_new(asked));
        if self.look(key, |known| known.stored.is_some() && is_old(known)) == Some(true) {
            self.change(key, |known| known.stored = None);
        }
    }

    /// The record with a key when the store last had it, for answers while the store fails.
    pub(super) fn last_known(&self, key: &RecordKey) -> Option<Arc<OriginRecord>> {
        let (known, _) = self.look(key, |known| known.stored.clone())??;
        telemetry::looked_up("last_known");
        Some(known)
    }

    /// Whether the store may have another record by now than this one, as far as this process
    /// knows.
    pub(super) fn has_other(&self, key: &RecordKey, than: Option<&Arc<OriginRecord>>) -> bool {
        let stored = self.look(key, |known| known.stored.clone()).flatten();
        let stored = stored.as_ref().map(|(record, _)| Arc::as_ptr(record));
        !self.has_tier() || stored != than.map(Arc::as_ptr)
    }

    /// Whether a failure of the store is worth a warning: not if there was one a moment ago.
    pub(super) fn is_worth_warning(&self) -> bool {
        let mut warned_at = lock(&self.warned_at);
        let now = Instant::now();
        let is_worth = warned_at.is_none_or(|at| now - at >= WARNING_INTERVAL);
        if is_worth {
            *warned_at = Some(now);
        }
        is_worth
    }

    /// [`Store::replace`]; a stored record is also put into memory.
    pub(super) async fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Result<Replaced, StoreError> {
        if !self.has_tier() {
            return self.store.replace(before, record).await;
        }
        let done = self.writes.wait(self.store.replace(before, Arc::clone(&record))).await;
        let (key, now) = (record.key(), Instant::now());
        match &done {
            Ok(Replaced::By(record) | Replaced::No(Lookup::Found(record))) => {
                self.change(key, |known| known.stored = Some((Arc::clone(record), now)));
            }
            Ok(Replaced::No(Lookup::Missing(_))) | Err(_) => self.forget(key, None),
        }
        done
    }

    /// [`Store::set_back_off`], also in memory.
    pub(super) async fn set_back_off(
        &self,
        key: &RecordKey,
        back_off: Option<BackOff>,
    ) -> Result<(), StoreError> {
        if let Some(known) = lock(&self.known).used(key.as_str())
            && let Some((record, _)) = &mut known.stored
        {
            OriginRecord::advance_back_off(record, back_off);
        }
        self.writes.wait(self.store.set_back_off(key.origin(), back_off)).await
    }

    /// [`Store::claim`].
    pub(super) async fn claim(&self, key: &RecordKey, time: Duration) -> Result<Claim, StoreError> {
        self.writes.wait(self.store.claim(key, time)).await
    }

    /// [`Store::last_answer`].
    pub(super) async fn last_answer(&self, except: &str) -> Result<Option<Timestamp>, StoreError> {
        self.reads.wait(self.store.last_answer(except)).await
    }

    /// A file without rules.
    pub(super) fn empty(&self, dialect: &Dialect) -> Arc<Robots> {
        let is_usual = self.empty.dialect() == *dialect;
        if is_usual { Arc::clone(&self.empty) } else { Arc::new(dialect.parse("")) }
    }

    /// The parsed file of a record for a reader, from memory if its content is the same.
    pub(super) fn parsed(
        &self,
        record: &OriginRecord,
        options: &ReadOptions,
        dialect: &Dialect,
    ) -> Option<Arc<Robots>> {
        let source = record.file_for(options)?;
        let (body, is_cut) = (&source.body, source.is_truncated());
        let is_of_dialect = |file: &&Parsed| file.robots.dialect() == *dialect;
        if let Some(known) = lock(&self.known).get(record.key().as_str())
            && let Some(file) = known.parsed.iter().find(is_of_dialect)
            && file.sha256 == *body.sha256()
            && file.is_cut == is_cut
        {
            return Some(Arc::clone(&file.robots));
        }
        // Parsed without the lock, because a large file takes time.
        let robots = Arc::new(source.parse(dialect));
        let file = Parsed {
            sha256: *body.sha256(),
            is_cut,
            robots: Arc::clone(&robots),
            size: body.as_bytes().len() + PARSED_OVERHEAD,
        };
        self.change(record.key(), |known| {
            known.parsed.retain(|file| !is_of_dialect(&file));
            known.parsed.push(file);
        });
        Some(robots)
    }

    /// Records an answer of a site.
    pub(super) fn note_answer(&self, key: &RecordKey, now: Timestamp) {
        if let Some(known) = lock(&self.known).used(key.as_str()) {
            // The size is the same.
            known.answered_at = Some(now);
            return;
        }
        self.change(key, |known| known.answered_at = Some(now));
    }

    /// Whether a site answered recently.
    pub(super) fn has_answered(&self, key: &RecordKey, now: Timestamp) -> bool {
        let last = lock(&self.known).get(key.as_str()).and_then(|known| known.answered_at);
        // REP-CACHE-23: an answer with a future time is ignored.
        last.is_some_and(|last| last <= now && now < last.after(SITE_ANSWER_AGE))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::time::advance;
    use verger::Origin;
    use verger::access::Profile;

    use super::*;
    use crate::record::tests::record_of;
    use crate::store::{MemoryStore, Pending, StoreErrorKind};

    const TIMEOUT: Duration = Duration::from_secs(60);
    const DAY: u64 = 24 * 60 * 60;

    /// A store that others change too, and that can fail.
    #[derive(Debug, Default)]
    struct Shared {
        store: MemoryStore,
        fails: AtomicBool,
    }

    impl Store for Shared {
        forward!(store: put, remove, list, clear);

        fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Lookup> {
            if self.fails.load(Ordering::Relaxed) {
                let error = StoreError::new(StoreErrorKind::Io, "fails");
                return Box::pin(std::future::ready(Err(error)));
            }
            self.store.get(key)
        }
    }

    fn origins(store: Arc<dyn Store>) -> Origins {
        Origins::new(store, TIMEOUT, Dialect::RFC9309)
    }

    fn shared() -> (Origins, Arc<Shared>) {
        let store = Arc::new(Shared::default());
        (origins(store.clone()), store)
    }

    fn origin(at: usize) -> Origin {
        Origin::from_parts("http", &format!("h{at}.example"), None).unwrap()
    }

    fn key(at: usize) -> RecordKey {
        record_of(&origin(at), "").key().clone()
    }

    fn record(body: &str) -> Arc<OriginRecord> {
        Arc::new(record_of(&origin(0), body))
    }

    async fn body(origins: &Origins) -> Option<String> {
        let found = origins.get(&key(0)).await.unwrap().found()?;
        Some(String::from_utf8(found.file()?.body.as_bytes().to_vec()).unwrap())
    }

    async fn replaces(
        origins: &Origins,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> bool {
        matches!(origins.replace(before, record).await.unwrap(), Replaced::By(_))
    }

    /// The body after [`TIER_AGE`].
    async fn later(origins: &Origins) -> Option<String> {
        advance(TIER_AGE).await;
        body(origins).await
    }

    #[tokio::test(start_paused = true)]
    async fn writes_removals_and_a_clearing_by_others_become_visible() {
        let (origins, theirs) = shared();
        assert!(replaces(&origins, None, record("# ours")).await);
        theirs.put(record("# theirs")).await.unwrap();
        assert_eq!(later(&origins).await.as_deref(), Some("# theirs"));
        assert!(theirs.remove(&key(0)).await.unwrap());
        assert_eq!(later(&origins).await, None);
        theirs.put(record("# again")).await.unwrap();
        assert_eq!(body(&origins).await.as_deref(), Some("# again"), "absence is not remembered");
        assert_eq!(theirs.clear().await.unwrap(), 1);
        assert_eq!(later(&origins).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn memory_answers_between_two_reads_of_the_store() {
        let (origins, theirs) = shared();
        assert!(replaces(&origins, None, record("# ours")).await);
        theirs.put(record("# theirs")).await.unwrap();
        advance(TIER_AGE / 2).await;
        assert_eq!(body(&origins).await.as_deref(), Some("# ours"));
        // A writer reads the store itself.
        let now = origins.get_now(&key(0)).await.unwrap().found().unwrap();
        assert_eq!(now.file().unwrap().body.as_bytes(), b"# theirs");
        assert_eq!(body(&origins).await.as_deref(), Some("# theirs"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_concurrent_write_is_not_replaced_and_visible_at_once() {
        let (origins, theirs) = shared();
        let ours = record("# ours");
        assert!(replaces(&origins, None, Arc::clone(&ours)).await);
        theirs.put(record("# theirs")).await.unwrap();
        assert!(!replaces(&origins, Some(ours), record("# next")).await);
        assert_eq!(body(&origins).await.as_deref(), Some("# theirs"));
    }

    #[tokio::test]
    async fn a_store_in_memory_has_no_tier() {
        let store = Arc::new(MemoryStore::new());
        let origins = origins(store.clone());
        assert!(replaces(&origins, None, record("# ours")).await);
        assert!(store.remove(&key(0)).await.unwrap());
        assert_eq!(body(&origins).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn failed_writes_are_not_remembered() {
        let store = Shared { store: MemoryStore::bounded(10_000), ..Shared::default() };
        let origins = origins(Arc::new(store));
        let written = record("# written");
        assert!(replaces(&origins, None, Arc::clone(&written)).await);
        assert!(origins.replace(Some(written), record(&"#".repeat(10_001))).await.is_err());
        assert_eq!(body(&origins).await.as_deref(), Some("# written"));
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_known_record_outlasts_a_failure_of_the_store_but_not_its_removal() {
        let (origins, store) = shared();
        assert_eq!(origins.last_known(&key(0)), None);
        store.put(record("# known")).await.unwrap();
        assert_eq!(body(&origins).await.as_deref(), Some("# known"));
        store.fails.store(true, Ordering::Relaxed);
        advance(TIER_AGE).await;
        assert!(origins.get(&key(0)).await.is_err());
        assert_eq!(origins.last_known(&key(0)), Some(record("# known")));
        store.fails.store(false, Ordering::Relaxed);
        store.remove(&key(0)).await.unwrap();
        assert_eq!(body(&origins).await, None);
        assert_eq!(origins.last_known(&key(0)), None);
    }

    #[test]
    fn each_dialect_has_its_own_parsed_file_and_memory_is_bounded() {
        let origins = origins(Arc::new(MemoryStore::new()));
        let record = |at, body: &str| record_of(&origin(at), body);
        let options = ReadOptions::new(Profile::RFC9309);
        let of = |record: &_, dialect| origins.parsed(record, &options, &dialect).unwrap();
        let first = record(0, "User-agent: *\n");
        let (rfc, google) = (of(&first, Dialect::RFC9309), of(&first, Dialect::GOOGLE));
        assert_eq!((rfc.dialect(), google.dialect()), (Dialect::RFC9309, Dialect::GOOGLE));
        assert!(Arc::ptr_eq(&rfc, &of(&first, Dialect::RFC9309)));
        assert!(Arc::ptr_eq(&google, &of(&first, Dialect::GOOGLE)));
        let changed = of(&record(0, "User-agent: x\n"), Dialect::GOOGLE);
        assert_eq!(changed.text(), b"User-agent: x\n");
        assert!(Arc::ptr_eq(&rfc, &of(&first, Dialect::RFC9309)));
        let large = "#".repeat(PARSED_BYTES / 8);
        for at in 1..20 {
            of(&record(at, &large), Dialect::BING);
        }
        let parsed = |at| origins.look(&key(at), |known| known.parsed.len());
        let count = (0..20).filter_map(parsed).count();
        assert_eq!((parsed(0), parsed(19), count), (None, Some(1), 7));
    }

    #[test]
    fn an_answer_counts_for_the_day_after_it() {
        let origins = origins(Arc::new(MemoryStore::new()));
        let at = Timestamp::from_seconds;
        origins.note_answer(&key(0), at(DAY));
        for (now, expected) in
            [(0, false), (DAY - 1, false), (DAY, true), (2 * DAY - 1, true), (2 * DAY, false)]
        {
            assert_eq!(origins.has_answered(&key(0), at(now)), expected, "{now}");
        }
        assert!(!origins.has_answered(&key(1), at(DAY)));
        // After the clock went back.
        origins.note_answer(&key(0), at(10 * DAY));
        origins.note_answer(&key(0), at(DAY));
        assert!(origins.has_answered(&key(0), at(DAY)));
    }
}
