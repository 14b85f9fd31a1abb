//! From a URL to a stream, with the guard in between.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use url::{Host, Url};

use super::places::{Place, Places};
use super::proxy::{Proxy, Via};
use super::tls::{Alpn, Protocol, Tls};
use super::{
    BoxStream, Budget, ConnectError, Dial, DnsError, NetworkError, Phase, Resolve, Roots, TlsError,
    within,
};
use crate::guard::{Guard, Refusal, Scheme};
use crate::limits::{ADDRESS_WAIT, Limits, NEXT_ADDRESS};

/// Why there is no response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// The guard refuses an address.
    Refused(Refusal),
    /// The request failed.
    Network(NetworkError),
    /// Too many connections of ours to the address, for too long: the request was not sent.
    Busy,
}

impl From<Refusal> for RequestError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<NetworkError> for RequestError {
    fn from(error: NetworkError) -> Self {
        Self::Network(error)
    }
}

/// A connection to the host of a URL. It holds its place at the address for as long as it is kept.
pub(crate) struct Connected {
    pub(crate) stream: BoxStream,
    pub(crate) protocol: Protocol,
    pub(crate) peer: SocketAddr,
    pub(crate) dns: Duration,
    pub(crate) connect: Duration,
    pub(crate) tls: Duration,
    pub(crate) route: Route,
    /// None at a proxy: all sites share its address, and the number of fetches bounds its connections.
    pub(super) _place: Option<Place>,
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
            return Ok(via.connect(url, alpn).await?);
        }
        let port = url.port_or_known_default().ok_or(NetworkError::Dns(DnsError::Failed))?;
        let start = Instant::now();
        let addresses = self.addresses(url).await?;
        let dns = start.elapsed();

        let mut connect = Duration::ZERO;
        let mut left = addresses;
        let (stream, peer, place) = loop {
            let (first, place) = self.place(&left, budget).await?;
            let start = Instant::now();
            let others = left.into_iter().filter(|&address| address != first).collect();
            let mut passed_over = Vec::new();
            let dialled = self.dial_first((first, place), others, port, &mut passed_over).await;
            connect += start.elapsed();
            match dialled {
                Ok(connected) => break connected,
                Err(error) if passed_over.is_empty() => return Err(error.into()),
                // That all places were taken there is our doing, and says nothing of the site.
                Err(_) => left = passed_over,
            }
        };

        let start = Instant::now();
        let (stream, protocol) = if Scheme::of(url) == Some(Scheme::Https) {
            within(self.limits.tls(), Phase::Tls, self.tls.secure(stream, url, alpn)).await?
        } else {
            (stream, Protocol::Http1)
        };
        let (tls, route) = (start.elapsed(), Route::Direct);
        Ok(Connected { stream, protocol, peer, dns, connect, tls, route, _place: Some(place) })
    }

    /// A second connection to a peer, for the data of FTP: to its address and to no other.
    #[cfg(feature = "ftp")]
    pub(crate) async fn connect_again(
        &self,
        peer: SocketAddr,
        port: u16,
    ) -> Result<BoxStream, RequestError> {
        // REP-ACCESS-11: what the server says of an address is not even read; a port it may choose,
        // among those that no other service has.
        self.guard.check_address(peer.ip())?;
        self.guard.check_port(Scheme::Ftp, port)?;
        // In the place of the first connection: who waited for a second one would wait for himself.
        let dial = dial(Arc::clone(&self.dial), self.limits.connect(), (peer.ip(), port).into());
        Ok(within(self.limits.connect_all(), Phase::Connect, dial).await?)
    }

    /// The first address with a free place; where all are taken, the first place that gets free at the
    /// first address.
    async fn place(
        &self,
        addresses: &[IpAddr],
        budget: &Budget<'_>,
    ) -> Result<(IpAddr, Place), RequestError> {
        let free = |&address: &IpAddr| Some((address, self.places.try_take(address)?));
        let &first = addresses.first().ok_or(NetworkError::Dns(DnsError::NoAddress))?;
        let mut left = ADDRESS_WAIT;
        loop {
            if let Some(found) = addresses.iter().find_map(free) {
                return Ok(found);
            }
            let start = Instant::now();
            let place = budget.pause(timeout(left, self.places.take(first))).await;
            let place = place.ok().flatten().ok_or(RequestError::Busy)?;
            left = left.saturating_sub(start.elapsed());
            if budget.try_resume() {
                return Ok((first, place));
            }
            // A place that is held while a slot is waited for is kept from those who have one.
            drop(place);
            budget.resume().await;
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

    /// The first of these addresses to accept: each next one starts when the one before it has failed
    /// or kept silent for a moment (RFC 8305, without its history). Those where all places are taken are
    /// passed over, and told.
    async fn dial_first(
        &self,
        first: (IpAddr, Place),
        others: Vec<IpAddr>,
        port: u16,
        passed_over: &mut Vec<IpAddr>,
    ) -> Result<(BoxStream, SocketAddr, Place), NetworkError> {
        let mut free = |address| {
            let place = self.places.try_take(address);
            if place.is_none() {
                passed_over.push(address);
            }
            Some((address, place?))
        };
        let (mut first, mut others) = (Some(first), others.into_iter());
        let mut attempts = JoinSet::new();
        let mut last = NetworkError::Timeout(Phase::Connect);
        let all = async {
            loop {
                let next = first.take().or_else(|| others.by_ref().find_map(&mut free));
                if let Some((address, place)) = next {
                    let target = SocketAddr::new(address, port);
                    let dial = dial(Arc::clone(&self.dial), self.limits.connect(), target);
                    attempts.spawn(async move { (target, place, dial.await) });
                }
                tokio::select! {
                    biased;
                    done = attempts.join_next() => match done {
                        Some(Ok((target, place, Ok(stream)))) => return Ok((stream, target, place)),
                        Some(Ok((_, _, Err(error)))) => last = error,
                        // A dialler that panicked has not connected.
                        Some(Err(_)) => last = NetworkError::Connect(ConnectError::Other),
                        None => return Err(last),
                    },
                    () = sleep(NEXT_ADDRESS), if others.len() > 0 => {}
                }
            }
        };
        within(self.limits.connect_all(), Phase::Connect, all).await
    }
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
