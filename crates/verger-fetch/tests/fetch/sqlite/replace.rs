//! A record is replaced only by a client that has read it.

use std::thread;

use rusqlite::Connection;
use verger_fetch::record::{Body, Miss};
use verger_fetch::store::{Lookup, MemoryStore, Replaced, Store};

use super::place;
use crate::common::records::{options, record_with};
use crate::common::{key, open, record, run};
use crate::contract;

/// A store with the required methods only.
#[derive(Debug, Default)]
struct Plain(MemoryStore);

impl Store for Plain {
    forward!(0: get, put, remove, list, clear);
}

#[test]
fn every_store_keeps_the_contract() {
    let (_folder, path) = place();
    let sqlite = open(&path).unwrap();
    let (memory, plain) = (MemoryStore::new(), Plain::default());
    for store in [&sqlite as &dyn Store, &memory, &plain] {
        run(contract::replaces_only_the_expected_record(store));
        run(contract::finds_lists_and_removes_records(store));
        run(contract::lists_the_current_file(store));
    }
    for store in [&sqlite as &dyn Store, &memory] {
        run(contract::keeps_the_records_of_an_origin_apart(store));
    }
}

#[test]
fn earlier_files_are_kept_up_to_a_limit() {
    const MOST: u64 = 50;
    let (_folder, path) = place();
    let site = key("a.example");
    let store = open(&path).unwrap();
    let count = MOST + 4;
    for number in 1..=count {
        // The second time, the file is the same.
        for _ in 0..2 {
            run(store.put(record_with("a.example", number, format!("# {number}\n").into())))
                .unwrap();
        }
    }
    run(store.put(record("b.example", 1))).unwrap();
    run(store.close());
    let store = open(&path).unwrap();
    let versions = run(store.versions(&site)).unwrap();
    let first = count - MOST + 1;
    let times: Vec<u64> = versions.iter().map(|version| version.from.seconds()).collect();
    assert_eq!(times, (first..=count).collect::<Vec<_>>());
    for (version, number) in versions.iter().zip(first..) {
        let body = run(store.version(&site, &version.sha256)).unwrap();
        assert_eq!(body, Some(Body::new(format!("# {number}\n"))), "{number}");
    }
    assert_eq!(run(store.version(&site, Body::new("# 1\n").sha256())).unwrap(), None);
    let rows = || -> i64 {
        let sql = Connection::open(&path).unwrap();
        sql.query_row("SELECT count(*) FROM version", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(rows(), 51);
    assert!(run(store.remove(&site)).unwrap());
    assert_eq!(rows(), 1);
    run(store.clear()).unwrap();
    assert_eq!(rows(), 0);
}

#[test]
fn a_file_that_returns_is_a_version_again() {
    let (_folder, path) = place();
    let (store, site) = (open(&path).unwrap(), key("a.example"));
    // The last one was not seen for more than a day.
    for (number, text) in
        [(1, "a"), (2, "b"), (3, "a"), (4, "a"), (5, "c"), (86_405, "c"), (172_806, "c")]
    {
        run(store.put(record_with("a.example", number, text.into()))).unwrap();
    }
    let versions = run(store.versions(&site)).unwrap();
    let seen = versions.iter().map(|it| (it.from.seconds(), it.until.seconds(), it.bytes));
    assert_eq!(seen.collect::<Vec<_>>(), [(1, 1, 1), (2, 2, 1), (3, 4, 1), (172_806, 172_806, 1)]);
    for (version, text) in versions.iter().zip(["a", "b", "a", "c"]) {
        assert_eq!(run(store.version(&site, &version.sha256)).unwrap(), Some(Body::new(text)));
    }
}

#[test]
fn damaged_record_is_replaced_and_newer_version_is_not() {
    let (_folder, path) = place();
    let whole = record("a.example", 1).encode();
    for (bytes, expected, is_kept) in [
        (whole[1..].to_vec(), Miss::Damaged, true),
        (contract::of_version(5, whole), Miss::Newer { version: 5 }, false),
    ] {
        let store = open(&path).unwrap();
        run(store.put(record("a.example", 1))).unwrap();
        let sql = Connection::open(&path).unwrap();
        assert_eq!(sql.execute("UPDATE record SET record = ?1", [bytes]).unwrap(), 1);
        let found = run(store.get(&key("a.example"))).unwrap();
        assert_eq!(found, Lookup::Missing(expected.clone()));
        let done = run(store.replace(None, record("a.example", 2))).unwrap();
        assert_eq!(matches!(done, Replaced::By(_)), is_kept, "{expected}");
    }
}

#[test]
fn no_concurrent_change_is_lost() {
    const CLIENTS: usize = 8;
    const CHANGES: usize = 25;
    let (_folder, path) = place();
    let options = options();
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (path, options) = (&path, &options);
            scope.spawn(move || {
                let store = open(path).unwrap();
                for change in 0..CHANGES {
                    // All changes are different.
                    let url = format!("https://a.example/{client}/{change}");
                    while !run(contract::add_failure(&store, options, &url)) {}
                }
                run(store.close());
            });
        }
    });
    let kept = run(open(&path).unwrap().get(&key("a.example"))).unwrap().found().unwrap();
    assert_eq!(usize::try_from(kept.state().failures()).unwrap(), CLIENTS * CHANGES);
}
