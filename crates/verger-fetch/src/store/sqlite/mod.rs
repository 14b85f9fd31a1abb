//! A store in a SQLite file.
//!
//! # Flow
//!
//! SQLite blocks, so two threads use it: one writes, one reads, each with its own connection
//! (`worker.rs`, `database.rs`, `failure.rs`). All waiting records are put in one transaction, and
//! confirmed when it is on disk. `path.rs` creates the file and moves a damaged one away,
//! `schema.rs` has the tables, `versions.rs` the files of a record over time.
//!
//! # Scope
//!
//! Several processes may use one file on one machine. Network file systems are not supported,
//! because they have no shared memory.

mod database;
mod failure;
mod path;
mod schema;
mod versions;
mod worker;

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use self::database::{Expected, Put};
use self::worker::{Change, Question};
use tokio::sync::{mpsc, oneshot};
use verger::Origin;
use verger::access::Timestamp;

use self::path::StorePath;
use super::{
    FileVersion, Lookup, Pending, Replaced, Store, StoreEntry, StoreError, StoreErrorKind,
};
use crate::limits::{BUSY_TIMEOUT, DISK_STORE_BYTES, NOTICES, STORE_QUEUE, TOUCHED_ORIGINS};
use crate::lock;
use crate::record::{BackOff, Body, OriginRecord, RecordKey};
use crate::store::error::shown;

/// Records in a SQLite file that several processes share.
///
/// A confirmed record is on disk. A damaged file is moved away, with a [`Notice`], and replaced by
/// a new one, so damage costs fetches but changes no answer. The file has mode 0600 and can be read
/// with any SQL tool: `docs/store.md` describes its tables.
///
/// # Complexity
///
/// A lookup takes O(log n) of n records and the bytes of one. Putting one adds O(k) for k records
/// of its registrable domain, which has at most a hundredth of all bytes.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use verger::Origin;
/// use verger::access::Profile;
/// use verger_fetch::record::{OriginRecord, ReadOptions};
/// use verger_fetch::store::{SqliteOptions, SqliteStore, Store};
///
/// # let folder = tempfile::tempdir()?;
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let path = folder.path().join("store.sqlite");
/// let store = SqliteStore::open(&path, SqliteOptions::default()).await?;
/// let origin = Origin::from_parts("https", "shop.example", None)?;
/// let key = ReadOptions::new(Profile::RFC9309).key(&origin);
/// store.put(Arc::new(OriginRecord::new(key.clone()))).await?;
/// store.close().await;
///
/// let store = SqliteStore::open(&path, SqliteOptions::default()).await?;
/// assert!(store.get(&key).await?.found().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SqliteStore {
    shared: Arc<Shared>,
    changes: mpsc::Sender<Change>,
    questions: mpsc::Sender<Question>,
    /// Closed at the end of the threads.
    ended: oneshot::Receiver<()>,
}

/// Options for opening a [`SqliteStore`].
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    most_bytes: u64,
    create: bool,
    busy_timeout: Duration,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { most_bytes: DISK_STORE_BYTES, create: true, busy_timeout: BUSY_TIMEOUT }
    }
}

impl SqliteOptions {
    /// Sets the maximum size of the file in bytes, without its log. Beyond it the least recently
    /// used records are deleted. Default: 1 GiB.
    #[must_use]
    pub const fn with_most_bytes(self, bytes: u64) -> Self {
        Self { most_bytes: bytes, ..self }
    }

    /// Sets whether a missing store is created, with its folder. Default: yes. Without it, a store
    /// on read-only media can be read: a file or a folder that this process cannot write to.
    #[must_use]
    pub const fn with_create(self, create: bool) -> Self {
        Self { create, ..self }
    }

    /// Sets the maximum wait for another process that writes. Default: 5 s, and always 5 s while
    /// the store is opened.
    #[must_use]
    pub const fn with_busy_timeout(self, timeout: Duration) -> Self {
        Self { busy_timeout: timeout, ..self }
    }
}

