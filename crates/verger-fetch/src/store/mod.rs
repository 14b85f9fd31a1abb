//! Storage of records.
//!
//! # Flow
//!
//! A client gets the record with a [`RecordKey`] from a [`Store`], or a [`Miss`] with the reason
//! for its absence; after a fetch it [replaces](Store::replace) that record by the next.
//! [`MemoryStore`] ends with the process, [`SqliteStore`] is a file that several processes share.
//! Both are bounded: the least recently used records are evicted first, and a registrable domain
//! takes at most its share. The crate `verger-redis` has a store for many machines.

mod error;
mod lease;
mod lru;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;
mod version;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

pub use error::{StoreError, StoreErrorKind};
pub use lease::{Claim, Lease};
pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
pub use sqlite::{Notice, SqliteOptions, SqliteStore};
use verger::Origin;
use verger::access::Timestamp;
pub use version::FileVersion;

pub(crate) use self::lru::Lru;
use crate::record::{BackOff, Body, Miss, OriginRecord, RecordKey, parts};

/// The future result of a store.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Stores records.
///
/// A store returns the record that was put under the key, a [`Miss`], or a [`StoreError`]; never
/// another record. The records of an origin share its back-off. Dropping a future is safe: its
/// operation either happens completely or not at all.
///
/// # Examples
///
/// A custom store:
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::{Arc, Mutex, PoisonError};
///
/// use verger_fetch::record::{Miss, OriginRecord, RecordKey};
/// use verger_fetch::store::{Lookup, Pending, Store, StoreEntry};
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
///     fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Lookup> {
///         let found = self.with(|map| map.get(key.as_str()).cloned());
///         Box::pin(async { Ok(found.map_or(Lookup::Missing(Miss::Absent), Lookup::Found)) })
///     }
///
///     fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
///         self.with(|map| map.insert(record.key().as_str().to_owned(), record));
///         Box::pin(async { Ok(()) })
///     }
///
///     fn remove<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, bool> {
///         let removed = self.with(|map| map.remove(key.as_str()));
///         Box::pin(async move { Ok(removed.is_some()) })
///     }
///
///     fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<StoreEntry>> {
///         let is_after = |key: &String| after.is_none_or(|after| key.as_str() > after);
///         let entries = self.with(|map| {
///             let found = map.iter().filter(|(key, _)| is_after(key)).take(most);
///             found.map(|(key, record)| StoreEntry::new(key.clone(), Ok(record))).collect()
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
    /// Returns the record with a key, which then counts as used.
    fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Lookup>;

    /// Stores a record in place of the previous one with its key. After success it is durable: in
    /// a store on disk it survives a crash.
    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()>;

    /// Stores a record like [`put`](Self::put), but only in place of `before`; `None` if there was
    /// no readable record. Stores nothing if the key has another record by now: another client has
    /// written it, and its result would be lost. A record of a newer version is never replaced.
    ///
    /// The default implementation reads, then puts. A store that several clients share must do both
    /// in one step.
    fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Pending<'_, Replaced> {
        Box::pin(async move {
            let found = self.get(record.key()).await?;
            if !found.allows(before.as_ref(), &record) {
                return Ok(Replaced::No(found));
            }
            self.put(Arc::clone(&record)).await?;
            Ok(Replaced::By(record))
        })
    }

    /// Removes the record with a key, even a damaged one. Returns whether there was one.
    fn remove<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, bool>;

    /// Lists at most `most` records after the key with the text `after`, or from the first one, in
    /// the order of the texts of their keys. They do not count as used.
    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<StoreEntry>>;

    /// Removes all records. Returns their number.
    fn clear(&self) -> Pending<'_, u64>;

    /// Sets or ends the back-off of an origin, which all of its records have from now on; of two,
    /// the one that ends later. A store may forget it with the last record of the origin.
    ///
    /// Default: does nothing, so that a back-off ends with its client.
    fn set_back_off<'a>(
        &'a self,
        origin: &'a Origin,
        back_off: Option<BackOff>,
    ) -> Pending<'a, ()> {
        let _ = (origin, back_off);
        Box::pin(async { Ok(()) })
    }

    /// Returns the time of the last response of a host other than `except` in this store; `None` if
    /// unknown. A failure to resolve a name or to reach an address counts as the site's only after
    /// such a response (REP-CACHE-28).
    ///
    /// Unknown by default: then a client uses only the responses that it received itself. A store
    /// that several processes share should implement it. It may search the most recently used
    /// records only.
    fn last_answer<'a>(&'a self, except: &'a str) -> Pending<'a, Option<Timestamp>> {
        let _ = except;
        Box::pin(async { Ok(None) })
    }

    /// Claims the fetch for a record for this time, so that of all clients of the store only one
    /// fetches at a time. The client renews its lease during the fetch, and drops it after its
    /// result is stored. A process that dies keeps it until the time is over.
    ///
    /// Default: grants every claim, so that each process fetches for itself.
    fn claim<'a>(&'a self, key: &'a RecordKey, time: Duration) -> Pending<'a, Claim> {
        let _ = (key, time);
        Box::pin(async { Ok(Claim::Granted(None)) })
    }

    /// Lists the known files of a record, oldest first, the current one last. A store limits their
    /// number. Default: the current one.
    fn versions<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Vec<FileVersion>> {
        Box::pin(async move {
            let found = self.get(key).await?.found();
            Ok(found.and_then(|record| FileVersion::of(&record)).into_iter().collect())
        })
    }

    /// Returns the body of a known file by its SHA-256; `None` if it was removed or is damaged.
    /// Default: that of the current file.
    fn version<'a>(
        &'a self,
        key: &'a RecordKey,
        sha256: &'a [u8; 32],
    ) -> Pending<'a, Option<Body>> {
        Box::pin(async move {
            let found = self.get(key).await?.found();
            let body = found.and_then(|record| record.file().map(|file| file.body.clone()));
            Ok(body.filter(|body| body.sha256() == sha256))
        })
    }

    /// Tests whether the store answers, for a readiness check. Default: lists one record.
    fn ping(&self) -> Pending<'_, ()> {
        Box::pin(async move { self.list(None, 1).await.map(drop) })
    }

    /// Whether a lookup is as fast as memory, so that a client needs no memory tier. Default:
    /// false; then writes by others may be missing for [`TIER_AGE`](crate::limits::TIER_AGE).
    fn is_memory(&self) -> bool {
        false
    }
}

