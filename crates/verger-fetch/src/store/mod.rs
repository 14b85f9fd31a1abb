//! Where records are kept.
//!
//! # Flow
//!
//! A client asks a [`Store`] for the record of an origin and gets it, or a [`Miss`] that says why there is
//! none; after a fetch it [replaces](Store::replace) that record by the next. [`MemoryStore`] ends with the process, [`SqliteStore`] is a
//! file that several processes share. Both are bounded: the records that were not used for longest go
//! first, and no registrable domain takes more than its share.

mod domain;
mod error;
mod memory;
mod patience;
#[cfg(feature = "sqlite")]
mod sqlite;
mod tier;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use verger::Origin;
use verger::access::Timestamp;

use crate::record::{Miss, OriginRecord};

pub(crate) use self::tier::Tier;
pub use error::{StoreError, StoreErrorKind};
pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
pub use sqlite::{Notice, SqliteOptions, SqliteStore};

/// An answer that is on its way.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps records.
///
/// Whatever befalls a store, it hands out what was put into it for that origin, a [`Miss`], or a
/// [`StoreError`]; never another record. A future that is dropped leaves the store whole: what it asked
/// for was done, or was not.
///
/// # Examples
///
/// A store of one's own:
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::{Arc, Mutex, PoisonError};
///
/// use verger::Origin;
/// use verger_fetch::record::{Miss, OriginRecord};
/// use verger_fetch::store::{Entry, Lookup, Pending, Store};
///
/// #[derive(Debug, Default)]
/// struct Map(Mutex<BTreeMap<String, Arc<OriginRecord>>>);
///
/// impl Map {
///     fn with<T>(&self, act: impl FnOnce(&mut BTreeMap<String, Arc<OriginRecord>>) -> T) -> T {
///         act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
///     }
/// }
///
/// impl Store for Map {
///     fn get<'a>(&'a self, origin: &'a Origin) -> Pending<'a, Lookup> {
///         let found = self.with(|map| map.get(&origin.to_string()).cloned());
///         Box::pin(async { Ok(found.map_or(Lookup::Missing(Miss::Absent), Lookup::Found)) })
///     }
///
///     fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
///         self.with(|map| map.insert(record.origin().to_string(), record));
///         Box::pin(async { Ok(()) })
///     }
///
///     fn remove<'a>(&'a self, origin: &'a Origin) -> Pending<'a, bool> {
///         let removed = self.with(|map| map.remove(&origin.to_string()));
///         Box::pin(async move { Ok(removed.is_some()) })
///     }
///
///     fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<Entry>> {
///         let is_behind = |origin: &String| after.is_none_or(|after| origin.as_str() > after);
///         let entries = self.with(|map| {
///             let behind = map.iter().filter(|(origin, _)| is_behind(origin)).take(most);
///             behind.map(|(origin, record)| Entry::new(origin.clone(), Ok(record))).collect()
///         });
///         Box::pin(async { Ok(entries) })
///     }
///
///     fn clear(&self) -> Pending<'_, u64> {
///         let count = self.with(|map| std::mem::take(map).len());
///         Box::pin(async move { Ok(count as u64) })
///     }
/// }
/// ```
pub trait Store: fmt::Debug + Send + Sync {
    /// Looks for the record of an origin; a record that is found counts as used.
    fn get<'a>(&'a self, origin: &'a Origin) -> Pending<'a, Lookup>;

    /// Keeps a record in place of the one of the same origin. Done means kept: by a store on disk,
    /// until after a crash.
    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()>;

