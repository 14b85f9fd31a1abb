//! Several processes with one Redis: the parts that they play, and what they do together.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use verger_fetch::polite::{Politeness, Reservation, TurnRequest};
use verger_fetch::store::{Claim, Store as _};
use verger_redis::{RedisOptions, RedisStore};
use verger_testkit::shared::say;

use crate::server::{Server, run};
use crate::site::{Site, client, key};

/// The environment variable with the part of a process that a test has started.
const PART: &str = "VERGER_REDIS_TEST_PART";

const PROCESSES: usize = 4;

/// The part of a process, as words.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Holds the lease and the turn of `a.example`.
    Hold { url: String, time: Duration, pause: Duration },
    /// Checks URLs of many origins.
    Check { url: String, site: SocketAddr, origins: usize, checks: usize, seed: usize },
    /// Fetches pages politely.
    Crawl { url: String, site: SocketAddr, origins: usize, pages: usize, pause: Duration },
}

impl Part {
    fn words(&self) -> String {
        match self {
            Self::Hold { url, time, pause } => {
                format!("hold {url} {} {}", time.as_millis(), pause.as_millis())
            }
            Self::Check { url, site, origins, checks, seed } => {
                format!("check {url} {site} {origins} {checks} {seed}")
            }
            Self::Crawl { url, site, origins, pages, pause } => {
                format!("crawl {url} {site} {origins} {pages} {}", pause.as_millis())
            }
        }
    }

    fn of(words: &str) -> Self {
        let words: Vec<&str> = words.split(' ').collect();
        let number = |at: usize| words[at].parse::<usize>().unwrap();
        let millis = |at: usize| Duration::from_millis(number(at) as u64);
        let url = words[1].to_owned();
        match words[0] {
            "hold" => Self::Hold { url, time: millis(2), pause: millis(3) },
            "check" => {
                let (origins, checks, seed) = (number(3), number(4), number(5));
                Self::Check { url, site: words[2].parse().unwrap(), origins, checks, seed }
            }
            "crawl" => {
                let (origins, pages, pause) = (number(3), number(4), millis(5));
                Self::Crawl { url, site: words[2].parse().unwrap(), origins, pages, pause }
            }
            other => panic!("unknown part {other}"),
        }
    }
}

/// A process that plays a part. Its drop ends it.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    lines: BufReader<ChildStderr>,
}

pub(crate) fn start_part(part: &Part) -> Process {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "fleet::part_of_a_process", "--nocapture"]).env(PART, part.words());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap());
    Process { child, lines }
}

