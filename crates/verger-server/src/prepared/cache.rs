//! Prepared decisions by origin and question.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashTable;

use super::{FetchId, Key, Prepared};

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
    marks: Marks,
}

/// Counts of a shard: a decision must not be added if they have changed since it began, because its
/// record may have been replaced meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Changes of records that remove entries, by fetches and others.
    changes: u64,
    /// Those by others.
    forgotten: u64,
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

    /// The marks of an origin now.
    pub(crate) fn marks(&self, origin: &str) -> Marks {
        self.shard(origin).1.marks
    }

    /// Adds an entry of a stored record, unless it may have been replaced since these marks.
    pub(crate) fn put(&self, key: &Key<'_>, prepared: Arc<Prepared>, marks: Marks) {
        let (hash, mut shard) = self.shard(key.origin);
        if shard.marks == marks {
            self.add(&mut shard, hash, key, prepared);
        }
    }

    /// Notes a fetch: removes the entries of earlier ones of the origin, and adds one, unless the
    /// record may have been replaced by other means since these marks. Called for each check that
    /// waited for the fetch.
    pub(crate) fn put_fetched(
        &self,
        key: &Key<'_>,
        fetch: FetchId,
        prepared: Option<Arc<Prepared>>,
        marks: Marks,
    ) {
        let (hash, mut shard) = self.shard(key.origin);
        let is_of = |entry: &Arc<Prepared>| entry.fetch == fetch && entry.origin() == key.origin;
        if shard.young.entries.find(hash, is_of).is_none() {
            shard.marks.changes += 1;
            shard.remove(hash, |entry| entry.fetch != fetch && entry.origin() == key.origin);
        }
        if let Some(prepared) = prepared
            && shard.marks.forgotten == marks.forgotten
        {
            self.add(&mut shard, hash, key, prepared);
        }
    }

    fn add(&self, shard: &mut Shard, hash: u64, key: &Key<'_>, prepared: Arc<Prepared>) {
        // All entries of an origin are in one chain.
        if shard.young.entries.iter_hash(hash).nth(ORIGIN_ENTRIES).is_some() {
            shard.remove(hash, |entry| entry.origin() == key.origin);
        }
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

    /// Removes all entries of an origin, after a change of its record other than by a fetch.
    pub(crate) fn forget(&self, origin: &str) {
        let (hash, mut shard) = self.shard(origin);
        shard.marks.changes += 1;
        shard.marks.forgotten += 1;
        shard.remove(hash, |entry| entry.origin() == origin);
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
    fn remove(&mut self, hash: u64, is_old: impl Fn(&Arc<Prepared>) -> bool) {
        for Generation { entries, bytes } in [&mut self.young, &mut self.old] {
            while let Ok(entry) = entries.find_entry(hash, &is_old) {
                *bytes -= entry.remove().0.size();
            }
        }
    }
}

/// Prepared answers of one origin: crawlers by dialects by access profiles. A fleet has some.
const ORIGIN_ENTRIES: usize = 256;

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
        let agent = &key.crawler[br#","agent":"#.len()..];
        let agent: String = serde_json::from_slice(agent).unwrap();
        let crawler = NamedCrawler::agent(agent, &Dialect::RFC9309);
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
                let entry = prepared(&client, &key).await;
                let now = entry.from;
                cache.put(&key, entry, cache.marks(&origin));
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
            cache.forget(&origin);
            assert!(KEYS.iter().all(|crawler| cache.get(&key(&origin, crawler), now).is_none()));
        }
        assert_eq!(cache.bytes(), 0);
    }

    #[tokio::test]
    async fn a_decision_of_a_replaced_record_is_not_added() {
        let (cache, client, origin) = (Cache::new(1 << 20), client(), origin(0));
        let [first, second] = KEYS.map(|keys| key(&origin, keys));
        let is_known = |key: &Key<'_>| cache.get(key, client.now().seconds()).is_some();
        let before = cache.marks(&origin);
        let entry = prepared(&client, &first).await;
        let fetch = entry.fetch;
        cache.forget(&origin);
        cache.put(&first, Arc::clone(&entry), before);
        cache.put_fetched(&first, fetch, Some(Arc::clone(&entry)), before);
        assert!(!is_known(&first));
        let after = cache.marks(&origin);
        cache.put_fetched(&first, fetch, Some(entry), after);
        assert!(is_known(&first));
        // A check that read the store before that fetch is too late.
        let late = prepared(&client, &second).await;
        cache.put(&second, late, after);
        assert!(!is_known(&second));
        // Another check that waited for the fetch removes nothing.
        let marks = cache.marks(&origin);
        let joined = prepared(&client, &second).await;
        cache.put_fetched(&second, fetch, Some(joined), after);
        assert!(is_known(&first) && is_known(&second) && cache.marks(&origin) == marks);
        // The next fetch removes both.
        cache.put_fetched(&first, FetchId(fetch.0 ^ 1), None, marks);
        assert!(!is_known(&first) && !is_known(&second));
    }

    #[tokio::test]
    async fn an_origin_has_a_limited_number_of_entries() {
        let (cache, client, origin) = (Cache::new(1 << 30), client(), origin(0));
        let marks = cache.marks(&origin);
        for number in 0..ORIGIN_ENTRIES * 3 {
            let crawler = format!(r#","agent":"{number}""#).into_bytes();
            let key = key(&origin, &crawler);
            cache.put(&key, prepared(&client, &key).await, marks);
            assert!(cache.get(&key, client.now().seconds()).is_some());
        }
        let (hash, shard) = cache.shard(&origin);
        assert!(shard.young.entries.iter_hash(hash).count() <= ORIGIN_ENTRIES + 1);
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
        cache.put(&used, entry, Marks::default());
        for number in 1..3_000 {
            let origin = origin(number);
            let key = key(&origin, KEYS[0]);
            cache.put(&key, prepared(&client, &key).await, Marks::default());
            assert!(cache.get(&used, now).is_some(), "{number}");
        }
        assert!(cache.bytes() <= most, "{}", cache.bytes());
        let left =
            (1..3_000).filter(|number| cache.get(&key(&origin(*number), KEYS[0]), now).is_some());
        assert!(left.count() < 2_000);
    }
}
