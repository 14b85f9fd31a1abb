//! Clients that share a store and change the same record at the same moment.

use std::sync::{Arc, Mutex};

use libtest_mimic::Trial;
use verger::Origin;
use verger::access::Profile;
use verger_fetch::record::{File, Record};
use verger_fetch::store::{Entry, Lookup, MemoryStore, Pending, Store};
use verger_testkit::server::Answer;

use crate::world::{HandClock, NOW, client, origin, run, shop, start, trials};

pub(crate) fn tests() -> Vec<Trial> {
    trials(
        "sharing",
        [
            ("a_failure_is_added_to_the_file_that_another_client_got_meanwhile", failure),
            ("a_file_is_added_to_the_failure_that_another_client_met_meanwhile", file),
            ("a_profile_that_asks_first_does_not_undo_a_refresh_by_another_client", first_question),
            ("a_304_is_asked_again_where_its_file_was_replaced_meanwhile", replaced),
            ("what_is_always_changed_by_others_is_kept_in_memory", contended),
        ],
    )
}

/// A store in which another client writes just before a record is replaced.
#[derive(Debug, Default)]
struct Busy {
    store: MemoryStore,
    /// The records that the other client writes, the last one first.
    others: Mutex<Vec<Arc<Record>>>,
}

impl Busy {
    /// Each of the next writes comes after one of these.
    fn disturb(&self, others: impl IntoIterator<Item = Arc<Record>>) {
        *self.others.lock().unwrap() = others.into_iter().collect();
    }

    async fn file(&self) -> Option<File> {
        self.store.get(&origin()).await.unwrap().found()?.file().cloned()
    }
}

impl Store for Busy {
    fn get<'a>(&'a self, origin: &'a Origin) -> Pending<'a, Lookup> {
        self.store.get(origin)
    }

    fn put(&self, record: Arc<Record>) -> Pending<'_, ()> {
        self.store.put(record)
    }

    fn replace(&self, before: Option<Arc<Record>>, record: Arc<Record>) -> Pending<'_, bool> {
        Box::pin(async move {
            let other = self.others.lock().unwrap().pop();
            if let Some(other) = other {
                self.store.put(other).await?;
            }
            self.store.replace(before, record).await
        })
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> Pending<'a, bool> {
        self.store.remove(origin)
    }

    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<Entry>> {
        self.store.list(after, most)
    }

    fn clear(&self) -> Pending<'_, u64> {
        self.store.clear()
    }
}

const FORBIDS: &str = "User-agent: *\nDisallow: /\n";

/// The record of another client that got this answer at a time.
async fn record(answer: Answer, profile: Profile, at: u64) -> Arc<Record> {
    let world = start(shop(answer)).await;
    let clock = HandClock::at(at);
    let client = client(&world).access(profile).clock(clock).build().unwrap();
    client.refresh(&origin()).await.unwrap()
}

async fn is_allowed(store: &Arc<Busy>, answer: Answer, profile: Profile, now: u64) -> bool {
    let world = start(shop(answer)).await;
    let shared = Arc::clone(store) as Arc<dyn Store>;
    let client = client(&world).store(shared).access(profile).clock(HandClock::at(now));
    client.build().unwrap().check("http://shop.example/x").await.unwrap().is_allowed()
}

fn failure() {
    run(async {
        // Profiles that allow everything when a site fails of which nothing is known.
        for profile in [Profile::ARCHIVE, Profile::YANDEX, Profile::AMAZONBOT] {
            let store = Arc::new(Busy::default());
            assert!(is_allowed(&store, Answer::new(404), profile, NOW).await, "{profile}");
            store.clear().await.unwrap();
            let other = record(Answer::new(200).body(FORBIDS), profile, NOW).await;
            store.disturb([other]);
            let is_allowed = is_allowed(&store, Answer::new(503), profile, NOW).await;
            assert!(!is_allowed, "{profile}");
            assert!(store.file().await.is_some(), "{profile}");
        }
    });
}

fn file() {
    run(async {
        let store = Arc::new(Busy::default());
        store.disturb([record(Answer::new(503), Profile::GOOGLE, NOW).await]);
        let answer = Answer::new(200).body(FORBIDS);
        assert!(!is_allowed(&store, answer, Profile::RFC9309, NOW).await);
        let kept = store.get(&origin()).await.unwrap().found().unwrap();
        let profiles: Vec<&str> = kept.states().iter().map(|entry| &*entry.profile).collect();
        assert_eq!(profiles, ["rfc9309", "google"], "both have asked");
        assert!(kept.states().iter().all(|entry| entry.state.has_copy()));
    });
}

fn first_question() {
    run(async {
        let store = Arc::new(Busy::default());
        let old = record(Answer::new(200).body("# all"), Profile::RFC9309, NOW).await;
        store.put(old).await.unwrap();
        let new = record(Answer::new(200).body(FORBIDS), Profile::RFC9309, NOW + 60).await;
        store.disturb([new]);
        let answer = || Answer::new(500);
        // It was read before the refresh.
        assert!(is_allowed(&store, answer(), Profile::GOOGLE, NOW + 60).await);
        assert_eq!(store.file().await.unwrap().body.as_bytes(), FORBIDS.as_bytes());
        assert!(!is_allowed(&store, answer(), Profile::GOOGLE, NOW + 60).await);
    });
}

fn replaced() {
    run(async {
        let store = Arc::new(Busy::default());
        let tagged = |body: &str| Answer::new(200).field("ETag", "\"a\"").body(body);
        let old = record(tagged("# old"), Profile::RFC9309, NOW).await;
        store.put(old).await.unwrap();
        let new = record(tagged(FORBIDS), Profile::RFC9309, NOW + 60).await;
        store.disturb([new]);
        // Whatever the server confirms, it is not the file that is there now.
        let later = NOW + 25 * 60 * 60;
        assert!(!is_allowed(&store, Answer::new(304), Profile::RFC9309, later).await);
        assert_eq!(store.file().await.unwrap().body.as_bytes(), FORBIDS.as_bytes());
    });
}

fn contended() {
    run(async {
        let store = Arc::new(Busy::default());
        let mut others = Vec::new();
        for second in 0..100 {
            others.push(record(Answer::new(503), Profile::RFC9309, NOW + second).await);
        }
        store.disturb(others);
        let world = start(shop(Answer::new(200).body(FORBIDS))).await;
        let shared = Arc::clone(&store) as Arc<dyn Store>;
        let client = client(&world).store(shared).build().unwrap();
        for _ in 0..2 {
            assert!(!client.check("http://shop.example/x").await.unwrap().is_allowed());
        }
        let left = store.others.lock().unwrap().len();
        assert!((1..100).contains(&left), "it gives up some time: {left}");
    });
}