impl SqliteStore {
    /// Opens the store at a path.
    ///
    /// The folder may be a link. The file must be a regular file of this user. A folder that
    /// everybody can change is refused, unless it has the sticky bit.
    ///
    /// # Errors
    ///
    /// By [`StoreErrorKind`]. A store of a newer version, and a file that is not a store, are
    /// errors and remain unchanged. One of an earlier version is moved away, with a [`Notice`]. A
    /// store on a full disk opens, and can be cleared.
    pub async fn open(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let path = path.to_owned();
        let (changes, changes_in) = mpsc::channel(STORE_QUEUE);
        let (questions, questions_in) = mpsc::channel(STORE_QUEUE);
        let (end, ended) = oneshot::channel();
        let (opened, is_open) = oneshot::channel();
        let wake_writer = changes.clone();
        worker::spawn("verger-store-write", move || {
            let path = StorePath::of(&path, options.create);
            let opening = path.and_then(|path| {
                let shared = Arc::new(Shared::new(path, options));
                let writer = worker::Writer::open(Arc::clone(&shared))?;
                let reader = worker::Reader::new(Arc::clone(&shared), wake_writer);
                worker::spawn("verger-store-read", move || reader.run(questions_in))?;
                Ok((shared, writer))
            });
            match opening {
                Ok((shared, writer)) => {
                    // If the caller is gone, the channels are closed, and the loop ends at once.
                    drop(opened.send(Ok(shared)));
                    writer.run(changes_in);
                }
                Err(error) => drop(opened.send(Err(error))),
            }
            drop(end);
        })?;
        let shared = is_open.await.map_err(|_| closed())??;
        Ok(Self { shared, changes, questions, ended })
    }

    /// [`open`](Self::open) without `async`. Do not use it inside a runtime.
    ///
    /// # Errors
    ///
    /// As there, and if the runtime for the wait cannot be built.
    pub fn open_blocking(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.map_err(|error| {
            StoreError::new(StoreErrorKind::Io, "could not wait for the store").with_source(error)
        })?;
        runtime.block_on(Self::open(path, options))
    }

    /// Returns the events of the file since the last call. Each deserves a warning.
    pub fn take_notices(&self) -> Vec<Notice> {
        lock(&self.shared.notices).drain(..).collect()
    }

    /// Closes the store and waits until its file is closed. Dropping a store also closes it, but
    /// later.
    pub async fn close(self) {
        let Self { shared, changes, questions, ended } = self;
        drop((shared, changes, questions));
        // An error means that the other end is closed.
        let _ = ended.await;
    }
}

/// Sends a request to a thread, and waits for its reply.
async fn ask<R, T>(
    thread: &mpsc::Sender<R>,
    request: impl FnOnce(worker::Reply<T>) -> R,
) -> Result<T, StoreError> {
    let (reply, answer) = oneshot::channel();
    thread.send(request(reply)).await.map_err(|_| closed())?;
    answer.await.map_err(|_| closed())?
}

fn closed() -> StoreError {
    StoreError::new(StoreErrorKind::Closed, "the store is closed")
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("shared", &self.shared).finish_non_exhaustive()
    }
}

impl Store for SqliteStore {
    fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Lookup> {
        Box::pin(ask(&self.questions, |reply| Question::Get(key.clone(), reply)))
    }

    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
        let put = Put { record, expected: Expected::Anything };
        Box::pin(async { ask(&self.changes, |reply| Change::Put(put, reply)).await.map(drop) })
    }

    fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Pending<'_, Replaced> {
        let put = Put { record, expected: Expected::Only(before) };
        Box::pin(ask(&self.changes, |reply| Change::Put(put, reply)))
    }

    fn set_back_off<'a>(
        &'a self,
        origin: &'a Origin,
        back_off: Option<BackOff>,
    ) -> Pending<'a, ()> {
        let origin = origin.clone();
        Box::pin(ask(&self.changes, move |reply| Change::BackOff(origin, back_off, reply)))
    }

    fn remove<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, bool> {
        Box::pin(ask(&self.changes, |reply| Change::Remove(key.clone(), reply)))
    }

    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<StoreEntry>> {
        let after = after.unwrap_or_default().to_owned();
        Box::pin(ask(&self.questions, move |reply| Question::List(after, most, reply)))
    }

    fn clear(&self) -> Pending<'_, u64> {
        Box::pin(ask(&self.changes, Change::Clear))
    }

    fn last_answer<'a>(&'a self, except: &'a str) -> Pending<'a, Option<Timestamp>> {
        let except = except.to_owned();
        Box::pin(ask(&self.questions, move |reply| Question::LastAnswer(except, reply)))
    }

    fn versions<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Vec<FileVersion>> {
        Box::pin(ask(&self.questions, |reply| Question::Versions(key.clone(), reply)))
    }

    fn version<'a>(
        &'a self,
        key: &'a RecordKey,
        sha256: &'a [u8; 32],
    ) -> Pending<'a, Option<Body>> {
        Box::pin(ask(&self.questions, |reply| Question::Version(key.clone(), *sha256, reply)))
    }
}

