//! Prepared decisions by origin and question.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashTable;

use super::{Key, Prepared};

/// Prepared decisions, bounded by bytes.
///
/// Each shard has two generations: when the younger one is half the limit, it becomes the older one,
/// which is dropped. Entries that are used move to the younger one.
///
/// A table has only pointers, found by the hash of the origin; the rest of the key is compared in
/// the decision, which is read anyway. With ten thousand origins each other place in memory would
/// cost as much as all comparisons.
#[derive(Debug)]
pub(crate) struct Cache {
    shards: Vec<Mutex<Shard>>,
    shard_bytes: usize,
    hasher: RandomState,
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
    entries: HashTable<Arc<Prepared>>,
    bytes: usize,
}

impl Cache {
    pub(crate) fn new(bytes: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, shard_bytes: bytes / SHARDS, hasher: RandomState::new() }
    }

    /// The hash of an origin, and its shard.
    fn shard(&self, origin: &str) -> (u64, MutexGuard<'_, Shard>) {
        let hash = self.hasher.hash_one(origin);
        // Tables use the lowest and the highest bits.
        let at = usize::try_from((hash >> 32) % SHARDS as u64).unwrap_or_default();
        (hash, self.shards[at].lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The entry for a question, and whether it is valid at a time.
    pub(crate) fn get(&self, key: &Key<'_>, now: u64) -> Option<(Arc<Prepared>, bool)> {
        let (hash, mut shard) = self.shard(key.origin);
        let young = shard.young.entries.find(hash, |entry| entry.answers(key));
        let found = if let Some(entry) = young {
            Arc::clone(entry)
        } else {
            let entry = Arc::clone(shard.old.entries.find(hash, |entry| entry.answers(key))?);
            self.add(&mut shard, hash, key, Arc::clone(&entry));
            entry
        };
        let is_valid = found.is_valid(now);
        Some((found, is_valid))
    }

    /// A number that changes when the entries of an origin are removed.
    pub(crate) fn removals(&self, origin: &str) -> u64 {
        self.shard(origin).1.removals
    }

    /// Adds an entry, unless entries of the origin may have been removed since its decision began:
    /// it would be that of a replaced record. `removals` is the number of that time.
    pub(crate) fn put(&self, key: &Key<'_>, prepared: Arc<Prepared>, removals: u64) {
        let (hash, mut shard) = self.shard(key.origin);
        if shard.removals == removals {
            self.add(&mut shard, hash, key, prepared);
        }
    }

    fn add(&self, shard: &mut Shard, hash: u64, key: &Key<'_>, prepared: Arc<Prepared>) {
        let (size, most) = (prepared.size(), self.shard_bytes / 2);
        if size > most {
            return;
        }
        if shard.young.bytes + size > most {
            shard.old = std::mem::take(&mut shard.young);
        }
        let young = &mut shard.young;
        young.bytes += size;
        if let Some(before) = young.entries.find_mut(hash, |entry| entry.answers(key)) {
            young.bytes -= before.size();
            *before = prepared;
        } else {
            let hash_of = |entry: &Arc<Prepared>| self.hasher.hash_one(entry.origin());
            young.entries.insert_unique(hash, prepared, hash_of);
        }
    }

    /// Removes all entries of an origin, after a change of its record.
    pub(crate) fn remove(&self, origin: &str) {
        let (hash, mut shard) = self.shard(origin);
        shard.removals += 1;
        let Shard { young, old, .. } = &mut *shard;
        for Generation { entries, bytes } in [young, old] {
            while let Ok(entry) = entries.find_entry(hash, |entry| entry.origin() == origin) {
                *bytes -= entry.remove().0.size();
            }
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

/// More shards than cores of large machines, so that locks are rarely contended.
const SHARDS: usize = 64;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use verger::{Crawler, Dialect};
    use verger_fetch::client::RobotsClient;
    use verger_fetch::fetch::Identity;
    use verger_json::NamedCrawler;

    use super::*;

    const KEYS: [&[u8]; 2] = [br#","agent":"A""#, br#","agent":"B""#];

    fn key<'a>(origin: &'a str, crawler: &'a [u8]) -> Key<'a> {
        Key { origin, crawler, dialect: Dialect::RFC9309.name, profile: 0 }
    }

    fn origin(number: usize) -> String {
        format!("https://{number}.example")
    }

    /// A prepared decision for a key.
    async fn prepared(client: &RobotsClient, key: &Key<'_>) -> Arc<Prepared> {
        let origin = key.origin.parse().unwrap();
        let robots = "User-agent: *\nDisallow: /cart\n";
        client.import(&origin, robots.into(), client.now()).await.unwrap();
        let decision = client.check(&format!("{}/x", key.origin)).await.unwrap();
        let crawler = NamedCrawler::chain(vec!["A".to_owned()]);
        let age = Duration::from_secs(60);
        Arc::new(Prepared::of(&decision, &crawler, key, age, None).unwrap())
    }

    fn client() -> RobotsClient {
        let identity = Identity::new("Test/1").unwrap();
        RobotsClient::builder(Crawler::new("A"), identity).offline(true).build().unwrap()
    }

    #[tokio::test]
    async fn entries_are_found_by_all_of_their_key() {
        let (cache, client) = (Cache::new(1 << 20), client());
        let now = client.now().seconds();
        for number in 0..20 {
            for crawler in KEYS {
                let origin = origin(number);
                let key = key(&origin, crawler);
                assert!(cache.get(&key, now).is_none());
                cache.put(&key, prepared(&client, &key).await, cache.removals(&origin));
                let (found, is_valid) = cache.get(&key, now).unwrap();
                assert!(is_valid && found.answers(&key));
                assert!(!cache.get(&key, now + 3_600).unwrap().1);
                assert!(cache.get(&Key { profile: 1, ..key }, now).is_none());
                assert!(cache.get(&Key { dialect: "google", ..key }, now).is_none());
                assert!(cache.get(&Key { crawler: &crawler[..4], ..key }, now).is_none());
            }
        }
        for number in 0..20 {
            let origin = origin(number);
            cache.remove(&origin);
            assert!(KEYS.iter().all(|crawler| cache.get(&key(&origin, crawler), now).is_none()));
        }
        assert_eq!(cache.bytes(), 0);
    }

    #[tokio::test]
    async fn an_entry_of_before_a_removal_is_not_added() {
        let (cache, client, origin) = (Cache::new(1 << 20), client(), origin(0));
        let key = key(&origin, KEYS[0]);
        let removals = cache.removals(&origin);
        let prepared = prepared(&client, &key).await;
        cache.remove(&origin);
        cache.put(&key, Arc::clone(&prepared), removals);
        assert!(cache.get(&key, client.now().seconds()).is_none());
        cache.put(&key, prepared, cache.removals(&origin));
        assert!(cache.get(&key, client.now().seconds()).is_some());
    }

    #[tokio::test]
    async fn memory_is_bounded_and_used_entries_stay() {
        let (client, used) = (client(), origin(0));
        let used = key(&used, KEYS[0]);
        let entry = prepared(&client, &used).await;
        // Twenty entries in each shard.
        let most = entry.size() * 20 * SHARDS;
        let cache = Cache::new(most);
        let now = client.now().seconds();
        cache.put(&used, entry, 0);
        for number in 1..3_000 {
            let origin = origin(number);
            let key = key(&origin, KEYS[0]);
            cache.put(&key, prepared(&client, &key).await, 0);
            assert!(cache.get(&used, now).is_some(), "{number}");
        }
        assert!(cache.bytes() <= most, "{}", cache.bytes());
        let left =
            (1..3_000).filter(|number| cache.get(&key(&origin(*number), KEYS[0]), now).is_some());
        assert!(left.count() < 2_000);
    }
}
