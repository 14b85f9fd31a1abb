//! A client in the world of the hostile server.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use verger::access::{Profile, Timestamp};
use verger::{Crawler, Origin};
use verger_fetch::client::{Clock, RobotsClient, RobotsClientBuilder};
use verger_fetch::failure::DnsError;
use verger_fetch::fetch::Identity;
use verger_fetch::limits::{Limits, TOTAL};
use verger_fetch::net::{BoxFuture, BoxStream, Dial, Resolve, Roots};
use verger_fetch::record::{ReadOptions, RecordKey};
use verger_testkit::server::{NoAddress, ScriptedResponse, Setup, Site, World};

/// A time long after 1970.
pub(crate) const NOW: u64 = 1_763_700_000;

/// The names and addresses of a world.
#[derive(Clone, Debug)]
pub(crate) struct Net(pub(crate) Arc<World>);

impl Resolve for Net {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(async move {
            match self.0.resolve(name).await {
                Ok(resolved) => Ok(resolved.addresses),
                Err(NoAddress::NoSuchName) => Err(DnsError::NoSuchName),
                Err(NoAddress::NoData) => Err(DnsError::NoAddress),
                Err(_) => Err(DnsError::Failed),
            }
        })
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

/// Dials one address only with a permit.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) net: Net,
    pub(crate) at: SocketAddr,
    pub(crate) open: Semaphore,
}

impl Dial for Gate {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(async move {
            if to == self.at {
                self.open.acquire().await.unwrap().forget();
            }
            self.net.dial(to).await
        })
    }
}

/// A clock that changes only when it is set.
#[derive(Debug, Default)]
pub(crate) struct HandClock(AtomicU64);

impl HandClock {
    pub(crate) fn at(seconds: u64) -> Arc<Self> {
        Arc::new(Self(seconds.into()))
    }

    pub(crate) fn set(&self, seconds: u64) {
        self.0.store(seconds, Ordering::Relaxed);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(self.0.load(Ordering::Relaxed))
    }
}

/// The site of most tests, with the same response to everything.
pub(crate) fn shop(answer: ScriptedResponse) -> Setup {
    Setup::web("shop.example", Site::always(answer.script()))
}

pub(crate) fn origin() -> Origin {
    Origin::from_parts("http", "shop.example", None).unwrap()
}

/// The key of its record in the default profile.
pub(crate) fn key() -> RecordKey {
    key_in(Profile::default())
}

/// The key of its record in a profile.
pub(crate) fn key_in(profile: Profile) -> RecordKey {
    ReadOptions::new(profile).with_identity("ExampleBot").key(&origin())
}

/// Tests many items concurrently, because most of the time is waiting, and reports all errors.
pub(crate) fn test_each<T: Send>(items: Vec<T>, test: impl Fn(T) -> Result<(), String> + Sync) {
    const WORKERS: usize = 4;
    let (items, errors) = (Mutex::new(items.into_iter()), Mutex::new(Vec::new()));
    let next = || items.lock().unwrap().next();
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(item) = next() {
                    if let Err(error) = test(item) {
                        errors.lock().unwrap().push(error);
                    }
                }
            });
        }
    });
    let errors = errors.into_inner().unwrap();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

pub(crate) async fn start(setup: Setup) -> Arc<World> {
    Arc::new(setup.start().await.unwrap())
}

/// A client that reaches this world only, with short waits.
pub(crate) fn client(world: &Arc<World>) -> RobotsClientBuilder {
    client_of(world, Crawler::new("ExampleBot"))
}

/// The same for a crawler with other tokens.
pub(crate) fn client_of(world: &Arc<World>, crawler: Crawler) -> RobotsClientBuilder {
    made(world, crawler, Identity::new("ExampleBot/1.0").unwrap())
}

/// The same with another identity.
pub(crate) fn client_with(world: &Arc<World>, identity: Identity) -> RobotsClientBuilder {
    made(world, Crawler::new("ExampleBot"), identity)
}

fn made(world: &Arc<World>, crawler: Crawler, identity: Identity) -> RobotsClientBuilder {
    let net = Arc::new(Net(Arc::clone(world)));
    let roots = match world.root() {
        Some(der) => Roots::none().with_certificate(der).unwrap(),
        None => Roots::none(),
    };
    RobotsClient::builder(crawler, identity)
        .resolve(net.clone())
        .dial(net)
        .roots(roots)
        .clock(HandClock::at(NOW))
        .seed(7)
}

/// Limits of some hundred milliseconds, because stalls never end. In all a few seconds: of a
/// shorter time, a busy machine delays timers by a quarter, which counts as a stop of the process.
pub(crate) fn short() -> Limits {
    let some = Duration::from_millis(900);
    Limits {
        total: some * 4,
        dns: some,
        connect: some / 2,
        connect_all: some,
        tls: some,
        head: some,
        idle: some,
        ..Limits::default()
    }
}

/// The longest limits, for tests in which time ends nothing, however slow the machine is.
pub(crate) fn patient() -> Limits {
    Limits::default().with_timeout(TOTAL.most).unwrap()
}

/// Runs a future on this thread. Timers are looked at after every few tasks, because many clients
/// share the thread, and some answers keep a debug build busy.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().event_interval(4).build().unwrap().block_on(future)
}

/// Longer than anything here takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for a condition.
pub(crate) async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let all = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    assert!(timeout(PATIENCE, all).await.is_ok(), "{what} did not come about");
}
