//! Checks that wait for a fetch, checks that do not, and cancelled ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use verger::access::Stale;
use verger_fetch::decision::RecordSource;
use verger_fetch::record::OriginRecord;
use verger_fetch::store::{MemoryStore, Pending, Store};
use verger_testkit::server::{PUBLIC, Script, ScriptedResponse, ServerAction, Setup, Site};

use crate::client::world::{Gate, HandClock, NOW, Net, client, key, run, start, until};

const URL: &str = "http://shop.example/x";

/// A site that first forbids /x, for an hour, and then nothing.
fn changing() -> Setup {
    let old = ScriptedResponse::rules().field("Cache-Control", "max-age=3600").script();
    let new = ScriptedResponse::new(200).script();
    let slow = Script::of(ServerAction::Pause(Duration::from_millis(50)));
    let site = Site::new().once(old).any(slow.then_all(new));
    Setup::web("shop.example", site)
}

#[test]
fn an_expired_file_answers_while_one_fetch_refreshes_it() {
    run(async {
        let world = start(changing()).await;
        let clock = HandClock::at(NOW);
        let client = client(&world).clock(clock.clone()).build().unwrap();
        assert!(!client.check(URL).await.unwrap().is_allowed());

        // An hour later, and at the last possible moment.
        clock.set(NOW + 24 * 3600 - 1);
        let mut answers = tokio::task::JoinSet::new();
        for _ in 0..100 {
            let client = client.clone();
            answers.spawn(async move { client.check(URL).await.unwrap() });
        }
        while let Some(answer) = answers.join_next().await {
            let decision = answer.unwrap();
            assert_eq!((decision.is_allowed(), decision.source()), (false, RecordSource::Store));
            assert_eq!(decision.access().stale(), Some(Stale::WhileRefreshing));
        }
        until("the new file", || async { client.check(URL).await.unwrap().is_allowed() }).await;
        let decision = client.check(URL).await.unwrap();
        assert_eq!((decision.source(), decision.access().stale()), (RecordSource::Store, None));
        assert_eq!(world.record().requests.len(), 2);
    });
}

#[test]
fn an_expired_file_does_not_answer_after_24_hours_or_if_that_is_off() {
    for (answers, later) in [(false, 3600), (true, 24 * 3600)] {
        run(async {
            let world = start(changing()).await;
            let clock = HandClock::at(NOW);
            let builder = client(&world).answers_while_refreshing(answers);
            let client = builder.clock(clock.clone()).build().unwrap();
            assert!(!client.check(URL).await.unwrap().is_allowed());
            clock.set(NOW + later);
            let decision = client.check(URL).await.unwrap();
            assert_eq!((decision.is_allowed(), decision.source()), (true, RecordSource::Fetch));
        });
    }
}

#[test]
fn a_fetch_is_stored_even_after_all_callers_are_gone() {
    run(async {
        let world = start(changing()).await;
        let gate = Arc::new(Gate {
            net: Net(Arc::clone(&world)),
            at: (PUBLIC, 80).into(),
            open: Semaphore::new(0),
        });
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let client = client(&world).store(Arc::clone(&store)).dial(gate.clone()).build().unwrap();
        let asker = tokio::spawn({
            let client = client.clone();
            async move { client.check(URL).await }
        });
        until("a look-up", || async { !world.record().lookups.is_empty() }).await;
        asker.abort();
        assert!(asker.await.unwrap_err().is_cancelled());
        // The client is dropped too.
        drop(client);
        gate.open.add_permits(1);
        until("a record", || async { store.get(&key()).await.unwrap().found().is_some() }).await;
        assert_eq!(world.record().requests.len(), 1);
    });
}

/// A slow store.
#[derive(Debug)]
struct Slow {
    store: MemoryStore,
    is_asked: AtomicBool,
    open: Semaphore,
}

impl Store for Slow {
    forward!(store: get, remove, list, clear);

    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
        Box::pin(async move {
            self.is_asked.store(true, Ordering::Relaxed);
            let _open = self.open.acquire().await.unwrap();
            self.store.put(record).await
        })
    }
}

#[test]
fn a_joined_fetch_is_repeated_if_its_result_has_expired() {
    run(async {
        let world = start(changing()).await;
        let clock = HandClock::at(NOW);
        let store = Arc::new(Slow {
            store: MemoryStore::new(),
            is_asked: AtomicBool::new(false),
            open: Semaphore::new(0),
        });
        let builder = client(&world).store(store.clone());
        let client = builder.clock(clock.clone()).build().unwrap();
        let ask = || {
            let client = client.clone();
            tokio::spawn(async move { client.check(URL).await.unwrap() })
        };
        let first = ask();
        until("a fetch", || async { store.is_asked.load(Ordering::Relaxed) }).await;
        // The machine sleeps for ten days.
        let later = NOW + 10 * 24 * 3600;
        clock.set(later);
        let second = ask();
        tokio::time::sleep(Duration::from_millis(5)).await;
        store.open.add_permits(1);
        for answer in [first, second] {
            let decision = answer.await.unwrap();
            assert!(decision.is_allowed());
            assert_eq!(decision.record().unwrap().tried_at().seconds(), later);
        }
        assert_eq!(world.record().requests.len(), 2);
    });
}

/// A runtime ends, or exists but is not polled.
#[test]
fn a_waiting_check_takes_over_the_fetch_of_a_stopped_runtime() {
    let servers = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for ends in [true, false] {
        let theirs = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let world = servers.block_on(start(changing()));
        let (gate, client) = theirs.block_on(async {
            let gate = Arc::new(Gate {
                net: Net(Arc::clone(&world)),
                at: (PUBLIC, 80).into(),
                open: Semaphore::new(0),
            });
            let client = client(&world).dial(gate.clone()).build().unwrap();
            let first = client.clone();
            tokio::spawn(async move { first.check(URL).await });
            until("a look-up", || async { !world.record().lookups.is_empty() }).await;
            (gate, client)
        });
        let theirs = (!ends).then_some(theirs);
        run(async {
            gate.open.add_permits(9);
            let decision = client.check(URL).await.unwrap();
            assert_eq!(decision.source(), RecordSource::Fetch);
            assert!(decision.file().is_some(), "ends: {ends}");
        });
        drop(theirs);
    }
}
