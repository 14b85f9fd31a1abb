//! The store on disk, in one process: stored and evicted records, and damaged files.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod moved;
mod replace;
mod response;

use std::fs::{self, File};
use std::os::unix::fs::{FileExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::Poll;

use rusqlite::Connection;
use tempfile::TempDir;
use verger::access::{Outcome, Timestamp};
use verger_fetch::record::{Attempt, Miss, OriginRecord, Response};
use verger_fetch::store::{
    Lookup, MemoryStore, SqliteOptions, SqliteStore, Store, StoreError, StoreErrorKind,
};
use verger_testkit::generate::is_thorough;

use crate::common::records::options;
use crate::common::{self, key, number_of, open, record, run};

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    (folder, path)
}

/// A store with these hosts, closed.
fn filled(path: &Path, hosts: &[&str]) {
    let store = open(path).unwrap();
    for host in hosts {
        run(store.put(record(host, 7))).unwrap();
    }
    run(store.close());
}

fn number(store: &SqliteStore, host: &str) -> Result<Option<u64>, StoreError> {
    Ok(match run(store.get(&key(host)))? {
        Lookup::Found(found) => Some(number_of(&found, host).expect("a record that was put")),
        Lookup::Missing(_) => None,
    })
}

fn hosts(store: &SqliteStore) -> Vec<String> {
    let entries = run(store.list(None, usize::MAX)).unwrap();
    entries.into_iter().map(|entry| entry.origin().replace("https://", "")).collect()
}

#[track_caller]
fn refused(path: &Path, kind: StoreErrorKind) {
    match open(path) {
        Ok(_) => panic!("expected {kind:?}, but the store opened"),
        Err(error) => assert_eq!(error.kind(), kind, "{error}"),
    }
}

#[test]
fn stores_on_one_file_see_each_others_changes() {
    let (_folder, path) = place();
    let (one, other) = (open(&path).unwrap(), open(&path).unwrap());
    run(one.put(record("a.example", 1))).unwrap();
    assert_eq!(number(&other, "a.example").unwrap(), Some(1));
    run(other.put(record("a.example", 2))).unwrap();
    assert_eq!(number(&one, "a.example").unwrap(), Some(2));
    assert!(run(one.remove(&key("a.example"))).unwrap());
    assert!(!run(other.remove(&key("a.example"))).unwrap());
    assert_eq!(run(other.get(&key("a.example"))).unwrap(), Lookup::Missing(Miss::Absent));
    run(one.put(record("b.example", 1))).unwrap();
    assert_eq!(run(other.clear()).unwrap(), 1);
    assert!(hosts(&one).is_empty());
}

#[test]
fn file_and_folder_are_accessible_to_their_owner_only() {
    let (folder, _) = place();
    let path = folder.path().join("new/cache/store.sqlite");
    let store = open(&path).unwrap();
    run(store.put(record("a.example", 1))).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for entry in fs::read_dir(path.parent().unwrap()).unwrap() {
        let entry = entry.unwrap().path();
        assert_eq!(mode(&entry), 0o600, "{}", entry.display());
    }
}

