//! A service in the world of the hostile server.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use verger::access::Timestamp;
use verger_fetch::client::{Clock, SystemClock};
use verger_fetch::failure::DnsError;
use verger_fetch::limits::Limits;
use verger_fetch::net::{BoxFuture, BoxStream, Dial, Resolve, Roots};
use verger_server::settings::Settings;
use verger_server::{Parts, Server};
use verger_testkit::server::{NoAddress, ScriptedResponse, Setup, Site, World};

use crate::client::{Response, get, post, send};

#[derive(Clone, Debug)]
struct Net(Arc<World>);

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

/// A running service, and the world that it sees.
pub(crate) struct Service {
    runtime: Runtime,
    server: Option<Server>,
    pub(crate) world: Arc<World>,
    pub(crate) at: SocketAddr,
}

impl Service {
    /// A service with the default settings that sees this world.
    pub(crate) fn start(setup: Setup) -> Self {
        Self::with(setup, |settings| settings)
    }

    /// A service with changed settings.
    pub(crate) fn with(setup: Setup, change: impl FnOnce(Settings) -> Settings) -> Self {
        Self::with_parts(setup, change, Parts::default())
    }

    /// A service with another clock.
    pub(crate) fn with_clock(setup: Setup, clock: Arc<dyn Clock>) -> Self {
        Self::of(setup, |settings| settings, Parts::default(), Some(clock))
    }

    pub(crate) fn with_parts(
        setup: Setup,
        change: impl FnOnce(Settings) -> Settings,
        parts: Parts,
    ) -> Self {
        Self::of(setup, change, parts, None)
    }

    fn of(
        setup: Setup,
        change: impl FnOnce(Settings) -> Settings,
        mut parts: Parts,
        change_clock: Option<Arc<dyn Clock>>,
    ) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let world = Arc::new(runtime.block_on(setup.start()).unwrap());
        let net = Arc::new(Net(Arc::clone(&world)));
        let settings = Settings { listen: vec![([127, 0, 0, 1], 0).into()], ..Settings::default() };
        let clock = change_clock.unwrap_or_else(|| Arc::new(SystemClock));
        let roots = match world.root() {
            Some(der) => Roots::none().with_certificate(der).unwrap(),
            None => Roots::none(),
        };
        parts.client = Some(Box::new(move |builder| {
            builder.resolve(net.clone()).dial(net).roots(roots).limits(short()).seed(7).clock(clock)
        }));
        let server = runtime.block_on(Server::start_with(change(settings), parts)).unwrap();
        let at = server.addresses()[0];
        Self { runtime, server: Some(server), world, at }
    }

    /// A shop whose robots.txt disallows `/cart`.
    pub(crate) fn shop() -> Self {
        Self::start(shop())
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        get(self.at, path)
    }

    pub(crate) fn post(&self, path: &str, json: &str) -> Response {
        post(self.at, path, json)
    }

    pub(crate) fn put(&self, path: &str, json: &str) -> Response {
        send(self.at, "PUT", path, &[("Content-Type", "application/json")], json.as_bytes())
    }

    /// Stops the service; whether it finished all requests.
    pub(crate) fn stop(mut self) -> bool {
        let server = self.server.take().unwrap();
        self.runtime.block_on(server.stop())
    }

    /// Number of requests that the world received.
    pub(crate) fn requests(&self) -> usize {
        self.world.record().requests.len()
    }

    /// The value of a number without labels, or the sum over labels that contain a text.
    pub(crate) fn number(&self, name: &str, label: &str) -> f64 {
        let text = self.get("/metrics");
        let lines = text.text().lines().filter(|line| {
            let rest = line.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(['{', ' '])) && line.contains(label)
        });
        lines.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            drop(server);
        }
    }
}

/// A clock that is set.
#[derive(Debug)]
pub(crate) struct HandClock(AtomicU64);

impl HandClock {
    pub(crate) fn at(seconds: u64) -> Self {
        Self(seconds.into())
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

/// The world of a shop.
pub(crate) fn shop() -> Setup {
    Setup::web("shop.example", Site::always(rules("User-agent: *\nDisallow: /cart\n")))
}

/// A response with a robots.txt.
pub(crate) fn rules(robots: &str) -> verger_testkit::server::Script {
    ScriptedResponse::new(200).field("Content-Type", "text/plain").body(robots).script()
}

/// Limits of some seconds, because stalls never end.
pub(crate) fn short() -> Limits {
    Limits::default().with_timeout(Duration::from_secs(5)).unwrap()
}
