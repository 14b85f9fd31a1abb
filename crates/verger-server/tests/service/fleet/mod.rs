//! Several processes of the program with one Redis, whose parts fail while all of them are asked.
//!
//! The default suite runs the first fault for a moment; `cargo xtask fleet` runs all of them for
//! as long as an operator needs to notice.

mod crowd;
mod processes;
mod site;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use verger_testkit::shared::say;

use self::crowd::{Crowd, PACED, early_visits};
use self::site::{Kind, NET, Site};
use crate::client::{PATIENCE, get};
use crate::program::{Program, command};
use crate::redis_server::{Server, free_port, start_cluster};

/// Longer than an answer about a good origin takes: two calls of a failing Redis and a fetch, on a
/// busy machine.
const BOUND: Duration = Duration::from_secs(6);

/// Fetches that may run or wait in one process: those of slow and dead origins.
const QUEUE: f64 = 500.0;

/// Bytes that a process may grow by.
const GROWTH: usize = 100_000_000;

/// The pause between two visits of an origin without `Crawl-delay`.
const PAUSE: Duration = Duration::from_secs(1);

/// Seconds of each fault; 0 is a moment of the first one only.
fn seconds() -> u64 {
    std::env::var("VERGER_FLEET_SECONDS").map_or(0, |text| text.parse().unwrap())
}

/// Processes of the program with one store.
struct Fleet {
    site: Arc<Site>,
    programs: Vec<Program>,
    services: Vec<SocketAddr>,
    /// Number of the next origin that nobody has asked about.
    new: u16,
}

/// The arguments of a process.
fn arguments(store: &str) -> [&str; 12] {
    [
        "--store",
        store,
        "--allow-net",
        NET,
        "--user-agent",
        "ExampleBot/1.0",
        "--fetch-seconds",
        "5",
        "--log",
        "json",
        "--listen",
        "127.0.0.1:0",
    ]
}

impl Fleet {
    fn start(store: &str, count: usize) -> Self {
        let programs: Vec<Program> =
            (0..count).map(|_| Program::of(command().args(arguments(store)))).collect();
        Self::of(programs)
    }

    fn of(programs: Vec<Program>) -> Self {
        let services = programs.iter().map(|program| program.at).collect();
        Self { site: Arc::new(Site::start()), programs, services, new: 55_000 }
    }

