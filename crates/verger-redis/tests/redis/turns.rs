//! Turns: all processes of a fleet are polite together.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use verger_fetch::client::TurnError;
use verger_fetch::polite::{Politeness, Reservation, TurnRequest, TurnStore};
use verger_redis::RedisStore;

use crate::fleet::{Part, start_part};
use crate::server::{Server, run, until};
use crate::site::{Site, client, origin};

const SECOND: Duration = Duration::from_secs(1);

async fn reserve(
    turns: &dyn TurnStore,
    request: &TurnRequest,
) -> Result<(u64, Duration), Duration> {
    match turns.reserve(&origin("a.example"), request).await.unwrap() {
        Reservation::Granted { fence, left } => Ok((fence, left)),
        Reservation::Wait(wait) => Err(wait),
    }
}

async fn release(turns: &dyn TurnStore, request: &TurnRequest, pause: Duration) -> bool {
    turns.release(&origin("a.example"), request.id, pause).await.unwrap()
}

/// Whether a wait is as expected, but for the time that has passed.
fn is_about(wait: Duration, expected: Duration) -> bool {
    wait > expected / 2 && wait <= expected + Duration::from_millis(2)
}

#[test]
fn the_pause_begins_at_the_release() {
    let Some(server) = Server::start() else { return };
    run(async {
        let turns = server.store().turns();
        let [first, second] = [0; 2].map(|_| TurnRequest::new(SECOND * 10, SECOND * 60));
        let (fence, left) = reserve(&*turns, &first).await.unwrap();
        assert!(is_about(left, SECOND * 60));
        assert!(is_about(reserve(&*turns, &second).await.unwrap_err(), SECOND * 10));
        assert!(release(&*turns, &first, SECOND * 20).await);
        assert!(is_about(reserve(&*turns, &second).await.unwrap_err(), SECOND * 20));

        let short = Duration::from_millis(300);
        let [first, second] = [0; 2].map(|_| TurnRequest::new(SECOND, SECOND * 60));
        server.tell_text("FLUSHALL");
        reserve(&*turns, &first).await.unwrap();
        let begun = Instant::now();
        assert!(release(&*turns, &first, short).await);
        let mut next = Err(short);
        while let Err(wait) = next {
            tokio::time::sleep(wait).await;
            next = reserve(&*turns, &second).await;
        }
        assert!(begun.elapsed() >= short, "{:?}", begun.elapsed());
        assert!(next.unwrap().0 > fence);
    });
}

#[test]
fn the_pause_of_an_expired_turn_begins_at_its_expiry() {
    let Some(server) = Server::start() else { return };
    run(async {
        let turns = server.store().turns();
        let hold = Duration::from_millis(200);
        let [first, second] = [0; 2].map(|_| TurnRequest::new(SECOND, hold));
        let begun = Instant::now();
        let (fence, _) = reserve(&*turns, &first).await.unwrap();
        tokio::time::sleep(hold + hold).await;
        assert!(!turns.renew(&origin("a.example"), first.id, hold).await.unwrap());
        assert!(!release(&*turns, &first, Duration::ZERO).await);
        let wait = reserve(&*turns, &second).await.unwrap_err();
        assert!(wait <= SECOND);
        let mut next = Err(wait);
        while let Err(wait) = next {
            tokio::time::sleep(wait).await;
            next = reserve(&*turns, &second).await;
        }
        assert!(begun.elapsed() >= hold + SECOND, "{:?}", begun.elapsed());
        assert!(next.unwrap().0 > fence);
    });
}

#[test]
fn a_repeated_reservation_is_the_same_turn() {
    let Some(server) = Server::start() else { return };
    run(async {
        let turns = server.store().turns();
        let request = TurnRequest::new(SECOND, SECOND * 60);
        let (fence, _) = reserve(&*turns, &request).await.unwrap();
        assert_eq!(reserve(&*turns, &request).await.unwrap().0, fence);
        assert!(turns.renew(&origin("a.example"), request.id, SECOND * 120).await.unwrap());
        let (again, left) = reserve(&*turns, &request).await.unwrap();
        assert!(again == fence && is_about(left, SECOND * 120));
    });
}

#[test]
fn several_turns_at_a_time_are_possible() {
    let Some(server) = Server::start() else { return };
    run(async {
        let turns = server.store().turns();
        let request = || {
            let mut request = TurnRequest::new(SECOND, SECOND * 60);
            request.at_once = 2;
            request
        };
        let (first, second, third) = (request(), request(), request());
        reserve(&*turns, &first).await.unwrap();
        reserve(&*turns, &second).await.unwrap();
        assert!(is_about(reserve(&*turns, &third).await.unwrap_err(), SECOND));
        assert!(release(&*turns, &first, SECOND * 10).await);
        assert!(is_about(reserve(&*turns, &third).await.unwrap_err(), SECOND * 10));
    });
}

#[test]
fn a_turn_that_nobody_holds_is_neither_renewed_nor_released() {
    let Some(server) = Server::start() else { return };
    run(async {
        let turns = server.store().turns();
        let request = TurnRequest::new(SECOND, SECOND);
        assert!(!turns.renew(&origin("a.example"), request.id, SECOND).await.unwrap());
        assert!(!release(&*turns, &request, SECOND).await);
        assert!(server.keys().is_empty());
        let other = TurnRequest::new(SECOND, SECOND * 60);
        reserve(&*turns, &other).await.unwrap();
        assert!(!release(&*turns, &request, SECOND).await);
        assert!(reserve(&*turns, &request).await.is_err(), "the other still has the turn");
    });
}

