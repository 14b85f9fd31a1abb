//! A world of names, addresses and servers, all of it on loopback.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::dns::{Lookup, NoAddress, Zone};
use super::ftp::Ftp;
use super::http::{Served, Site};
use super::http2;
use super::play::Wire;
use super::record::Record;
use super::script::Script;
use super::tls::{Ca, Tls, fragmented};

/// The address of every host in a setup that does not say otherwise. In a script it stands for any
/// public address; no packet goes there.
pub const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34));

/// What stands at an address and port.
#[derive(Clone, Debug)]
pub enum Service {
    /// A site.
    Http(Site),
    /// A site over TLS.
    Https(Tls, Site),
    /// HTTP/2 over TLS: the script is played when the request is in.
    Http2(Script),
    /// FTP.
    Ftp(Box<Ftp>),
    /// A script from the first moment on, whatever the client says.
    Raw(Script),
    /// Nothing: connections are refused.
    Refused,
    /// Nothing, and not even a refusal: the first packet is lost.
    Silent,
}

/// Names and services, before they are started.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// use verger_testkit::server::{Answer, PUBLIC, Setup, Site};
///
/// let site = Site::always(Answer::rules().script());
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
    /// Returns a world without a name and without a server.
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
    /// When loopback gives no port, or no certificate can be made.
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
        let shared = Arc::new(Shared {
            record: Mutex::default(),
            zone: Mutex::new(zone),
            places,
            data_ports: Mutex::default(),
        });
        let mut tasks = JoinSet::new();
        for (listener, here, running) in starts {
            tasks.spawn(accept(listener, here, running, Arc::clone(&shared)));
        }
        let root = ca.as_ref().map(Ca::root).transpose()?;
        Ok(World { shared, root, _tasks: tasks })
    }
}

/// A setup that runs. Everything ends when it is dropped.
#[derive(Debug)]
pub struct World {
    shared: Arc<Shared>,
    root: Option<Vec<u8>>,
    _tasks: JoinSet<()>,
}

/// What a name resolves to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The addresses, as the setup wants them shown.
    pub addresses: Vec<IpAddr>,
    /// How long they hold.
    pub ttl: Duration,
}

impl World {
    /// Resolves a name: to be called by the resolver that a client is given. May never answer.
    ///
    /// # Errors
    ///
    /// When the setup says so.
    pub async fn resolve(&self, name: &str) -> Result<Resolved, NoAddress> {
        self.shared.record(|record| record.lookups.push(name.to_owned()));
        let next = lock(&self.shared.zone).next(name);
        match next {
            Lookup::Addresses(addresses, ttl) => {
                self.shared.record(|record| record.shown.extend(&addresses));
                Ok(Resolved { addresses, ttl })
            }
            Lookup::Fails(error) => Err(error),
            Lookup::Never => std::future::pending().await,
        }
    }

    /// Returns where on loopback to connect to for an address: to be called by the connector that a
    /// client is given. May never answer.
    ///
    /// # Errors
    ///
    /// When a connection there is refused, also because nothing is there, which is a stray.
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
    /// As [`World::dial`].
    pub async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(self.dial(address).await?).await
    }

    /// Returns the certificate of the test CA as DER, where the setup has a server with TLS. A client
    /// trusts it and no other.
    pub fn root(&self) -> Option<&[u8]> {
        self.root.as_deref()
    }

    /// Returns what was seen until now.
    pub fn record(&self) -> Record {
        lock(&self.shared.record).clone()
    }
}

/// What connections share.
#[derive(Debug)]
pub(super) struct Shared {
    record: Mutex<Record>,
    zone: Mutex<Zone>,
    places: HashMap<SocketAddr, Place>,
    data_ports: Mutex<HashMap<u16, DataPort>>,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    At { local: SocketAddr, is_ftp: bool },
    Refused,
    Silent,
}

/// What stands behind a data port of FTP.
#[derive(Clone, Copy, Debug)]
pub(super) enum DataPort {
    Open,
    Refused,
    Silent,
}

