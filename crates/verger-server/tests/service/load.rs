//! Load at capacity with hostile requests mixed in: good clients are served, and memory stays flat.
//!
//! The default suite runs it for a moment; `cargo xtask load --minutes 10` prints the figures of a
//! service at work.

use std::collections::BTreeMap;
use std::io::{BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use verger_testkit::shared::say;

use crate::client::{PATIENCE, connect, exchange, request, response};
use crate::hostile::{Raw, tables};
use crate::program::Program;

/// Connections of good clients, each with one question after the other.
const GOOD: usize = 8;

/// Streams of good clients, and the questions of one.
const STREAMS: usize = 2;
const STREAM_QUESTIONS: usize = 20_000;

/// Clients that send the requests of the catalogue.
const HOSTILE: usize = 4;

/// Clients that send a byte from time to time, and those that never read.
const SLOW: usize = 40;
const DEAF: usize = 10;

/// Crawlers and paths of the questions.
const CRAWLERS: usize = 50;
const PATHS: usize = 1_000;

/// Lines of the report.
const REPORTS: u32 = 10;

/// Share of the good requests that may be refused with a `Retry-After`.
const SHED: f64 = 0.01;

/// Growth of memory after the first third, which fills the caches.
const GROWTH: usize = 30_000_000;

/// Time of the test with a memory that has become flat.
const LONG: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
struct Shared {
    stops: AtomicBool,
    /// Microseconds of the answers to good clients since the last report.
    times: Mutex<Vec<u32>>,
    refused: AtomicUsize,
    wrong: Mutex<Vec<String>>,
    streamed: AtomicUsize,
    /// Other requests, by kind.
    others: Mutex<BTreeMap<&'static str, usize>>,
}

impl Shared {
    fn runs(&self) -> bool {
        !self.stops.load(Ordering::Relaxed)
    }

    fn count(&self, kind: &'static str) {
        *self.others.lock().unwrap().entry(kind).or_default() += 1;
    }

    fn wrong(&self, what: String) {
        self.wrong.lock().unwrap().push(what);
    }
}

/// A path and whether the imported file allows it.
fn question(number: usize) -> (String, bool) {
    let path = number % PATHS;
    let is_allowed = !path.is_multiple_of(3);
    (format!("{}/{path}", if is_allowed { "/page" } else { "/cart" }), is_allowed)
}

/// Asks one question after the other on one connection.
fn ask(shared: &Shared, at: SocketAddr, mut number: usize) {
    let mut stream = BufReader::new(connect(at));
    while shared.runs() {
        number += GOOD;
        let (path, is_allowed) = question(number);
        let crawler = number % CRAWLERS;
        let text = format!(
            "GET /v1/check?agent=bot{crawler}&url=http://shop.example{path} HTTP/1.1\r\nHost: {at}\r\n\r\n"
        );
        let begun = Instant::now();
        let found =
            stream.get_mut().write_all(text.as_bytes()).ok().and_then(|()| response(&mut stream));
        let time = u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX);
        match found {
            Some(found) if found.status == 200 => {
                let expected = format!("\"allowed\":{is_allowed},");
                if !found.text().contains(&expected) {
                    shared.wrong(format!("{path}: {}", found.text()));
                }
                shared.times.lock().unwrap().push(time);
            }
            other => {
                shared.refused.fetch_add(1, Ordering::Relaxed);
                if !other.as_ref().is_some_and(|found| matches!(found.status, 429 | 503)) {
                    shared.wrong(format!("{path}: {other:?}"));
                }
                stream = BufReader::new(connect(at));
            }
        }
    }
}