impl Process {
    /// The next line that it says.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Ends it by SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Plays the part of a process. It has none in the process of the tests.
#[test]
fn part_of_a_process() {
    let Ok(part) = env::var(PART) else { return };
    match Part::of(&part) {
        Part::Hold { url, time, pause } => run(async {
            let store = store(&url);
            let site = key("a.example");
            let claim = store.claim(&site, time).await.unwrap();
            let turns = store.turns();
            let turn = turns.reserve(site.origin(), &TurnRequest::new(pause, time)).await.unwrap();
            assert!(matches!(claim, Claim::Granted(_)));
            assert!(matches!(turn, Reservation::Granted { .. }));
            say("held");
            thread::sleep(crate::server::PATIENCE);
        }),
        Part::Check { url, site, origins, checks, seed } => {
            let wrong = run(check(&url, site, origins, checks, seed));
            say(&format!("{checks} {wrong}"));
        }
        Part::Crawl { url, site, origins, pages, pause } => {
            let failed = run(crawl(&url, site, origins, pages, pause));
            say(&format!("{pages} {failed}"));
        }
    }
}

fn store(url: &str) -> RedisStore {
    RedisStore::open(url, RedisOptions::new("ExampleBot")).unwrap()
}

/// Checks at a time in one process.
const AT_ONCE: usize = 64;

/// Checks URLs of all origins in turn, beginning at another one in each process. Returns the number
/// of wrong answers and errors.
async fn check(url: &str, site: SocketAddr, origins: usize, checks: usize, seed: usize) -> usize {
    let client = client(site, 0).store(Arc::new(store(url))).build().unwrap();
    let (next, wrong) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE {
        let (client, next, wrong) = (client.clone(), Arc::clone(&next), Arc::clone(&wrong));
        tasks.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= checks {
                    return;
                }
                // All processes begin with the same origins, so that they compete.
                let origin = (number * 7 + seed) % origins;
                let is_allowed = number % 2 == 0;
                let path = if is_allowed { "yes" } else { "no" };
                let answer = client.check(&format!("http://h{origin}.example/{path}")).await;
                match answer {
                    Ok(decision) if decision.is_allowed() == is_allowed => {}
                    other => {
                        say(&format!("{other:?}"));
                        wrong.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        });
    }
    tasks.join_all().await;
    wrong.load(Ordering::Relaxed)
}

/// Fetches pages of all origins politely. Returns the number of failures.
async fn crawl(
    url: &str,
    site: SocketAddr,
    origins: usize,
    pages: usize,
    pause: Duration,
) -> usize {
    let store = store(url);
    let politeness = Politeness { pause, ..Politeness::default() };
    let client = client(site, 0).turns(store.turns()).store(Arc::new(store));
    let client = client.politeness(politeness).build().unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..pages {
        let client = client.clone();
        let url = format!("http://h{}.example/page{number}", number % origins);
        tasks.spawn(async move { usize::from(client.get(&url).await.is_err()) });
    }
    tasks.join_all().await.into_iter().sum()
}

/// A number from the environment: `cargo xtask fleet` sets them.
pub(crate) fn number<T: FromStr>(name: &str, default: T) -> T {
    env::var(name).ok().map_or(default, |text| {
        text.parse().unwrap_or_else(|_| panic!("{name}: a number is expected"))
    })
}

#[test]
fn a_fleet_fetches_each_robots_txt_once() {
    let origins = number("VERGER_FLEET_ORIGINS", 50);
    let checks = number("VERGER_FLEET_CHECKS", 2_000);
    let (Some(server), site) = (Server::start(), Site::start()) else { return };
    let empty = memory(&server);
    let begun = Instant::now();
    let parts = (0..PROCESSES).map(|seed| {
        let (url, site, checks) = (server.url(), site.address(), checks / PROCESSES);
        start_part(&Part::Check { url, site, origins, checks, seed })
    });
    let mut parts: Vec<_> = parts.collect();
    for part in &mut parts {
        assert_eq!(part.line(), format!("{} 0", checks / PROCESSES), "no answer is wrong");
    }
    let time = begun.elapsed();
    let fetches = site.fetches();
    let bytes = memory(&server).saturating_sub(empty) / origins;
    say(&format!(
        "{PROCESSES} processes, {origins} origins, {checks} checks: {fetches} fetches, {time:?}, \
         {bytes} bytes of Redis for each origin"
    ));
    assert_eq!(fetches, origins);
}

/// Bytes that Redis uses for its data.
fn memory(server: &Server) -> usize {
    let info: String = server.tell(&[b"INFO", b"memory"]);
    let line = info.lines().find_map(|line| line.strip_prefix("used_memory_dataset:"));
    line.unwrap().trim().parse().unwrap()
}

#[test]
fn a_fleet_is_as_polite_as_one_process() {
    let origins = number("VERGER_FLEET_POLITE_ORIGINS", 3);
    let pages = number("VERGER_FLEET_PAGES", 6);
    let pause = Duration::from_millis(200);
    let (Some(server), site) = (Server::start(), Site::start()) else { return };
    let begun = Instant::now();
    let parts = (0..PROCESSES).map(|_| {
        let (url, site) = (server.url(), site.address());
        start_part(&Part::Crawl { url, site, origins, pages, pause })
    });
    let mut parts: Vec<_> = parts.collect();
    for part in &mut parts {
        assert_eq!(part.line(), format!("{pages} 0"));
    }
    let time = begun.elapsed();
    let log = site.log();
    let mut least = Duration::MAX;
    for number in 0..origins {
        let host = format!("h{number}.example");
        let times = log.iter().filter(|it| it.host == host && it.path != "/robots.txt");
        let times: Vec<_> = times.map(|it| it.at).collect();
        let gap = times.windows(2).map(|pair| pair[1] - pair[0]).min();
        least = least.min(gap.unwrap());
    }
    say(&format!(
        "{PROCESSES} processes, {origins} origins, {} pages with a pause of {pause:?}: the \
         shortest is {least:?}; {time:?}",
        PROCESSES * pages
    ));
    assert_eq!(log.iter().filter(|it| it.path != "/robots.txt").count(), PROCESSES * pages);
    assert!(least >= pause, "{least:?}");
    assert_eq!(site.fetches(), origins);
}
