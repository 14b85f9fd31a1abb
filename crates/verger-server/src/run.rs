//! Start and end of the service.

use std::io::ErrorKind;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{Mutex, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use verger::{Crawler, quoted};
use verger_fetch::client::{RobotsClient, RobotsClientBuilder};
use verger_fetch::fetch::Identity;
use verger_fetch::guard::Guard;
use verger_fetch::limits::Limits;
use verger_fetch::net::{DnsResolver, Roots};
use verger_fetch::polite::{MemoryTurns, TurnStore};
use verger_fetch::store::{MemoryStore, SqliteOptions, SqliteStore, Store};
use verger_identity::net::{Lookups, read_lists};
use verger_identity::{Identifier, TrustedProxies};
use verger_redis::{RedisOptions, RedisStore};

use crate::access_control::AccessControl;
use crate::answers::Answers;
use crate::app::{App, Identification};
use crate::connection::{Connections, serve};
use crate::error::StartError;
use crate::limits::{BACKLOG, GIVING_BACK, METRICS_UPKEEP};
use crate::operator::update;
use crate::refreshes::Refreshes;
use crate::routes::router;
use crate::secrets::read_key;
use crate::settings::Settings;
use crate::stopping::Stopping;
use crate::telemetry::recorder;
use crate::work::Work;

/// A running service. Dropping it ends it at once; [`stop`](Self::stop) finishes accepted requests.
#[derive(Debug)]
pub struct Server {
    addresses: Vec<SocketAddr>,
    app: Arc<App>,
    /// Its time is the beginning of the end.
    stop: watch::Sender<Option<Instant>>,
    tasks: JoinSet<()>,
    background: JoinSet<()>,
}

/// Parts of the service that a program may replace, for example in tests.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use verger_fetch::store::MemoryStore;
/// use verger_server::settings::Settings;
/// use verger_server::{Parts, Server};
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let mut parts = Parts::default();
/// // A quarter of the default.
/// parts.store = Some(Arc::new(MemoryStore::bounded(16 * 1024 * 1024)));
/// let settings = Settings { listen: vec!["127.0.0.1:0".parse()?], ..Settings::default() };
/// let server = Server::start_with(settings, parts).await?;
/// assert!(server.stop().await);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
#[non_exhaustive]
pub struct Parts {
    /// Storage of records, in place of that of the settings.
    pub store: Option<Arc<dyn Store>>,
    /// Storage of turns, in place of that of the settings.
    pub turns: Option<Arc<dyn TurnStore>>,
    /// A change of the robots client.
    pub client: Option<Box<dyn FnOnce(RobotsClientBuilder) -> RobotsClientBuilder + Send>>,
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { store, turns, client } = self;
        f.debug_struct("Parts")
            .field("store", store)
            .field("turns", turns)
            .field("client", &client.is_some())
            .finish()
    }
}