#[test]
fn any_sql_tool_can_read_the_stored_records() {
    let (_folder, path) = place();
    filled(&path, &["www.shop.example"]);
    let sql = Connection::open(&path).unwrap();
    let row: String = sql
        .query_row(
            "SELECT concat_ws(' ', origin, profile, access, status, tried_at, fetched_at, fresh_until, domain, body)
             FROM record JOIN robots USING (origin, identity, profile)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let body = "# www.shop.example 7\n".repeat(8);
    assert_eq!(
        row,
        format!("https://www.shop.example rfc9309 rules 207 7 7 86407 shop.example {body}")
    );
}

#[test]
fn least_recently_used_records_are_evicted_first() {
    const RECORDS: usize = 800;
    let (_folder, path) = place();
    let options = SqliteOptions::default().with_most_bytes(400_000);
    let store = run(SqliteStore::open(&path, options)).unwrap();
    for number in 0..RECORDS {
        run(store.put(record(&format!("h{number:04}.example"), 50))).unwrap();
        // One that is used all the time.
        assert!(self::number(&store, "h0000.example").unwrap().is_some(), "{number}");
    }
    let hosts = hosts(&store);
    assert_eq!(hosts[0], "h0000.example");
    assert!(hosts.len() > 20, "{}", hosts.len());
    let expected: Vec<_> = (RECORDS + 1 - hosts.len()..RECORDS)
        .map(|number| format!("h{number:04}.example"))
        .collect();
    assert_eq!(hosts[1..], expected);
    run(store.close());
    assert!(fs::metadata(&path).unwrap().len() <= 2 * 400_000);
}

#[test]
fn ten_thousand_names_of_one_site_evict_no_other_site() {
    let (_folder, path) = place();
    let options = SqliteOptions::default().with_most_bytes(10_000_000);
    let store = run(SqliteStore::open(&path, options)).unwrap();
    run(store.put(record("small.example", 1))).unwrap();
    let many = |name: usize| store.put(record(&format!("n{name}.flood.example"), 1));
    run(async {
        for name in (0..10_000).step_by(50) {
            let mut waiting: Vec<_> = (name..name + 50).map(many).collect();
            // All are started before one is awaited.
            std::future::poll_fn(|context| {
                waiting.retain_mut(|put| put.as_mut().poll(context).is_pending());
                if waiting.is_empty() { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
    });
    let hosts = hosts(&store);
    assert!(hosts.contains(&"small.example".to_owned()));
    assert!(hosts.contains(&"n9999.flood.example".to_owned()));
    assert!((50..200).contains(&hosts.len()), "{}", hosts.len());
}

#[test]
fn record_too_large_for_the_store_is_an_error_and_evicts_nothing() {
    let (_folder, path) = place();
    let options = SqliteOptions::default().with_most_bytes(100_000);
    let store = run(SqliteStore::open(&path, options)).unwrap();
    run(store.put(record("a.example", 1))).unwrap();
    let large = common::records::record_with("b.example", 1, vec![b'#'; 100_001]);
    let error = run(store.put(large)).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::TooLarge);
    assert_eq!(number(&store, "a.example").unwrap(), Some(1));
}

#[test]
fn record_under_another_key_is_foreign() {
    let (_folder, path) = place();
    filled(&path, &["a.example", "b.example"]);
    let sql = Connection::open(&path).unwrap();
    sql.execute_batch(
        "UPDATE record SET record = (SELECT record FROM record WHERE origin = 'https://b.example')
         WHERE origin = 'https://a.example'",
    )
    .unwrap();
    let store = open(&path).unwrap();
    let foreign = Miss::Foreign { found: key("b.example").as_str().into() };
    assert_eq!(run(store.get(&key("a.example"))).unwrap(), Lookup::Missing(foreign.clone()));
    let listed = run(store.list(None, 10)).unwrap();
    assert_eq!(listed[0].summary, Err(foreign));
    assert!(listed[1].summary.is_ok());
}

/// A change of any byte of the file gives a miss, an error, or the record, never a wrong record.
#[test]
fn flipped_bits_of_the_file_lose_records_but_return_no_wrong_one() {
    let (folder, path) = place();
    let names: Vec<String> = (0..40).map(|number| format!("h{number}.example")).collect();
    filled(&path, &names.iter().map(String::as_str).collect::<Vec<_>>());
    let whole = fs::read(&path).unwrap();
    // Every byte of the header, then some of every page.
    let pages = if is_thorough() { 300 } else { 25 };
    let offsets = (0..100).chain((100..whole.len()).step_by(whole.len() / pages));
    let (mut lost, mut set_aside, mut errors) = (0, 0, 0);
    for at in offsets {
        let path = folder.path().join(format!("{at}.sqlite"));
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&path, bytes).unwrap();
        match open(&path) {
            Err(error) => {
                assert!(
                    matches!(error.kind(), StoreErrorKind::Newer | StoreErrorKind::Unrecognised),
                    "{at}: {error}"
                );
                errors += 1;
            }
            Ok(store) => {
                for name in &names {
                    lost += usize::from(number(&store, name).unwrap() != Some(7));
                }
                for name in &names[..3] {
                    run(store.put(record(name, 9))).unwrap();
                    let found = number(&store, name).unwrap();
                    assert_eq!(found, Some(9), "{at}: what is put is kept");
                }
                set_aside += store.take_notices().len();
                run(store.close());
            }
        }
        for entry in fs::read_dir(folder.path()).unwrap() {
            let entry = entry.unwrap().path();
            if entry != path.with_file_name("store.sqlite") {
                fs::remove_file(entry).unwrap();
            }
        }
    }
    assert!(lost > 0 && set_aside > 0 && errors > 0, "{lost} {set_aside} {errors}");
}

#[test]
fn truncated_file_is_set_aside_or_read() {
    let (folder, path) = place();
    filled(&path, &["a.example", "b.example"]);
    let whole = fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(509) {
        let path = folder.path().join(format!("{length}.sqlite"));
        fs::write(&path, &whole[..length]).unwrap();
        let store = open(&path).unwrap_or_else(|error| panic!("{length}: {error}"));
        for host in ["a.example", "b.example"] {
            number(&store, host).unwrap();
            run(store.put(record(host, 9))).unwrap();
            assert_eq!(number(&store, host).unwrap(), Some(9), "{length}");
        }
    }
}

#[test]
fn damaged_file_is_set_aside_with_its_log_and_reported() {
    let (folder, path) = place();
    for round in 1..=2 {
        filled(&path, &["a.example"]);
        // Another connection has it open, so there is a log.
        let sql = Connection::open(&path).unwrap();
        sql.execute_batch("UPDATE record SET status = 1").unwrap();
        // The header says that it is a store; the tables are gone.
        let file = File::options().write(true).open(&path).unwrap();
        file.write_all_at(&[0xA5; 3_000], 1_000).unwrap();
        file.write_all_at(&[0xA5; 1], 0).unwrap();
        let wal = folder.path().join("store.sqlite-wal");
        let log = fs::read(&wal).unwrap();
        fs::write(&wal, &log[..log.len() / 2]).unwrap();
        let store = open(&path).unwrap();
        let moved_to = folder.path().canonicalize().unwrap();
        let moved_to = moved_to.join(format!("store.sqlite.damaged-{round}"));
        let moved_log = moved_to.with_file_name(format!("store.sqlite.damaged-{round}-wal"));
        assert!(moved_to.exists());
        assert_eq!(fs::read(moved_log).unwrap(), log[..log.len() / 2]);
        let notices = store.take_notices();
        assert!(matches!(&notices[..], [it] if it.is_damaged && it.moved_to == moved_to));
        assert!(store.take_notices().is_empty());
        assert_eq!(number(&store, "a.example").unwrap(), None);
        run(store.close());
        // Closing them earlier would release the locks of all connections in this process.
        drop((sql, file));
    }
}

#[test]
fn file_shrinks_when_records_are_removed() {
    let (_folder, path) = place();
    let store = open(&path).unwrap();
    let hosts: Vec<String> = (0..100).map(|number| format!("h{number}.example")).collect();
    for host in &hosts {
        run(store.put(record(host, 599))).unwrap();
    }
    let size = || fs::metadata(&path).unwrap().len();
    let log = || fs::metadata(path.with_file_name("store.sqlite-wal")).map_or(0, |log| log.len());
    assert!(size() + log() > 1_000_000, "{} {}", size(), log());
    assert_eq!(run(store.clear()).unwrap(), 100);
    assert!(size() < 64 * 1024 && log() == 0, "{} {}", size(), log());
    run(store.put(record("a.example", 1))).unwrap();
    run(store.close());
    assert!(size() < 64 * 1024, "{}", size());
}

#[test]
fn newer_store_is_refused_and_not_changed() {
    let (_folder, path) = place();
    filled(&path, &["a.example"]);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 4).unwrap();
    let before = fs::read(&path).unwrap();
    let error = open(&path).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Newer);
    // It existed before.
    assert!(path.with_file_name("store.sqlite.lock").exists());
    let text = error.to_string();
    assert!(text.starts_with("expected a store of version 3 at most, but `"), "{text}");
    assert!(text.ends_with("store.sqlite` has version 4"), "{text}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn file_of_another_kind_is_refused_and_not_changed() {
    let (folder, path) = place();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE bookmark (url TEXT)").unwrap();
    drop(other);
    let text = folder.path().join("robots.txt");
    fs::write(&text, "User-agent: *\nDisallow: /\n".repeat(20)).unwrap();
    for path in [&path, &text] {
        let before = fs::read(path).unwrap();
        refused(path, StoreErrorKind::Unrecognised);
        assert_eq!(fs::read(path).unwrap(), before);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn store_must_be_a_regular_file_in_a_safe_folder() {
    let (folder, path) = place();
    let target = folder.path().join("target");
    fs::write(&target, "secret").unwrap();
    symlink(&target, &path).unwrap();
    refused(&path, StoreErrorKind::Denied);
    assert_eq!(fs::read(&target).unwrap(), b"secret");
    fs::remove_file(&path).unwrap();

    fs::create_dir(&path).unwrap();
    refused(&path, StoreErrorKind::Denied);
    assert!(!folder.path().join("store.sqlite.lock").exists());
    refused(Path::new("/dev/null"), StoreErrorKind::Denied);
    refused(Path::new("/"), StoreErrorKind::Unrecognised);

    let link = folder.path().join("link");
    symlink(folder.path(), &link).unwrap();
    let store = open(&link.join("by-link.sqlite")).unwrap();
    run(store.put(record("a.example", 1))).unwrap();
    assert!(folder.path().join("by-link.sqlite").exists());

    let shared = folder.path().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
    refused(&shared.join("store.sqlite"), StoreErrorKind::Denied);
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o1777)).unwrap();
    open(&shared.join("store.sqlite")).unwrap();
}

#[test]
fn absent_store_is_created_only_if_the_options_allow_it() {
    let (folder, path) = place();
    let look = SqliteOptions::default().with_create(false);
    for path in [path.clone(), folder.path().join("no/such/store.sqlite")] {
        let error = run(SqliteStore::open(&path, look.clone())).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Absent, "{error}");
        assert!(!path.exists());
    }
    filled(&path, &["a.example"]);
    assert!(run(SqliteStore::open(&path, look)).is_ok());
}

#[test]
fn long_lock_is_an_error_for_writers_and_does_not_stop_readers() {
    let (_folder, path) = place();
    let options = SqliteOptions::default().with_busy_timeout(std::time::Duration::ZERO);
    let store = run(SqliteStore::open(&path, options)).unwrap();
    run(store.put(record("a.example", 1))).unwrap();
    let sql = Connection::open(&path).unwrap();
    sql.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = run(store.put(record("a.example", 2))).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Busy);
    assert_eq!(number(&store, "a.example").unwrap(), Some(1));
    sql.execute_batch("ROLLBACK").unwrap();
    run(store.put(record("a.example", 3))).unwrap();
    assert_eq!(number(&store, "a.example").unwrap(), Some(3));
}

