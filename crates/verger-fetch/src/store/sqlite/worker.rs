//! The threads that call SQLite.

use std::sync::Arc;
use std::thread;

use tokio::sync::{mpsc, oneshot};
use verger::Origin;
use verger::access::Timestamp;

use super::database::{Database, Put};
use super::failure::{DatabaseError, unrecognised};
use super::path::Identity;
use super::{Notice, Shared};
use crate::limits::{BUSY_TIMEOUT, OPEN_ATTEMPTS, STORE_BATCH};
use crate::record::{BackOff, Body, Miss, RecordKey};
use crate::store::{FileVersion, Lookup, Replaced, StoreEntry, StoreError, StoreErrorKind};

/// The receiver of a result, which may be gone.
pub(super) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// A request to the writer.
pub(super) enum Change {
    Put(Put, Reply<Replaced>),
    BackOff(Origin, Option<BackOff>, Reply<()>),
    Remove(RecordKey, Reply<bool>),
    Clear(Reply<u64>),
    /// Writes the remembered uses.
    Touch,
}

/// A request to the reader.
pub(super) enum Question {
    Get(RecordKey, Reply<Lookup>),
    List(String, usize, Reply<Vec<StoreEntry>>),
    LastAnswer(String, Reply<Option<Timestamp>>),
    Versions(RecordKey, Reply<Vec<FileVersion>>),
    Version(RecordKey, [u8; 32], Reply<Option<Body>>),
}

/// Starts a thread.
pub(super) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), StoreError> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(run);
    started.map(drop).map_err(|error| {
        StoreError::new(StoreErrorKind::Io, "could not start a thread").with_source(error)
    })
}

/// Writes until all senders are gone.
pub(super) struct Writer {
    handle: Handle,
}

impl Writer {
    pub(super) fn open(shared: Arc<Shared>) -> Result<Self, StoreError> {
        let mut handle = Handle { shared, database: None };
        match handle.attempt(|_| Ok(())) {
            // It can be read when there is space, and cleared before.
            Err(error)
                if error.kind() == StoreErrorKind::Full
                    && handle.shared.path.identity().is_some() => {}
            opened => opened?,
        }
        Ok(Self { handle })
    }

    pub(super) fn run(mut self, mut queue: mpsc::Receiver<Change>) {
        let mut next = queue.blocking_recv();
        while let Some(change) = next.take() {
            match change {
                Change::Put(put, reply) => {
                    let mut batch = vec![(put, reply)];
                    while batch.len() < STORE_BATCH {
                        match queue.try_recv() {
                            Ok(Change::Put(put, reply)) => batch.push((put, reply)),
                            Ok(other) => {
                                next = Some(other);
                                break;
                            }
                            Err(_) => break,
                        }
                    }
                    self.put(batch);
                }
                Change::BackOff(origin, back_off, reply) => {
                    let set = |database: &mut Database| database.set_back_off(&origin, back_off);
                    answer(reply, self.handle.attempt(set));
                }
                Change::Remove(key, reply) => {
                    answer(reply, self.handle.attempt(|database| database.remove(&key)));
                }
                Change::Clear(reply) => answer(reply, self.clear()),
                Change::Touch => self.touch(),
            }
            next = next.or_else(|| queue.blocking_recv());
        }
        self.touch();
    }

    /// Writes all records in one transaction. If that fails, each in its own: one record may be too
    /// large, or the disk may have space for some. Not if another process writes, because each
    /// would wait as long as all.
    fn put(&mut self, batch: Vec<(Put, Reply<Replaced>)>) {
        let touched = self.handle.shared.take_touched();
        let (puts, replies): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        let done = self.handle.attempt(|database| database.put(&puts, &touched));
        if let Err(error) = &done
            && error.kind() == StoreErrorKind::Busy
        {
            for reply in replies {
                answer(reply, Err(StoreError::new(error.kind(), error.to_string())));
            }
            return;
        }
        if done.is_err() && puts.len() > 1 {
            for (put, reply) in puts.iter().zip(replies) {
                let put = std::slice::from_ref(put);
                let done = self.handle.attempt(|database| database.put(put, &[]));
                if let Some(done) = done.map(|mut done| done.pop()).transpose() {
                    answer(reply, done);
                }
            }
            return;
        }
        match done {
            Ok(done) => {
                done.into_iter().zip(replies).for_each(|(done, reply)| answer(reply, Ok(done)));
            }
            Err(error) => {
                if let Some(reply) = replies.into_iter().next() {
                    answer(reply, Err(error));
                }
            }
        }
    }