    /// Waits until all processes share records: each new origin is fetched once.
    fn await_sharing(&mut self) -> Duration {
        let begun = Instant::now();
        loop {
            self.new += 1;
            let path =
                format!("/v1/check?agent=x&url={}/yes", self.site.origin(Kind::Good, self.new));
            for &at in &self.services {
                assert_eq!(get(at, &path).json()["allowed"], true);
            }
            let is_ready = self.services.iter().all(|&at| get(at, "/readyz").status == 200);
            if is_ready && self.site.fetches_of(Kind::Good, self.new) == 1 {
                return begun.elapsed();
            }
            assert!(begun.elapsed() < PATIENCE, "the fleet does not heal");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The largest value of a gauge.
    fn most(&self, gauge: &str) -> f64 {
        let values = self.services.iter().map(|&at| {
            let text = get(at, "/metrics");
            let line =
                text.text().lines().find_map(|line| line.strip_prefix(gauge)?.strip_prefix(' '));
            line.unwrap_or("0").parse::<f64>().unwrap()
        });
        values.fold(0.0, f64::max)
    }

    /// Asks during a fault and until it is over. `early` is the number of visits that may be too
    /// early, because Redis has lost turns.
    fn phase(
        &mut self,
        crowd: &Crowd,
        name: &str,
        early: usize,
        begin: impl FnOnce(),
        end: impl FnOnce(),
    ) {
        let time = match seconds() {
            0 => Duration::from_millis(300),
            seconds => Duration::from_secs(seconds),
        };
        crowd.figures();
        let (begun, fetches) = (Instant::now(), self.site.fetches());
        let memory: Vec<usize> = self.programs.iter().map(Program::memory).collect();
        begin();
        std::thread::sleep(time);
        let queue = self.most("verger_fetch_queue");
        let waiting = self.most("verger_fetch_waiting");
        end();
        let healed = self.await_sharing();
        let figures = crowd.figures();
        let fetches = self.site.fetches() - fetches;
        let too_early = early_visits(&self.site, begun, PAUSE);
        say(&format!(
            "{name} for {time:?}: {figures}, {fetches} fetches, {too_early} visits too early, \
             at most {queue} fetches and {waiting} checks wait in a process; healed in {healed:?}"
        ));
        assert!(figures.certain > 0, "{name}: nobody is served");
        assert!(figures.slowest < BOUND, "{name}: {:?}", figures.slowest);
        assert!(queue <= QUEUE && waiting <= QUEUE, "{name}");
        assert!(too_early <= early, "{name}: {too_early} visits are too early");
        for (program, before) in self.programs.iter_mut().zip(memory) {
            assert!(program.runs(), "{name}: a process has ended");
            let grown = program.memory().saturating_sub(before);
            assert!(grown < GROWTH, "{name}: {grown} bytes");
        }
    }
}

#[track_caller]
fn assert_right(crowd: Crowd) {
    let wrong = crowd.end();
    let shown = &wrong[..wrong.len().min(5)];
    assert!(wrong.is_empty(), "{} wrong answers: {}", wrong.len(), shown.join("\n"));
}

#[test]
fn a_failing_redis_changes_no_answer() {
    let Some(mut redis) = Server::on_port(free_port(), &[]) else { return };
    let mut fleet = Fleet::start(&redis.url(), 3);
    let crowd = Crowd::start(&fleet.site, &fleet.services);
    fleet.await_sharing();
    // A worker whose turn is lost may come too early once, and the others with the pause.
    let lost = 2 * usize::from(PACED);
    {
        let redis = std::cell::RefCell::new(&mut redis);
        fleet.phase(
            &crowd,
            "Redis killed",
            lost,
            || redis.borrow_mut().kill(),
            || redis.borrow_mut().restart(),
        );
    }
    // A check of readiness reads no records, of which there may be millions. It counts for a second.
    std::thread::sleep(PAUSE);
    assert_eq!(get(fleet.services[0], "/readyz").status, 200);
    let calls: String = redis.tell(&[b"INFO", b"commandstats"]);
    assert!(calls.contains("cmdstat_exists:") && !calls.contains("cmdstat_scan:"), "{calls}");
    if seconds() > 0 {
        fleet.phase(&crowd, "Redis paused", 0, || redis.pause(), || redis.resume());
        fleet.phase(&crowd, "Redis flushed", lost, || redis.tell_text("FLUSHALL"), || {});
        let fill = || {
            redis.tell_text("CONFIG SET maxmemory-policy noeviction");
            redis.tell_text("CONFIG SET maxmemory 1mb");
        };
        let empty = || redis.tell_text("CONFIG SET maxmemory 0");
        fleet.phase(&crowd, "Redis full", 0, fill, empty);
        fleet.phase(&crowd, "slow and dead origins only", 0, || {}, || {});
    }
    assert_right(crowd);
}

#[test]
fn a_cluster_without_a_node_changes_no_answer() {
    if seconds() == 0 {
        return say("`cargo xtask fleet` runs a_cluster_without_a_node_changes_no_answer");
    }
    let Some(mut nodes) = start_cluster(false) else { return };
    let urls: Vec<String> = nodes.iter().map(Server::url).collect();
    let mut fleet = Fleet::start(&urls.join(","), 3);
    let crowd = Crowd::start(&fleet.site, &fleet.services);
    fleet.await_sharing();
    let node = std::cell::RefCell::new(&mut nodes[0]);
    fleet.phase(
        &crowd,
        "a node of three killed",
        2 * usize::from(PACED),
        || node.borrow_mut().kill(),
        || node.borrow_mut().restart(),
    );
    assert_right(crowd);
}