/// Asks streams of questions.
fn stream(shared: &Shared, at: SocketAddr) {
    let lines: String = (0..STREAM_QUESTIONS)
        .map(|number| {
            let (path, crawler) = (question(number).0, number % CRAWLERS);
            format!("{{\"agent\":\"bot{crawler}\",\"url\":\"http://shop.example{path}\"}}\n")
        })
        .collect();
    let head = format!(
        "POST /v1/check HTTP/1.1\r\nHost: {at}\r\nContent-Type: application/x-ndjson\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        lines.len()
    );
    while shared.runs() {
        let stream = connect(at);
        let mut writer = stream.try_clone().unwrap();
        let found = std::thread::scope(|scope| {
            scope.spawn(|| {
                // The service may refuse the stream.
                let _ = writer.write_all(head.as_bytes());
                let _ = writer.write_all(lines.as_bytes());
            });
            response(&mut BufReader::new(&stream))
        });
        match found {
            Some(found) if found.status == 200 => {
                let answers = found.text().lines().enumerate();
                let right = answers.filter(|(number, line)| {
                    line.contains(&format!("\"allowed\":{},", question(*number).1))
                });
                let right = right.count();
                if right != STREAM_QUESTIONS {
                    shared.wrong(format!("{right} right answers of a stream"));
                }
                shared.streamed.fetch_add(right, Ordering::Relaxed);
            }
            Some(found) if matches!(found.status, 429 | 503) => shared.count("streams refused"),
            other => shared.wrong(format!("stream: {other:?}")),
        }
    }
}

/// Sends the requests of the catalogue again and again.
fn attack(shared: &Shared, at: SocketAddr, rows: &[Raw], number: usize) {
    for row in rows.iter().cycle().skip(number * rows.len() / HOSTILE) {
        if !shared.runs() {
            return;
        }
        let status = exchange(at, &row.bytes).map_or(0, |found| found.status);
        if !row.statuses.contains(&status) && !matches!(status, 0 | 408 | 429 | 503) {
            shared.wrong(format!("P{:03}: status {status}", row.id));
        }
        shared.count("catalogue");
    }
}

/// Sends a request byte by byte, until it is closed.
fn drip(shared: &Shared, at: SocketAddr, number: usize) {
    let head = format!(
        "POST /v1/check HTTP/1.1\r\nHost: {at}\r\nContent-Type: application/json\r\n\
         Content-Length: 100000\r\n\r\n"
    );
    while shared.runs() {
        let mut stream = connect(at);
        // A part of the head, or of the body.
        let sent = if number.is_multiple_of(2) { &head[..30] } else { &head };
        let _ = stream.write_all(sent.as_bytes());
        let begun = Instant::now();
        while shared.runs() && begun.elapsed() < PATIENCE && stream.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
        shared.count("slow");
    }
}

/// Asks for many answers and reads none of them.
fn hang(shared: &Shared, at: SocketAddr) {
    let one = format!("GET /v1/crawlers HTTP/1.1\r\nHost: {at}\r\n\r\n");
    while shared.runs() {
        let mut stream = connect(at);
        stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
        let _ = stream.write_all(one.repeat(100).as_bytes());
        std::thread::sleep(Duration::from_millis(500));
        shared.count("deaf");
    }
}

/// Batches that are too large, and bodies of random bytes.
fn burden(shared: &Shared, at: SocketAddr) {
    let urls = vec!["\"http://shop.example/cart\""; 1_001].join(",");
    let batch = format!(r#"{{"agent":"x","urls":[{urls}]}}"#);
    let json = [("Content-Type", "application/json")];
    let mut state = 1_u64;
    while shared.runs() {
        let found = exchange(at, &request(at, "POST", "/v1/check", &json, batch.as_bytes()));
        if found.is_some_and(|found| !matches!(found.status, 408 | 422 | 429 | 503)) {
            shared.wrong("a batch that is too large is accepted".to_owned());
        }
        shared.count("batches");
        let mut noise = b"{\"agent\":\"x\",".to_vec();
        noise.extend((0..5_000).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state.to_be_bytes()[0]
        }));
        let found = exchange(at, &request(at, "POST", "/v1/check", &json, &noise));
        if found.is_some_and(|found| !matches!(found.status, 400 | 429 | 503)) {
            shared.wrong("noise is accepted".to_owned());
        }
        shared.count("noise");
    }
}

