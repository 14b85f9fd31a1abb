//! The contract of every store.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::sync::Arc;

use verger::access::{Outcome, Profile, Timestamp};
use verger_fetch::record::{Attempt, BackOff, OriginRecord, ReadOptions, RecordKey, Response};
use verger_fetch::store::{Replaced, Store};

use super::common::records::{key, number_of, origin, record};

/// A record is replaced only by a client that has read it.
pub(crate) async fn replaces_only_the_expected_record(store: &dyn Store) {
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
    for (there, before, next, is_kept) in cases {
        store.clear().await.unwrap();
        if let Some(number) = there {
            store.put(made(number)).await.unwrap();
        }
        let done = store.replace(before.map(made), made(next)).await.unwrap();
        let done = match done {
            Replaced::By(stored) => stored == made(next),
            Replaced::No(found) => {
                assert_eq!(found.found(), there.map(made), "the current record");
                false
            }
        };
        let found = store.get(&key("a.example")).await.unwrap().found();
        let found = found.map(|found| number_of(&found, "a.example").unwrap());
        let expected = if is_kept { Some(next) } else { there };
        assert_eq!((done, found), (is_kept, expected), "{store:?}: {there:?} {before:?} {next}");
    }
}

/// Records are found, listed and removed.
pub(crate) async fn finds_lists_and_removes_records(store: &dyn Store) {
    store.clear().await.unwrap();
    for (number, host) in ["c.example", "a.example", "b.example"].into_iter().enumerate() {
        store.put(record(host, number as u64)).await.unwrap();
    }
    let found = store.get(&key("a.example")).await.unwrap().found().unwrap();
    assert_eq!(number_of(&found, "a.example"), Some(1));
    assert!(store.get(&key("d.example")).await.unwrap().found().is_none());

    let list = async |after| -> Vec<String> {
        let entries = store.list(after, 2).await.unwrap();
        entries.iter().map(|entry| entry.origin().to_owned()).collect()
    };
    assert_eq!(list(None).await, ["https://a.example", "https://b.example"]);
    let [b, c] = ["b.example", "c.example"].map(key);
    assert_eq!(list(Some(b.as_str())).await, ["https://c.example"]);
    assert!(list(Some(c.as_str())).await.is_empty());

    assert!(store.remove(&key("b.example")).await.unwrap());
    assert!(!store.remove(&key("b.example")).await.unwrap());
    assert_eq!(list(None).await, ["https://a.example", "https://c.example"]);
    assert_eq!(store.clear().await.unwrap(), 2);
    assert!(list(None).await.is_empty());
}

/// The current file is the last of the versions.
pub(crate) async fn lists_the_current_file(store: &dyn Store) {
    store.clear().await.unwrap();
    let site = key("a.example");
    assert!(store.versions(&site).await.unwrap().is_empty());
    let record = record("a.example", 7);
    store.put(Arc::clone(&record)).await.unwrap();
    let versions = store.versions(&site).await.unwrap();
    let body = &record.file().unwrap().body;
    assert_eq!(versions.last().map(|last| &last.sha256), Some(body.sha256()));
    assert_eq!(store.version(&site, body.sha256()).await.unwrap().as_ref(), Some(body));
    assert_eq!(store.version(&site, &[7; 32]).await.unwrap(), None);
}

/// Counts one more failure in the record of an origin; false if another client was faster.
pub(crate) async fn add_failure(store: &dyn Store, options: &ReadOptions, url: &str) -> bool {
    let site = key("a.example");
    let before = store.get(&site).await.unwrap().found();
    let base = before.as_deref().cloned().unwrap_or_else(|| OriginRecord::new(site.clone()));
    let response = Response::new(Timestamp::from_seconds(1), Outcome::Status(503), url);
    let next = base.after(None, options, Attempt::new(response), 0).shared.unwrap();
    matches!(store.replace(before, Arc::new(next)).await.unwrap(), Replaced::By(_))
}

/// Records of one origin with different profiles and identities are independent, apart from their
/// back-off (REP-CACHE-29).
pub(crate) async fn keeps_the_records_of_an_origin_apart(store: &dyn Store) {
    store.clear().await.unwrap();
    let site = origin("a.example");
    let rfc = ReadOptions::new(Profile::RFC9309);
    let readers = [
        rfc.clone().with_identity("ExampleBot"),
        rfc.with_identity("OtherBot"),
        ReadOptions::new(Profile::GOOGLE).with_identity("ExampleBot"),
    ];
    let keys = readers.each_ref().map(|reader| reader.key(&site));
    let found = async |key: &RecordKey| store.get(key).await.unwrap().found();
    for (number, (key, reader)) in keys.iter().zip(&readers).enumerate() {
        assert_eq!(found(key).await, None, "{store:?}");
        let at = Timestamp::from_seconds(number as u64);
        let attempt = Attempt::new(Response::new(at, Outcome::Status(404), site.robots_url()));
        let next = OriginRecord::new(key.clone()).after(None, reader, attempt, 0).shared;
        let done = store.replace(None, Arc::new(next.unwrap())).await.unwrap();
        let Replaced::By(stored) = done else { panic!("{store:?}: {done:?}") };
        let before = (number > 0).then_some(back_off(60));
        assert_eq!(stored.back_off(), before, "{store:?}: that of the origin");
        store.set_back_off(&site, Some(back_off(60))).await.unwrap();
    }
    let all = async |expected| {
        for (number, key) in keys.iter().enumerate() {
            let found = found(key).await.unwrap();
            assert_eq!((found.tried_at().seconds(), found.back_off()), (number as u64, expected));
        }
    };
    // The one that ends later remains.
    store.set_back_off(&site, Some(back_off(30))).await.unwrap();
    all(Some(back_off(60))).await;
    store.set_back_off(&site, Some(back_off(90))).await.unwrap();
    all(Some(back_off(90))).await;
    // A write of a record that was read earlier does not change it.
    let other = found(&keys[0]).await.unwrap();
    let other = OriginRecord::clone(&other).with_back_off(None);
    store.put(Arc::new(other)).await.unwrap();
    all(Some(back_off(90))).await;
    store.set_back_off(&site, None).await.unwrap();
    all(None).await;
    assert!(store.remove(&keys[1]).await.unwrap());
    assert_eq!(store.list(None, 9).await.unwrap().len(), 2, "{store:?}");
}

fn back_off(seconds: u64) -> BackOff {
    BackOff { until: Timestamp::from_seconds(seconds), refusals: 1 }
}

/// A whole record of another version: magic number, version, two lengths, body, head, two hashes.
pub(crate) fn of_version(version: u16, mut record: Vec<u8>) -> Vec<u8> {
    use sha2::{Digest as _, Sha256};

    record[4..6].copy_from_slice(&version.to_le_bytes());
    let body = usize::try_from(u64::from_le_bytes(record[6..14].try_into().unwrap())).unwrap();
    let checksum = record.len() - 32;
    let hash = Sha256::new().chain_update(&record[..22]).chain_update(&record[22 + body..checksum]);
    record[checksum..].copy_from_slice(&hash.finalize());
    record
}