/// The result of a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a record or the reason for its absence")]
pub enum Lookup {
    /// The record.
    Found(Arc<OriginRecord>),
    /// The reason for its absence.
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

    /// Whether a record may replace the found one: that is `before`, or equal to this record. For
    /// implementations of [`Store::replace`].
    pub fn allows(&self, before: Option<&Arc<OriginRecord>>, record: &Arc<OriginRecord>) -> bool {
        match self {
            Self::Found(found) => {
                before.is_some_and(|before| found.is_same(before)) || found.is_same(record)
            }
            Self::Missing(Miss::Newer { .. }) => false,
            Self::Missing(_) => before.is_none(),
        }
    }
}

/// The result of [`Store::replace`]: the current record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the record is stored or not")]
pub enum Replaced {
    /// The stored record, with the back-off of its origin.
    By(Arc<OriginRecord>),
    /// The record of another client.
    No(Lookup),
}

/// An item of [`Store::list`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreEntry {
    /// The text of its key.
    pub key: String,
    /// The summary of its record, or the reason for its absence.
    pub summary: Result<Summary, Miss>,
}

/// A record without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The access as a word: [`OriginRecord::kind`].
    pub access: String,
    /// The status of the last response.
    pub status: Option<u16>,
    /// End of the last fetch: [`OriginRecord::tried_at`].
    pub tried_at: u64,
    /// Time at which the current result was fetched or renewed:
    /// [`State::fetched_at`](verger::access::State).
    pub fetched_at: Option<u64>,
    /// End of its freshness: [`State::fresh_until`](verger::access::State).
    pub fresh_until: Option<u64>,
    /// Bytes of the body.
    pub body_bytes: usize,
}

impl StoreEntry {
    /// The entry of a record under the text of its key.
    pub fn new(key: String, found: Result<&OriginRecord, Miss>) -> Self {
        let summary = found.map(|record| Summary {
            access: record.kind().to_owned(),
            status: record.last().and_then(|last| last.status),
            tried_at: record.tried_at().seconds(),
            fetched_at: record.state().fetched_at().map(Timestamp::seconds),
            fresh_until: record.state().fresh_until().map(Timestamp::seconds),
            body_bytes: record.file().map_or(0, |file| file.body.as_bytes().len()),
        });
        Self { key, summary }
    }

    /// The text of the origin.
    pub fn origin(&self) -> &str {
        self.parts()[0]
    }

    /// The texts of the origin, the fetching identity and the access profile.
    pub fn parts(&self) -> [&str; 3] {
        parts(&self.key).unwrap_or([&self.key, "", ""])
    }
}

/// The bytes that a store counts for a record with this encoded size.
pub(crate) fn cost(encoded: usize) -> u64 {
    crate::limits::RECORD_OVERHEAD.saturating_add(encoded as u64)
}

/// The registrable domain of an origin, for example `shop.example` of `a.b.shop.example`. For an
/// address, or a host that is a public suffix, the host itself.
pub(crate) fn registrable(origin: &Origin) -> &str {
    let host = origin.host();
    // `shop.example.` and `shop.example` are two origins of one registrant.
    let name = host.strip_suffix('.').unwrap_or(host);
    if host.starts_with('[') || name.parse::<std::net::Ipv4Addr>().is_ok() {
        return host;
    }
    psl::domain_str(name).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_share_their_registrable_domain() {
        for (host, expected) in [
            ("shop.example", "shop.example"),
            ("a.b.shop.example", "shop.example"),
            ("a.b.shop.example.", "shop.example"),
            ("www.shop.co.uk", "shop.co.uk"),
            ("co.uk", "co.uk"),
            ("somebody.github.io", "somebody.github.io"),
            ("localhost", "localhost"),
            ("192.0.2.1", "192.0.2.1"),
            ("[2001:db8::1]", "[2001:db8::1]"),
            (".", ""),
        ] {
            let origin = Origin::from_parts("https", host, None).unwrap();
            assert_eq!(registrable(&origin), expected, "{host}");
        }
    }
}
