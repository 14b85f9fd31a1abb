//! The catalogue of hostile stores and clocks (C001 to C136): the faults of a SQLite file here, the
//! names of other tests, and the rows without a test with their reasons.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use rusqlite::Connection;
use verger::Origin;
use verger_fetch::record::Miss;
use verger_fetch::store::{Lookup, Store};
use verger_testkit::shared::{Lacking, shared, skip_loudly};

use crate::common::records::options;
use crate::common::{key, number_of, open, record, run};

/// A fault of a store with one record, `a.example`.
type Fault = fn(&Path);

/// Faults of the file: the store opens or returns an error, and never returns a wrong record.
const FILE: &[(&str, &str, Fault)] = &[
    ("C001", "empty file", |path| fs::write(path, "").unwrap()),
    ("C002", "one byte", |path| fs::write(path, "S").unwrap()),
    ("C003", "magic only", |path| fs::write(path, "SQLite format 3\0").unwrap()),
    ("C004", "wrong magic", |path| patch(path, 0, b"SQLite format 4\0")),
    ("C005", "version 0", |path| sql(path, "PRAGMA user_version = 0")),
    ("C006", "version 255", |path| sql(path, "PRAGMA user_version = 255")),
    ("C011", "all bytes 0x00", |path| fill(path, 0)),
    ("C012", "all bytes 0xFF", |path| fill(path, 0xFF)),
    ("C026", "the file twice", |path| append(path, &fs::read(path).unwrap())),
    ("C027", "garbage after the end", |path| append(path, &[0xA5; 5_000])),
    ("C028", "a gigabyte of zeros", |path| {
        fs::File::create(path).unwrap().set_len(1 << 30).unwrap();
    }),
    ("C031", "a folder in its place", |path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    }),
    ("C032", "a link to another file", |path| link(path, "/etc/passwd")),
    ("C033", "a pipe", |path| {
        fs::remove_file(path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    }),
    ("C034", "a link to a device", |path| link(path, "/dev/zero")),
    ("C035", "mode 000", |path| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    }),
    ("C036", "somebody else's", |path| {
        // Without the right to change the owner the file is unchanged and is read.
        drop(std::os::unix::fs::chown(path, Some(65_534), None));
    }),
    ("C037", "a folder for everybody", |path| {
        let open_to_all = fs::Permissions::from_mode(0o777);
        fs::set_permissions(path.parent().unwrap(), open_to_all).unwrap();
    }),
    ("C038", "a folder that is a link", |path| {
        let folder = path.parent().unwrap();
        let elsewhere = folder.with_file_name("elsewhere");
        fs::rename(folder, &elsewhere).unwrap();
        symlink(elsewhere, folder).unwrap();
    }),
    ("C039", "no folder", |path| fs::remove_dir_all(path.parent().unwrap()).unwrap()),
    ("C051", "gone", |path| fs::remove_file(path).unwrap()),
    ("C066", "a lock file that is left over", |path| {
        fs::write(format!("{}.lock", path.display()), "").unwrap();
    }),
    ("C067", "a lock file of another process", |path| {
        fs::write(format!("{}.lock", path.display()), "999999\n").unwrap();
    }),
];

/// Faults of the record in its row: a miss, and the next record is stored.
const ROW: &[(&str, &str, &str)] = &[
    ("C013", "length 0", "SET record = substr(record, 1, 6) || zeroblob(8) || substr(record, 15)"),
    (
        "C014",
        "length of the largest u32",
        "SET record = substr(record, 1, 6) || x'ffffffff00000000' || substr(record, 15)",
    ),
    (
        "C015",
        "length of the largest u64",
        "SET record = substr(record, 1, 6) || x'ffffffffffffffff' || substr(record, 15)",
    ),
    (
        "C016",
        "length beyond the end",
        "SET record = substr(record, 1, 6) || x'0000010000000000' || substr(record, 15)",
    ),
    (
        "C017",
        "length short of the body",
        "SET record = substr(record, 1, 6) || x'0100000000000000' || substr(record, 15)",
    ),
    ("C018", "wrong checksum", "SET record = substr(record, 1, length(record) - 1) || x'00'"),
    ("C022", "a key with ../", "SET key = 'https://../a.example'"),
    ("C021", "a key with NUL", "SET key = 'https://a.example' || char(0)"),
    ("C084", "a key of two lines", "SET key = 'https://a.example' || char(10)"),
    ("C083", "a key with * and ?", "SET key = 'https://*?<>:a.example'"),
    ("C023", "a key of a megabyte", "SET key = printf('%.*c', 1000000, 'a')"),
];