#[test]
fn writes_wait_for_a_lock_together_and_not_in_sequence() {
    let (_folder, path) = place();
    let second = std::time::Duration::from_secs(1);
    let options = SqliteOptions::default().with_busy_timeout(second);
    let store = run(SqliteStore::open(&path, options)).unwrap();
    let sql = Connection::open(&path).unwrap();
    sql.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = std::time::Instant::now();
    let mut puts: Vec<_> =
        (0..20).map(|at| store.put(record(&format!("h{at}.example"), 1))).collect();
    run(std::future::poll_fn(|context| {
        puts.retain_mut(|put| match put.as_mut().poll(context) {
            Poll::Ready(done) => {
                assert_eq!(done.unwrap_err().kind(), StoreErrorKind::Busy);
                false
            }
            Poll::Pending => true,
        });
        if puts.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    }));
    assert!(begun.elapsed() < second * 10, "half of what they would take one by one");
}

#[test]
fn dropped_futures_do_not_damage_the_store() {
    let (_folder, path) = place();
    let store = open(&path).unwrap();
    for number in 0..200 {
        let mut put = store.put(record("a.example", number));
        let asked = key("a.example");
        let mut get = store.get(&asked);
        // Started, and not awaited.
        run(std::future::poll_fn(|context| {
            let _ = put.as_mut().poll(context);
            let _ = get.as_mut().poll(context);
            Poll::Ready(())
        }));
    }
    run(store.put(record("b.example", 1))).unwrap();
    assert_eq!(number(&store, "a.example").unwrap(), Some(199));
}

