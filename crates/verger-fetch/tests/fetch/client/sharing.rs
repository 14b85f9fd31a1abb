//! Clients that share a store and change the same record at the same moment.

use std::sync::{Arc, Mutex};

use verger::access::Profile;
use verger_fetch::client::{Clock as _, RobotsClient};
use verger_fetch::record::{File, OriginRecord, RecordKey};
use verger_fetch::store::{MemoryStore, Pending, Replaced, Store, StoreError, StoreErrorKind};
use verger_testkit::server::{ScriptedResponse, Setup, Site};

use crate::client::world::{HandClock, NOW, client, origin, run, shop, start};

/// A store with an event just before a record is replaced.
#[derive(Debug)]
struct Busy {
    store: MemoryStore,
    /// The events, in reverse order.
    acts: Mutex<Vec<Act>>,
    clock: Arc<HandClock>,
}

#[derive(Debug)]
enum Act {
    /// Another client writes; the time is at least that of its fetch.
    Write(Arc<OriginRecord>),
    /// Another client writes, and the store rejects the write of this one.
    WriteAndFail(Arc<OriginRecord>),
    /// The store loses everything.
    Lose,
}

impl Default for Busy {
    fn default() -> Self {
        let (store, acts) = (MemoryStore::new(), Mutex::default());
        Self { store, acts, clock: HandClock::at(NOW) }
    }
}

impl Busy {
    /// Each of the next writes comes after one of these events.
    fn disturb(&self, acts: impl IntoIterator<Item = Act>) {
        *self.acts.lock().unwrap() = acts.into_iter().collect();
    }

    async fn write(&self, record: Arc<OriginRecord>) {
        let at = record.tried_at().max(self.clock.now());
        self.clock.set(at.seconds());
        self.store.put(record).await.unwrap();
    }

    async fn file(&self) -> Option<File> {
        Some(self.record().await?.file()?.clone())
    }

    /// The only record.
    async fn record(&self) -> Option<Arc<OriginRecord>> {
        let entries = self.store.list(None, 2).await.unwrap();
        let [entry] = &entries[..] else { return None };
        self.store.get(&RecordKey::from_text(&entry.key)?).await.unwrap().found()
    }
}

impl Store for Busy {
    forward!(store: get, put, remove, list, clear);

    fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Pending<'_, Replaced> {
        Box::pin(async move {
            let act = self.acts.lock().unwrap().pop();
            match act {
                Some(Act::Write(other)) => self.write(other).await,
                Some(Act::WriteAndFail(other)) => {
                    self.write(other).await;
                    return Err(StoreError::new(StoreErrorKind::Busy, "busy"));
                }
                Some(Act::Lose) => drop(self.store.clear().await?),
                None => {}
            }
            self.store.replace(before, record).await
        })
    }
}

const FORBIDS: &str = "User-agent: *\nDisallow: /\n";

/// The record of another client that got this response at a time.
async fn record(answer: ScriptedResponse, profile: Profile, at: u64) -> Arc<OriginRecord> {
    let world = start(shop(answer)).await;
    let clock = HandClock::at(at);
    let client = client(&world).access(profile).clock(clock).build().unwrap();
    client.refresh(&origin()).await.unwrap()
}

async fn is_allowed(
    store: &Arc<Busy>,
    answer: ScriptedResponse,
    profile: Profile,
    now: u64,
) -> bool {
    let client = asking(store, answer, profile).await;
    store.clock.set(now);
    client.check("http://shop.example/x").await.unwrap().is_allowed()
}

async fn asking(store: &Arc<Busy>, answer: ScriptedResponse, profile: Profile) -> RobotsClient {
    let world = start(shop(answer)).await;
    let shared = Arc::clone(store) as Arc<dyn Store>;
    let client = client(&world).store(shared).access(profile).clock(store.clock.clone());
    client.build().unwrap()
}

#[test]
fn a_failure_is_merged_with_the_file_that_another_client_stored() {
    run(async {
        // Profiles that allow everything when an unknown site fails.
        for profile in [Profile::ARCHIVE, Profile::YANDEX, Profile::AMAZONBOT] {
            let store = Arc::new(Busy::default());
            assert!(
                is_allowed(&store, ScriptedResponse::new(404), profile, NOW).await,
                "{profile}"
            );
            store.clear().await.unwrap();
            let other = record(ScriptedResponse::new(200).body(FORBIDS), profile, NOW).await;
            store.disturb([Act::Write(other)]);
            let is_allowed = is_allowed(&store, ScriptedResponse::new(503), profile, NOW).await;
            assert!(!is_allowed, "{profile}");
            assert!(store.file().await.is_some(), "{profile}");
        }
    });
}

#[test]
fn a_file_is_merged_with_the_failure_that_another_client_stored() {
    run(async {
        let store = Arc::new(Busy::default());
        store
            .disturb([Act::Write(record(ScriptedResponse::new(503), Profile::RFC9309, NOW).await)]);
        let answer = ScriptedResponse::new(200).body(FORBIDS);
        assert!(!is_allowed(&store, answer, Profile::RFC9309, NOW).await);
        assert!(store.record().await.unwrap().state().has_copy());
    });
}