impl Server {
    /// Starts the service.
    ///
    /// It installs a recorder of the crate `metrics`, unless the program has one, which gets all
    /// metrics then; `/metrics` is empty in this case.
    ///
    /// # Errors
    ///
    /// A wrong setting, a file that cannot be read, or an address that cannot be used.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        Self::start_with(settings, Parts::default()).await
    }

    /// Starts the service with other parts.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub async fn start_with(settings: Settings, parts: Parts) -> Result<Self, StartError> {
        let metrics = recorder()?;
        let listeners = listen_all(&settings.listen)?;
        let addresses = listeners.iter().filter_map(|listener| listener.local_addr().ok());
        let addresses: Vec<SocketAddr> = addresses.collect();
        let access = AccessControl::new(&settings, &addresses)?;
        let (store, turns) = match (parts.store, parts.turns) {
            (Some(store), turns) => (store, turns.unwrap_or_else(|| Arc::new(MemoryTurns::new()))),
            (None, turns) => {
                let (store, own) = open(&settings).await?;
                (store, turns.unwrap_or(own))
            }
        };
        let mut builder = client(&settings)?.store(Arc::clone(&store));
        if let Some(change) = parts.client {
            builder = change(builder);
        }
        let client = builder
            .build()
            .map_err(|error| StartError::new(format!("could not start: {error}")))?;
        let (stop, stopping) = Stopping::new(settings.stop_time);
        let (cache, is_memory) = (settings.cache_bytes, store.is_memory());
        let answers = Answers::new(client, settings.dialect, cache, is_memory, stopping.clone());
        let most = connections(settings.max_connections);
        let resolver = Arc::new(DnsResolver::system().map_err(|error| {
            StartError::new(format!("could not read the configuration of DNS: {error}"))
        })?);
        let lookups = Lookups::new(answers.client.clone(), resolver);
        let app = Arc::new(App {
            answers,
            identification: Identification { identifier: identifier(&settings)?, lookups },
            store,
            turns,
            access,
            work: Work::new(),
            refreshes: Refreshes::new(),
            prometheus: metrics,
            stopping,
            ready: Mutex::default(),
            places: Arc::new(Semaphore::new(settings.max_requests)),
            giving_back: Arc::new(Semaphore::new(GIVING_BACK)),
            settings,
        });
        let connections = Arc::new(Connections::new(most, Arc::clone(&app), router(&app)));
        let (mut tasks, mut background) = (JoinSet::new(), JoinSet::new());
        background.spawn(upkeep(Arc::clone(&app)));
        for listener in listeners {
            tasks.spawn(serve(listener, Arc::clone(&connections)));
        }
        Ok(Self { addresses, app, stop, tasks, background })
    }

    /// The addresses on which it listens.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Reads the files of tokens again. After an error the previous tokens stay valid.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or has no valid token.
    pub fn reload(&self) -> Result<(), StartError> {
        self.app.access.reload()
    }

    /// Accepts no more requests, finishes the accepted ones, and ends. Returns false if some were
    /// not finished in time.
    pub async fn stop(mut self) -> bool {
        self.stop.send_replace(Some(Instant::now()));
        let time = self.app.settings.stop_time;
        let finished = timeout(time, async { while self.tasks.join_next().await.is_some() {} });
        // Connections without a request may be left.
        let is_finished = finished.await.is_ok() || self.app.running() == 0;
        if !is_finished {
            let left = self.app.running();
            tracing::warn!(left, "requests were aborted: they took longer than `stop_seconds`");
        }
        self.tasks.shutdown().await;
        self.background.shutdown().await;
        is_finished
    }
}

/// Checks settings and the files that they name, without starting.
///
/// # Errors
///
/// The first problem.
pub async fn check(settings: &Settings) -> Result<(), StartError> {
    AccessControl::new(settings, &settings.listen)?;
    let (store, _) = open(settings).await?;
    client(settings)?.store(store).build().map_err(|error| StartError::new(error.to_string()))?;
    Ok(())
}

/// Listens on all addresses. That of the loopback interface of IPv6 may be missing beside another
/// one: it is a default, and many containers have no IPv6.
fn listen_all(addresses: &[SocketAddr]) -> Result<Vec<TcpListener>, StartError> {
    let mut listeners = Vec::new();
    let mut missing = None;
    for &address in addresses {
        match listen(address) {
            Ok(listener) => listeners.push(listener),
            Err((ErrorKind::AddrInUse | ErrorKind::PermissionDenied, error)) => return Err(error),
            Err((_, error)) if address.ip() == Ipv6Addr::LOCALHOST => missing = Some(error),
            Err((_, error)) => return Err(error),
        }
    }
    match missing {
        Some(error) if listeners.is_empty() => {
            Err(error.with_hint("`--listen 127.0.0.1:8730` uses IPv4 only"))
        }
        Some(error) => {
            tracing::warn!("{error}; this machine seems to have no IPv6");
            Ok(listeners)
        }
        None => Ok(listeners),
    }
}

/// An error has its kind.
fn listen(address: SocketAddr) -> Result<TcpListener, (ErrorKind, StartError)> {
    let error = |error: std::io::Error| {
        let start = StartError::new(format!("could not listen on {address}: {error}"));
        let start = match error.kind() {
            ErrorKind::AddrInUse => start.with_hint("`--listen` names another address or port"),
            ErrorKind::PermissionDenied => start.with_hint("ports below 1024 need a privilege"),
            _ => start,
        };
        (error.kind(), start)
    };
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
    let socket = socket.map_err(error)?;
    #[cfg(unix)]
    socket.set_reuseaddr(true).map_err(error)?;
    socket.bind(address).map_err(error)?;
    socket.listen(BACKLOG).map_err(error)
}

