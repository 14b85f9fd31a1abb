//! Turns for workers.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;
use verger::Origin;
use verger_fetch::polite::{MemoryTurns, Reservation, TurnId, TurnRequest, TurnStore};
use verger_fetch::store::{Pending, StoreError, StoreErrorKind};
use verger_server::Parts;
use verger_server::settings::Settings;
use verger_testkit::server::{Setup, Site};

use crate::client::{connect, request, response, send};
use crate::world::{Service, rules, shop};

fn reserve(service: &Service, wait_ms: u64) -> (u16, Value) {
    reserve_for(service, "http://shop.example/a", wait_ms)
}

fn reserve_for(service: &Service, url: &str, wait_ms: u64) -> (u16, Value) {
    let body =
        format!(r#"{{"agent":"GPTBot","url":"{url}","wait_ms":{wait_ms},"hold_seconds":5}}"#);
    let response = service.post("/v1/turns", &body);
    (response.status, response.json())
}

#[test]
fn turns_of_an_origin_are_a_pause_apart() {
    let service = Service::shop();
    let (status, first) = reserve(&service, 5_000);
    assert_eq!((status, &first["granted"]), (201, &true.into()), "{first}");
    assert_eq!((&first["pause_ms"], &first["answer"]["allowed"]), (&1_000.into(), &true.into()));
    let turn = first["turn"].as_str().unwrap().to_owned();
    let (status, second) = reserve(&service, 0);
    assert_eq!((status, &second["granted"]), (200, &false.into()), "{second}");
    assert!(second["wait_ms"].as_u64().unwrap() > 0);
    let released = service.post(&format!("/v1/turns/{turn}/release"), r#"{"status":200}"#);
    assert_eq!((released.status, &released.json()["pause_ms"]), (200, &1_000.into()));
    let begun = Instant::now();
    let (status, third) = reserve(&service, 10_000);
    assert_eq!(status, 201, "{third}");
    assert!(begun.elapsed() > Duration::from_millis(800), "{:?}", begun.elapsed());
    assert!(third["fence"].as_u64() > first["fence"].as_u64());
    assert_eq!(service.post(&format!("/v1/turns/{turn}/release"), r#"{"status":200}"#).status, 409);
}

#[test]
fn a_refusal_is_a_back_off_for_everybody() {
    let service = Service::shop();
    let (_, turn) = reserve(&service, 5_000);
    let turn = turn["turn"].as_str().unwrap();
    let path = format!("/v1/turns/{turn}/release");
    let released = service.post(&path, r#"{"status":503,"retry_after":120}"#);
    assert_eq!(released.json()["pause_ms"], 120_000, "{released:?}");
    let (status, next) = reserve(&service, 0);
    assert_eq!((status, &next["granted"]), (200, &false.into()));
    assert!(next["wait_ms"].as_u64().unwrap() > 100_000, "{next}");
    let record = service.get("/v1/origins/http%3A%2F%2Fshop.example").json();
    assert_eq!(record["back_off"]["refusals"], 1);
}

#[test]
fn rep_cache_29_robots_txt_has_the_pace_and_the_back_off_of_its_origin() {
    let slow = || Site::always(rules("User-agent: *\nCrawl-delay: 2\nDisallow: /cart\n"));
    let robots = "http://shop.example/robots.txt";
    // With a record, and without one.
    for (first, pause) in [("http://shop.example/a", 2_000), (robots, 1_000)] {
        let service = Service::start(Setup::web("shop.example", slow()));
        let (_, turn) = reserve_for(&service, first, 5_000);
        let path = format!("/v1/turns/{}", turn["turn"].as_str().unwrap());
        assert_eq!(send(service.at, "DELETE", &path, &[], b"").status, 204);
        let (status, turn) = reserve_for(&service, robots, 5_000);
        assert_eq!((status, &turn["pause_ms"]), (201, &pause.into()), "{first}: {turn}");
        let path = format!("/v1/turns/{}/release", turn["turn"].as_str().unwrap());
        let released = service.post(&path, r#"{"status":503,"retry_after":120}"#);
        assert_eq!(released.json()["pause_ms"], 120_000, "{first}");
        for url in [robots, "http://shop.example/a"] {
            let (status, next) = reserve_for(&service, url, 0);
            assert_eq!((status, &next["granted"]), (200, &false.into()), "{first} {url}");
            assert!(next["wait_ms"].as_u64().unwrap() > 100_000, "{first} {url}: {next}");
        }
    }
}

#[test]
fn a_turn_is_renewed_given_up_or_lost() {
    let service = Service::shop();
    let (_, turn) = reserve(&service, 5_000);
    let path = format!("/v1/turns/{}", turn["turn"].as_str().unwrap());
    let renewed = service.post(&format!("{path}/renew"), r#"{"hold_seconds":30}"#);
    assert_eq!((renewed.status, &renewed.json()["expires_in_ms"]), (200, &30_000.into()));
    assert_eq!(send(service.at, "DELETE", &path, &[], b"").status, 204);
    let lost = send(service.at, "DELETE", &path, &[], b"");
    assert_eq!(lost.status, 409, "{lost:?}");
    assert_eq!(service.post(&format!("{path}/renew"), "{}").status, 409);
}

#[test]
fn disallowed_urls_have_no_turn() {
    let service = Service::shop();
    let response =
        service.post("/v1/turns", r#"{"agent":"GPTBot","url":"http://shop.example/cart"}"#);
    let json = response.json();
    assert_eq!((response.status, &json["granted"]), (200, &false.into()));
    assert_eq!((&json["answer"]["reason"], json.get("wait_ms")), (&"rule".into(), None));
    for url in ["http://10.0.0.1:6379/", "http://10.0.0.1:6379/robots.txt"] {
        let (status, refused) = reserve_for(&service, url, 0);
        assert_eq!((status, &refused["granted"]), (200, &false.into()), "{url}: {refused}");
        assert_eq!(refused["answer"]["unanswered"], true, "{url}: {refused}");
    }
    let dead =
        service.post("/v1/turns", r#"{"agent":"GPTBot","url":"http://nowhere.example/"}"#).json();
    assert_eq!(
        (&dead["granted"], &dead["answer"]["allowed"]),
        (&false.into(), &false.into()),
        "{dead}"
    );
}

#[test]
fn wrong_values_are_problems() {
    let service = Service::shop();
    let (_, turn) = reserve(&service, 5_000);
    let path = format!("/v1/turns/{}/release", turn["turn"].as_str().unwrap());
    for (path, body, status) in [
        (path.as_str(), "{}", 422),
        (&path, r#"{"status":200,"failed":true}"#, 422),
        (&path, r#"{"status":20}"#, 422),
        (&path, r#"{"status":"x"}"#, 400),
        ("/v1/turns/'%20OR%201=1/release", r#"{"status":200}"#, 404),
        ("/v1/turns", r#"{"agent":"x","url":"http://shop.example/","hold_seconds":0}"#, 422),
        ("/v1/turns", r#"{"agent":"x"}"#, 422),
        ("/v1/turns", r#"{"agent":"x","url":"http:/shop.example/"}"#, 422),
    ] {
        let response = service.post(path, body);
        assert_eq!(response.status, status, "{path} {body}: {response:?}");
    }
}

/// Loses the answer to the first reservation, and then rests for a moment, as Redis' client does.
#[derive(Debug, Default)]
struct Lossy(MemoryTurns, OnceLock<Instant>);

impl Lossy {
    fn check(&self) -> Result<(), StoreError> {
        let rests = self.1.get().is_some_and(|at| at.elapsed() < Duration::from_millis(100));
        if rests { Err(StoreError::new(StoreErrorKind::Stalled, "it rests")) } else { Ok(()) }
    }
}

impl TurnStore for Lossy {
    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a TurnRequest,
    ) -> Pending<'a, Reservation> {
        Box::pin(async move {
            self.check()?;
            let answer = self.0.reserve(origin, request).await;
            if self.1.set(Instant::now()).is_err() {
                return answer;
            }
            Err(StoreError::new(StoreErrorKind::Stalled, "the answer is lost"))
        })
    }

    fn renew<'a>(&'a self, origin: &'a Origin, id: TurnId, hold: Duration) -> Pending<'a, bool> {
        self.0.renew(origin, id, hold)
    }

    fn release<'a>(&'a self, origin: &'a Origin, id: TurnId, pause: Duration) -> Pending<'a, bool> {
        Box::pin(async move {
            self.check()?;
            self.0.release(origin, id, pause).await
        })
    }
}

fn lossy() -> Service {
    let mut parts = Parts::default();
    parts.turns = Some(Arc::new(Lossy::default()));
    Service::with_parts(shop(), |settings| settings, parts)
}

#[test]
fn a_lost_answer_of_the_store_blocks_nobody() {
    let service = lossy();
    let begun = Instant::now();
    let (status, turn) = reserve(&service, 4_000);
    assert_eq!((status, &turn["fence"]), (201, &1.into()), "{turn}");
    assert!(begun.elapsed() < Duration::from_secs(4));

    // Without time to ask again, the turn is given back.
    let service = lossy();
    assert_eq!(reserve(&service, 0).0, 503);
    let begun = Instant::now();
    assert_eq!(reserve(&service, 4_000).0, 201);
    assert!(begun.elapsed() < Duration::from_secs(4));
}

/// Releases slowly, and fails at the first release.
#[derive(Debug, Default)]
struct Slow(MemoryTurns, AtomicBool);

impl TurnStore for Slow {
    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a TurnRequest,
    ) -> Pending<'a, Reservation> {
        self.0.reserve(origin, request)
    }

    fn renew<'a>(&'a self, origin: &'a Origin, id: TurnId, hold: Duration) -> Pending<'a, bool> {
        self.0.renew(origin, id, hold)
    }

    fn release<'a>(&'a self, origin: &'a Origin, id: TurnId, pause: Duration) -> Pending<'a, bool> {
        Box::pin(async move {
            if !self.1.swap(true, Ordering::Relaxed) {
                return Err(StoreError::new(StoreErrorKind::Stalled, "it rests"));
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
            self.0.release(origin, id, pause).await
        })
    }
}

#[test]
fn a_refusal_counts_once_if_its_release_is_repeated() {
    let mut parts = Parts::default();
    parts.turns = Some(Arc::new(Slow::default()));
    let service = Service::with_parts(shop(), |settings| settings, parts);
    let (_, turn) = reserve(&service, 5_000);
    let path = format!("/v1/turns/{}/release", turn["turn"].as_str().unwrap());
    let release = || service.post(&path, r#"{"status":503}"#);
    assert_eq!(release().status, 503);
    std::thread::scope(|scope| {
        let first = scope.spawn(release);
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(release().status, 409);
        let first = first.join().unwrap();
        assert_eq!((first.status, &first.json()["pause_ms"]), (200, &60_000.into()), "{first:?}");
    });
    let record = service.get("/v1/origins/http%3A%2F%2Fshop.example").json();
    assert_eq!(record["back_off"]["refusals"], 1);
}

#[test]
fn a_wait_for_a_turn_takes_longer_than_a_head_may() {
    let second = Duration::from_secs(1);
    let service = Service::with(shop(), |settings| Settings {
        header_time: second,
        idle_time: second,
        ..settings
    });
    let (status, _) = reserve(&service, 5_000);
    assert_eq!(status, 201);
    // Python's client sends head and body in two writes.
    let body = r#"{"agent":"GPTBot","url":"http://shop.example/a","wait_ms":3000}"#;
    let json = [("Content-Type", "application/json")];
    let bytes = request(service.at, "POST", "/v1/turns", &json, body.as_bytes());
    let (head, body) = bytes.split_at(bytes.len() - body.len());
    let mut stream = connect(service.at);
    stream.write_all(head).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    stream.write_all(body).unwrap();
    let answer = response(&mut stream).expect("the connection stays open").json();
    assert_eq!(answer["granted"], false, "{answer}");
}
