//! Clients of all access profiles on one store, and their sites.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use verger::access::{Kind, Profile, Stale};
use verger::{Crawler, Origin};
use verger_fetch::client::RobotsClient;
use verger_fetch::decision::Decision;
use verger_fetch::failure::{Failure, NetworkError};
use verger_fetch::fetch::Identity;
use verger_fetch::limits::Limits;
use verger_fetch::net::Roots;
use verger_fetch::record::{ReadOptions, RecordKey};
use verger_fetch::store::{Lookup, Store};

use crate::histories::model::{Answer, Asker, Came as Ended, Due, Model};
use crate::soak::net::{Net, Sites};
use crate::soak::plan::{Answered, Came, Fault, Plan, Site};
use crate::soak::tally::Tally;
use crate::soak::{HandClock, PATIENCE};

/// One site with its client and the expected answer.
#[derive(Debug)]
pub(crate) struct Asked {
    host: String,
    origin: Origin,
    client: usize,
    profile: &'static str,
    asker: Asker,
    model: Model,
    /// Time of the last answer to another URL of the site.
    page: Option<u64>,
    version: u32,
    is_up: bool,
    last: u64,
}

pub(crate) struct Fleet {
    pub(crate) store: Arc<dyn Store>,
    clients: Vec<RobotsClient>,
    pub(crate) sites: Vec<Asked>,
    net: Arc<Net>,
    clock: Arc<HandClock>,
}

/// Checks for a site in each round.
const QUESTIONS: usize = 16;

/// Sites for each profile.
const SITES: usize = 3;

impl Fleet {
    pub(crate) fn new(
        name: &str,
        store: Arc<dyn Store>,
        net: Arc<Net>,
        clock: Arc<HandClock>,
    ) -> Self {
        let mut sites = Vec::new();
        for (client, profile) in Profile::ALL.iter().enumerate() {
            for at in 0..SITES {
                let host = format!("{name}{at}.{}.example", profile.name);
                sites.push(Asked {
                    origin: Origin::from_parts("http", &host, None).unwrap(),
                    host,
                    client,
                    profile: profile.name,
                    asker: Asker { crawler: 0, limit: 512_000 },
                    model: Model::new(profile.name),
                    page: None,
                    // Version 0 is the empty file, which is not used.
                    version: 1 + u32::try_from(QUESTIONS).unwrap(),
                    is_up: true,
                    last: 0,
                });
            }
        }
        let mut fleet = Self { store, clients: Vec::new(), sites, net, clock };
        fleet.restart(0);
        fleet
    }

    /// New clients on the same store, as after the end of a process.
    pub(crate) fn restart(&mut self, seed: u64) {
        let some = Duration::from_millis(250);
        // The total time remains long: a share of it is the timeout of each store call, and the
        // disk of a busy machine needs more than a share of two seconds.
        let limits = Limits { head: some, idle: some, per_address: 256, ..Limits::default() };
        self.clients.clear();
        for profile in Profile::ALL {
            let identity = Identity::new("ExampleBot/1.0").unwrap();
            let builder = RobotsClient::builder(Crawler::new("ExampleBot"), identity)
                .access(profile)
                .limits(limits)
                .resolve(self.net.clone())
                .dial(self.net.clone())
                .roots(Roots::none())
                .clock(self.clock.clone())
                .store(Arc::clone(&self.store))
                .seed(seed);
            self.clients.push(builder.build().unwrap());
        }
        self.sites.iter_mut().for_each(|site| site.page = None);
    }

    /// Drops clients and store.
    pub(crate) fn park(&mut self, store: Arc<dyn Store>) {
        self.clients.clear();
        self.store = store;
    }

