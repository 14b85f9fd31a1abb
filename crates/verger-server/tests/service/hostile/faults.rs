//! Faults of the machine: stores, panics, clocks, name servers, descriptors, ends.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use verger_fetch::record::{OriginRecord, RecordKey};
use verger_fetch::store::{
    Lookup as Found, MemoryStore, Pending, Replaced, Store, StoreEntry, StoreError, StoreErrorKind,
};
use verger_server::Parts;
use verger_testkit::server::{Lookup, NoAddress};

use crate::client::{connect, exchange, post, request, send};
use crate::program::{Program, fails};
use crate::world::{HandClock, Service, shop};

/// A store whose calls fail or panic.
#[derive(Debug)]
struct Broken {
    store: MemoryStore,
    panics: bool,
    pings: Arc<AtomicU64>,
}

impl Broken {
    fn fail<'a, T: Send + 'a>(&self) -> Pending<'a, T> {
        assert!(!self.panics, "deliberate");
        let error = StoreError::new(StoreErrorKind::Full, "no space left on device: secret path");
        Box::pin(async { Err(error) })
    }
}

impl Store for Broken {
    fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Found> {
        if self.panics { self.fail() } else { self.store.get(key) }
    }

    fn put(&self, _: Arc<OriginRecord>) -> Pending<'_, ()> {
        self.fail()
    }

    fn replace(&self, _: Option<Arc<OriginRecord>>, _: Arc<OriginRecord>) -> Pending<'_, Replaced> {
        self.fail()
    }

    fn remove<'a>(&'a self, _: &'a RecordKey) -> Pending<'a, bool> {
        self.fail()
    }

    fn list<'a>(&'a self, _: Option<&'a str>, _: usize) -> Pending<'a, Vec<StoreEntry>> {
        self.fail()
    }

    fn clear(&self) -> Pending<'_, u64> {
        self.fail()
    }

    fn ping(&self) -> Pending<'_, ()> {
        self.pings.fetch_add(1, Ordering::Relaxed);
        self.fail()
    }
}

fn broken(panics: bool) -> Service {
    broken_with(panics, Arc::default())
}

/// A service whose store counts its questions for `/readyz`.
fn broken_with(panics: bool, pings: Arc<AtomicU64>) -> Service {
    let mut parts = Parts::default();
    parts.store = Some(Arc::new(Broken { store: MemoryStore::new(), panics, pings }));
    Service::with_parts(shop(), |settings| settings, parts)
}

#[test]
fn probes_ask_the_store_once_a_second() {
    let pings = Arc::<AtomicU64>::default();
    let service = broken_with(false, Arc::clone(&pings));
    let begun = Instant::now();
    for _ in 0..20 {
        assert_eq!(service.get("/readyz").status, 503);
    }
    let asked = pings.load(Ordering::Relaxed);
    assert!((1..=begun.elapsed().as_secs() + 1).contains(&asked), "{asked}");
}

