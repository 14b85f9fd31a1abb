//! Clients that ask several services all the time: questions with known answers, and turns.

use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::site::{Kind, Site, own_path};
use crate::client::{escaped, get, post, send};

/// Threads that check URLs.
const CHECKERS: usize = 8;

/// Threads that visit pages politely, and their origins.
const WORKERS: usize = 6;
pub(crate) const PACED: u16 = 3;

/// Good origins that are asked again and again.
const WARM: u16 = 50;

/// The first number of the origins whose pages are visited.
const PACED_FROM: u16 = 60_000;

/// Answers to the clients since the last [`Crowd::figures`].
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) certain: AtomicUsize,
    pub(crate) pending: AtomicUsize,
    pub(crate) busy: AtomicUsize,
    /// Milliseconds of the slowest answer about a good origin.
    pub(crate) slowest: AtomicU64,
    pub(crate) granted: AtomicUsize,
    /// Answers of status 503 to requests for turns.
    pub(crate) no_turns: AtomicUsize,
    /// Turns that were lost before their release.
    pub(crate) lost: AtomicUsize,
}

/// The clients. They stop with [`end`](Self::end).
#[derive(Debug)]
pub(crate) struct Crowd {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    site: Arc<Site>,
    services: Vec<SocketAddr>,
    stops: AtomicBool,
    next: AtomicUsize,
    counts: Counts,
    wrong: Mutex<Vec<String>>,
}

/// The figures of one phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) certain: usize,
    pub(crate) pending: usize,
    pub(crate) busy: usize,
    pub(crate) slowest: Duration,
    pub(crate) granted: usize,
    pub(crate) no_turns: usize,
    pub(crate) lost: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { certain, pending, busy, slowest, granted, no_turns, lost } = self;
        write!(
            f,
            "{certain} answers, {pending} pending, {busy} busy, the slowest of a good origin \
             {slowest:?}; {granted} turns, {lost} lost, {no_turns} times none to be had"
        )
    }
}

impl Crowd {
    pub(crate) fn start(site: &Arc<Site>, services: &[SocketAddr]) -> Self {
        let shared = Arc::new(Shared {
            site: Arc::clone(site),
            services: services.to_vec(),
            stops: AtomicBool::new(false),
            next: AtomicUsize::new(0),
            counts: Counts::default(),
            wrong: Mutex::default(),
        });
        let mut threads = Vec::new();
        let mut start = |of: fn(&Shared, usize), count: usize| {
            for number in 0..count {
                let shared = Arc::clone(&shared);
                threads.push(std::thread::spawn(move || {
                    while !shared.stops.load(Ordering::Relaxed) {
                        of(&shared, number);
                    }
                }));
            }
        };
        start(|shared, _| shared.check(), CHECKERS);
        start(Shared::work, WORKERS);
        Self { shared, threads }
    }

    /// The figures since the last call.
    pub(crate) fn figures(&self) -> Figures {
        let counts = &self.shared.counts;
        let take = |count: &AtomicUsize| count.swap(0, Ordering::Relaxed);
        Figures {
            certain: take(&counts.certain),
            pending: take(&counts.pending),
            busy: take(&counts.busy),
            slowest: Duration::from_millis(counts.slowest.swap(0, Ordering::Relaxed)),
            granted: take(&counts.granted),
            no_turns: take(&counts.no_turns),
            lost: take(&counts.lost),
        }
    }

    /// Stops all clients. Returns the wrong answers.
    pub(crate) fn end(self) -> Vec<String> {
        self.shared.stops.store(true, Ordering::Relaxed);
        for thread in self.threads {
            thread.join().unwrap();
        }
        std::mem::take(&mut *self.shared.wrong.lock().unwrap())
    }
}

/// The shortest times between two visits of each origin of the workers, for visits after a moment.
pub(crate) fn early_visits(site: &Site, from: Instant, pause: Duration) -> usize {
    let log = site.log();
    let hosts: std::collections::BTreeSet<_> =
        log.iter().filter(|it| !it.is_robots).map(|it| it.host).collect();
    let gaps = hosts.into_iter().flat_map(|host| {
        let visits = log.iter().filter(|it| !it.is_robots && it.host == host);
        let times: Vec<Instant> = visits.map(|it| it.at).filter(|at| *at >= from).collect();
        times.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
    });
    gaps.filter(|gap| *gap < pause).count()
}

