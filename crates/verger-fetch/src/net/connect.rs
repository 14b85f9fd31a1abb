//! From a URL to a stream, with the checks of the guard.

use std::io;
use std::iter;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use url::{Host, Url};

use super::pool::{Lend as _, Places, PoolPermit};
use super::proxy::Proxy;
use super::silence;
use super::tls::{Alpn, Protocol, Tls};
use super::{BoxFuture, BoxStream, Budget, Dial, Resolve, Resolved, Roots, within};
use crate::failure::{ConnectError, DnsError, Failure, NetworkError, Phase, TlsError};
use crate::guard::{Guard, Scheme};
use crate::limits::{FETCH_LIMIT, Limits, NEXT_ADDRESS};

/// A connection to the host of a URL. Its stream holds the place at the address until it is
/// dropped.
pub(crate) struct Connected {
    pub(crate) stream: BoxStream,
    pub(crate) protocol: Protocol,
    pub(crate) peer: SocketAddr,
    pub(crate) route: Route,
}

/// The route of a connection to a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Directly to the site.
    Direct,
    /// Through a proxy that only forwards bytes.
    Tunnel,
    /// To a proxy that gets the URL of the site.
    Relay,
}

/// The network: resolver, dialler, TLS, proxy, guard and limits.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    guard: Guard,
    resolve: Arc<dyn Resolve>,
    pub(super) dial: Arc<dyn Dial>,
    pub(super) tls: Tls,
    pub(crate) limits: Limits,
    places: Places,
    /// The proxy of all connections.
    pub(crate) proxy: Option<Proxy>,
}

impl Net {
    pub(crate) fn new(
        guard: Guard,
        resolve: Arc<dyn Resolve>,
        dial: Arc<dyn Dial>,
        roots: Roots,
        limits: Limits,
        proxy: Option<Proxy>,
    ) -> Result<Self, TlsError> {
        let places = Places::new(limits.per_address);
        Ok(Self { guard, resolve, dial, tls: Tls::new(roots)?, limits, places, proxy })
    }

    /// Connects to the host of a URL that the guard has permitted. Every address is checked here.
    /// The budget is paused during the wait for a place at the address.
    pub(crate) async fn connect(
        &self,
        url: &Url,
        alpn: Alpn,
        budget: &Budget<'_>,
    ) -> Result<Connected, Failure> {
        if let Some(proxy) = &self.proxy {
            let connecting = self.connect_through(proxy, url, alpn);
            let connected = self.lend_slot(budget, connecting).await?;
            let stream = self.watch_silence(connected.stream, None, budget);
            return Ok(Connected { stream, ..connected });
        }
        let port = url.port_or_known_default().ok_or(NetworkError::Dns(DnsError::Failed))?;
        let Resolved { addresses: mut left, mut rest } =
            self.lend_slot(budget, self.addresses(url)).await?;
        let (stream, peer, place) = loop {
            let (first, place) = self.place(&left, budget).await?;
            let others = left.into_iter().filter(|&address| address != first).collect();
            let mut skipped = Vec::new();
            let dial = self.dial_first((first, place), others, port, &mut skipped);
            match self.lend_slot(budget, dial).await {
                Ok(connected) => break connected,
                Err(error) if skipped.is_empty() => {
                    let more = later_addresses(&mut rest, error);
                    let more = self.lend_slot(budget, more).await?;
                    self.guard.check_addresses(url.host_str().unwrap_or_default(), &more)?;
                    left = self.in_order(more)?;
                }
                // Addresses without a free place were skipped; that says nothing about the site.
                Err(_) => left = skipped,
            }
        };

        let stream = self.watch_silence(stream, Some(place), budget);
        let (stream, protocol) = if Scheme::of(url) == Some(Scheme::Https) {
            within(self.limits.tls, Phase::Tls, self.tls.secure(stream, url, alpn)).await?
        } else {
            (stream, Protocol::Http1)
        };
        Ok(Connected { stream, protocol, peer, route: Route::Direct })
    }

    /// Awaits the network. The slot is lent if that takes long.
    async fn lend_slot<T>(&self, budget: &Budget<'_>, future: impl Future<Output = T>) -> T {
        match budget.slot {
            Some(slot) => slot.lend_during(self.limits.silence(), future).await,
            None => future.await,
        }
    }

