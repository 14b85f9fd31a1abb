//! A clock that jumps to the next check, and the testkit's server.

use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpStream;
use verger::access::Timestamp;
use verger::{Crawler, Origin};
use verger_fetch::background::Background;
use verger_fetch::client::{Clock, RobotsClient};
use verger_fetch::failure::DnsError;
use verger_fetch::fetch::Identity;
use verger_fetch::net::{BoxFuture, BoxStream, Dial, Resolve};
use verger_testkit::server::{PUBLIC, ScriptedResponse, Service, Setup, Site as Server, World};

use crate::console::Messages;
use crate::error::ExitStatus;
use crate::network::OneFamily;
use crate::robots_place::RobotsPlace;
use crate::watch::change::{ChangeKeys, FAMILIES};
use crate::watch::schedule::{Pace, run};
use crate::watch::seen::Memory;
use crate::watch::watcher::{Site, Watcher, fetch};

/// The start of the simulation, in seconds since 1970.
pub(super) const START: u64 = 1_763_700_000;

/// The time of the simulation, in seconds since its start.
#[derive(Clone, Debug, Default)]
pub(super) struct Virtual(Arc<AtomicU64>);

impl Virtual {
    pub(super) fn seconds(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    pub(super) fn wait_until(&self, seconds: u64) {
        self.0.store(seconds, Ordering::SeqCst);
    }
}

impl Clock for Virtual {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(START + self.seconds())
    }
}

impl Pace for Virtual {
    fn now(&self) -> Duration {
        Duration::from_secs(self.seconds())
    }

    fn wait<T>(
        &self,
        results: &Receiver<T>,
        until: Option<Duration>,
        is_running: bool,
    ) -> Option<T> {
        if is_running {
            return results.recv().ok();
        }
        // This clock has whole seconds.
        self.wait_until(until.expect("a site is due").as_secs() + 1);
        None
    }
}

/// The time of every file.
const MODIFIED: &str = "Fri, 21 Nov 2025 04:00:00 GMT";

/// All names are at the same addresses.
#[derive(Clone, Debug)]
struct Net(Arc<World>, &'static [IpAddr]);

/// The address of all names in IPv6.
pub(super) const V6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2606, 0x2800, 0x220, 1, 0, 0, 0, 1));

impl Resolve for Net {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(async { Ok(self.1.to_vec()) })
    }
}

impl Dial for Net {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(async move {
            let at = self.0.dial(to).await?;
            Ok(Box::new(TcpStream::connect(at).await?) as BoxStream)
        })
    }
}

/// A server that answers by the name of the site, the User-Agent header (over IPv6: `IPv6`) and the
/// time. It answers any condition with 304, whatever has changed.
pub(super) struct Simulation {
    background: Background,
    net: Net,
    pub(super) time: Virtual,
    pub(super) folder: tempfile::TempDir,
    /// The addresses for the clients of one family.
    pub(super) of_families: &'static [IpAddr],
}

pub(super) type Answer = fn(usize, &str, u64) -> ScriptedResponse;

impl Simulation {
    pub(super) fn new(answer: Answer) -> Self {
        let (background, time) = (Background::start().unwrap(), Virtual::default());
        let server = |is_v6: bool| {
            let clock = time.clone();
            Server::new().by(move |request| {
                let host = request.field("Host").unwrap_or_default();
                let site = host.trim_start_matches('s').split('.').next().unwrap_or_default();
                let agent = request.field("User-Agent").unwrap_or_default();
                let agent = if is_v6 { "IPv6" } else { &*agent };
                let mut conditions = ["If-None-Match", "If-Modified-Since"].into_iter();
                if conditions.any(|name| request.field(name).is_some()) {
                    return ScriptedResponse::new(304).script();
                }
                let answer = answer(site.parse().unwrap_or_default(), agent, clock.seconds());
                answer.field("ETag", "\"1\"").field("Last-Modified", MODIFIED).script()
            })
        };
        let setup = Setup::new().place(80, Service::Http(server(false)));
        let setup = setup.place_at(SocketAddr::new(V6, 80), Service::Http(server(true)));
        let world = background.block_on(setup.start()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        Self {
            background,
            net: Net(Arc::new(world), &[PUBLIC]),
            time,
            folder,
            of_families: &[PUBLIC],
        }
    }

    /// A client with a User-Agent header, or for one address family by its name.
    fn client(&self, header: &str) -> RobotsClient {
        let _inside = self.background.enter();
        let resolve: Arc<dyn Resolve> = match FAMILIES.into_iter().find(|(name, _)| *name == header)
        {
            Some((_, is_v4)) => {
                let net = Net(Arc::clone(&self.net.0), self.of_families);
                Arc::new(OneFamily { resolver: Arc::new(net), is_v4 })
            }
            None => Arc::new(self.net.clone()),
        };
        RobotsClient::builder(Crawler::new("verger"), Identity::new(header).unwrap())
            .resolve(resolve)
            .dial(Arc::new(self.net.clone()))
            .clock(Arc::new(self.time.clone()))
            .build()
            .unwrap()
    }

    /// Watches sites until a time, and returns the reports.
    pub(super) fn watch(
        &self,
        count: usize,
        interval: u64,
        until: u64,
        headers: &[&str],
    ) -> Vec<Value> {
        self.watch_for(count, interval, until, headers, None)
    }

    pub(super) fn watch_for(
        &self,
        count: usize,
        interval: u64,
        until: u64,
        headers: &[&str],
        expect: Option<&RobotsPlace>,
    ) -> Vec<Value> {
        self.run(count, interval, until, headers, |_| expect.cloned(), false).0
    }

    pub(super) fn run(
        &self,
        count: usize,
        interval: u64,
        until: u64,
        headers: &[&str],
        expect: impl Fn(usize) -> Option<RobotsPlace>,
        is_once: bool,
    ) -> (Vec<Value>, ExitStatus) {
        let site = |at| Site {
            origin: Origin::from_parts("http", &format!("s{at}.example"), None).unwrap(),
            interval: Duration::from_secs(interval),
            expect: expect(at),
        };
        let sites: Vec<Site> = (0..count).map(site).collect();
        let mut clients = vec![(String::new(), self.client("verger/0.1"))];
        clients.extend(headers.iter().map(|it| ((*it).to_owned(), self.client(it))));
        let memory = Memory::open(self.folder.path()).unwrap();
        let mut watcher = Watcher::new(&sites, is_once, Some(memory));
        let reports = Mutex::new(Vec::new());
        let mut messages = Messages::stderr();
        let done: io::Result<()> = run(
            &self.time,
            count,
            |at, sender| {
                let (clients, origin) = (clients.clone(), sites[at].origin.clone());
                drop(self.background.spawn(async move {
                    let answers = fetch(clients, &origin).await;
                    let _ = sender.send((at, answers));
                }));
            },
            |at, answers| {
                let now = Clock::now(&self.time);
                let mut report = |change: &ChangeKeys<'_>| {
                    reports.lock().unwrap().push(serde_json::to_value(change)?);
                    Ok(())
                };
                let next = watcher.check(at, answers, now, &mut messages, &mut report)?;
                self.net.0.forget();
                Ok(next.filter(|_| self.time.seconds() < until))
            },
        );
        done.unwrap();
        (reports.into_inner().unwrap(), watcher.status)
    }
}
