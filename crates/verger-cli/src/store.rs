//! The store of robots.txt files: its path, and a store that remembers its errors.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use etcetera::BaseStrategy as _;
use tokio::runtime::Builder;
use verger::access::Timestamp;
use verger::{Origin, quoted};
use verger_fetch::background::Background;
use verger_fetch::limits::{BUSY_TIMEOUT, Limits, STORE_SHARE};
use verger_fetch::record::{BackOff, OriginRecord, RecordKey};
use verger_fetch::running::timeout;
use verger_fetch::store::{
    Lookup, Pending, Replaced, SqliteOptions, SqliteStore, Store, StoreEntry, StoreError,
    StoreErrorKind,
};

use crate::args::LiveArgs;
use crate::console::Messages;
use crate::error::Error;
use crate::limits::LIST_PAGE;

/// Whether a path names the store in memory.
pub(crate) fn is_memory(given: &Path) -> bool {
    given == Path::new("memory")
}

/// The given path of the store, or the default path in the user's cache directory.
pub(crate) fn path(given: Option<&Path>) -> Result<PathBuf, Error> {
    if given == Some(Path::new(":memory:")) {
        let error = Error::new("expected the path of a store, but found `:memory:`");
        return Err(error.with_hint(
            "for no file, use `--store memory`; for a file of this name, `--store ./:memory:`",
        ));
    }
    if let Some(path) = given {
        return match url(path) {
            None => Ok(path.to_owned()),
            Some(rest) => {
                let found = quoted(path.as_os_str().as_encoded_bytes());
                let error =
                    Error::new(format!("expected the path of a store, but found the URL {found}"));
                Err(error.with_hint(format!("`--store` takes a path, such as {}", quoted(rest))))
            }
        };
    }
    let strategy = etcetera::choose_base_strategy().map_err(|_| {
        Error::new("no home directory for the store")
            .with_hint("`--store PATH` sets the path of the store")
    })?;
    Ok(strategy.cache_dir().join("verger").join("store.sqlite"))
}

/// The text after the scheme of a URL such as `sqlite://x`, which other programs accept for a
/// store.
fn url(path: &Path) -> Option<&str> {
    let (scheme, rest) = path.to_str()?.split_once("://")?;
    let is_scheme =
        scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-".contains(&byte));
    (is_scheme && !scheme.is_empty()).then_some(rest)
}

/// A store that remembers its first failed read and its first failed write. The client continues
/// without the store, and the errors are reported when the run ends.
#[derive(Debug)]
pub(crate) struct ReportingStore<S> {
    store: S,
    read_error: Mutex<Option<String>>,
    write_error: Mutex<Option<String>>,
}

/// Opens the store of the arguments; `None` if it is in memory, or offline if it does not exist.
pub(crate) fn open(
    args: &LiveArgs,
    limits: &Limits,
    runtime: &Background,
) -> Result<Option<ReportingStore<SqliteStore>>, Error> {
    if args.store.as_deref().is_some_and(is_memory) {
        return Ok(None);
    }
    let path = path(args.store.as_deref())?;
    // Shorter than the client's timeout for the store: otherwise the reason for a failed write is
    // lost.
    let busy_timeout = BUSY_TIMEOUT.min(limits.total / STORE_SHARE / 2);
    let create = !args.offline;
    let options = SqliteOptions::default().with_create(create).with_busy_timeout(busy_timeout);
    let opened = runtime.block_on(async {
        let opening = SqliteStore::open(&path, options);
        timeout(limits.total, opening).await
    });
    let Some(opened) = opened else {
        let seconds = limits.total.as_secs_f64();
        let error = Error::new(format!("could not open the store within {seconds} s"));
        return Err(error.with_hint(
            "another process may have locked it; `--store memory` uses no store on disk",
        ));
    };
    match opened {
        Ok(store) => Ok(Some(ReportingStore::new(store))),
        // Offline, an absent store is an empty one.
        Err(error) if args.offline && error.kind() == StoreErrorKind::Absent => Ok(None),
        Err(error) => {
            let error = Error::new(error.to_string());
            Err(error.with_hint("`--store memory` uses no store on disk"))
        }
    }
}

/// Writes everything to disk and closes the store. Returns warnings about it.
pub(crate) fn close(runtime: Background, store: Arc<ReportingStore<SqliteStore>>) -> Vec<String> {
    // Tasks that were not awaited also hold the store.
    drop(runtime);
    let mut warnings: Vec<String> =
        store.store.take_notices().iter().map(ToString::to_string).collect();
    warnings.extend(store.errors());
    let closing = Arc::into_inner(store).map(|store| store.store.close());
    match (closing, Builder::new_current_thread().enable_time().build()) {
        (Some(closing), Ok(runtime)) => runtime.block_on(closing),
        _ => warnings.push("the store could not be closed".to_owned()),
    }
    warnings
}

impl<S: Store> ReportingStore<S> {
    fn new(store: S) -> Self {
        Self { store, read_error: Mutex::default(), write_error: Mutex::default() }
    }

    /// Takes the remembered errors.
    fn errors(&self) -> Vec<String> {
        let of = |errors: &Mutex<Option<String>>, what: &str| {
            let error = errors.lock().ok()?.take()?;
            Some(format!("{what}: {error}"))
        };
        let read = of(&self.read_error, "the store could not be read");
        let write = of(&self.write_error, "some fetched data was not stored");
        read.into_iter().chain(write).collect()
    }
}

