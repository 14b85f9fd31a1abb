//! A store whose errors are told when the run ends: the client goes on without it.

use std::sync::{Arc, Mutex};

use tokio::runtime::Builder;
use verger::Origin;
use verger::access::Timestamp;
use verger_fetch::background::Background;
use verger_fetch::limits::{BUSY_TIMEOUT, Limits, STORE_SHARE};
use verger_fetch::record::OriginRecord;
use verger_fetch::store::{
    Entry, Lookup, Pending, SqliteOptions, SqliteStore, Store, StoreError, StoreErrorKind,
};

use crate::args::LiveArgs;
use crate::error::Error;
use crate::store_file;

/// A store, and the first error of each kind.
#[derive(Debug)]
pub(crate) struct ToldStore<S> {
    store: S,
    unread: Mutex<Option<String>>,
    unkept: Mutex<Option<String>>,
}

/// Opens the store that the arguments want; `None` where there is none on disk.
pub(crate) fn open(
    args: &LiveArgs,
    limits: &Limits,
    runtime: &Background,
) -> Result<Option<ToldStore<SqliteStore>>, Error> {
    if args.store.as_deref().is_some_and(store_file::is_memory) {
        return Ok(None);
    }
    let path = store_file::path(args.store.as_deref())?;
    // Who writes meanwhile is not waited for longer than the client waits for the store, or nobody would
    // hear why something is not kept.
    let busy_timeout = BUSY_TIMEOUT.min(limits.total() / STORE_SHARE / 2);
    let create = !args.offline;
    let options = SqliteOptions::default().with_create(create).with_busy_timeout(busy_timeout);
    let opened = runtime.block_on(async {
        let opening = SqliteStore::open(&path, options);
        tokio::time::timeout(limits.total(), opening).await
    });
    let Ok(opened) = opened else {
        let seconds = limits.total().as_secs_f64();
        let error = Error::new(format!("could not open the store within {seconds} s"));
        return Err(error.with_hint(
            "another process may hold it; `--store memory` does without a store on disk",
        ));
    };
    match opened {
        Ok(store) => Ok(Some(ToldStore::new(store))),
        // Offline, no store is an empty one.
        Err(error) if args.offline && error.kind() == StoreErrorKind::Absent => Ok(None),
        Err(error) => {
            let error = Error::new(error.to_string());
            Err(error.with_hint("`--store memory` does without a store on disk"))
        }
    }
}

/// Ends a run: what was put is on disk then. What is to be said of the store.
pub(crate) fn close(runtime: Background, store: Arc<ToldStore<SqliteStore>>) -> Vec<String> {
    // Whoever asked and did not wait for the answer has the store, too.
    drop(runtime);
    let mut told: Vec<String> =
        store.store.take_notices().iter().map(ToString::to_string).collect();
    told.extend(store.errors());
    let closing = Arc::into_inner(store).map(|store| store.store.close());
    match (closing, Builder::new_current_thread().enable_time().build()) {
        (Some(closing), Ok(runtime)) => runtime.block_on(closing),
        _ => told.push("the store could not be closed".to_owned()),
    }
    told
}

impl<S: Store> ToldStore<S> {
    fn new(store: S) -> Self {
        Self { store, unread: Mutex::default(), unkept: Mutex::default() }
    }

    /// What went wrong so far, the first of each kind.
    fn errors(&self) -> Vec<String> {
        let of = |errors: &Mutex<Option<String>>, what: &str| {
            let error = errors.lock().ok()?.take()?;
            Some(format!("{what}: {error}"))
        };
        let unread = of(&self.unread, "the store could not be read");
        let unkept = of(&self.unkept, "not everything that was fetched is kept");
        unread.into_iter().chain(unkept).collect()
    }
}

/// Remembers the first error.
fn note<T>(errors: &Mutex<Option<String>>, answer: Result<T, StoreError>) -> Result<T, StoreError> {
    if let (Err(error), Ok(mut errors)) = (&answer, errors.lock()) {
        errors.get_or_insert_with(|| error.to_string());
    }
    answer
}

impl<S: Store> Store for ToldStore<S> {
    fn get<'a>(&'a self, origin: &'a Origin) -> Pending<'a, Lookup> {
        Box::pin(async { note(&self.unread, self.store.get(origin).await) })
    }

    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
        Box::pin(async { note(&self.unkept, self.store.put(record).await) })
    }

    fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Pending<'_, bool> {
        Box::pin(async { note(&self.unkept, self.store.replace(before, record).await) })
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> Pending<'a, bool> {
        Box::pin(async { note(&self.unkept, self.store.remove(origin).await) })
    }

    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<Entry>> {
        Box::pin(async move { note(&self.unread, self.store.list(after, most).await) })
    }

    fn clear(&self) -> Pending<'_, u64> {
        Box::pin(async { note(&self.unkept, self.store.clear().await) })
    }

    fn last_answer<'a>(&'a self, except: &'a str) -> Pending<'a, Option<Timestamp>> {
        Box::pin(async move { note(&self.unread, self.store.last_answer(except).await) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger_fetch::store::MemoryStore;

    #[test]
    fn the_first_record_that_is_not_kept_is_told() {
        let store = ToldStore::new(MemoryStore::bounded(10));
        let put = |host: &str| {
            let origin = Origin::from_parts("https", host, None).unwrap();
            let record = OriginRecord::new(origin);
            let runtime = Builder::new_current_thread().build().unwrap();
            runtime.block_on(store.put(Arc::new(record))).unwrap_err().to_string()
        };
        let (first, _) = (put("shop.example"), put("much-longer.shop.example"));
        let told = format!("not everything that was fetched is kept: {first}");
        assert_eq!(store.errors(), [told]);
        assert!(store.errors().is_empty());
    }
}
