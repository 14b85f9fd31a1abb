//! Records, versions and their keys.

use std::sync::Arc;
use std::time::Duration;

use verger::access::Timestamp;
use verger_fetch::polite::{Reservation, TurnRequest};
use verger_fetch::record::{Miss, OriginRecord};
use verger_fetch::store::{Claim, Lookup, Replaced, Store as _, StoreErrorKind};
use verger_redis::{RedisOptions, RedisStore};

use crate::common::records::{key, number_of, options, record, record_with};
use crate::contract;
use crate::server::{Server, run, until};

/// Files of one origin that are remembered.
const VERSIONS: usize = 16;

#[test]
fn store_keeps_the_contract() {
    let Some(server) = Server::start() else { return };
    let keyed = RedisOptions::new("Keyed").with_key(&[7; 32]);
    run(async {
        for store in [server.store(), server.store_with(keyed)] {
            contract::replaces_only_the_expected_record(&store).await;
            contract::finds_lists_and_removes_records(&store).await;
            contract::lists_the_current_file(&store).await;
            contract::keeps_the_records_of_an_origin_apart(&store).await;
            store.clear().await.unwrap();
        }
    });
    assert!(server.keys().iter().all(|key| key.ends_with("{answers}")), "{:?}", server.keys());
}

#[test]
fn no_concurrent_change_is_lost() {
    const CLIENTS: usize = 8;
    const CHANGES: usize = 25;
    let Some(server) = Server::start() else { return };
    let options = options();
    run(async {
        let mut clients = tokio::task::JoinSet::new();
        for client in 0..CLIENTS {
            let (store, options) = (server.store(), options.clone());
            clients.spawn(async move {
                for change in 0..CHANGES {
                    let url = format!("https://a.example/{client}/{change}");
                    while !contract::add_failure(&store, &options, &url).await {}
                }
            });
        }
        clients.join_all().await;
        let kept = server.store().get(&key("a.example")).await.unwrap().found().unwrap();
        let failures = usize::try_from(kept.state().failures()).unwrap();
        assert_eq!(failures, CLIENTS * CHANGES);
    });
}

#[test]
fn namespaces_are_separate() {
    let Some(server) = Server::start() else { return };
    let store = |namespace: &str| server.store_with(RedisOptions::new(namespace));
    run(async {
        let (ours, theirs) = (store("ExampleBot"), store("OtherBot"));
        ours.put(record("a.example", 1)).await.unwrap();
        theirs.put(record("a.example", 2)).await.unwrap();
        let number = async |store: &RedisStore| {
            let found = store.get(&key("a.example")).await.unwrap().found()?;
            number_of(&found, "a.example")
        };
        assert_eq!((number(&ours).await, number(&theirs).await), (Some(1), Some(2)));
        assert_eq!(ours.clear().await.unwrap(), 1);
        assert_eq!((number(&ours).await, number(&theirs).await), (None, Some(2)));
    });
}

#[test]
fn records_are_the_same_bytes_as_on_disk_under_hashed_keys() {
    let Some(server) = Server::start() else { return };
    let record = record("a.example", 1);
    run(server.store().put(Arc::clone(&record))).unwrap();
    let keys = server.keys();
    let key = keys.iter().find(|key| key.ends_with(":r")).unwrap();
    let stored: Vec<u8> = server.tell(&[b"GET", key.as_bytes()]);
    assert_eq!(stored, record.encode());
    // The SHA-256 of `https://a.example`.
    let hash = "38612c965a9c4c35d713439919804ad960eb54d0ad41b4362ffd85343d4bbb4f";
    assert!(key.starts_with("verger:2:") && key.contains(&format!(":{{{hash}}}:")), "{key}");
    assert!(keys.iter().all(|key| !key.contains("example")), "{keys:?}");
}

#[test]
fn redis_only_removes_garbage() {
    let Some(server) = Server::start() else { return };
    let options = RedisOptions::new("ExampleBot").with_record_time(Duration::from_millis(300));
    run(async {
        let store = server.store_with(options);
        store.put(record("a.example", 1)).await.unwrap();
        store.put(record("a.example", 2)).await.unwrap();
        for key in server.keys() {
            assert!(server.tell::<i64>(&[b"PTTL", key.as_bytes()]) > 0, "{key}");
        }
        until("the end of the record", async || {
            store.get(&key("a.example")).await.unwrap() == Lookup::Missing(Miss::Absent)
        })
        .await;
        // Without a time to live it is a record as well.
        store.put(record("a.example", 3)).await.unwrap();
        for key in server.keys() {
            let _: i64 = server.tell(&[b"PERSIST", key.as_bytes()]);
        }
        tokio::time::sleep(Duration::from_millis(400)).await;
        let found = store.get(&key("a.example")).await.unwrap().found().unwrap();
        assert_eq!(number_of(&found, "a.example"), Some(3));
    });
}

#[test]
fn earlier_files_are_kept_up_to_a_limit() {
    let Some(server) = Server::start() else { return };
    let site = key("a.example");
    run(async {
        let store = server.store();
        let count = VERSIONS as u64 + 4;
        let mut before: Option<Arc<OriginRecord>> = None;
        for number in 1..=count {
            let next = record("a.example", number);
            assert!(matches!(
                store.replace(before.take(), Arc::clone(&next)).await.unwrap(),
                Replaced::By(_)
            ));
            before = Some(next);
        }
        let versions = store.versions(&site).await.unwrap();
        let first = count - VERSIONS as u64 + 1;
        let numbers: Vec<u64> = versions.iter().map(|version| version.from.seconds()).collect();
        assert_eq!(numbers, (first..=count).collect::<Vec<_>>());
        for (version, number) in versions.iter().zip(first..) {
            let expected = record("a.example", number);
            let body = store.version(&site, &version.sha256).await.unwrap();
            assert_eq!(body.as_ref(), Some(&expected.file().unwrap().body), "{number}");
        }
        let gone = record("a.example", 1);
        let gone = gone.file().unwrap().body.sha256();
        assert_eq!(store.version(&site, gone).await.unwrap(), None);
        let bodies = server.keys().iter().filter(|key| key.contains(":b:")).count();
        assert_eq!(bodies, VERSIONS - 1, "the record has the current one");
        assert!(store.remove(&site).await.unwrap());
    });
    assert!(server.keys().iter().all(|key| key.ends_with("{answers}")), "{:?}", server.keys());
}

