//! A record is replaced only by a client that has read it.

use std::thread;

use rusqlite::Connection;
use verger_fetch::record::Miss;
use verger_fetch::store::{Lookup, MemoryStore, Replaced, Store};

use super::place;
use crate::common::records::options;
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