/// The time from the environment: `cargo xtask load` sets it.
fn time() -> Duration {
    let seconds = std::env::var("VERGER_LOAD_SECONDS").map(|text| text.parse().unwrap());
    seconds.map_or(Duration::from_secs(1), Duration::from_secs)
}

#[test]
fn good_clients_are_served_among_hostile_ones() {
    let mut program =
        Program::start(&["--header-seconds", "1", "--body-seconds", "1", "--idle-seconds", "2"]);
    let at = program.at;
    let body = br#"{"robots":"User-agent: *\nDisallow: /cart\n"}"#;
    let json = [("Content-Type", "application/json")];
    let import = request(at, "PUT", "/v1/origins/http%3A%2F%2Fshop.example", &json, body);
    assert_eq!(exchange(at, &import).unwrap().status, 201);
    let rows = Arc::new(tables(at));
    let shared = Arc::<Shared>::default();
    let mut threads = Vec::new();
    for number in 0..GOOD.max(HOSTILE).max(SLOW) {
        let mut start = |count: usize, of: fn(&Shared, SocketAddr, &[Raw], usize)| {
            if number < count {
                let (shared, rows) = (Arc::clone(&shared), Arc::clone(&rows));
                threads.push(std::thread::spawn(move || of(&shared, at, &rows, number)));
            }
        };
        start(GOOD, |shared, at, _, number| ask(shared, at, number));
        start(STREAMS, |shared, at, _, _| stream(shared, at));
        start(HOSTILE, attack);
        start(SLOW, |shared, at, _, number| drip(shared, at, number));
        start(DEAF, |shared, at, _, _| hang(shared, at));
        start(1, |shared, at, _, _| burden(shared, at));
    }
    let time = time();
    let (mut memory, mut served, mut shed) = (Vec::new(), 0, 0);
    for _ in 0..REPORTS {
        std::thread::sleep(time / REPORTS);
        let mut times = std::mem::take(&mut *shared.times.lock().unwrap());
        times.sort_unstable();
        let refused = shared.refused.swap(0, Ordering::Relaxed);
        let streamed = shared.streamed.swap(0, Ordering::Relaxed);
        let others = std::mem::take(&mut *shared.others.lock().unwrap());
        let seconds = (time / REPORTS).as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        let rate = |count: usize| count as f64 / seconds;
        let at_share = |percent: usize| {
            let time = times.get(times.len() * percent / 100).copied().unwrap_or_default();
            Duration::from_micros(time.into())
        };
        memory.push(program.memory());
        let others: Vec<_> =
            others.iter().map(|(kind, count)| format!("{kind} {:.1}", rate(*count))).collect();
        say(&format!(
            "{:.1} MB; good: {:.0} requests/s, p50 {:?}, p99 {:?}, {refused} refused; {:.0} streamed \
             answers/s; hostile per second: {}",
            f64::from(u32::try_from(memory[memory.len() - 1] / 1_000).unwrap()) / 1_000.0,
            rate(times.len()),
            at_share(50),
            at_share(99),
            rate(streamed),
            others.join(", ")
        ));
        served += times.len();
        shed += refused;
    }
    shared.stops.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.join().unwrap();
    }
    let wrong = std::mem::take(&mut *shared.wrong.lock().unwrap());
    assert!(wrong.is_empty(), "{} wrong: {}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
    assert!(served > 0, "no good client is served");
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = shed as f64 / (served + shed) as f64;
    assert!(share <= SHED, "{share} of the good requests are refused");
    if time >= LONG {
        let third = memory.len() / 3;
        let most = |part: &[usize]| part.iter().copied().max().unwrap();
        let (before, after) = (most(&memory[..=third]), most(&memory[memory.len() - third..]));
        assert!(after <= before + GROWTH, "{before} bytes became {after}");
    }
    let mut rest = [0; 1];
    let mut idle = TcpStream::connect(at).unwrap();
    idle.set_read_timeout(Some(PATIENCE)).unwrap();
    assert!(matches!(idle.read(&mut rest), Ok(0)), "an idle connection is closed");
    assert!(program.runs());
    assert_eq!(program.end("TERM"), Some(0));
}