    /// A stream that lends its place and slot during silence.
    fn watch_silence(
        &self,
        stream: BoxStream,
        place: Option<PoolPermit>,
        budget: &Budget<'_>,
    ) -> BoxStream {
        silence::watch(stream, place, budget.slot.cloned(), self.limits.silence())
    }

    /// A second connection to the address of a peer, for the data of FTP.
    #[cfg(feature = "ftp")]
    pub(crate) async fn connect_again(
        &self,
        peer: SocketAddr,
        port: u16,
        budget: &Budget<'_>,
    ) -> Result<BoxStream, Failure> {
        // REP-ACCESS-11: an address in the server's reply is not read. The server may choose a
        // port, except those of other services.
        self.guard.check_address(peer.ip())?;
        Guard::check_port(Scheme::Ftp, port)?;
        // It shares the place of the first connection; waiting for a second place could deadlock.
        let dial = dial(Arc::clone(&self.dial), self.limits.connect, (peer.ip(), port).into());
        let stream = within(self.limits.connect_all, Phase::Connect, dial).await?;
        Ok(self.watch_silence(stream, None, budget))
    }

    /// The first address with a free place; if there is none, waits for a place at the first
    /// address.
    async fn place(
        &self,
        addresses: &[IpAddr],
        budget: &Budget<'_>,
    ) -> Result<(IpAddr, PoolPermit), Failure> {
        let free = |&address: &IpAddr| Some((address, self.places.at(address).try_take()?));
        // A silent address may have free places, but another one is more likely to answer.
        let is_answering = |address: &&IpAddr| !self.places.at(**address).has_silent();
        let &first = addresses.first().ok_or(NetworkError::Dns(DnsError::NoAddress))?;
        loop {
            let answering = addresses.iter().filter(is_answering).find_map(free);
            if let Some(found) = answering.or_else(|| addresses.iter().find_map(free)) {
                return Ok(found);
            }
            let places = self.places.at(first);
            let busy = || Failure::Busy(self.limits.address_limit());
            let place = budget.pause(places.take()).await.flatten().ok_or_else(busy)?;
            if budget.try_resume() {
                return Ok((first, place));
            }
            // Waiting for a slot while holding the place would block fetches that have a slot.
            drop(place);
            budget.resume().await.ok_or(Failure::Busy(FETCH_LIMIT))?;
        }
    }

    /// The addresses of a URL's host, all checked except the rest. They are not resolved again.
    async fn addresses<'a>(&'a self, url: &'a Url) -> Result<Resolved<'a>, Failure> {
        let name = match url.host() {
            Some(Host::Ipv4(address)) => return Ok(vec![address.into()].into()),
            Some(Host::Ipv6(address)) => return Ok(vec![address.into()].into()),
            Some(Host::Domain(name)) => name,
            None => return Err(NetworkError::Dns(DnsError::NoSuchName).into()),
        };
        let Resolved { addresses, rest } = self.look_up(name).await?;
        // All of them, also those that will not be dialled: a mix of public and private addresses
        // is refused, and not tried again until it looks public.
        self.guard.check_addresses(name, &addresses)?;
        Ok(Resolved { addresses: self.in_order(addresses)?, rest })
    }

    /// All addresses of a name. Both parts share the time limit.
    pub(super) async fn look_up<'a>(&'a self, name: &'a str) -> Result<Resolved<'a>, NetworkError> {
        let end = Instant::now() + self.limits.dns;
        let name = name.strip_suffix('.').unwrap_or(name);
        let answer = async { self.resolve.resolve_early(name).await.map_err(NetworkError::Dns) };
        let Resolved { addresses, rest } = within(self.limits.dns, Phase::Dns, answer).await?;
        let rest = rest.map(|rest| {
            Box::pin(async move { timeout_at(end, rest).await.unwrap_or_default() }) as _
        });
        Ok(Resolved { addresses, rest })
    }

    /// The addresses to dial, in order.
    pub(super) fn in_order(&self, mut addresses: Vec<IpAddr>) -> Result<Vec<IpAddr>, NetworkError> {
        if addresses.is_empty() {
            return Err(NetworkError::Dns(DnsError::NoAddress));
        }
        addresses.truncate(self.limits.addresses);
        Ok(alternating(addresses))
    }