/// Different origins, and different spellings of one.
const ORIGINS: &[(&str, &str, &str, bool)] = &[
    ("C073", "https://SHOP.example", "https://shop.example", true),
    ("C074", "https://shop.example.", "https://shop.example", false),
    ("C075", "https://www.exämple.com", "https://www.xn--exmple-cua.com", true),
    ("C076", "http://shop.example:80", "http://shop.example", true),
    ("C077", "http://shop.example", "https://shop.example", false),
    ("C078", "https://user:word@shop.example", "https://shop.example", true),
    ("C079", "https://shop.example/path?query", "https://shop.example", true),
    ("C080", "https://shop.example/Robots.txt", "https://shop.example", true),
    ("C081", "https://con", "https://con.example", false),
];

/// Rows with another test.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("C008", "C010", "codec/mod.rs: every cut, and every value of every byte"),
    ("C019", "C020", "sqlite.rs: record_under_another_origin_is_foreign"),
    ("C029", "C030", "sqlite.rs: truncated_file_is_set_aside_or_read; nothing is mapped"),
    ("C041", "C045", "faults.rs: a full disk, and failing calls"),
    ("C047", "C047", "faults.rs: interrupted_calls_are_repeated"),
    ("C059", "C059", "faults.rs: killed_processes_lose_no_confirmed_record"),
    ("C061", "C061", "faults.rs, by cargo xtask kills --count 10000"),
    ("C064", "C065", "faults.rs: four processes write, and die while they do"),
    ("C071", "C072", "sqlite.rs: ten_thousand_names_…, least_recently_used_records_…"),
    ("C111", "C111", "the engine's access: the body of a record stays when the state changes"),
    ("C117", "C136", "Redis: the tests of verger-redis"),
];

/// Rows without a test, with the reason.
const LATER: &[(&str, &str, &str)] = &[
    ("C007", "C007", "there is no older version yet"),
    ("C024", "C025", "a table has neither two rows of one key nor an order"),
    ("C040", "C040", "a folder that even its owner cannot write to needs another user"),
    ("C046", "C046", "only a damaged file is renamed; that it fails is an error of kind Io"),
    ("C048", "C050", "short calls and too many open files are not to be had from strace"),
    ("C052", "C053", "quotas need a file system; nothing is renamed across devices"),
    ("C054", "C058", "a power cut needs a simulated disk; every commit is synced (FULL)"),
    ("C060", "C060", "recovery runs at every opening in the test of kills, not by itself"),
    ("C062", "C063", "other signals than the one that cannot be caught end or wait as it does"),
    ("C068", "C068", "network file systems are not supported"),
    ("C069", "C070", "figures, not answers: belong to a benchmark"),
    ("C082", "C082", "a host of 300 bytes is no origin: the engine's tests"),
    ("C085", "C085", "keys are in a tree, not in a hash table"),
    ("C086", "C110", "times and states are the engine's access; a store keeps them as they are"),
    ("C112", "C116", "states again, and limits that the client applies"),
];

fn patch(path: &Path, at: usize, bytes: &[u8]) {
    let mut file = fs::read(path).unwrap();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    fs::write(path, file).unwrap();
}

fn fill(path: &Path, byte: u8) {
    let length = fs::metadata(path).unwrap().len();
    fs::write(path, vec![byte; usize::try_from(length).unwrap()]).unwrap();
}

