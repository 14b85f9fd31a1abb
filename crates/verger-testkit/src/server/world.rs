//! A world of names, addresses and servers, all on loopback.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::dns::{Lookup, NoAddress, Zone};
use super::http::Site;
use super::record::Record;
use super::service::{Running, Service, accept};
use super::shared::{Place, Shared};
use super::tls::Ca;

/// The address of every host in a setup, unless it has another. In a script it represents any
/// public address; no packet is sent there.
pub const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34));

/// Names and services before the start.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// use verger_testkit::server::{PUBLIC, ScriptedResponse, Setup, Site};
///
/// let site = Site::always(ScriptedResponse::rules().script());
/// let world = Setup::web("shop.example", site).start().await?;
/// assert_eq!(world.resolve("shop.example").await?.addresses, [PUBLIC]);
/// let _stream = world.connect((PUBLIC, 80).into()).await?;
/// assert!(world.connect(([10, 0, 0, 1], 80).into()).await.is_err());
/// assert_eq!(world.record().strays, [([10, 0, 0, 1], 80).into()]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Setup {
    names: BTreeMap<String, Vec<Lookup>>,
    places: BTreeMap<SocketAddr, Service>,
}

impl Setup {
    /// Returns a world without names and servers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a host with a site on port 80.
    pub fn web(host: &str, site: Site) -> Self {
        Self::new().host(host).place(80, Service::Http(site))
    }

    /// Adds a host at [`PUBLIC`].
    #[must_use]
    pub fn host(self, name: &str) -> Self {
        self.name(name, [Lookup::addresses([PUBLIC])])
    }

    /// Adds a name with answers in sequence.
    #[must_use]
    pub fn name(mut self, name: &str, answers: impl IntoIterator<Item = Lookup>) -> Self {
        self.names.insert(name.to_owned(), answers.into_iter().collect());
        self
    }

    /// Puts a service on a port of [`PUBLIC`].
    #[must_use]
    pub fn place(self, port: u16, service: Service) -> Self {
        self.place_at((PUBLIC, port).into(), service)
    }

    /// Puts a service at an address.
    #[must_use]
    pub fn place_at(mut self, address: SocketAddr, service: Service) -> Self {
        self.places.insert(address, service);
        self
    }

    /// Starts the servers, on loopback.
    ///
    /// # Errors
    ///
    /// If loopback has no free port, or a certificate cannot be created.
    pub async fn start(&self) -> io::Result<World> {
        let mut zone = Zone::default();
        for (name, answers) in &self.names {
            zone.add(name, answers.iter().cloned());
        }
        let is_secure =
            |service: &Service| matches!(service, Service::Https(..) | Service::Http2(_));
        let ca = if self.places.values().any(is_secure) {
            let names = self.names.keys().map(String::as_str);
            Some(Ca::new(names, self.places.keys().map(SocketAddr::ip))?)
        } else {
            None
        };
        let mut places = HashMap::new();
        let mut starts = Vec::new();
        for (&address, service) in &self.places {
            let place = match service {
                Service::Refused => Place::Refused,
                Service::Silent => Place::Silent,
                service => {
                    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
                    let local = listener.local_addr()?;
                    let running = Running::new(service, ca.as_ref())?;
                    starts.push((listener, address.ip(), Arc::new(running)));
                    let is_ftp = matches!(service, Service::Ftp(_));
                    Place::At { local, is_ftp }
                }
            };
            places.insert(address, place);
        }
        let shared = Arc::new(Shared::new(zone, places));
        let mut tasks = JoinSet::new();
        for (listener, here, running) in starts {
            tasks.spawn(accept(listener, here, running, Arc::clone(&shared)));
        }
        let root = ca.as_ref().map(Ca::root).transpose()?;
        Ok(World { shared, root, _tasks: tasks })
    }
}

/// A running setup. Dropping it ends all servers.
#[derive(Debug)]
pub struct World {
    shared: Arc<Shared>,
    root: Option<Vec<u8>>,
    _tasks: JoinSet<()>,
}

/// The result of a name look-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The addresses of the setup.
    pub addresses: Vec<IpAddr>,
    /// Their time to live.
    pub ttl: Duration,
}

impl World {
    /// Resolves a name, for the resolver of the client under test. May never return.
    ///
    /// # Errors
    ///
    /// If the setup requires it.
    pub async fn resolve(&self, name: &str) -> Result<Resolved, NoAddress> {
        self.shared.record(|record| record.lookups.push(name.to_owned()));
        match self.shared.look_up(name) {
            Lookup::Addresses(addresses, ttl) => {
                self.shared.record(|record| record.shown.extend(&addresses));
                Ok(Resolved { addresses, ttl })
            }
            Lookup::Fails(error) => Err(error),
            Lookup::Never => std::future::pending().await,
        }
    }

    /// Returns the loopback address for an address, for the connector of the client under test. May
    /// never return.
    ///
    /// # Errors
    ///
    /// If the setup refuses the connection, or has no service there, which is a stray.
    pub async fn dial(&self, address: SocketAddr) -> io::Result<SocketAddr> {
        self.shared.record(|record| record.dials.push(address));
        match self.shared.place(address) {
            Some(Place::At { local, .. }) => Ok(local),
            Some(Place::Refused) => Err(io::ErrorKind::ConnectionRefused.into()),
            Some(Place::Silent) => std::future::pending().await,
            None => {
                self.shared.record(|record| record.strays.push(address));
                Err(io::ErrorKind::ConnectionRefused.into())
            }
        }
    }

    /// Dials and connects.
    ///
    /// # Errors
    ///
    /// See [`World::dial`].
    pub async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(self.dial(address).await?).await
    }

    /// Returns the certificate of the test CA as DER, if the setup has a TLS server. A client
    /// trusts only this one.
    pub fn root(&self) -> Option<&[u8]> {
        self.root.as_deref()
    }

    /// Clears the record, for long tests.
    pub fn forget(&self) {
        self.shared.record(|record| *record = Record::default());
    }

    /// Returns the record since the start or the last clearing.
    pub fn record(&self) -> Record {
        self.shared.seen()
    }
}
