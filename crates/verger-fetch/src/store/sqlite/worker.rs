//! The threads that ask SQLite.

use std::sync::Arc;
use std::thread;

use tokio::sync::{mpsc, oneshot};
use verger::Origin;
use verger::access::Timestamp;

use super::database::{Database, Put, unrecognised};
use super::place::Identity;
use super::shared::{Notice, Shared};
use super::trouble::Trouble;
use crate::limits::{BUSY_TIMEOUT, OPEN_ATTEMPTS, STORE_BATCH};
use crate::record::Miss;
use crate::store::{Entry, Lookup, StoreError, StoreErrorKind};

/// Where an answer goes; nobody may be there any more.
pub(super) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the writer is asked.
pub(super) enum Change {
    /// Whether the record was kept.
    Put(Put, Reply<bool>),
    Remove(Origin, Reply<bool>),
    Clear(Reply<u64>),
    /// What was used is written.
    Touch,
}

/// What the reader is asked.
pub(super) enum Question {
    Get(Origin, Reply<Lookup>),
    List(String, usize, Reply<Vec<Entry>>),
    LastAnswer(String, Reply<Option<Timestamp>>),
}

/// Starts a thread.
pub(super) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), StoreError> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(run);
    started.map(drop).map_err(|error| {
        StoreError::new(StoreErrorKind::Io, "could not start a thread").with_source(error)
    })
}

/// Writes, until nobody can ask any more.
pub(super) struct Writer {
    link: Link,
}

impl Writer {
    pub(super) fn open(shared: Arc<Shared>) -> Result<Self, StoreError> {
        let mut link = Link { shared, database: None };
        match link.attempt(|_| Ok(())) {
            // It may be read as soon as there is room, and cleared before.
            Err(error)
                if error.kind() == StoreErrorKind::Full
                    && link.shared.place.identity().is_some() => {}
            opened => opened?,
        }
        Ok(Self { link })
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
                Change::Remove(origin, reply) => {
                    answer(reply, self.link.attempt(|database| database.remove(&origin)));
                }
                Change::Clear(reply) => answer(reply, self.clear()),
                Change::Touch => self.touch(),
            }
            next = next.or_else(|| queue.blocking_recv());
        }
        self.touch();
    }

    /// All in one transaction. When that fails, each in its own: a record may be too large, or a disk
    /// have room for some. Where another process writes, each would wait as long as all did.
    fn put(&mut self, batch: Vec<(Put, Reply<bool>)>) {
        let touched = self.link.shared.take_touched();
        let (puts, replies): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        let done = self.link.attempt(|database| database.put(&puts, &touched));
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
                let done = self.link.attempt(|database| database.put(put, &[]));
                answer(reply, done.map(|kept| kept == [true]));
            }
            return;
        }
        match done {
            Ok(kept) => kept
                .into_iter()
                .zip(replies)
                .for_each(|(is_kept, reply)| answer(reply, Ok(is_kept))),
            Err(error) => {
                if let Some(reply) = replies.into_iter().next() {
                    answer(reply, Err(error));
                }
            }
        }
    }

    /// Removing records takes room for the log first. Without any, the file is removed: other processes
    /// notice, as they do when one is set aside.
    fn clear(&mut self) -> Result<u64, StoreError> {
        match self.link.attempt(Database::clear) {
            Err(error) if error.kind() == StoreErrorKind::Full => {}
            done => return done,
        }
        self.link.database = None;
        let Shared { place, options, .. } = &*self.link.shared;
        // Reading without a log takes no room. The number is for people.
        let count = Database::open_read_only(place, options, false)
            .and_then(|database| database.count())
            .unwrap_or_default();
        // Without room for the lock there is none for a new store either.
        let _lock = place.lock(BUSY_TIMEOUT).ok();
        place.remove()?;
        Ok(count)
    }

    fn touch(&mut self) {
        let touched = self.link.shared.take_touched();
        if self.link.database.as_ref().is_some_and(Database::is_read_only) {
            return;
        }
        if !touched.is_empty() {
            // Only the order in which records go depends on it.
            drop(self.link.attempt(|database| database.put(&[], &touched)));
        }
    }
}

/// Reads, until nobody can ask any more.
pub(super) struct Reader {
    link: Link,
    writer: mpsc::Sender<Change>,
}

impl Reader {
    pub(super) fn new(shared: Arc<Shared>, writer: mpsc::Sender<Change>) -> Self {
        Self { link: Link { shared, database: None }, writer }
    }

    pub(super) fn run(mut self, mut queue: mpsc::Receiver<Question>) {
        while let Some(question) = queue.blocking_recv() {
            match question {
                Question::Get(origin, reply) => answer(reply, self.get(&origin)),
                Question::List(after, most, reply) => {
                    answer(reply, self.link.attempt(|database| database.list(&after, most)));
                }
                Question::LastAnswer(except, reply) => {
                    answer(reply, self.link.attempt(|database| database.last_answer(&except)));
                }
            }
        }
    }