impl Shared {
    pub(super) fn record(&self, note: impl FnOnce(&mut Record)) {
        note(&mut lock(&self.record));
    }

    pub(super) fn open_data_port(&self, port: u16, what: DataPort) {
        lock(&self.data_ports).insert(port, what);
    }

    fn place(&self, address: SocketAddr) -> Option<Place> {
        let address = SocketAddr::new(address.ip().to_canonical(), address.port());
        if let Some(&place) = self.places.get(&address) {
            return Some(place);
        }
        let is_ftp = |(there, place): (&SocketAddr, &Place)| {
            there.ip() == address.ip() && matches!(place, Place::At { is_ftp: true, .. })
        };
        if !self.places.iter().any(is_ftp) {
            return None;
        }
        lock(&self.data_ports).get(&address.port()).map(|port| match port {
            DataPort::Open => {
                let local = (Ipv4Addr::LOCALHOST, address.port()).into();
                Place::At { local, is_ftp: false }
            }
            DataPort::Refused => Place::Refused,
            DataPort::Silent => Place::Silent,
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A service with what it needs to run.
enum Running {
    Http(Served),
    Https(tokio_rustls::TlsAcceptor, Option<usize>, Served),
    Http2(tokio_rustls::TlsAcceptor, Script),
    Ftp(Box<Ftp>),
    Raw(Script),
}

impl Running {
    fn new(service: &Service, ca: Option<&Ca>) -> io::Result<Self> {
        let acceptor = |tls: &Tls| {
            ca.ok_or_else(|| io::Error::other("expected a CA, but found none"))?.acceptor(tls)
        };
        Ok(match service {
            Service::Http(site) => Self::Http(Served::new(site)),
            Service::Https(tls, site) => {
                Self::Https(acceptor(tls)?, tls.fragment, Served::new(site))
            }
            Service::Http2(script) => {
                let protocols = vec![b"h2".to_vec()];
                Self::Http2(acceptor(&Tls { protocols, ..Tls::default() })?, script.clone())
            }
            Service::Ftp(ftp) => Self::Ftp(ftp.clone()),
            Service::Raw(script) => Self::Raw(script.clone()),
            Service::Refused | Service::Silent => Self::Raw(Script::new()),
        })
    }

    async fn serve(
        &self,
        shared: &Arc<Shared>,
        here: IpAddr,
        number: usize,
        stream: TcpStream,
    ) -> io::Result<()> {
        match self {
            Self::Http(site) => site.serve(shared, number, &mut Wire::Plain(stream)).await,
            Self::Https(acceptor, None, site) => {
                let stream = acceptor.accept(stream).await?;
                site.serve(shared, number, &mut Wire::Tls(Box::new(stream))).await
            }
            Self::Https(acceptor, Some(size), site) => {
                let (stream, work) = fragmented(stream, *size).await?;
                let served = async {
                    let stream = acceptor.accept(stream).await?;
                    site.serve(shared, number, &mut Wire::Tls(Box::new(stream))).await
                };
                tokio::try_join!(served, work).map(drop)
            }
            Self::Http2(acceptor, script) => {
                let stream = acceptor.accept(stream).await?;
                http2::serve(shared, number, &mut Wire::Tls(Box::new(stream)), script).await
            }
            Self::Ftp(ftp) => ftp.serve(shared, here, &mut Wire::Plain(stream)).await,
            Self::Raw(script) => Wire::Plain(stream).play(script).await.map(drop),
        }
    }
}

async fn accept(listener: TcpListener, here: IpAddr, running: Arc<Running>, shared: Arc<Shared>) {
    // Dropped with this task, and the connections with it.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { return };
                let mut number = 0;
                shared.record(|record| {
                    number = record.connections;
                    record.connections += 1;
                });
                let (running, shared) = (Arc::clone(&running), Arc::clone(&shared));
                connections.spawn(async move {
                    // A client that hangs up is what most scripts are for.
                    let _hung_up = running.serve(&shared, here, number, stream).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}