#[test]
fn a_failing_store_changes_no_answer() {
    let service = broken(false);
    for _ in 0..3 {
        let answer = service.get("/v1/check?agent=x&url=http://shop.example/cart");
        assert_eq!((answer.status, &answer.json()["reason"]), (200, &"rule".into()));
    }
    assert_eq!(service.requests(), 1, "the result is in memory");
    assert_eq!(service.get("/readyz").status, 503);
    let import = service.put("/v1/origins/http%3A%2F%2Fa.example", r#"{"robots":""}"#);
    assert_eq!(import.status, 503);
    assert!(!import.text().contains("secret"));
}

#[test]
fn panics_are_one_problem_each() {
    let service = broken(true);
    let shop = "/v1/origins/http%3A%2F%2Fshop.example";
    for _ in 0..5 {
        let failed = service.get(shop);
        assert_eq!(failed.status, 500);
        assert!(!failed.text().contains("deliberate"), "{failed:?}");
        assert_eq!(service.get("/v1/check?agent=x&url=http://shop.example/").status, 500);
    }
    let lines = "{\"agent\":\"x\",\"url\":\"http://shop.example/\"}\n".repeat(3);
    let media = [("Content-Type", "application/x-ndjson")];
    let stream = send(service.at, "POST", "/v1/check", &media, lines.as_bytes());
    assert_eq!(stream.text().matches("internal error").count(), 3, "{stream:?}");
    assert_eq!(service.get("/healthz").status, 200);
}

#[test]
fn the_end_is_bounded() {
    let mut program = Program::start(&["--stop-seconds", "2", "--body-seconds", "60"]);
    // They never send their bodies.
    let head = format!(
        "POST /v1/check HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n",
        program.at
    );
    let held: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = connect(program.at);
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    let begun = Instant::now();
    assert_eq!(program.end("TERM"), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    drop(held);
}

#[test]
fn bad_settings_end_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("verger.toml");
    std::fs::File::create(&file).unwrap().set_len(1 << 30).unwrap();
    let program = Program::start(&[]);
    for (arguments, expected) in [
        (["--max-body", "-1"], "error: "),
        (["--config", folder.path().to_str().unwrap()], "is not a regular file"),
        (["--config", file.to_str().unwrap()], "error: expected at most 1048576 bytes in "),
        (["--listen", &program.at.to_string()], "error: could not listen on "),
    ] {
        let begun = Instant::now();
        let (code, error) = fails(&arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {error}");
        assert!(error.contains(expected) && !error.contains("panicked"), "{error}");
        let has_hint = error.contains("hint: ");
        assert!(has_hint || arguments[0] != "--listen", "{error}");
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}

#[cfg(unix)]
#[test]
fn few_descriptors_are_enough() {
    let mut shell = std::process::Command::new("sh");
    shell.env_clear().args([
        "-c",
        "ulimit -n 64; exec \"$0\" \"$@\"",
        env!("CARGO_BIN_EXE_verger-serve"),
    ]);
    shell.args([
        "--listen",
        "127.0.0.1:0",
        "--log",
        "json",
        "--header-seconds",
        "1",
        "--idle-seconds",
        "1",
    ]);
    let mut program = Program::of(&mut shell);
    let held: Vec<TcpStream> =
        (0..150).filter_map(|_| TcpStream::connect(program.at).ok()).collect();
    std::thread::sleep(Duration::from_millis(300));
    drop(held);
    let begun = Instant::now();
    let bytes = request(program.at, "GET", "/healthz", &[], b"");
    while exchange(program.at, &bytes).is_none_or(|found| found.status != 200) {
        assert!(begun.elapsed() < Duration::from_secs(20), "no room");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(program.runs());
}

#[test]
fn clocks_may_jump() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let clock = Arc::new(HandClock::at(now));
    let service = Service::with_clock(shop(), clock.clone());
    let check = || {
        let answer = service.get("/v1/check?agent=x&url=http://shop.example/cart");
        assert_eq!((answer.status, &answer.json()["reason"]), (200, &"rule".into()), "{answer:?}");
    };
    let day = 24 * 60 * 60;
    for (at, fetches) in
        [(now, 1), (now + 3 * day, 2), (now, 3), (now + 60, 3), (now - 30 * day, 4)]
    {
        clock.set(at);
        (0..3).for_each(|_| check());
        assert_eq!(service.requests(), fetches, "at {at}");
    }
}

#[test]
fn dead_name_servers_are_an_outage() {
    let setup = shop()
        .name("dead.example", [Lookup::Fails(NoAddress::ServerFailure)])
        .name("slow.example", [Lookup::Never]);
    let service = Service::start(setup);
    let good = "/v1/check?agent=x&url=http://shop.example/cart";
    service.get(good);
    std::thread::scope(|scope| {
        for host in ["dead", "slow"] {
            let service = &service;
            scope.spawn(move || {
                let answer = service.get(&format!("/v1/check?agent=x&url=http://{host}.example/"));
                assert_eq!(
                    (answer.status, &answer.json()["allowed"]),
                    (200, &false.into()),
                    "{answer:?}"
                );
            });
        }
        let begun = Instant::now();
        assert_eq!(service.get(good).status, 200);
        assert!(begun.elapsed() < Duration::from_secs(2));
    });
    let pending =
        post(service.at, "/v1/check", r#"{"agent":"x","url":"http://slow.example/","wait_ms":0}"#);
    assert!(matches!(pending.status, 200 | 202));
}