fn append(path: &Path, bytes: &[u8]) {
    fs::File::options().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

fn link(path: &Path, target: &str) {
    fs::remove_file(path).unwrap();
    symlink(target, path).unwrap();
}

fn sql(path: &Path, text: &str) {
    Connection::open(path).unwrap().execute_batch(text).unwrap();
}

/// A store with a record, and then the fault.
fn with_fault(fault: impl FnOnce(&Path), judge: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache/store.sqlite");
    let store = open(&path).unwrap();
    run(store.put(record("a.example", 7))).unwrap();
    run(store.close());
    fault(&path);
    judge(&path);
}

#[test]
fn hostile_files_give_an_error_a_miss_or_the_record() {
    for (id, what, fault) in FILE {
        with_fault(fault, |path| {
            let assert_plain = |error: &dyn std::fmt::Display| {
                let text = error.to_string();
                let is_plain = text.starts_with("expected ") || text.starts_with('`');
                assert!(is_plain && !text.contains("root:"), "{id}: {text}");
            };
            match open(path) {
                Err(error) => assert_plain(&error),
                Ok(store) => {
                    if let Some(found) = run(store.get(&key("a.example"))).unwrap().found() {
                        assert_eq!(number_of(&found, "a.example"), Some(7), "{id}: {what}");
                    }
                    run(store.put(record("a.example", 8))).unwrap();
                    let found = run(store.get(&key("a.example"))).unwrap().found();
                    let found = found.unwrap_or_else(|| panic!("{id}: {what}: not kept"));
                    assert_eq!(number_of(&found, "a.example"), Some(8), "{id}: {what}");
                }
            }
        });
    }
}

#[test]
fn hostile_rows_are_misses_that_are_replaced() {
    for (id, what, change) in ROW {
        with_fault(
            |path| {
                let changed = Connection::open(path)
                    .unwrap()
                    .execute(&format!("UPDATE record {}", binary(change)), [])
                    .unwrap();
                assert_eq!(changed, 1, "{id}");
            },
            |path| {
                let store = open(path).unwrap();
                let found = run(store.get(&key("a.example"))).unwrap();
                let Lookup::Missing(miss) = found else { panic!("{id}: {what}: {found:?}") };
                assert!(matches!(miss, Miss::Absent | Miss::Damaged), "{id}: {what}: {miss}");
                let listed = run(store.list(None, 10)).unwrap();
                assert!(listed.iter().all(|entry| entry.summary.is_err()), "{id}: {what}");
                run(store.put(record("a.example", 8))).unwrap();
                let found = run(store.get(&key("a.example"))).unwrap().found().unwrap();
                assert_eq!(number_of(&found, "a.example"), Some(8), "{id}: {what}");
            },
        );
    }
}

/// `||` converts its operands to text.
fn binary(change: &str) -> String {
    match change.strip_prefix("SET record = ") {
        Some(value) => format!("SET record = CAST({value} AS BLOB)"),
        None => change.to_owned(),
    }
}

#[test]
fn equal_origins_share_a_record() {
    for (id, one, other, are_one) in ORIGINS {
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder.path().join("store.sqlite")).unwrap();
        let of = |url| options().key(&Origin::of(url).unwrap().unwrap());
        let kept = verger_fetch::record::OriginRecord::new(of(one));
        run(store.put(kept.into())).unwrap();
        let found = run(store.get(&of(other))).unwrap().found();
        assert_eq!(found.is_some(), *are_one, "{id}: {one} and {other}");
    }
}

#[test]
fn every_row_of_the_catalogue_is_listed_once() {
    let number = |id: &str| id[1..].parse::<u32>().unwrap();
    let single = FILE.iter().map(|row| row.0).chain(ROW.iter().map(|row| row.0));
    let single = single.chain(ORIGINS.iter().map(|row| row.0)).map(|id| (id, id));
    let ranges = ELSEWHERE.iter().chain(LATER).map(|row| (row.0, row.1));
    let mut ids: Vec<u32> =
        single.chain(ranges).flat_map(|(first, last)| number(first)..=number(last)).collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=136).collect::<Vec<_>>());
    let Some(catalogue) = shared("hostile.jsonl") else {
        skip_loudly("the catalogue's own list", Lacking::Data, "there is no ../shared");
        return;
    };
    let text = fs::read_to_string(catalogue).unwrap();
    let rows =
        text.lines().filter(|line| line.contains("\"id\": \"C") || line.contains("\"id\":\"C"));
    assert_eq!(rows.count(), ids.len());
}