    /// Removing records first needs space for the log. Without any, the file is removed; other
    /// processes notice that like a file that is moved away.
    fn clear(&mut self) -> Result<u64, StoreError> {
        // The records can be removed before the space ends.
        let mut count = 0;
        let clear = |database: &mut Database| {
            count = database.count()?;
            database.clear()
        };
        match self.handle.attempt(clear) {
            Err(error) if error.kind() == StoreErrorKind::Full => {}
            done => return done,
        }
        self.handle.database = None;
        let Shared { path, options, .. } = &*self.handle.shared;
        // Reading without a log needs no space. The number is for people.
        if count == 0 {
            count = Database::open_read_only(path, options, false)
                .and_then(|database| database.count())
                .unwrap_or_default();
        }
        // Without space for the lock there is none for a new store either.
        let _lock = path.lock(BUSY_TIMEOUT).ok();
        path.remove()?;
        Ok(count)
    }

    fn touch(&mut self) {
        let touched = self.handle.shared.take_touched();
        if self.handle.database.as_ref().is_some_and(|database| database.is_read_only) {
            return;
        }
        if !touched.is_empty() {
            // Only the order of evictions depends on it.
            drop(self.handle.attempt(|database| database.put(&[], &touched)));
        }
    }
}

/// Reads until all senders are gone.
pub(super) struct Reader {
    handle: Handle,
    writer: mpsc::Sender<Change>,
}

impl Reader {
    pub(super) fn new(shared: Arc<Shared>, writer: mpsc::Sender<Change>) -> Self {
        Self { handle: Handle { shared, database: None }, writer }
    }

    pub(super) fn run(mut self, mut queue: mpsc::Receiver<Question>) {
        while let Some(question) = queue.blocking_recv() {
            match question {
                Question::Get(key, reply) => answer(reply, self.get(&key)),
                Question::List(after, most, reply) => {
                    answer(reply, self.handle.attempt(|database| database.list(&after, most)));
                }
                Question::LastAnswer(except, reply) => {
                    answer(reply, self.handle.attempt(|database| database.last_answer(&except)));
                }
                Question::Versions(key, reply) => {
                    answer(reply, self.handle.attempt(|database| database.versions(&key)));
                }
                Question::Version(key, sha256, reply) => {
                    answer(reply, self.handle.attempt(|database| database.version(&key, &sha256)));
                }
            }
        }
    }

    fn get(&mut self, key: &RecordKey) -> Result<Lookup, StoreError> {
        let mut attempts = 0;
        let found = self.handle.attempt(|database| {
            attempts += 1;
            database.get(key)
        })?;
        Ok(match found {
            Lookup::Found(record) => {
                if self.handle.shared.touch(key) {
                    // A full queue contains a write, which includes these uses.
                    drop(self.writer.try_send(Change::Touch));
                }
                Lookup::Found(record)
            }
            // It may have been in the file that was moved away meanwhile.
            Lookup::Missing(Miss::Absent) if attempts > 1 => Lookup::Missing(Miss::Damaged),
            missing @ Lookup::Missing(_) => missing,
        })
    }
}

fn answer<T>(reply: Reply<T>, result: Result<T, StoreError>) {
    // A caller that is gone needs no result.
    drop(reply.send(result));
}

/// A connection that is opened again if the file has been replaced or an operation failed.
struct Handle {
    shared: Arc<Shared>,
    database: Option<Database>,
}