    /// Keeps a record, as [`put`](Self::put) does, but only in place of `before`: `None` if there was
    /// no record, or none that could be read. Returns false, and keeps nothing, when the origin has
    /// another record by now: then another client has written it, and its result would be lost. A
    /// record of a newer version is never replaced.
    ///
    /// The default implementation looks first and puts then. A store that several clients share must
    /// do both in one step.
    fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Pending<'_, bool> {
        Box::pin(async move {
            let found = self.get(record.origin()).await?;
            if !found.allows(before.as_ref(), &record) {
                return Ok(false);
            }
            self.put(record).await.map(|()| true)
        })
    }

    /// Forgets the record of an origin, also a damaged one; whether there was one.
    fn remove<'a>(&'a self, origin: &'a Origin) -> Pending<'a, bool>;

    /// What is kept for the origins behind this one, or from the first one on, in the order of their
    /// texts; at most so many. Looking through a store uses none of its records.
    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<Entry>>;

    /// Forgets everything; the number of records.
    fn clear(&self) -> Pending<'_, u64>;

    /// When a host other than `except` last gave a response, by the records of this store; `None`
    /// where that is not known. A failure to resolve a name or to reach an address counts as the
    /// site's only after such an answer (REP-CACHE-28).
    ///
    /// By default it is not known: then a client goes by the answers that it got itself. A store that
    /// several processes share should implement it. It may look at the records used last only.
    fn last_answer<'a>(&'a self, except: &'a str) -> Pending<'a, Option<Timestamp>> {
        let _ = except;
        Box::pin(async { Ok(None) })
    }

    /// Whether a lookup is as fast as memory, so that a client keeps no records in front of it. False
    /// by default; then writes by others may be missing for [`TIER_AGE`](crate::limits::TIER_AGE).
    fn is_memory(&self) -> bool {
        false
    }
}

/// What a store has for an origin.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a store has a record or a reason why not")]
pub enum Lookup {
    /// Its record.
    Found(Arc<OriginRecord>),
    /// None, and why.
    Missing(Miss),
}

impl Lookup {
    /// The record, if there is one.
    pub fn found(self) -> Option<Arc<OriginRecord>> {
        match self {
            Self::Found(record) => Some(record),
            Self::Missing(_) => None,
        }
    }

    /// Whether a record may replace what was found: that is `before`, or this record already.
    fn allows(&self, before: Option<&Arc<OriginRecord>>, record: &Arc<OriginRecord>) -> bool {
        match self {
            Self::Found(found) => before == Some(found) || found == record,
            Self::Missing(Miss::Newer { .. }) => false,
            Self::Missing(_) => before.is_none(),
        }
    }
}

/// A line of [`Store::list`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The text of the origin under which something is kept.
    pub origin: String,
    /// What it is; or why it would not be found.
    pub summary: Result<Summary, Miss>,
}

/// A record without its body, as the access profile that asked last has it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// What the answers so far mean: [`OriginRecord::kind`].
    pub access: String,
    /// The status of the last response.
    pub status: Option<u16>,
    /// When the last try to fetch it ended: [`OriginRecord::tried_at`].
    pub tried_at: u64,
    /// When the result that is in force was fetched or renewed: [`OriginRecord::fetched_at`].
    pub fetched_at: Option<u64>,
    /// Until when it is, or was, fresh: [`OriginRecord::fresh_until`].
    pub fresh_until: Option<u64>,
    /// Bytes of the body.
    pub body_bytes: usize,
}

impl Entry {
    /// What is found under the text of an origin.
    pub fn new(origin: String, found: Result<&OriginRecord, Miss>) -> Self {
        let summary = found.map(|record| Summary {
            access: record.kind().to_owned(),
            status: record.last_for_latest().and_then(|last| last.status),
            tried_at: record.tried_at().seconds(),
            fetched_at: record.fetched_at().map(Timestamp::seconds),
            fresh_until: record.fresh_until().map(Timestamp::seconds),
            body_bytes: record.file().map_or(0, |file| file.body.as_bytes().len()),
        });
        Self { origin, summary }
    }
}

/// The bytes that a store counts for a record that takes so many encoded.
fn cost(encoded: usize) -> u64 {
    crate::limits::RECORD_OVERHEAD.saturating_add(encoded as u64)
}
