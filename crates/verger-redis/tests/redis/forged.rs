//! Values that are damaged, forged or of another kind.

use verger_fetch::record::Miss;
use verger_fetch::store::{Lookup, Replaced, Store as _};
use verger_redis::{RedisOptions, RedisStore};

use crate::common::records::{key as key_of, number_of, record};
use crate::contract;
use crate::server::{Server, run};

const HOST: &str = "a.example";

/// A store with one record, and its key.
async fn stored(server: &Server, options: RedisOptions) -> (RedisStore, String) {
    let store = server.store_with(options);
    store.put(record(HOST, 1)).await.unwrap();
    let key = server.keys().into_iter().find(|key| key.ends_with(":r")).unwrap();
    (store, key)
}

fn options() -> RedisOptions {
    RedisOptions::new("ExampleBot")
}

/// Asserts that the record is missing for a reason, and whether a new one replaces it.
async fn misses(store: &RedisStore, expected: Miss, is_replaced: bool, what: &str) {
    let found = store.get(&key_of(HOST)).await.unwrap();
    assert_eq!(found, Lookup::Missing(expected), "{what}");
    let done = store.replace(None, record(HOST, 2)).await.unwrap();
    assert_eq!(matches!(done, Replaced::By(_)), is_replaced, "{what}");
    let found = store.get(&key_of(HOST)).await.unwrap().found();
    let number = found.and_then(|found| number_of(&found, HOST));
    assert_eq!(number, is_replaced.then_some(2), "{what}");
}

fn set(server: &Server, key: &str, value: &[u8]) {
    let _: String = server.tell(&[b"SET", key.as_bytes(), value]);
}

#[test]
fn every_cut_and_flipped_record_is_a_miss() {
    let Some(server) = Server::start() else { return };
    run(async {
        for options in [options(), options().with_key(&[7; 32])] {
            let (store, key) = stored(&server, options).await;
            let whole: Vec<u8> = server.tell(&[b"GET", key.as_bytes()]);
            for at in 0..whole.len() {
                let mut flipped = whole.clone();
                flipped[at] ^= 1 << (at % 8);
                for damaged in [&whole[..at], &flipped] {
                    set(&server, &key, damaged);
                    let found = store.get(&key_of(HOST)).await.unwrap();
                    assert!(matches!(found, Lookup::Missing(_)), "{at}: {found:?}");
                }
            }
            set(&server, &key, &whole[1..]);
            misses(&store, Miss::Damaged, true, "without its first byte").await;
            store.clear().await.unwrap();
        }
    });
}

#[test]
fn a_value_of_another_kind_is_a_miss_and_is_replaced() {
    let Some(server) = Server::start() else { return };
    run(async {
        let store = server.store_with(options().with_call_timeout(crate::server::PATIENCE));
        store.put(record(HOST, 1)).await.unwrap();
        let key = server.keys().into_iter().find(|key| key.ends_with(":r")).unwrap();
        let (key, end) = (key.as_bytes(), (40 * 1024 * 1024).to_string());
        let kinds: [&[&[u8]]; 5] = [
            &[b"RPUSH", key, b"a"],
            &[b"HSET", key, b"a", b"b"],
            &[b"XADD", key, b"*", b"a", b"b"],
            &[b"SETRANGE", key, end.as_bytes(), b"end"],
            &[b"SET", key, b"x"],
        ];
        for command in kinds {
            server.tell::<i64>(&[b"DEL", key]);
            let _: redis::Value = server.tell(command);
            let what = String::from_utf8_lossy(command[0]);
            misses(&store, Miss::Damaged, true, &what).await;
        }
    });
}

#[test]
fn a_newer_record_is_not_replaced() {
    let Some(server) = Server::start() else { return };
    run(async {
        let (store, key) = stored(&server, options()).await;
        let newer = contract::of_version(5, record(HOST, 1).encode());
        set(&server, &key, &newer);
        misses(&store, Miss::Newer { version: 5 }, false, "newer").await;
        assert_eq!(server.tell::<Vec<u8>>(&[b"GET", key.as_bytes()]), newer);
    });
}

#[test]
fn a_record_of_another_origin_is_a_miss() {
    let Some(server) = Server::start() else { return };
    run(async {
        let (store, key) = stored(&server, options()).await;
        set(&server, &key, &record("b.example", 1).encode());
        let found = key_of("b.example").as_str().to_owned();
        misses(&store, Miss::Foreign { found }, true, "foreign").await;
    });
}