/// The store of the settings, and its store of turns.
async fn open(settings: &Settings) -> Result<(Arc<dyn Store>, Arc<dyn TurnStore>), StartError> {
    let turns: Arc<dyn TurnStore> = Arc::new(MemoryTurns::new());
    let store = &settings.store;
    if store == "memory" {
        return Ok((Arc::new(MemoryStore::new()), turns));
    }
    let error = |error: &dyn std::fmt::Display| StartError::new(format!("--store: {error}"));
    match store.split_once("://").map(|(scheme, _)| scheme) {
        None => {
            let opened = SqliteStore::open(Path::new(store), SqliteOptions::default()).await;
            Ok((Arc::new(opened.map_err(|cause| error(&cause))?), turns))
        }
        Some("redis" | "rediss") => {
            // An identity has its own records.
            let mut options = RedisOptions::new(&settings.user_agent);
            if let Some(path) = &settings.store_key_file {
                options = options.with_key(&read_key(path)?);
            }
            let urls: Vec<&str> = store.split(',').collect();
            let opened = match urls[..] {
                [url] => RedisStore::open(url, options),
                _ => RedisStore::open_cluster(urls, options),
            };
            let store = opened.map_err(|cause| error(&cause))?;
            let turns = store.turns();
            Ok((Arc::new(store), turns))
        }
        Some(scheme) => {
            let found = quoted(scheme);
            let expected = "expected memory, a path, or a URL of scheme redis or rediss";
            let error = error(&format_args!("{expected}, but found scheme {found}"));
            Err(error.with_hint("`--store ./NAME` names a file"))
        }
    }
}

/// The identifier of the settings.
fn identifier(settings: &Settings) -> Result<Identifier, StartError> {
    let mut identifier = Identifier::default();
    if let Some(directory) = &settings.identity_lists {
        let error = |error| StartError::new(format!("--identity-lists: {error}"));
        identifier.lists = read_lists(directory).map_err(error)?;
    }
    identifier.authorities.clone_from(&settings.identity_authority);
    let (networks, field) = (settings.identity_proxy.clone(), &settings.identity_field);
    identifier.proxies = TrustedProxies::new(networks, field);
    Ok(identifier)
}

/// The robots client of the settings, without a store.
fn client(settings: &Settings) -> Result<RobotsClientBuilder, StartError> {
    let error =
        |name: &str, error: &dyn std::fmt::Display| StartError::new(format!("--{name}: {error}"));
    let mut identity =
        Identity::new(&settings.user_agent).map_err(|cause| error("user-agent", &cause))?;
    if let Some(from) = &settings.from {
        identity = identity.with_from(from).map_err(|cause| error("from", &cause))?;
    }
    let mut roots = Roots::mozilla();
    for path in &settings.ca_file {
        let shown = quoted(path.as_os_str().as_encoded_bytes());
        let pem = std::fs::read(path)
            .map_err(|cause| error("ca-file", &format_args!("could not read {shown}: {cause}")))?;
        roots = roots
            .with_pem(&pem)
            .map_err(|cause| error("ca-file", &format_args!("could not use {shown}: {cause}")))?;
    }
    let guard =
        settings.allow_net.iter().fold(Guard::new(), |guard, net| guard.with_allowed_net(*net));
    let limits = Limits::default()
        .with_timeout(settings.fetch_time)
        .map_err(|cause| error("fetch-seconds", &cause))?;
    // The builder needs a crawler; each question names its own.
    let crawler = Crawler::new("verger-serve");
    // So no redirect is checked by the rules of that one ([`RobotsClient::check_as`]).
    let mut access = settings.access;
    access.disallowed_hop = None;
    Ok(RobotsClient::builder(crawler, identity)
        .dialect(settings.dialect)
        .access(access)
        .guard(guard)
        .limits(limits)
        .roots(roots))
}

/// The number of connections that the limit of open files permits.
fn connections(asked: usize) -> usize {
    #[cfg(unix)]
    {
        use crate::limits::OTHER_DESCRIPTORS;
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let free =
            limit.map_or(u64::MAX, |limit| limit.saturating_sub(OTHER_DESCRIPTORS).max(limit / 4));
        let free = usize::try_from(free).unwrap_or(usize::MAX).max(1);
        if free < asked {
            tracing::warn!(
                connections = free,
                "fewer connections than set: the limit of open files is low"
            );
            return free;
        }
    }
    asked
}

/// Condenses the histograms from time to time.
async fn upkeep(app: Arc<App>) {
    loop {
        sleep(METRICS_UPKEEP).await;
        update(&app);
        app.prometheus.run_upkeep();
    }
}
