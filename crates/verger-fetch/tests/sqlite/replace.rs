//! A record is replaced only by a client that has read it.

use std::sync::Arc;
use std::thread;

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use verger::access::{Outcome, Profile, Timestamp};
use verger_fetch::record::{Attempt, Miss, OriginRecord, ReadOptions, Response};
use verger_fetch::store::{Lookup, MemoryStore, Pending, SqliteStore, Store};

use super::common::{number_of, open, origin, record, run};
use super::place;

/// A store with the required methods only.
#[derive(Debug, Default)]
struct Plain(MemoryStore);

impl Store for Plain {
    fn get<'a>(&'a self, origin: &'a verger::Origin) -> Pending<'a, Lookup> {
        self.0.get(origin)
    }

    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
        self.0.put(record)
    }

    fn remove<'a>(&'a self, origin: &'a verger::Origin) -> Pending<'a, bool> {
        self.0.remove(origin)
    }

    fn list<'a>(
        &'a self,
        after: Option<&'a str>,
        most: usize,
    ) -> Pending<'a, Vec<verger_fetch::store::Entry>> {
        self.0.list(after, most)
    }

    fn clear(&self) -> Pending<'_, u64> {
        self.0.clear()
    }
}

#[test]
fn record_is_replaced_only_if_it_is_the_expected_one() {
    let (_folder, path) = place();
    let sqlite = open(&path).unwrap();
    let (memory, plain) = (MemoryStore::new(), Plain::default());
    let made = |number: u64| record("a.example", number);
    // The stored record, the expected one, the new one, and whether it is stored.
    let cases = [
        (None, None, 1, true),
        (None, Some(1), 2, false),
        (Some(1), None, 2, false),
        (Some(1), Some(1), 2, true),
        (Some(1), Some(2), 3, false),
        // It was stored before, and the reply was lost.
        (Some(2), Some(1), 2, true),
        // An older one, after a clock was set back.
        (Some(9), Some(9), 2, true),
    ];
    for store in [&sqlite as &dyn Store, &memory, &plain] {
        for (there, before, next, is_kept) in cases {
            run(store.clear()).unwrap();
            if let Some(number) = there {
                run(store.put(made(number))).unwrap();
            }
            let done = run(store.replace(before.map(made), made(next))).unwrap();
            let found = run(store.get(&origin("a.example"))).unwrap().found();
            let found = found.map(|found| number_of(&found, "a.example").unwrap());
            let expected = if is_kept { Some(next) } else { there };
            assert_eq!(
                (done, found),
                (is_kept, expected),
                "{store:?}: {there:?} {before:?} {next}"
            );
        }
    }
}

#[test]
fn damaged_record_is_replaced_and_newer_version_is_not() {
    let (_folder, path) = place();
    let whole = record("a.example", 1).encode();
    for (bytes, expected, is_kept) in [
        (whole[1..].to_vec(), Miss::Damaged, true),
        (of_version(3, whole), Miss::Newer { version: 3 }, false),
    ] {
        let store = open(&path).unwrap();
        run(store.put(record("a.example", 1))).unwrap();
        let sql = Connection::open(&path).unwrap();
        assert_eq!(sql.execute("UPDATE record SET record = ?1", [bytes]).unwrap(), 1);
        let found = run(store.get(&origin("a.example"))).unwrap();
        assert_eq!(found, Lookup::Missing(expected.clone()));
        let done = run(store.replace(None, record("a.example", 2))).unwrap();
        assert_eq!(done, is_kept, "{expected}");
    }
}

/// A whole record of another version: magic number, version, two lengths, body, head, two hashes.
fn of_version(version: u16, mut record: Vec<u8>) -> Vec<u8> {
    record[4..6].copy_from_slice(&version.to_le_bytes());
    let body = usize::try_from(u64::from_le_bytes(record[6..14].try_into().unwrap())).unwrap();
    let checksum = record.len() - 32;
    let hash = Sha256::new().chain_update(&record[..22]).chain_update(&record[22 + body..checksum]);
    record[checksum..].copy_from_slice(&hash.finalize());
    record
}

/// Counts one more failure in the record of an origin.
fn add_failure(store: &SqliteStore, options: &ReadOptions, url: &str) -> bool {
    let site = origin("a.example");
    let before = run(store.get(&site)).unwrap().found();
    let base = before.as_deref().cloned().unwrap_or_else(|| OriginRecord::new(site.clone()));
    let response = Response::new(Timestamp::from_seconds(1), Outcome::Status(503), url);
    let next = base.after(None, options, Attempt::new(response), 0).shared.unwrap();
    run(store.replace(before, Arc::new(next))).unwrap()
}

#[test]
fn no_concurrent_change_is_lost() {
    const CLIENTS: usize = 8;
    const CHANGES: usize = 25;
    let (_folder, path) = place();
    let options = ReadOptions::new(Profile::RFC9309);
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (path, options) = (&path, &options);
            scope.spawn(move || {
                let store = open(path).unwrap();
                for change in 0..CHANGES {
                    // All changes are different.
                    let url = format!("https://a.example/{client}/{change}");
                    while !add_failure(&store, options, &url) {}
                }
                run(store.close());
            });
        }
    });
    let kept = run(open(&path).unwrap().get(&origin("a.example"))).unwrap().found().unwrap();
    assert_eq!(usize::try_from(kept.state(&options).failures()).unwrap(), CLIENTS * CHANGES);
}