impl Shared {
    fn service(&self, number: usize) -> SocketAddr {
        self.services[number % self.services.len()]
    }

    /// Asks one question. One in five is about a slow or dead origin.
    fn check(&self) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let fresh = u16::try_from(number / 100 % 50_000).unwrap();
        let (kind, origin) = match number % 20 {
            0 | 10 => (Kind::Slow, fresh),
            5 => (Kind::Dead, fresh),
            15 => (Kind::Silent, fresh),
            1 => (Kind::Good, WARM + u16::try_from(number / 20 % 50_000).unwrap()),
            _ => (Kind::Good, u16::try_from(number % usize::from(WARM)).unwrap()),
        };
        let (path, is_allowed) = match number / 20 % 4 {
            0 => ("/no".to_owned(), false),
            1 => ("/yes".to_owned(), true),
            2 => (own_path(origin), false),
            _ => (own_path(origin.wrapping_add(1)), true),
        };
        let url = format!("{}{path}", self.site.origin(kind, origin));
        let wait = if kind == Kind::Good { 5_000 } else { 300 };
        let query = format!("/v1/check?agent=x&wait_ms={wait}&url={}", escaped(&url));
        let begun = Instant::now();
        let found = get(self.service(number / 3), &query);
        if kind == Kind::Good {
            let time = u64::try_from(begun.elapsed().as_millis()).unwrap();
            self.counts.slowest.fetch_max(time, Ordering::Relaxed);
        }
        let json = found.json();
        let is_dead = matches!(kind, Kind::Dead | Kind::Silent);
        let (count, is_right) = match found.status {
            202 => (&self.counts.pending, json["reason"] == "pending" && json["allowed"] == false),
            503 => (&self.counts.busy, json["status"] == 503),
            200 if is_dead => (&self.counts.certain, json["allowed"] == false),
            _ => (
                &self.counts.certain,
                json["allowed"] == is_allowed && json["decision"]["access"] == "rules",
            ),
        };
        count.fetch_add(1, Ordering::Relaxed);
        if !is_right {
            self.wrong(format!("{url}: {} {json}", found.status));
        }
    }

    /// Visits one page politely.
    fn work(&self, number: usize) {
        let counts = &self.counts;
        let origin = PACED_FROM + u16::try_from(number).unwrap() % PACED;
        let url = format!("{}/yes", self.site.origin(Kind::Good, origin));
        let body = format!(r#"{{"agent":"x","url":"{url}","wait_ms":2000,"hold_seconds":5}}"#);
        let turn = post(self.service(number), "/v1/turns", &body);
        let json = turn.json();
        match turn.status {
            201 => {}
            200 if json["granted"] == false => return,
            503 => {
                counts.no_turns.fetch_add(1, Ordering::Relaxed);
                return std::thread::sleep(Duration::from_millis(50));
            }
            _ => return self.wrong(format!("turn of {url}: {} {json}", turn.status)),
        }
        counts.granted.fetch_add(1, Ordering::Relaxed);
        self.site.visit(Kind::Good, origin).unwrap();
        // Any process ends it.
        let path = format!("/v1/turns/{}/release", json["turn"].as_str().unwrap());
        for try_number in 1.. {
            let json = [("Content-Type", "application/json")];
            let at = self.service(number + try_number);
            let released = send(at, "POST", &path, &json, br#"{"status":200}"#);
            match released.status {
                200 => return,
                // The first release may have worked without an answer.
                409 => {
                    counts.lost.fetch_add(1, Ordering::Relaxed);
                    return;
                }
                503 => std::thread::sleep(Duration::from_millis(50)),
                _ => return self.wrong(format!("release: {released:?}")),
            }
        }
    }

    fn wrong(&self, what: String) {
        self.wrong.lock().unwrap().push(what);
    }
}