    fn get(&mut self, origin: &Origin) -> Result<Lookup, StoreError> {
        let mut attempts = 0;
        let found = self.link.attempt(|database| {
            attempts += 1;
            database.get(origin)
        })?;
        Ok(match found {
            Lookup::Found(record) => {
                if self.link.shared.touch(origin) {
                    // A full queue has a write in it that takes them along.
                    drop(self.writer.try_send(Change::Touch));
                }
                Lookup::Found(record)
            }
            // It may have been in the file that was set aside meanwhile.
            Lookup::Missing(Miss::Absent) if attempts > 1 => Lookup::Missing(Miss::Damaged),
            missing @ Lookup::Missing(_) => missing,
        })
    }
}

fn answer<T>(reply: Reply<T>, result: Result<T, StoreError>) {
    // Who has stopped waiting does not want to know.
    drop(reply.send(result));
}

/// A connection that is made anew when the file is another one, or something went wrong.
struct Link {
    shared: Arc<Shared>,
    database: Option<Database>,
}

impl Link {
    /// Does something with the file that has the store's name, before and after: what is told to be
    /// kept is not in a file that was set aside meanwhile.
    fn attempt<T>(
        &mut self,
        mut what: impl FnMut(&mut Database) -> Result<T, Trouble>,
    ) -> Result<T, StoreError> {
        let mut doubt = Doubt::None;
        for _ in 0..OPEN_ATTEMPTS {
            let mut database = match self.database.take().filter(|open| !open.is_moved()) {
                Some(database) => database,
                None => open(&self.shared, doubt).map_err(|error| self.shared.explain(error))?,
            };
            match what(&mut database) {
                Ok(done) if !database.is_moved() => {
                    self.database = Some(database);
                    return Ok(done);
                }
                Ok(_) => {}
                // It cannot be set aside.
                Err(Trouble::Damaged(error) | Trouble::Suspect(error))
                    if database.is_read_only() =>
                {
                    return Err(error);
                }
                // A read that fails once can look like damage; what is damaged stays so.
                Err(Trouble::Damaged(_)) if doubt == Doubt::None => doubt = Doubt::Suspect,
                Err(Trouble::Damaged(_)) => doubt = Doubt::Damaged(database.identity()),
                Err(Trouble::Suspect(error)) if doubt != Doubt::None => return Err(error),
                Err(Trouble::Suspect(_)) => doubt = Doubt::Suspect,
                Err(Trouble::Failed(error)) => {
                    // After an error of the disk nothing is known of what a connection remembers.
                    let is_sound =
                        matches!(error.kind(), StoreErrorKind::Busy | StoreErrorKind::TooLarge);
                    self.database = Some(database).filter(|_| is_sound);
                    return Err(self.shared.explain(error));
                }
            }
        }
        let message = "the store is replaced again and again";
        Err(StoreError::new(StoreErrorKind::Busy, message))
    }
}

/// What is thought of a file before it is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doubt {
    None,
    /// Something was not as it was made.
    Suspect,
    /// This file is damaged. Another process may have seen to it by now.
    Damaged(Option<Identity>),
}

/// Opens the store; a damaged file is set aside for a new one.
fn open(shared: &Shared, doubt: Doubt) -> Result<Database, StoreError> {
    let Shared { place, options, .. } = shared;
    place.exists_or(options.create)?;
    if !options.create && place.is_read_only() {
        let opened = Database::open_read_only(place, options, doubt != Doubt::None);
        return opened.map_err(Trouble::into_error);
    }
    let lock = place.lock(BUSY_TIMEOUT)?;
    let opened = open_locked(shared, doubt);
    if let Ok(database) = &opened {
        database.wait_for_writers(options.busy_timeout)?;
    }
    if opened.as_ref().is_err_and(|error| is_rejection(error.kind())) {
        lock.take_back();
    }
    opened
}

/// Whether the file is none that this process could ever use.
const fn is_rejection(kind: StoreErrorKind) -> bool {
    use StoreErrorKind as Kind;
    matches!(kind, Kind::Denied | Kind::Newer | Kind::ReadOnly | Kind::Unrecognised)
}

fn open_locked(shared: &Shared, doubt: Doubt) -> Result<Database, StoreError> {
    let Shared { place, options, .. } = shared;
    let mut make = options.create;
    if doubt == Doubt::Damaged(place.identity()) && place.identity().is_some() {
        set_aside(shared)?;
        make = true;
    }
    place.prepare(make)?;
    // The second time as a whole, for the same reason as in `attempt`.
    for is_suspect in [doubt == Doubt::Suspect, true] {
        match Database::open(place, options, is_suspect) {
            Ok(database) => return Ok(database),
            Err(Trouble::Failed(error)) => return Err(error),
            Err(Trouble::Damaged(_) | Trouble::Suspect(_)) => {}
        }
    }
    if !place.was_store()? {
        return Err(unrecognised(place));
    }
    set_aside(shared)?;
    place.prepare(true)?;
    Database::open(place, options, false).map_err(Trouble::into_error)
}

fn set_aside(shared: &Shared) -> Result<(), StoreError> {
    let moved_to = shared.place.set_aside()?;
    shared.notice(Notice::SetAside { path: shared.place.path().to_owned(), moved_to });
    Ok(())
}
