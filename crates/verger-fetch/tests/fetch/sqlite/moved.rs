//! Files that are removed or replaced beside an open store, and paths of folders.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use verger_fetch::store::{Store as _, StoreErrorKind};

use crate::common::{open, record, run};
use crate::sqlite::{filled, hosts, number, place, refused};

#[test]
fn stores_use_the_new_file_after_the_old_one_was_set_aside() {
    let (folder, path) = place();
    let store = open(&path).unwrap();
    run(store.put(record("a.example", 1))).unwrap();
    for ending in ["", "-wal", "-shm"] {
        let from = folder.path().join(format!("store.sqlite{ending}"));
        fs::rename(&from, folder.path().join(format!("aside{ending}"))).unwrap();
    }
    let other = open(&path).unwrap();
    run(store.put(record("b.example", 2))).unwrap();
    assert_eq!(number(&other, "b.example").unwrap(), Some(2));
    assert_eq!(number(&store, "a.example").unwrap(), None);
}

#[test]
fn stores_use_a_new_file_after_the_old_one_was_removed_or_replaced() {
    let (folder, path) = place();
    let other = folder.path().join("other.sqlite");
    filled(&other, &["c.example"]);
    let store = open(&path).unwrap();
    let removals: [fn(&Path, &Path); 2] =
        [|path, _| fs::remove_file(path).unwrap(), |path, other| fs::rename(other, path).unwrap()];
    for remove in removals {
        run(store.put(record("a.example", 1))).unwrap();
        assert_eq!(number(&store, "a.example").unwrap(), Some(1));
        // Not the log and its index, which the store still uses.
        remove(&path, &other);
        assert_eq!(number(&store, "a.example").unwrap(), None);
        let another = open(&path).unwrap();
        run(another.put(record("b.example", 2))).unwrap();
        assert_eq!(number(&store, "b.example").unwrap(), Some(2));
        run(store.put(record("a.example", 3))).unwrap();
        assert_eq!(number(&another, "a.example").unwrap(), Some(3));
        run(another.close());
        let notices = store.take_notices();
        assert!(notices.is_empty(), "{notices:?}");
    }
    assert_eq!(hosts(&store), ["a.example", "b.example", "c.example"]);
}

#[test]
fn path_of_a_folder_is_refused_and_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["new/", "new//", "new/.", ".", ".."] {
        refused(&folder.path().join(path), StoreErrorKind::Unrecognised);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn store_of_an_earlier_version_is_set_aside_with_a_notice() {
    let (folder, path) = place();
    filled(&path, &["a.example"]);
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("DROP VIEW robots; PRAGMA user_version = 1").unwrap();
    drop(connection);
    let before = fs::read(&path).unwrap();
    let store = open(&path).unwrap();
    assert!(hosts(&store).is_empty());
    run(store.put(record("b.example", 1))).unwrap();
    assert_eq!(number(&store, "b.example").unwrap(), Some(1));
    let moved_to = folder.path().canonicalize().unwrap().join("store.sqlite.earlier-1");
    assert_eq!(fs::read(&moved_to).unwrap(), before);
    let [notice] = &store.take_notices()[..] else { panic!("expected one notice") };
    assert!(!notice.is_damaged && notice.moved_to == moved_to);
    assert!(notice.to_string().contains("is of an earlier version; it was set aside as"));
}
