//! A store with records of version 1, written by the previous release, is opened, read and
//! upgraded.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use verger::access::{Kind, Outcome, Profile, Timestamp};
use verger_fetch::record::{Attempt, Failure, OriginRecord, ReadOptions, Response, VERSION};
use verger_fetch::store::{SqliteStore, Store as _};

use crate::common::{open, origin, run};

/// Time of the fetches in the fixture.
const NOW: u64 = 1_763_700_000;

/// A copy of the fixture. It contains a fresh file, the copy of an outage of 30 days, an outage of
/// 40 days without a copy, a 404, a cut file of profile `google`, and a redirect that one crawler
/// may not follow.
fn fixture() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/store-version-1.sqlite");
    std::fs::copy(data, &path).unwrap();
    (folder, path)
}

fn get(store: &SqliteStore, host: &str) -> OriginRecord {
    let found = run(store.get(&origin(host))).unwrap();
    Arc::unwrap_or_clone(found.found().unwrap())
}

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(NOW + seconds)
}

#[test]
fn every_record_is_read_and_no_copy_is_lost() {
    let (_folder, path) = fixture();
    let store = open(&path).unwrap();
    assert_eq!(run(store.list(None, 99)).unwrap().len(), 6);
    let rules = b"User-agent: *\nDisallow: /private\n";
    let rfc = ReadOptions::new(Profile::RFC9309);

    let fresh = get(&store, "fresh.example");
    let file = fresh.file_for(&rfc).unwrap();
    assert_eq!((file.body.as_bytes(), file.fetched_at), (&rules[..], at(0)));
    assert_eq!(file.validators.etag.as_deref(), Some(&b"\"1\""[..]));
    assert_eq!((file.redirects[0].status, &*file.final_url), (301, "https://fresh.example/r.txt"));
    // Other profiles start from it, without a fetch.
    assert!(!fresh.needs_fetch(&ReadOptions::new(Profile::GOOGLE), at(3_600)));

    let copy = get(&store, "copy.example");
    assert_eq!(copy.file_for(&rfc).unwrap().body.as_bytes(), rules);
    assert_eq!(copy.last().unwrap().failure, Some(Failure::Message("status 503".into())));
    assert_eq!(copy.access(&rfc, at(31 * 86_400), false).kind(), Kind::Rules);

    assert_eq!(get(&store, "gone.example").access(&rfc, at(9), false).kind(), Kind::AllowAll);
    let google = ReadOptions::new(Profile::GOOGLE);
    let cut = get(&store, "cut.example");
    assert!(cut.file_for(&google).unwrap().is_truncated());
    // A file that was cut at some hundred bytes allows nothing to readers of more.
    assert_eq!(cut.access(&google, at(9), false).kind(), Kind::DisallowAll);
    assert!(get(&store, "hop.example").needs_fetch(&google, at(9)), "it was one crawler's");
}

#[test]
fn the_counted_length_of_an_outage_restarts_at_zero() {
    let (_folder, path) = fixture();
    let store = open(&path).unwrap();
    let rfc = ReadOptions::new(Profile::RFC9309);
    let down = get(&store, "down.example");
    let state = down.state(&rfc);
    assert_eq!((state.failures(), state.outage_length()), (41, Duration::ZERO));
    // It was allowed in the previous release.
    assert_eq!(down.access(&rfc, at(40 * 86_400), false).kind(), Kind::DisallowAll);
}

#[test]
fn a_fetch_upgrades_the_record() {
    let (_folder, path) = fixture();
    let store = open(&path).unwrap();
    let rfc = ReadOptions::new(Profile::RFC9309);
    let copy = get(&store, "copy.example");
    let response = Response::new(at(31 * 86_400), Outcome::Status(503), "https://copy.example/");
    let failed = Response { failure: Some(Failure::Status(503)), ..response };
    let next = copy.after(None, &rfc, Attempt::new(failed), 0).shared.unwrap();
    run(store.put(Arc::new(next.clone()))).unwrap();
    run(store.close());
    let store = open(&path).unwrap();
    let found = get(&store, "copy.example");
    assert_eq!(found, next);
    assert_eq!(found.encode()[4..6], VERSION.to_le_bytes());
    assert_eq!(found.file_for(&rfc), copy.file_for(&rfc));
    assert_eq!(found.last().unwrap().failure, Some(Failure::Status(503)));
}