impl Handle {
    /// Runs an operation on the file with the store's name, and checks afterwards that it still has
    /// that name: a confirmed record must not be in a file that was moved away meanwhile.
    fn attempt<T>(
        &mut self,
        mut operation: impl FnMut(&mut Database) -> Result<T, DatabaseError>,
    ) -> Result<T, StoreError> {
        let mut suspicion = Suspicion::None;
        for _ in 0..OPEN_ATTEMPTS {
            let mut database = match self.database.take() {
                Some(database) if !database.is_moved() => database,
                moved => {
                    let opened = open(&self.shared, suspicion, moved);
                    match opened.map_err(|error| self.shared.explain(error))? {
                        Some(database) => database,
                        None => continue,
                    }
                }
            };
            let done = operation(&mut database);
            if database.is_moved() {
                // Its errors say nothing about the new file.
                self.database = Some(database);
                continue;
            }
            match done {
                Ok(done) => {
                    self.database = Some(database);
                    return Ok(done);
                }
                // It cannot be moved away.
                Err(DatabaseError::Damaged(error) | DatabaseError::Suspect(error))
                    if database.is_read_only =>
                {
                    return Err(error);
                }
                // A single read error can look like damage; real damage is found again.
                Err(DatabaseError::Damaged(_)) if suspicion == Suspicion::None => {
                    suspicion = Suspicion::Suspect;
                }
                Err(DatabaseError::Damaged(_)) => {
                    suspicion = Suspicion::Damaged(database.identity);
                }
                Err(DatabaseError::Suspect(error)) if suspicion != Suspicion::None => {
                    return Err(error);
                }
                Err(DatabaseError::Suspect(_)) => suspicion = Suspicion::Suspect,
                Err(DatabaseError::Earlier(error) | DatabaseError::Failed(error)) => {
                    // After an error of the disk the state of a connection is unknown.
                    let is_sound =
                        matches!(error.kind(), StoreErrorKind::Busy | StoreErrorKind::TooLarge);
                    self.database = Some(database).filter(|_| is_sound);
                    return Err(self.shared.explain(error));
                }
            }
        }
        let message = "the store is replaced repeatedly";
        Err(StoreError::new(StoreErrorKind::Busy, message))
    }
}

/// The suspicion about a file before it is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Suspicion {
    None,
    /// Tables or values were unexpected.
    Suspect,
    /// This file is damaged. Another process may have moved it away by now.
    Damaged(Option<Identity>),
}

/// Opens the store; a damaged file is moved away and replaced. `moved`: an earlier file with its
/// name. `None`: the file was removed meanwhile.
fn open(
    shared: &Shared,
    suspicion: Suspicion,
    moved: Option<Database>,
) -> Result<Option<Database>, StoreError> {
    let Shared { path, options, .. } = shared;
    path.exists_or(options.create)?;
    if !options.create && path.is_read_only() {
        let opened = Database::open_read_only(path, options, suspicion != Suspicion::None);
        return opened.map(Some).map_err(DatabaseError::into_error);
    }
    let lock = path.lock(BUSY_TIMEOUT)?;
    // While the earlier file is open, the system gives the numbers of its files to no others.
    if moved.as_ref().is_some_and(|it| it.is_moved() && it.log == path.log()) {
        path.remove_log()?;
    }
    drop(moved);
    let opened = open_locked(shared, suspicion);
    if let Ok(database) = &opened {
        database.wait_for_writers(options.busy_timeout)?;
    }
    let is_made = |kind| !matches!(kind, StoreErrorKind::Absent | StoreErrorKind::Full);
    if opened.as_ref().is_err_and(|error| path.identity().is_none() && is_made(error.kind())) {
        return Ok(None);
    }
    if opened.as_ref().is_err_and(|error| is_rejection(error.kind())) {
        lock.remove_new_file();
    }
    opened.map(Some)
}

/// Whether this process can never use the file.
const fn is_rejection(kind: StoreErrorKind) -> bool {
    use StoreErrorKind as Kind;
    matches!(kind, Kind::Denied | Kind::Newer | Kind::ReadOnly | Kind::Unrecognised)
}

fn open_locked(shared: &Shared, suspicion: Suspicion) -> Result<Database, StoreError> {
    let Shared { path, options, .. } = shared;
    let mut make = options.create;
    if suspicion == Suspicion::Damaged(path.identity()) && path.identity().is_some() {
        set_aside(shared, DAMAGED)?;
        make = true;
    }
    path.prepare(make)?;
    let mut defect = DAMAGED;
    // The second time with a check of the whole file, for the same reason as in `attempt`.
    for is_suspect in [suspicion == Suspicion::Suspect, true] {
        match Database::open(path, options, is_suspect) {
            Ok(database) => return Ok(database),
            Err(DatabaseError::Failed(error)) => return Err(error),
            Err(DatabaseError::Earlier(_)) => defect = EARLIER,
            Err(DatabaseError::Damaged(_) | DatabaseError::Suspect(_)) => defect = DAMAGED,
        }
    }
    if !path.was_store()? {
        return Err(unrecognised(path));
    }
    set_aside(shared, defect)?;
    path.prepare(true)?;
    Database::open(path, options, false).map_err(DatabaseError::into_error)
}

const DAMAGED: &str = "damaged";
const EARLIER: &str = "earlier";

fn set_aside(shared: &Shared, defect: &str) -> Result<(), StoreError> {
    let (path, moved_to) = (shared.path.path.clone(), shared.path.set_aside(defect)?);
    shared.notice(Notice { path, moved_to, is_damaged: defect == DAMAGED });
    Ok(())
}
