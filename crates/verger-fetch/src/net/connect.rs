//! From a URL to a stream, with the guard in between.

use std::io;
use std::iter;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use url::{Host, Url};

use super::places::Places;
use super::pool::{Lend as _, PoolSlot, silence};
use super::proxy::{Proxy, Via};
use super::silence::{Occupied, SilenceStream};
use super::tls::{Alpn, Protocol, Tls};
use super::{
    BoxStream, Budget, ConnectError, Dial, DnsError, NetworkError, Phase, RequestError, Resolve,
    Roots, TlsError, within,
};
use crate::guard::{Guard, Scheme};
use crate::limits::{FETCH_LIMIT, Limits, NEXT_ADDRESS};

/// A connection to the host of a URL. Its stream holds its place at the address for as long as it is kept.
pub(crate) struct Connected {
    pub(crate) stream: BoxStream,
    pub(crate) protocol: Protocol,
    pub(crate) peer: SocketAddr,
    pub(crate) dns: Duration,
    pub(crate) connect: Duration,
    pub(crate) tls: Duration,
    pub(crate) route: Route,
}

/// How a connection leads to a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// To the site itself.
    Direct,
    /// Through a proxy that only passes bytes on.
    Tunnel,
    /// To a proxy that is asked for the site's URL.
    Relay,
}

/// All that connecting takes.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    guard: Guard,
    resolve: Arc<dyn Resolve>,
    dial: Arc<dyn Dial>,
    tls: Tls,
    limits: Limits,
    places: Places,
    via: Option<Via>,
}

impl Net {
    pub(crate) fn new(
        guard: Guard,
        resolve: Arc<dyn Resolve>,
        dial: Arc<dyn Dial>,
        roots: Roots,
        limits: Limits,
    ) -> Result<Self, TlsError> {
        let places = Places::new(limits.per_address());
        Ok(Self { guard, resolve, dial, tls: Tls::new(roots)?, limits, places, via: None })
    }

    /// The same with all connections through a proxy.
    pub(crate) fn with_proxy(mut self, proxy: Proxy) -> Self {
        let (resolve, dial) = (Arc::clone(&self.resolve), Arc::clone(&self.dial));
        self.via = Some(Via::new(proxy, resolve, dial, self.tls.clone(), self.limits));
        self
    }

