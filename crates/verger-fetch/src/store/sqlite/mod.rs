//! A store in a SQLite file.
//!
//! # Flow
//!
//! SQLite blocks, so two threads use it: one writes, one reads, each with its own connection
//! (`worker.rs`, `database.rs`). All waiting records are put in one transaction, and confirmed when
//! it is on disk. `place.rs` creates the file and moves a damaged one away, `schema.rs` has the
//! tables.
//!
//! # Scope
//!
//! Several processes may use one file on one machine. Network file systems are not supported,
//! because they have no shared memory.

mod database;
mod place;
mod schema;
mod shared;
mod trouble;
mod worker;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use verger::Origin;
use verger::access::Timestamp;

use super::{Entry, Lookup, Pending, Store, StoreError, StoreErrorKind};
use crate::limits::{BUSY_TIMEOUT, DISK_STORE_BYTES, STORE_QUEUE};
use crate::record::OriginRecord;
use database::{Expected, Put};
use place::Place;
use shared::Shared;
use worker::{Change, Question};

pub use shared::Notice;

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
/// use verger_fetch::record::OriginRecord;
/// use verger_fetch::store::{SqliteOptions, SqliteStore, Store};
///
/// # let folder = tempfile::tempdir()?;
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let path = folder.path().join("store.sqlite");
/// let store = SqliteStore::open(&path, SqliteOptions::default()).await?;
/// let origin = Origin::from_parts("https", "shop.example", None)?;
/// store.put(Arc::new(OriginRecord::new(origin.clone()))).await?;
/// store.close().await;
///
/// let store = SqliteStore::open(&path, SqliteOptions::default()).await?;
/// assert!(store.get(&origin).await?.found().is_some());
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
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use verger_fetch::store::SqliteOptions;
///
/// // 100 MB at most, and an error if there is no store yet.
/// let options = SqliteOptions::default()
///     .with_most_bytes(100_000_000)
///     .with_create(false)
///     .with_busy_timeout(Duration::from_secs(1));
/// ```
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
    pub const fn with_most_bytes(mut self, bytes: u64) -> Self {
        self.most_bytes = bytes;
        self
    }

    /// Sets whether a missing store is created, with its folder. Default: yes. Without it, a store on
    /// read-only media can be read: a file or a folder that this process cannot write to.
    #[must_use]
    pub const fn with_create(mut self, create: bool) -> Self {
        self.create = create;
        self
    }

    /// Sets the maximum wait for another process that writes. Default: 5 s, and always 5 s while the
    /// store is opened.
    #[must_use]
    pub const fn with_busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
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
    /// errors and remain unchanged. A store on a full disk opens, and can be cleared.
    pub async fn open(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let path = path.to_owned();
        let (changes, changes_in) = mpsc::channel(STORE_QUEUE);
        let (questions, questions_in) = mpsc::channel(STORE_QUEUE);
        let (end, ended) = oneshot::channel();
        let (opened, is_open) = oneshot::channel();
        let wake_writer = changes.clone();
        worker::spawn("verger-store-write", move || {
            let place = Place::of(&path, options.create);
            let opening = place.and_then(|place| {
                let shared = Arc::new(Shared::new(place, options));
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
        let shared = is_open.await.map_err(|_| StoreError::closed())??;
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
        self.shared.take_notices()
    }

    /// Closes the store and waits until its file is closed. Dropping a store also closes it, but
    /// later.
    pub async fn close(self) {
        let Self { shared, changes, questions, ended } = self;
        drop((shared, changes, questions));
        // An error means that the other end is closed.
        let _ = ended.await;
    }

    async fn change<T>(
        &self,
        change: impl FnOnce(worker::Reply<T>) -> Change,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.changes.send(change(reply)).await.map_err(|_| StoreError::closed())?;
        answer.await.map_err(|_| StoreError::closed())?
    }

    async fn question<T>(
        &self,
        question: impl FnOnce(worker::Reply<T>) -> Question,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.questions.send(question(reply)).await.map_err(|_| StoreError::closed())?;
        answer.await.map_err(|_| StoreError::closed())?
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("shared", &self.shared).finish_non_exhaustive()
    }
}

impl Store for SqliteStore {
    fn get<'a>(&'a self, origin: &'a Origin) -> Pending<'a, Lookup> {
        Box::pin(self.question(|reply| Question::Get(origin.clone(), reply)))
    }

    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
        let put = Put { record, expected: Expected::Anything };
        Box::pin(async { self.change(|reply| Change::Put(put, reply)).await.map(drop) })
    }

    fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Pending<'_, bool> {
        let put = Put { record, expected: Expected::Only(before) };
        Box::pin(self.change(|reply| Change::Put(put, reply)))
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> Pending<'a, bool> {
        Box::pin(self.change(|reply| Change::Remove(origin.clone(), reply)))
    }

    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<Entry>> {
        let after = after.unwrap_or_default().to_owned();
        Box::pin(self.question(move |reply| Question::List(after, most, reply)))
    }

    fn clear(&self) -> Pending<'_, u64> {
        Box::pin(self.change(Change::Clear))
    }

    fn last_answer<'a>(&'a self, except: &'a str) -> Pending<'a, Option<Timestamp>> {
        let except = except.to_owned();
        Box::pin(self.question(move |reply| Question::LastAnswer(except, reply)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_shared_between_threads() {
        const fn is_for_threads<T: Send + Sync + 'static>() {}
        is_for_threads::<SqliteStore>();
        is_for_threads::<SqliteOptions>();
    }
}