#[test]
fn every_process_sees_the_last_answer_of_another_host() {
    let (_folder, path) = place();
    let (one, other) = (open(&path).unwrap(), open(&path).unwrap());
    let last = |store: &SqliteStore, except| run(store.last_answer(except)).unwrap();
    assert_eq!(last(&one, "a.example"), None);
    run(one.put(record("a.example", 7))).unwrap();
    run(one.put(record("b.example", 5))).unwrap();
    // A missing answer, however late, does not prove a working network.
    run(one.put(failed("c.example", 9))).unwrap();
    let at = Timestamp::from_seconds;
    assert_eq!(last(&other, "c.example"), Some(at(7)));
    assert_eq!(last(&other, "a.example"), Some(at(5)), "of another host");
    let memory = MemoryStore::new();
    for record in [record("a.example", 7), record("b.example", 5), failed("c.example", 9)] {
        run(memory.put(record)).unwrap();
    }
    assert_eq!(run(memory.last_answer("c.example")).unwrap(), Some(at(7)));
    assert_eq!(run(memory.last_answer("a.example")).unwrap(), Some(at(5)));
}

/// The record of a host that did not answer.
fn failed(host: &str, seconds: u64) -> Arc<OriginRecord> {
    let (key, now) = (key(host), Timestamp::from_seconds(seconds));
    let response = Response::new(now, Outcome::Network, key.origin().robots_url());
    let next = OriginRecord::new(key).after(None, &options(), Attempt::new(response), 0);
    Arc::new(next.shared.unwrap())
}