#[test]
fn with_a_key_values_of_others_are_misses() {
    let Some(server) = Server::start() else { return };
    run(async {
        let keyed = || options().with_key(&[7; 32]);
        let (store, key) = stored(&server, keyed()).await;
        let own: Vec<u8> = server.tell(&[b"GET", key.as_bytes()]);
        // A whole record without a MAC, as another tenant writes it.
        set(&server, &key, &record(HOST, 1).encode());
        misses(&store, Miss::Damaged, true, "no MAC").await;
        // A value with a MAC under the key of another origin.
        store.put(record("b.example", 1)).await.unwrap();
        let other = server.keys().into_iter().find(|it| it.ends_with(":r") && *it != key).unwrap();
        set(&server, &other, &own);
        let found = store.get(&key_of("b.example")).await.unwrap();
        assert_eq!(found, Lookup::Missing(Miss::Damaged));
        // Processes with another key, and without one, have separate values: they do not
        // replace these, which would be fetched again each time.
        store.put(record(HOST, 1)).await.unwrap();
        for other in [options().with_key(&[8; 32]), options()] {
            let known = server.keys();
            let other = server.store_with(other);
            let found = other.get(&key_of(HOST)).await.unwrap();
            assert_eq!(found, Lookup::Missing(Miss::Absent));
            other.put(record(HOST, 3)).await.unwrap();
            let kept = store.get(&key_of(HOST)).await.unwrap().found();
            assert_eq!(kept.and_then(|found| number_of(&found, HOST)), Some(1));
            let name =
                server.keys().into_iter().find(|it| it.ends_with(":r") && !known.contains(it));
            set(&server, &name.unwrap(), &own);
            let found = other.get(&key_of(HOST)).await.unwrap();
            assert_eq!(found, Lookup::Missing(Miss::Damaged), "a MAC of another key");
        }
    });
}

#[test]
fn damaged_versions_and_bodies_are_missing() {
    let Some(server) = Server::start() else { return };
    let site = key_of(HOST);
    run(async {
        for (kind, is_listed) in [(":v", false), (":b:", true)] {
            let (store, _) = stored(&server, options()).await;
            assert!(matches!(
                store.replace(Some(record(HOST, 1)), record(HOST, 2)).await.unwrap(),
                Replaced::By(_)
            ));
            let key = server.keys().into_iter().find(|key| key.contains(kind)).unwrap();
            let earlier = record(HOST, 1);
            let earlier = earlier.file().unwrap().body.sha256();
            assert!(store.version(&site, earlier).await.unwrap().is_some());
            let whole: Vec<u8> = server.tell(&[b"GET", key.as_bytes()]);
            for at in 0..whole.len() {
                let mut flipped = whole.clone();
                flipped[at] ^= 1;
                set(&server, &key, &flipped);
                if is_listed {
                    assert_eq!(store.version(&site, earlier).await.unwrap(), None, "{at}");
                } else {
                    let versions = store.versions(&site).await.unwrap();
                    assert_eq!(versions.len(), 1, "{at}: the current file");
                }
            }
            server.tell::<i64>(&[b"DEL", key.as_bytes()]);
            server.tell::<i64>(&[b"RPUSH", key.as_bytes(), b"a"]);
            let versions = store.versions(&site).await.unwrap();
            assert_eq!(versions.len(), if is_listed { 2 } else { 1 });
            assert!(store.version(&site, earlier).await.unwrap().is_none() == is_listed);
            // The next change writes both again.
            assert!(matches!(
                store.replace(Some(record(HOST, 2)), record(HOST, 3)).await.unwrap(),
                Replaced::By(_)
            ));
            let earlier = record(HOST, 2);
            let earlier = earlier.file().unwrap().body.sha256();
            assert!(store.version(&site, earlier).await.unwrap().is_some());
            store.clear().await.unwrap();
        }
    });
}

#[test]
fn damaged_leases_turns_and_answers_count_as_absent() {
    use std::time::Duration;
    use verger_fetch::polite::{Reservation, TurnRequest};
    use verger_fetch::store::Claim;

    const SECOND: Duration = Duration::from_secs(1);
    let Some(server) = Server::start() else { return };
    let site = key_of(HOST);
    run(async {
        let store = server.store();
        let claim = async || store.claim(&site, SECOND * 60).await.unwrap();
        let reserve = async || {
            let request = TurnRequest::new(SECOND, SECOND * 60);
            store.turns().reserve(site.origin(), &request).await.unwrap()
        };
        let Claim::Granted(lease) = claim().await else { panic!("it is free") };
        assert!(matches!(reserve().await, Reservation::Granted { .. }));
        assert!(matches!(claim().await, Claim::Held { .. }));
        assert!(matches!(reserve().await, Reservation::Wait(_)));
        for key in server.keys() {
            server.tell::<i64>(&[b"DEL", key.as_bytes()]);
            server.tell::<i64>(&[b"RPUSH", key.as_bytes(), b"a"]);
        }
        assert_eq!(store.last_answer("b.example").await.unwrap(), None);
        assert!(matches!(claim().await, Claim::Granted(_)));
        assert!(matches!(reserve().await, Reservation::Granted { .. }));
        drop(lease);
        // Fields that are not numbers.
        for key in server.keys() {
            let fields: Vec<String> = server.tell(&[b"HKEYS", key.as_bytes()]);
            for field in fields {
                server.tell::<i64>(&[b"HSET", key.as_bytes(), field.as_bytes(), b"\xff:x"]);
            }
        }
        assert!(matches!(claim().await, Claim::Granted(_)));
        assert!(matches!(reserve().await, Reservation::Granted { .. }));
    });
}

#[test]
fn a_record_that_redis_refuses_to_read_hides_no_other() {
    let Some(server) = Server::start() else { return };
    run(async {
        let (store, key) = stored(&server, options()).await;
        store.put(record("b.example", 1)).await.unwrap();
        let hash = key.split_once('}').unwrap().0;
        server.tell_text(&format!("ACL SETUSER default resetkeys ~{hash}}}*"));
        let listed = store.list(None, 9).await.unwrap();
        assert_eq!(listed.len(), 1, "{listed:?}");
        assert_eq!(listed[0].origin(), "https://a.example");
    });
}