#[test]
fn a_304_does_not_undo_a_replacement_of_its_file() {
    run(async {
        let store = Arc::new(Busy::default());
        let tagged = |body: &str| ScriptedResponse::new(200).field("ETag", "\"a\"").body(body);
        let old = record(tagged("# old"), Profile::RFC9309, NOW).await;
        store.put(old).await.unwrap();
        let new = record(tagged(FORBIDS), Profile::RFC9309, NOW + 60).await;
        store.disturb([Act::Write(new)]);
        // The file that the server confirms is no longer the stored one.
        let later = NOW + 25 * 60 * 60;
        assert!(!is_allowed(&store, ScriptedResponse::new(304), Profile::RFC9309, later).await);
        assert_eq!(store.file().await.unwrap().body.as_bytes(), FORBIDS.as_bytes());
    });
}

#[test]
fn rep_cache_5_after_a_304_with_another_etag_the_next_request_is_unconditional() {
    run(async {
        let answer = |status, tag: &str| ScriptedResponse::new(status).field("ETag", tag);
        let site = Site::new()
            .once(answer(200, "\"a\"").body("# allows").script())
            .once(answer(304, "\"b\"").script())
            .once(answer(200, "\"b\"").body(FORBIDS).script())
            .any(answer(304, "W/\"b\"").script());
        let world = start(Setup::web("shop.example", site)).await;
        let clock = HandClock::at(NOW);
        let client = client(&world).clock(clock.clone()).build().unwrap();
        let mut allowed = Vec::new();
        for days in 0..3 {
            clock.set(NOW + days * 25 * 60 * 60);
            allowed.push(client.check("http://shop.example/x").await.unwrap().is_allowed());
        }
        assert_eq!(allowed, [true, false, false]);
        let requests = world.record().requests;
        let sent: Vec<_> = requests.iter().map(|it| it.field("If-None-Match")).collect();
        assert_eq!(sent, [None, Some("\"a\"".into()), None, Some("\"b\"".into())]);
    });
}

#[test]
fn a_result_stays_in_memory_if_others_keep_changing_the_record() {
    run(async {
        let store = Arc::new(Busy::default());
        let mut others = Vec::new();
        for second in 0..100 {
            others.push(Act::Write(
                record(ScriptedResponse::new(503), Profile::RFC9309, NOW - second).await,
            ));
        }
        store.disturb(others);
        let world = start(shop(ScriptedResponse::new(200).body(FORBIDS))).await;
        let shared = Arc::clone(&store) as Arc<dyn Store>;
        let client = client(&world).store(shared).build().unwrap();
        for _ in 0..2 {
            assert!(!client.check("http://shop.example/x").await.unwrap().is_allowed());
        }
        let left = store.acts.lock().unwrap().len();
        assert!((1..100).contains(&left), "it gives up some time: {left}");
    });
}

#[test]
fn the_result_of_an_earlier_fetch_does_not_replace_that_of_a_later_one() {
    run(async {
        for answer in [404, 503] {
            let store = Arc::new(Busy::default());
            let later =
                record(ScriptedResponse::new(200).body(FORBIDS), Profile::RFC9309, NOW + 5).await;
            store.disturb([Act::Write(later)]);
            let client = asking(&store, ScriptedResponse::new(answer), Profile::RFC9309).await;
            for wait in [0, 60 * 60, 22 * 60 * 60] {
                store.clock.set(NOW + wait);
                let decision = client.check("http://shop.example/x").await.unwrap();
                assert!(!decision.is_allowed(), "{answer} {wait}");
            }
            assert_eq!(store.record().await.unwrap().kind(), "rules", "{answer}");
        }
    });
}

#[test]
fn the_file_of_an_earlier_fetch_is_merged_with_the_failure_of_a_later_one() {
    run(async {
        let store = Arc::new(Busy::default());
        let later = record(ScriptedResponse::new(503), Profile::ARCHIVE, NOW + 1).await;
        store.disturb([Act::Write(later)]);
        let answer = ScriptedResponse::new(200).body(FORBIDS);
        assert!(!is_allowed(&store, answer, Profile::ARCHIVE, NOW).await);
        assert!(store.file().await.is_some());
    });
}

#[test]
fn a_result_that_the_store_rejected_is_merged_with_those_of_others() {
    run(async {
        for theirs in [NOW - 1, NOW, NOW + 1] {
            for (ours, other) in [(503, 200), (200, 503)] {
                let answer = |status| match status {
                    200 => ScriptedResponse::new(200).body(FORBIDS),
                    status => ScriptedResponse::new(status),
                };
                let store = Arc::new(Busy::default());
                let other = record(answer(other), Profile::ARCHIVE, theirs).await;
                store.disturb([Act::WriteAndFail(other)]);
                let client = asking(&store, answer(ours), Profile::ARCHIVE).await;
                let check =
                    async || client.check("http://shop.example/x").await.unwrap().is_allowed();
                // Here the result of the other client is unknown.
                check().await;
                for wait in [3, 60, 1_000, 86_000] {
                    store.clock.set(NOW + wait);
                    assert!(!check().await, "{ours} {theirs} {wait}");
                }
                // A fetch is due, and the store works.
                store.clock.set(NOW + 25 * 60 * 60);
                assert!(!check().await, "{ours} {theirs}");
                assert!(store.file().await.is_some(), "{ours} {theirs}");
            }
        }
    });
}

#[test]
fn a_copy_that_the_store_loses_during_the_fetch_is_stored_again() {
    run(async {
        let store = Arc::new(Busy::default());
        let old = record(ScriptedResponse::new(200).body(FORBIDS), Profile::ARCHIVE, NOW).await;
        store.write(old).await;
        store.disturb([Act::Lose]);
        let later = NOW + 25 * 60 * 60;
        assert!(!is_allowed(&store, ScriptedResponse::new(503), Profile::ARCHIVE, later).await);
        assert!(store.file().await.is_some());
    });
}