/// Remembers the first error.
fn remember<T>(
    errors: &Mutex<Option<String>>,
    answer: Result<T, StoreError>,
) -> Result<T, StoreError> {
    if let (Err(error), Ok(mut errors)) = (&answer, errors.lock()) {
        errors.get_or_insert_with(|| error.to_string());
    }
    answer
}

impl<S: Store> Store for ReportingStore<S> {
    fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Lookup> {
        Box::pin(async { remember(&self.read_error, self.store.get(key).await) })
    }

    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
        Box::pin(async { remember(&self.write_error, self.store.put(record).await) })
    }

    fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Pending<'_, Replaced> {
        Box::pin(async { remember(&self.write_error, self.store.replace(before, record).await) })
    }

    fn remove<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, bool> {
        Box::pin(async { remember(&self.write_error, self.store.remove(key).await) })
    }

    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<StoreEntry>> {
        Box::pin(async move { remember(&self.read_error, self.store.list(after, most).await) })
    }

    fn clear(&self) -> Pending<'_, u64> {
        Box::pin(async { remember(&self.write_error, self.store.clear().await) })
    }

    fn set_back_off<'a>(
        &'a self,
        origin: &'a Origin,
        back_off: Option<BackOff>,
    ) -> Pending<'a, ()> {
        Box::pin(async move {
            remember(&self.write_error, self.store.set_back_off(origin, back_off).await)
        })
    }

    fn last_answer<'a>(&'a self, except: &'a str) -> Pending<'a, Option<Timestamp>> {
        Box::pin(async move { remember(&self.read_error, self.store.last_answer(except).await) })
    }
}

/// The store of a command that reads it; `None` if the file does not exist.
pub(crate) struct OpenStore {
    store: Option<SqliteStore>,
    runtime: tokio::runtime::Runtime,
}

impl OpenStore {
    pub(crate) fn at(given: Option<&Path>, messages: &mut Messages) -> Result<Self, Error> {
        if given.is_some_and(is_memory) {
            let error = Error::new("expected a store on disk with `--store`, but found `memory`");
            return Err(error.with_hint(
                "a store in memory lasts for one run; `--store ./memory` names a file",
            ));
        }
        let runtime = Builder::new_current_thread()
            .build()
            .map_err(|error| Error::new(format!("could not start: {error}")))?;
        let path = path(given)?;
        let options = SqliteOptions::default().with_create(false);
        let store = match runtime.block_on(SqliteStore::open(&path, options)) {
            Ok(store) => Some(store),
            Err(error) if error.kind() == StoreErrorKind::Absent => {
                messages.warning(format_args!("{error}"));
                None
            }
            Err(error) => return Err(Error::new(error.to_string())),
        };
        Ok(Self { store, runtime })
    }

    /// The keys of all records of an origin.
    pub(crate) fn keys(&self, origin: &Origin) -> Result<Vec<RecordKey>, Error> {
        let [mut after, end] = RecordKey::range(origin);
        let mut keys = Vec::new();
        loop {
            let page = self.ask(|store| store.list(Some(&after), LIST_PAGE))?.unwrap_or_default();
            let count = keys.len();
            let own = page.iter().take_while(|entry| entry.key < end);
            keys.extend(own.filter_map(|entry| RecordKey::from_text(&entry.key)));
            match page.last() {
                Some(last) if keys.len() - count == page.len() => after.clone_from(&last.key),
                _ => return Ok(keys),
            }
        }
    }

    /// The answer of the store; `None` if the file does not exist.
    pub(crate) fn ask<'a, T>(
        &'a self,
        request: impl FnOnce(&'a SqliteStore) -> Pending<'a, T>,
    ) -> Result<Option<T>, Error> {
        let answer = self.store.as_ref().map(|store| self.runtime.block_on(request(store)));
        answer.transpose().map_err(|error| Error::new(error.to_string()))
    }

    /// Closes the store, and returns whether it was damaged.
    pub(crate) fn close(self, messages: &mut Messages) -> bool {
        let Some(store) = self.store else { return false };
        let notices = store.take_notices();
        for notice in &notices {
            messages.warning(notice);
        }
        self.runtime.block_on(store.close());
        notices.iter().any(|notice| notice.is_damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger::access::Profile;
    use verger_fetch::record::ReadOptions;
    use verger_fetch::store::MemoryStore;

    #[test]
    fn the_first_failed_write_is_reported() {
        let store = ReportingStore::new(MemoryStore::bounded(10));
        let put = |host: &str| {
            let origin = Origin::from_parts("https", host, None).unwrap();
            let key = ReadOptions::new(Profile::RFC9309).key(&origin);
            let record = OriginRecord::new(key);
            let runtime = Builder::new_current_thread().build().unwrap();
            runtime.block_on(store.put(Arc::new(record))).unwrap_err().to_string()
        };
        let (first, _) = (put("shop.example"), put("much-longer.shop.example"));
        let expected = format!("some fetched data was not stored: {first}");
        assert_eq!(store.errors(), [expected]);
        assert!(store.errors().is_empty());
    }
}