    /// Checks all sites concurrently.
    pub(crate) async fn round(&mut self, now: u64, mut random: Rng) -> Tally {
        let mut all = Tally::default();
        let mut tasks = tokio::task::JoinSet::new();
        for mut site in std::mem::take(&mut self.sites) {
            let client = self.clients[site.client].clone();
            let store = Arc::clone(&self.store);
            let sites = self.net.sites.clone();
            let mut random = random.fork();
            tasks.spawn(async move {
                let mut tally = Tally::default();
                site.asked(&client, &*store, &sites, now, &mut random, &mut tally).await;
                (site, tally)
            });
        }
        while let Some(done) = tasks.join_next().await {
            let (site, noted) = done.unwrap();
            self.sites.push(site);
            all.add(noted);
        }
        // A background fetch writes to the store first and to the memory of its client last. Until
        // then, the client answers from the earlier record.
        let end = Instant::now() + PATIENCE;
        while self.clients.iter().any(|client| client.load().fetches > 0) && Instant::now() < end {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // In an order independent of their speed.
        self.sites.sort_by(|a, b| a.host.cmp(&b.host));
        all
    }
}

impl Asked {
    /// Plans the outcome of a fetch, checks, and compares.
    async fn asked(
        &mut self,
        client: &RobotsClient,
        store: &dyn Store,
        sites: &Sites,
        now: u64,
        random: &mut Rng,
        tally: &mut Tally,
    ) {
        // A different time for each fetch, so that a record identifies its fetch.
        if now == self.last {
            return;
        }
        if random.u32(..8) == 0 {
            self.is_up = !self.is_up;
        }
        self.version += random.u32(..2);
        let plan = Plan::random(random, self.version, self.is_up);
        sites.lock().insert(self.host.clone(), Site::new(plan.clone()));
        if random.u32(..4) == 0 {
            let status = *random.choice(&[200, 301, 404, 429, 500]).unwrap_or(&200);
            client.report_available(&self.origin, status);
            if (200..500).contains(&status) && status != 429 {
                self.page = Some(now);
            }
        }
        // The client's own network works: another host has just answered (REP-CACHE-28).
        client.report_available(&Origin::from_parts("http", "other.example", None).unwrap(), 200);

        let due = self.model.due(self.asker, now);
        let before = self.model.answer_while_refreshing(self.asker, now);
        let before = before.filter(|_| due == Due::Yes);
        let meanwhile = before.is_some();
        let mut tasks = tokio::task::JoinSet::new();
        for question in 0..QUESTIONS {
            let version = self.version.saturating_sub(u32::try_from(question / 2).unwrap_or(0));
            let url = format!("http://{}/v{version}/{question}", self.host);
            let client = client.clone();
            tasks.spawn(async move { (version, client.check(&url).await) });
        }
        let decisions = tasks.join_all().await;
        let fetched = self.landed(store, now, meanwhile).await;

        let (requests, answered) = {
            let sites = sites.lock();
            let site = &sites[&self.host];
            (site.requests, site.answered())
        };
        // After the clock went back, no answer of another host is newer than the last fetch, so an
        // unknown name may be the fault of the client's network. It is not stored.
        let is_own_fault = fetched.is_none() && plan.fault() == Some(Fault::NoSuchName);
        let is_right = match due {
            Due::Yes => fetched.is_some() || is_own_fault,
            Due::No => fetched.is_none(),
            Due::Perhaps => true,
        };
        tally.expect(is_right, || format!("{}: due {due:?}, but {fetched:?}", self.host));
        tally.expect(requests <= usize::from(fetched.is_some()), || {
            format!("{}: {requests} requests, {fetched:?}", self.host)
        });
        if let Some(failure) = fetched {
            tally.fetch(&plan);
            self.last = now;
            let is_planned = plan.fault().is_some_and(Fault::is_silent);
            let is_late = failure.as_ref().is_some_and(is_timeout);
            let answered = if is_late && !is_planned {
                tally.late += 1;
                Answered { came: Came::Nothing, max_age: None, retry_after: None }
            } else {
                answered
            };
            self.model.fetched(self.asker, (ended(answered, &plan, now), false), now);
        }
        let is_there = self.page.is_some_and(|page| (page..page + 86_400).contains(&now));
        let after =
            Some(self.model.answer(self.asker, now, !(is_own_fault && due == Due::Yes), is_there));
        for (version, decision) in decisions {
            tally.checks += 1;
            let found = decision.map(|decision| seen(&decision));
            let fits = |answer: Answer| match (&found, answer) {
                (
                    Ok((Seen::File { is_copy }, allowed)),
                    Answer::File { version: file, is_copy: copy },
                ) => *is_copy == copy && *allowed == (version != file),
                (Ok((Seen::Allow, true)), Answer::Allow)
                | (Ok((Seen::Deny, false)), Answer::Deny | Answer::Unknown) => true,
                _ => false,
            };
            let is_right = after.is_some_and(fits) || before.is_some_and(fits);
            tally.expect(is_right, || {
                format!("{}, v{version}: {after:?} or {before:?}, but {found:?}", self.host)
            });
        }
    }

    fn key(&self) -> RecordKey {
        let profile = Profile::named(self.profile).unwrap();
        ReadOptions::new(profile).with_identity("ExampleBot").key(&self.origin)
    }

    /// Whether there was a fetch, and its failure. Waits for a background fetch.
    async fn landed(
        &self,
        store: &dyn Store,
        now: u64,
        meanwhile: bool,
    ) -> Option<Option<Failure>> {
        let end = tokio::time::Instant::now() + PATIENCE;
        loop {
            let record = store.get(&self.key()).await.ok().and_then(Lookup::found);
            if let Some(record) = record.filter(|record| record.tried_at().seconds() == now) {
                return Some(record.last().and_then(|last| last.failure.clone()));
            }
            if !meanwhile || tokio::time::Instant::now() > end {
                return None;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

/// The evidence of a decision.
#[derive(Clone, Copy, Debug)]
enum Seen {
    File { is_copy: bool },
    Allow,
    Deny,
}

fn seen(decision: &Decision) -> (Seen, bool) {
    let access = decision.access();
    let seen = match access.kind() {
        Kind::Rules => {
            let stale = access.stale();
            Seen::File { is_copy: matches!(stale, Some(Stale::DuringOutage | Stale::NotRefreshed)) }
        }
        Kind::AllowAll => Seen::Allow,
        Kind::DisallowAll | Kind::Unknown => Seen::Deny,
    };
    (seen, decision.is_allowed())
}

fn is_timeout(failure: &Failure) -> bool {
    matches!(failure, Failure::Network(NetworkError::Timeout(_)))
}

/// The outcome of a fetch, as in the model.
fn ended(answered: Answered, plan: &Plan, now: u64) -> Ended {
    let Answered { came, max_age, retry_after } = answered;
    match came {
        Came::File { is_confirmed: true, .. } => Ended::NotModified { max_age },
        Came::File { version, .. } => Ended::File { version, size: 1_000, max_age },
        Came::Status(status) => Ended::Status { status, retry_after, max_age },
        Came::TooManyRedirects => Ended::RedirectLimit,
        Came::BrokenRedirect => Ended::BrokenRedirect,
        Came::Nothing if plan.fault() == Some(Fault::NoSuchName) => {
            Ended::ReachFailure { heard: Some(now) }
        }
        Came::Nothing => Ended::SiteFailure,
    }
}