    /// Dials the addresses until one accepts. Addresses without a free place go to `skipped`.
    async fn dial_first(
        &self,
        first: (IpAddr, PoolPermit),
        others: Vec<IpAddr>,
        port: u16,
        skipped: &mut Vec<IpAddr>,
    ) -> Result<(BoxStream, SocketAddr, PoolPermit), NetworkError> {
        let mut free = |address| {
            let place = self.places.at(address).try_take();
            if place.is_none() {
                skipped.push(address);
            }
            Some((address, place?))
        };
        let (first, place) = first;
        let others = others.into_iter().filter_map(&mut free);
        let (silence, dialler) = (self.limits.silence(), &self.dial);
        let attempts = iter::once((first, place)).chain(others).map(|(address, place)| {
            let target = SocketAddr::new(address, port);
            let dial = dial(Arc::clone(dialler), self.limits.connect, target);
            async move {
                let dialled = place.lend_during(silence, dial).await;
                dialled.map(|stream| (stream, target, place))
            }
        });
        first_to_connect(attempts, self.limits.connect_all).await
    }
}

/// The addresses that the resolver finds after the first ones, which failed with an error; without
/// any, the error.
pub(super) async fn later_addresses(
    rest: &mut Option<BoxFuture<'_, Vec<IpAddr>>>,
    error: NetworkError,
) -> Result<Vec<IpAddr>, NetworkError> {
    let more = rest.take().ok_or(error)?.await;
    Some(more).filter(|more| !more.is_empty()).ok_or(error)
}

/// The first attempt that connects. Each next one starts when the previous one has failed or was
/// silent for a moment (RFC 8305, without its history). Dropping the future cancels all of them.
pub(super) async fn first_to_connect<T: Send + 'static>(
    attempts: impl Iterator<Item = impl Future<Output = Result<T, NetworkError>> + Send + 'static>,
    time: Duration,
) -> Result<T, NetworkError> {
    let mut left = attempts.fuse();
    let mut started = JoinSet::new();
    let mut last = NetworkError::Timeout(Phase::Connect);
    let all = async {
        loop {
            let next = left.next();
            let has_more = next.is_some();
            next.map(|attempt| started.spawn(attempt));
            tokio::select! {
                biased;
                done = started.join_next() => match done {
                    Some(Ok(Ok(connected))) => return Ok(connected),
                    Some(Ok(Err(error))) => last = error,
                    // A dialler that panicked counts as failed.
                    Some(Err(_)) => last = NetworkError::Connect(ConnectError::Other),
                    None => return Err(last),
                },
                () = sleep(NEXT_ADDRESS), if has_more => {}
            }
        }
    };
    within(time, Phase::Connect, all).await
}

/// Dials one address.
pub(super) async fn dial(
    dial: Arc<dyn Dial>,
    time: Duration,
    to: SocketAddr,
) -> Result<BoxStream, NetworkError> {
    match timeout(time, dial.dial(to)).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(error)) if error.kind() != io::ErrorKind::TimedOut => {
            Err(NetworkError::Connect(ConnectError::from(&error)))
        }
        _ => Err(NetworkError::Timeout(Phase::Connect)),
    }
}

/// The address families alternately, beginning with that of the first address.
fn alternating(addresses: Vec<IpAddr>) -> Vec<IpAddr> {
    let first_is_v4 = addresses.first().is_some_and(IpAddr::is_ipv4);
    let (first, second): (Vec<_>, Vec<_>) =
        addresses.into_iter().partition(|address| address.is_ipv4() == first_is_v4);
    let mut second = second.into_iter();
    let mut ordered = Vec::new();
    for address in first {
        ordered.push(address);
        ordered.extend(second.next());
    }
    ordered.extend(second);
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_families_alternate() {
        let order = |addresses: &[&str]| {
            let parsed = addresses.iter().map(|text| text.parse().unwrap()).collect();
            alternating(parsed).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(order(&["1.1.1.1", "1.1.1.2", "2600::1"]), "1.1.1.1 2600::1 1.1.1.2");
        assert_eq!(order(&["2600::1", "2600::2", "1.1.1.1"]), "2600::1 1.1.1.1 2600::2");
        assert_eq!(order(&["1.1.1.1", "2600::1", "2600::2"]), "1.1.1.1 2600::1 2600::2");
        assert_eq!(order(&[]), "");
    }
}
