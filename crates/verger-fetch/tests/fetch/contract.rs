//! The contract of every store.

use std::sync::Arc;

use verger::access::{Outcome, Profile, Timestamp};
use verger_fetch::record::{Attempt, OriginRecord, ReadOptions, Response};
use verger_fetch::store::Store;

use super::common::records::{number_of, origin, record};

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
        let found = store.get(&origin("a.example")).await.unwrap().found();
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
    let found = store.get(&origin("a.example")).await.unwrap().found().unwrap();
    assert_eq!(number_of(&found, "a.example"), Some(1));
    assert!(store.get(&origin("d.example")).await.unwrap().found().is_none());

    let list = async |after| -> Vec<String> {
        let entries = store.list(after, 2).await.unwrap();
        entries.into_iter().map(|entry| entry.origin).collect()
    };
    assert_eq!(list(None).await, ["https://a.example", "https://b.example"]);
    assert_eq!(list(Some("https://b.example")).await, ["https://c.example"]);
    assert!(list(Some("https://c.example")).await.is_empty());

    assert!(store.remove(&origin("b.example")).await.unwrap());
    assert!(!store.remove(&origin("b.example")).await.unwrap());
    assert_eq!(list(None).await, ["https://a.example", "https://c.example"]);
    assert_eq!(store.clear().await.unwrap(), 2);
    assert!(list(None).await.is_empty());
}

/// The current file is the last of the versions.
pub(crate) async fn lists_the_current_file(store: &dyn Store) {
    store.clear().await.unwrap();
    let site = origin("a.example");
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
    let site = origin("a.example");
    let before = store.get(&site).await.unwrap().found();
    let base = before.as_deref().cloned().unwrap_or_else(|| OriginRecord::new(site.clone()));
    let response = Response::new(Timestamp::from_seconds(1), Outcome::Status(503), url);
    let next = base.after(None, options, Attempt::new(response), 0).shared.unwrap();
    store.replace(before, Arc::new(next)).await.unwrap()
}

/// The options of `add_failure`.
pub(crate) fn options() -> ReadOptions {
    ReadOptions::new(Profile::RFC9309)
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