/// As after a failover to a server whose clock is slow.
#[test]
fn a_set_back_clock_of_redis_extends_no_wait() {
    let Some(server) = Server::start() else { return };
    run(async {
        let store = server.store();
        let turns = store.turns();
        let request = TurnRequest::new(SECOND * 10, SECOND * 60);
        reserve(&*turns, &request).await.unwrap();
        release(&*turns, &request, SECOND * 10).await;
        let key = server.keys().into_iter().find(|key| key.ends_with(":t")).unwrap();
        let hour = SECOND.as_millis() * 60 * 60;
        let shift = |field: &str| {
            let value: String = server.tell(&[b"HGET", key.as_bytes(), field.as_bytes()]);
            let (end, rest) = value.split_once(':').map_or((&*value, None), |(a, b)| (a, Some(b)));
            let end = (end.parse::<u128>().unwrap() + hour).to_string();
            let value = rest.map_or(end.clone(), |rest| format!("{end}:{rest}"));
            server.tell::<i64>(&[b"HSET", key.as_bytes(), field.as_bytes(), value.as_bytes()]);
        };
        shift("opens");
        let next = TurnRequest::new(SECOND, SECOND * 60);
        assert!(is_about(reserve(&*turns, &next).await.unwrap_err(), SECOND * 10));
        server.tell_text("FLUSHALL");
        reserve(&*turns, &next).await.unwrap();
        shift(&next.id.to_string());
        let (_, left) = reserve(&*turns, &next).await.unwrap();
        assert!(is_about(left, SECOND * 60), "{left:?}");
    });
}

fn polite(pause: Duration) -> Politeness {
    Politeness { pause, ..Politeness::default() }
}

#[test]
fn clients_wait_for_the_turns_of_others() {
    const PAUSE: Duration = Duration::from_millis(150);
    let (Some(server), site) = (Server::start(), Site::start()) else { return };
    run(async {
        let mut visits = tokio::task::JoinSet::new();
        for _ in 0..3 {
            let store = server.store();
            let client = client(site.address(), 0).turns(store.turns());
            let client = client.store(Arc::new(store)).politeness(polite(PAUSE)).build().unwrap();
            visits.spawn(async move {
                for _ in 0..3 {
                    client.get("http://a.example/page").await.unwrap();
                }
            });
        }
        visits.join_all().await;
    });
    let pages: Vec<_> = site.log().into_iter().filter(|it| it.path == "/page").collect();
    assert_eq!(pages.len(), 9);
    let gaps = pages.windows(2).map(|pair| pair[1].at - pair[0].at);
    let least = gaps.min().unwrap();
    assert!(least >= PAUSE, "{least:?}");
}

#[test]
fn a_cancelled_wait_leaves_no_turn() {
    let (Some(server), site) = (Server::start(), Site::start()) else { return };
    run(async {
        let store = server.store();
        let turns = store.turns();
        let client = client(site.address(), 0).turns(Arc::clone(&turns));
        let client = client.store(Arc::new(store)).politeness(polite(Duration::ZERO));
        let client = client.build().unwrap();
        client.check("http://a.example/").await.unwrap();
        for micros in (0..2_000).step_by(100) {
            let turn = client.turn("http://a.example/");
            drop(tokio::time::timeout(Duration::from_micros(micros), turn).await);
        }
        let request = TurnRequest::new(Duration::ZERO, SECOND);
        until("a turn", async || reserve(&*turns, &request).await.is_ok()).await;
    });
}

#[test]
fn there_is_no_turn_without_redis() {
    let (Some(mut server), site) = (Server::start(), Site::start()) else { return };
    run(async {
        let store = server.store();
        let politeness = Politeness { longest_wait: Some(SECOND / 2), ..polite(Duration::ZERO) };
        let client = client(site.address(), 0).turns(store.turns());
        let client = client.store(Arc::new(store)).politeness(politeness).build().unwrap();
        client.get("http://a.example/page").await.unwrap();
        server.kill();
        let error = client.get("http://a.example/page").await.unwrap_err();
        assert!(matches!(error, TurnError::TooLong { .. }), "{error}");
        assert!(!client.check("http://a.example/no").await.unwrap().is_allowed());
        server.restart();
        until("a turn", async || client.get("http://a.example/page").await.is_ok()).await;
    });
    assert_eq!(site.fetches(), 1, "memory answered");
}

#[test]
fn the_turn_of_a_killed_process_expires() {
    let Some(server) = Server::start() else { return };
    let (time, pause) = (Duration::from_millis(800), Duration::from_millis(400));
    let mut holder = start_part(&Part::Hold { url: server.url(), time, pause });
    assert_eq!(holder.line(), "held");
    let begun = Instant::now();
    holder.kill();
    run(async {
        let store: RedisStore = server.store();
        let turns = store.turns();
        let request = TurnRequest::new(SECOND, SECOND);
        let mut next = reserve(&*turns, &request).await;
        assert!(next.is_err(), "the dead process has it");
        while let Err(wait) = next {
            tokio::time::sleep(wait).await;
            next = reserve(&*turns, &request).await;
        }
    });
    let waited = begun.elapsed();
    assert!(waited >= (time + pause) / 2 && waited < time + pause + SECOND * 5, "{waited:?}");
}