/// The file of a store was moved away, which deserves a warning. Its contents will be fetched
/// again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The store.
    pub path: PathBuf,
    /// The new path of its file.
    pub moved_to: PathBuf,
    /// Whether the file was damaged. Otherwise an earlier version of the library made it.
    pub is_damaged: bool,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, moved_to) = (shown(&self.path), shown(&self.moved_to));
        let defect = if self.is_damaged { "was damaged" } else { "is of an earlier version" };
        write!(f, "the store {path} {defect}; it was set aside as {moved_to}")
    }
}

/// The state shared by the threads of a store and its owner.
#[derive(Debug)]
struct Shared {
    path: StorePath,
    options: SqliteOptions,
    notices: Mutex<VecDeque<Notice>>,
    touched: Mutex<Touched>,
}

/// Keys in the order of their last use.
#[derive(Debug, Default)]
struct Touched {
    order: HashMap<String, usize>,
    clock: usize,
}

impl Shared {
    fn new(path: StorePath, options: SqliteOptions) -> Self {
        Self { path, options, notices: Mutex::default(), touched: Mutex::default() }
    }

    /// Adds a full disk as the cause of an error: SQLite does not always report it.
    fn explain(&self, error: StoreError) -> StoreError {
        if error.kind() == StoreErrorKind::Io && self.path.is_full() {
            return StoreError::new(StoreErrorKind::Full, "the disk is full").with_source(error);
        }
        error
    }

    fn notice(&self, notice: Notice) {
        let mut notices = lock(&self.notices);
        if notices.len() == NOTICES {
            notices.pop_front();
        }
        notices.push_back(notice);
    }

    /// Remembers a use. Returns whether so much is remembered that it should be written.
    fn touch(&self, key: &RecordKey) -> bool {
        let mut touched = lock(&self.touched);
        let is_full = touched.order.len() >= TOUCHED_ORIGINS;
        touched.clock += 1;
        let clock = touched.clock;
        if is_full {
            // Uses that cannot be written are forgotten, which only affects the order of evictions.
            if let Some(used) = touched.order.get_mut(key.as_str()) {
                *used = clock;
            }
        } else {
            touched.order.insert(key.as_str().to_owned(), clock);
        }
        is_full
    }

    /// The uses to be written, in order.
    fn take_touched(&self) -> Vec<String> {
        let order = std::mem::take(&mut lock(&self.touched).order);
        let mut order: Vec<_> = order.into_iter().collect();
        order.sort_unstable_by_key(|(_, used)| *used);
        order.into_iter().map(|(key, _)| key).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_store_is_shared_between_threads() {
        const fn is_for_threads<T: Send + Sync + 'static>() {}
        is_for_threads::<SqliteStore>();
        is_for_threads::<SqliteOptions>();
    }

    #[test]
    fn uses_are_written_in_their_order_and_bounded() {
        let path = StorePath::of(Path::new("x.sqlite"), false).unwrap();
        let shared = Shared::new(path, SqliteOptions::default());
        let key = |number| RecordKey::from_text(&format!("https://h{number} a b")).unwrap();
        for number in [1, 2, 3, 1] {
            assert!(!shared.touch(&key(number)));
        }
        assert_eq!(shared.take_touched(), ["https://h2 a b", "https://h3 a b", "https://h1 a b"]);
        assert!(shared.take_touched().is_empty());
        for number in 0..TOUCHED_ORIGINS {
            assert!(!shared.touch(&key(number)));
        }
        assert!(shared.touch(&key(TOUCHED_ORIGINS)));
        assert_eq!(shared.take_touched().len(), TOUCHED_ORIGINS);
    }
}
