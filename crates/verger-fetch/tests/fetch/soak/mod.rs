//! The real client against random faults, for days of a clock that is set by the test.
//!
//! Every decision, and whether there was a fetch, is compared with the naive model of the
//! histories. Seconds of real time: `VERGER_SOAK_SECONDS`, 3 by default; `cargo xtask soak` sets
//! it.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]
#![expect(clippy::print_stdout, reason = "a soak tells its figures")]

mod fleet;
mod net;
mod plan;
mod tally;
mod watched;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use verger::access::Timestamp;
use verger_fetch::client::Clock;
use verger_fetch::store::{MemoryStore, SqliteOptions, SqliteStore, Store};
use verger_testkit::server::{ScriptedResponse, Service, Setup, Site};

use crate::soak::fleet::Fleet;
use crate::soak::net::{Net, Sites};
use crate::soak::tally::Tally;
use crate::soak::watched::Watched;

/// Maximum wait for a background fetch.
const PATIENCE: Duration = Duration::from_secs(20);

/// Start of the clock.
const NOW: u64 = 1_763_700_000;

/// Rounds between two restarts.
const RESTART: u64 = 10;

/// Permitted growth of memory between the middle of a long soak and its end.
const SLACK_KIB: u64 = 16 * 1024;

/// Minimum length of a soak for a check of its memory.
const LONG: Duration = Duration::from_secs(60);

/// A clock that the test sets.
#[derive(Debug)]
pub(crate) struct HandClock(AtomicU64);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(self.0.load(Ordering::Relaxed))
    }
}

#[test]
fn decisions_agree_with_the_model_for_days() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number is expected"))
    };
    let time = Duration::from_secs(number("VERGER_SOAK_SECONDS", 3));
    let seed = number("VERGER_SOAK_SEED", 9309);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(soak(time, seed));
}

async fn soak(time: Duration, seed: u64) {
    let mut random = Rng::with_seed(seed);
    let sites = Sites::default();
    let asked = sites.clone();
    let site = Site::new().by(move |request| {
        let host = request.field("Host").unwrap_or_default();
        let mut sites = asked.lock();
        sites
            .get_mut(&host)
            .map_or_else(|| ScriptedResponse::new(500).script(), |site| site.answer(request))
    });
    let world = Arc::new(Setup::new().place(80, Service::Http(site)).start().await.unwrap());
    let clock = Arc::new(HandClock(NOW.into()));
    let net = Arc::new(Net { world: Arc::clone(&world), sites });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let slow = Arc::new(AtomicU64::new(0));
    let open = async || {
        let store = SqliteStore::open(&path, SqliteOptions::default()).await.unwrap();
        Arc::new(Watched::new(store, Arc::clone(&slow)))
    };
    let mut sqlite = open().await;
    let memory: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut fleets = [
        Fleet::new("m", memory, Arc::clone(&net), Arc::clone(&clock)),
        Fleet::new("s", sqlite.clone(), net, Arc::clone(&clock)),
    ];

    let (start, mut tally, mut rss) = (Instant::now(), Tally::default(), Vec::new());
    let (mut now, mut rounds, mut turned_back) = (NOW, 0, 0);
    while start.elapsed() < time {
        rounds += 1;
        if random.u32(..50) == 0 {
            // A clock that goes back (REP-CACHE-23).
            now -= random.u64(1..100_000);
            turned_back += 1;
        } else {
            let (least, most) = *random
                .choice(&[(1, 120), (60, 3_600), (3_600, 90_000), (86_400, 500_000)])
                .unwrap();
            now += random.u64(least..most);
        }
        clock.0.store(now, Ordering::Relaxed);
        let [first, second] = &mut fleets;
        let noted = tokio::join!(first.round(now, random.fork()), second.round(now, random.fork()));
        tally.add(noted.0);
        tally.add(noted.1);
        world.forget();
        if rounds % RESTART == 0 {
            first.restart(rounds);
            second.park(Arc::clone(&first.store));
            // Fetches are complete, and their tasks end now.
            let end = Instant::now() + PATIENCE;
            while Arc::strong_count(&sqlite) > 1 && Instant::now() < end {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            match Arc::into_inner(sqlite) {
                Some(store) => store.into_inner().close().await,
                None => tally.expect(false, || "a client outlived its fetches".to_owned()),
            }
            sqlite = open().await;
            second.store = sqlite.clone();
            second.restart(rounds);
        }
        // At a tenth, after everything has been used once; at the half; at the end.
        let at = [time / 10, time / 2];
        if at.get(rss.len()).is_some_and(|&at| start.elapsed() >= at) {
            rss.push(resident_kib());
        }
    }
    rss.push(resident_kib());
    print_summary(&tally, seed, start.elapsed(), rounds, turned_back, now);
    let shown: Vec<String> =
        rss.iter().map(|kib| kib.map_or("unknown".into(), |kib| format!("{kib} KiB"))).collect();
    println!("resident memory at a tenth, the half, the end: {}", shown.join(", "));
    let has_grown = match rss[..] {
        [_, Some(middle), Some(end)] => time >= LONG && end > middle + SLACK_KIB,
        _ => false,
    };
    if has_grown {
        println!("expected no more than {SLACK_KIB} KiB of growth in the second half");
    }
    let slow = slow.load(Ordering::Relaxed);
    if slow > 0 {
        println!(
            "{slow} calls of the store were slower than a client waits: differences may be due to \
             the load of this machine; repeat the soak when it is idle"
        );
    }
    assert!(tally.differences == 0 && !has_grown, "{} differences", tally.differences);
}

fn print_summary(
    tally: &Tally,
    seed: u64,
    time: Duration,
    rounds: u64,
    turned_back: u64,
    now: u64,
) {
    let Tally { checks, fetches, late, differences, shown } = tally;
    let days = now.saturating_sub(NOW) / 86_400;
    let all: u64 = fetches.values().sum();
    println!("soak: {} s, seed {seed}: {rounds} rounds in {days} days", time.as_secs());
    println!("{checks} checks, {all} fetches, {turned_back} times the clock went back");
    println!("{} times all clients and the store on disk began anew", rounds / RESTART);
    for (kind, count) in fetches {
        println!("  {count:>8} {kind}");
    }
    println!("{late} fetches were too slow without meaning to");
    println!("{differences} differences");
    for what in shown {
        println!("  {what}");
    }
}

/// The resident memory of this process, if the system reports it.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}