#[test]
fn earlier_files_outlive_an_unchanged_record() {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let Some(server) = Server::start() else { return };
    run(async {
        let store = server.store();
        for number in 1..=2 {
            store.put(record("a.example", number)).await.unwrap();
        }
        let bodies = || server.keys().into_iter().filter(|key| key.contains(":b:"));
        let first = bodies().next().unwrap();
        let _: i64 = server.tell(&[b"PEXPIRE", first.as_bytes(), b"1000000"]);
        store.put(record("a.example", 3)).await.unwrap();
        assert_eq!(bodies().count(), 2);
        for key in server.keys().iter().filter(|key| !key.ends_with("{answers}")) {
            let left = Duration::from_millis(server.tell(&[b"PTTL", key.as_bytes()]));
            let time = if key.ends_with(":r") { DAY * 90 } else { DAY * 400 };
            assert!(
                left <= time && time.saturating_sub(left) < Duration::from_secs(60),
                "{key}: {left:?}"
            );
        }
    });
}

#[test]
fn listed_files_are_found_after_the_record_expired() {
    let Some(server) = Server::start() else { return };
    let site = key("a.example");
    run(async {
        let store = server.store();
        for number in 1..=3 {
            store.put(record("a.example", number)).await.unwrap();
        }
        let key = server.keys().into_iter().find(|key| key.ends_with(":r")).unwrap();
        let _: i64 = server.tell(&[b"UNLINK", key.as_bytes()]);
        let find = async |count: usize| {
            let versions = store.versions(&site).await.unwrap();
            assert_eq!(versions.len(), count);
            for version in versions {
                let body = store.version(&site, &version.sha256).await.unwrap();
                assert!(body.is_some(), "{version:?}");
            }
        };
        find(2).await;
        store.put(record("a.example", 4)).await.unwrap();
        find(3).await;
    });
}

#[test]
fn a_large_record_is_stored_and_a_larger_one_is_an_error() {
    let Some(server) = Server::start() else { return };
    run(async {
        let options = RedisOptions::new("ExampleBot").with_call_timeout(Duration::from_secs(30));
        let store = server.store_with(options);
        let large = record_with("a.example", 2, vec![b'#'; 16 * 1024 * 1024]);
        store.put(Arc::clone(&large)).await.unwrap();
        assert_eq!(store.get(&key("a.example")).await.unwrap(), Lookup::Found(large.clone()));
        let larger = record_with("a.example", 4, vec![b'#'; 37 * 1024 * 1024]);
        let error = store.replace(Some(large), larger).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::TooLarge);
    });
}

#[test]
fn a_cleared_store_keeps_turns_leases_and_answers() {
    const HOUR: Duration = Duration::from_secs(60 * 60);
    let Some(server) = Server::start() else { return };
    let site = key("a.example");
    run(async {
        let store = server.store();
        for number in 1..=2 {
            store.put(record("a.example", number)).await.unwrap();
        }
        until("the answer", async || store.last_answer("b.example").await.unwrap().is_some()).await;
        let Claim::Granted(_lease) = store.claim(&site, HOUR).await.unwrap() else {
            panic!("nobody else has a lease");
        };
        let turns = store.turns();
        let first = TurnRequest::new(HOUR, HOUR);
        let turn = turns.reserve(site.origin(), &first).await.unwrap();
        assert!(matches!(turn, Reservation::Granted { .. }), "{turn:?}");
        assert!(turns.release(site.origin(), first.id, HOUR).await.unwrap());

        assert_eq!(store.clear().await.unwrap(), 1);
        let kinds = server.keys().into_iter().map(|key| key.split_once('{').unwrap().1.to_owned());
        let kinds: Vec<_> = kinds.map(|rest| rest.split_once('}').unwrap().1.to_owned()).collect();
        let kinds: Vec<_> = kinds.iter().map(|kind| kind.rsplit(':').next().unwrap()).collect();
        assert_eq!(kinds, ["l", "t", ""]);
        let next = turns.reserve(site.origin(), &TurnRequest::new(HOUR, HOUR)).await.unwrap();
        assert!(matches!(next, Reservation::Wait(_)), "the pause still runs: {next:?}");
        let claim = store.claim(&site, HOUR).await.unwrap();
        assert!(matches!(claim, Claim::Held { .. }), "the fetch still runs: {claim:?}");
    });
}

#[test]
fn the_last_answer_of_another_host_is_shared() {
    let Some(server) = Server::start() else { return };
    run(async {
        let (ours, theirs) = (server.store(), server.store());
        assert_eq!(ours.last_answer("a.example").await.unwrap(), None);
        ours.put(record("a.example", 1)).await.unwrap();
        let last = async |except| theirs.last_answer(except).await.unwrap();
        // The time of the answer, not of a late write.
        let answered = Some(Timestamp::from_seconds(1));
        until("the answer", async || last("b.example").await == answered).await;
        // The host's own answer does not count.
        assert_eq!((last("a.example").await, last("a.example.").await), (None, None));
    });
}