    /// The proxy of all connections.
    pub(crate) fn proxy(&self) -> Option<&Proxy> {
        self.via.as_ref().map(Via::proxy)
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Connects to the host of a URL that the guard has let through. Every address is judged here. While a
    /// place at the address is waited for, the budget rests.
    pub(crate) async fn connect(
        &self,
        url: &Url,
        alpn: Alpn,
        budget: &Budget<'_>,
    ) -> Result<Connected, RequestError> {
        if let Some(via) = &self.via {
            let connected = self.hear(budget, via.connect(url, alpn)).await?;
            let stream = self.noticing_silence(connected.stream, None, budget);
            return Ok(Connected { stream, ..connected });
        }
        let port = url.port_or_known_default().ok_or(NetworkError::Dns(DnsError::Failed))?;
        let start = Instant::now();
        let addresses = self.hear(budget, self.addresses(url)).await?;
        let dns = start.elapsed();

        let mut connect = Duration::ZERO;
        let mut left = addresses;
        let (stream, peer, place) = loop {
            let (first, place) = self.place(&left, budget).await?;
            let start = Instant::now();
            let others = left.into_iter().filter(|&address| address != first).collect();
            let mut passed_over = Vec::new();
            let dial = self.dial_first((first, place), others, port, &mut passed_over);
            let dialled = self.hear(budget, dial).await;
            connect += start.elapsed();
            match dialled {
                Ok(connected) => break connected,
                Err(error) if passed_over.is_empty() => return Err(error.into()),
                // That all places were taken there is our doing, and says nothing of the site.
                Err(_) => left = passed_over,
            }
        };

        let stream = self.noticing_silence(stream, Some(place), budget);
        let start = Instant::now();
        let (stream, protocol) = if Scheme::of(url) == Some(Scheme::Https) {
            within(self.limits.tls(), Phase::Tls, self.tls.secure(stream, url, alpn)).await?
        } else {
            (stream, Protocol::Http1)
        };
        let (tls, route) = (start.elapsed(), Route::Direct);
        Ok(Connected { stream, protocol, peer, dns, connect, tls, route })
    }

    /// Awaits what the network does. The slot is lent when that takes long.
    async fn hear<T>(&self, budget: &Budget<'_>, future: impl Future<Output = T>) -> T {
        match budget.slot() {
            Some(slot) => slot.lend_during(self.silence(), future).await,
            None => future.await,
        }
    }

    /// A stream that lends what it occupies while nothing is heard.
    fn noticing_silence(
        &self,
        stream: BoxStream,
        place: Option<PoolSlot>,
        budget: &Budget<'_>,
    ) -> BoxStream {
        let occupied = Occupied { place, slot: budget.slot().cloned() };
        Box::new(SilenceStream::new(stream, occupied, self.silence()))
    }

    fn silence(&self) -> Duration {
        silence(self.limits.total())
    }

    /// A second connection to a peer, for the data of FTP: to its address and to no other.
    #[cfg(feature = "ftp")]
    pub(crate) async fn connect_again(
        &self,
        peer: SocketAddr,
        port: u16,
        budget: &Budget<'_>,
    ) -> Result<BoxStream, RequestError> {
        // REP-ACCESS-11: what the server says of an address is not even read; a port it may choose,
        // among those that no other service has.
        self.guard.check_address(peer.ip())?;
        self.guard.check_port(Scheme::Ftp, port)?;
        // In the place of the first connection: who waited for a second one would wait for himself.
        let dial = dial(Arc::clone(&self.dial), self.limits.connect(), (peer.ip(), port).into());
        let stream = within(self.limits.connect_all(), Phase::Connect, dial).await?;
        Ok(self.noticing_silence(stream, None, budget))
    }

    /// The first address with a free place; where all are taken, the first place that gets free at the
    /// first address.
    async fn place(
        &self,
        addresses: &[IpAddr],
        budget: &Budget<'_>,
    ) -> Result<(IpAddr, PoolSlot), RequestError> {
        let free = |&address: &IpAddr| Some((address, self.places.at(address).try_take()?));
        // A silent address has room for more of its kind, but another one rather answers.
        let hears = |address: &&IpAddr| !self.places.at(**address).has_silent();
        let &first = addresses.first().ok_or(NetworkError::Dns(DnsError::NoAddress))?;
        loop {
            let answering = addresses.iter().filter(hears).find_map(free);
            if let Some(found) = answering.or_else(|| addresses.iter().find_map(free)) {
                return Ok(found);
            }
            let places = self.places.at(first);
            let busy = || RequestError::Busy(self.limits.address_limit());
            let place = budget.pause(places.take()).await.flatten().ok_or_else(busy)?;
            if budget.try_resume() {
                return Ok((first, place));
            }
            // A place that is held while a slot is waited for is kept from those who have one.
            drop(place);
            budget.resume().await.ok_or(RequestError::Busy(FETCH_LIMIT))?;
        }
    }

    /// The addresses of a URL's host. All have been judged; none is looked up again.
    async fn addresses(&self, url: &Url) -> Result<Vec<IpAddr>, RequestError> {
        let name = match url.host() {
            Some(Host::Ipv4(address)) => return Ok(vec![address.into()]),
            Some(Host::Ipv6(address)) => return Ok(vec![address.into()]),
            Some(Host::Domain(name)) => name.strip_suffix('.').unwrap_or(name),
            None => return Err(NetworkError::Dns(DnsError::NoSuchName).into()),
        };
        let answer = async { self.resolve.resolve(name).await.map_err(NetworkError::Dns) };
        let mut addresses = within(self.limits.dns(), Phase::Dns, answer).await?;
        // All of them, also those that will not be dialled: who mixes public and private addresses
        // is not asked again until the dice fall right.
        self.guard.check_addresses(name, &addresses)?;
        if addresses.is_empty() {
            return Err(NetworkError::Dns(DnsError::NoAddress).into());
        }
        addresses.truncate(self.limits.addresses());
        Ok(alternating(addresses))
    }

    /// The first of these addresses to accept. Those where all places are taken are passed over, and told.
    async fn dial_first(
        &self,
        first: (IpAddr, PoolSlot),
        others: Vec<IpAddr>,
        port: u16,
        passed_over: &mut Vec<IpAddr>,
    ) -> Result<(BoxStream, SocketAddr, PoolSlot), NetworkError> {
        let mut free = |address| {
            let place = self.places.at(address).try_take();
            if place.is_none() {
                passed_over.push(address);
            }
            Some((address, place?))
        };
        let (first, place) = first;
        let others = others.into_iter().filter_map(&mut free);
        let (silence, dialler) = (self.silence(), &self.dial);
        let attempts = iter::once((first, place)).chain(others).map(|(address, place)| {
            let target = SocketAddr::new(address, port);
            let dial = dial(Arc::clone(dialler), self.limits.connect(), target);
            async move {
                let dialled = place.lend_during(silence, dial).await;
                dialled.map(|stream| (stream, target, place))
            }
        });
        first_to_connect(attempts, self.limits.connect_all()).await
    }
}

/// The first of these attempts that connects: each next one starts when the one before it has failed or kept
/// silent for a moment (RFC 8305, without its history). They end with this future.
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
                    // A dialler that panicked has not connected.
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

/// The families in turn, beginning with that of the first address.
pub(super) fn alternating(addresses: Vec<IpAddr>) -> Vec<IpAddr> {
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
    fn families_take_turns() {
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
