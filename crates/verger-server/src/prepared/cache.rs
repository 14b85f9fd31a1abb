//! Prepared decisions by origin and question.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use verger::Dialect;

use super::Prepared;

/// Prepared decisions, bounded by bytes.
///
/// Each shard has two generations: when the younger one is half the limit, it becomes the older one,
/// which is dropped. Entries that are used move to the younger one.
#[derive(Debug)]
pub(crate) struct Cache {
    shards: Vec<Mutex<Shard>>,
    shard_bytes: usize,
    hasher: std::hash::RandomState,
}

#[derive(Debug, Default)]
struct Shard {
    young: Generation,
    old: Generation,
    /// Number of [`Cache::remove`].
    removals: u64,
}

#[derive(Debug, Default)]
struct Generation {
    /// By origin.
    entries: HashMap<Box<str>, Vec<Entry>>,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Entry {
    key: Key,
    prepared: Arc<Prepared>,
    size: usize,
}

/// The question without the URL: crawler, dialect and number of the access profile.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    crawler: Box<[u8]>,
    /// The name: all dialects of questions are published ones.
    dialect: &'static str,
    profile: usize,
}

impl Cache {
    pub(crate) fn new(bytes: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, shard_bytes: bytes / SHARDS, hasher: std::hash::RandomState::new() }
    }

    fn shard(&self, origin: &str) -> std::sync::MutexGuard<'_, Shard> {
        use std::hash::BuildHasher as _;
        let hash = self.hasher.hash_one(origin);
        let at = usize::try_from(hash % SHARDS as u64).unwrap_or_default();
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entry for a question, and whether it is valid at a time.
    pub(crate) fn get(
        &self,
        origin: &str,
        crawler: &[u8],
        dialect: &Dialect,
        profile: usize,
        now: u64,
    ) -> Option<(Arc<Prepared>, bool)> {
        let is_asked = |entry: &&Entry| {
            *entry.key.crawler == *crawler
                && entry.key.profile == profile
                && entry.key.dialect == dialect.name
        };
        let mut shard = self.shard(origin);
        let found =
            shard.young.entries.get(origin).and_then(|entries| entries.iter().find(is_asked));
        if let Some(entry) = found {
            return Some((Arc::clone(&entry.prepared), entry.prepared.is_valid(now)));
        }
        let entries = shard.old.entries.get(origin)?;
        let entry = entries.iter().find(is_asked)?.clone();
        let found = Arc::clone(&entry.prepared);
        shard.put(origin, entry, self.shard_bytes);
        let is_valid = found.is_valid(now);
        Some((found, is_valid))
    }

    /// A number that changes when the entries of an origin are removed.
    pub(crate) fn removals(&self, origin: &str) -> u64 {
        self.shard(origin).removals
    }

    /// Adds an entry, unless entries of the origin may have been removed since its decision began:
    /// it would be that of a replaced record. `removals` is the number of that time.
    pub(crate) fn put(
        &self,
        origin: &str,
        crawler: &[u8],
        dialect: &Dialect,
        profile: usize,
        prepared: Arc<Prepared>,
        removals: u64,
    ) {
        let key = Key { crawler: crawler.into(), dialect: dialect.name, profile };
        let size = prepared.size() + crawler.len() + origin.len();
        let mut shard = self.shard(origin);
        if shard.removals == removals {
            shard.put(origin, Entry { key, prepared, size }, self.shard_bytes);
        }
    }

    /// Removes all entries of an origin, after a change of its record.
    pub(crate) fn remove(&self, origin: &str) {
        let mut shard = self.shard(origin);
        shard.removals += 1;
        let Shard { young, old, .. } = &mut *shard;
        for generation in [young, old] {
            let entries = generation.entries.remove(origin).unwrap_or_default();
            generation.bytes -= entries.iter().map(|entry| entry.size).sum::<usize>();
        }
    }

    /// Bytes of all entries.
    pub(crate) fn bytes(&self) -> usize {
        let shards = self.shards.iter().map(|shard| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.young.bytes + shard.old.bytes
        });
        shards.sum()
    }
}

impl Shard {
    fn put(&mut self, origin: &str, entry: Entry, most: usize) {
        if entry.size > most / 2 {
            return;
        }
        if self.young.bytes + entry.size > most / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.bytes += entry.size;
        match self.young.entries.get_mut(origin) {
            None => drop(self.young.entries.insert(origin.into(), vec![entry])),
            Some(entries) => match entries.iter_mut().find(|other| other.key == entry.key) {
                Some(before) => {
                    self.young.bytes -= before.size;
                    *before = entry;
                }
                None => entries.push(entry),
            },
        }
    }
}

/// More shards than cores of large machines, so that locks are rarely contended.
const SHARDS: usize = 64;
