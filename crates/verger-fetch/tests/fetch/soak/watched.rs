//! A store that counts its slow calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use verger::access::Timestamp;
use verger_fetch::limits::{Limits, STORE_SHARE};
use verger_fetch::record::{OriginRecord, RecordKey};
use verger_fetch::store::{Lookup, Pending, Replaced, Store, StoreEntry};

/// Counts the calls for which a client may have stopped waiting. It then fetches without the store,
/// which the model does not know.
#[derive(Debug)]
pub(crate) struct Watched<S> {
    inner: S,
    slow: Arc<AtomicU64>,
}

impl<S> Watched<S> {
    pub(crate) fn new(inner: S, slow: Arc<AtomicU64>) -> Self {
        Self { inner, slow }
    }

    pub(crate) fn into_inner(self) -> S {
        self.inner
    }

    fn call(&self) -> Call<'_> {
        Call { start: Instant::now(), slow: &self.slow }
    }
}

/// A running call. It ends also when its client stops waiting and drops it.
struct Call<'s> {
    start: Instant,
    slow: &'s AtomicU64,
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if self.start.elapsed() > longest_wait() {
            self.slow.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Half the time that a client waits for a store.
fn longest_wait() -> Duration {
    Limits::default().total / STORE_SHARE / 2
}

impl<S: Store> Store for Watched<S> {
    fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Lookup> {
        let call = self.call();
        Box::pin(async move {
            let _call = call;
            self.inner.get(key).await
        })
    }

    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
        let call = self.call();
        Box::pin(async move {
            let _call = call;
            self.inner.put(record).await
        })
    }

    fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Pending<'_, Replaced> {
        let call = self.call();
        Box::pin(async move {
            let _call = call;
            self.inner.replace(before, record).await
        })
    }

    fn remove<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, bool> {
        self.inner.remove(key)
    }

    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<StoreEntry>> {
        self.inner.list(after, most)
    }

    fn clear(&self) -> Pending<'_, u64> {
        self.inner.clear()
    }

    fn last_answer<'a>(&'a self, except: &'a str) -> Pending<'a, Option<Timestamp>> {
        let call = self.call();
        Box::pin(async move {
            let _call = call;
            self.inner.last_answer(except).await
        })
    }

    fn is_memory(&self) -> bool {
        self.inner.is_memory()
    }
}
