//! From a URL to a stream, with the guard in between.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use url::{Host, Url};

use super::tls::{Alpn, Protocol, Tls};
use super::{BoxStream, Dial, DnsError, NetworkError, Phase, Resolve, Roots, TlsError, within};
use crate::guard::{Guard, Refusal, Scheme};
use crate::limits::{Limits, NEXT_ADDRESS};

/// Why there is no connection.
#[derive(Debug)]
pub(crate) enum Failure {
    Refused(Refusal),
    Network(NetworkError),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<NetworkError> for Failure {
    fn from(error: NetworkError) -> Self {
        Self::Network(error)
    }
}

/// A connection to the host of a URL.
pub(crate) struct Connected {
    pub(crate) stream: BoxStream,
    pub(crate) protocol: Protocol,
    pub(crate) peer: SocketAddr,
    pub(crate) dns: Duration,
    pub(crate) connect: Duration,
    pub(crate) tls: Duration,
}

/// All that connecting takes.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    guard: Guard,
    resolve: Arc<dyn Resolve>,
    dial: Arc<dyn Dial>,
    tls: Tls,
    limits: Limits,
}

impl Net {
    pub(crate) fn new(
        guard: Guard,
        resolve: Arc<dyn Resolve>,
        dial: Arc<dyn Dial>,
        roots: Roots,
        limits: Limits,
    ) -> Result<Self, TlsError> {
        Ok(Self { guard, resolve, dial, tls: Tls::new(roots)?, limits })
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Connects to the host of a URL. This is the only way to a server: the guard is asked here, for
    /// every hop, and asked nowhere else.
    pub(crate) async fn connect(&self, url: &Url, alpn: Alpn) -> Result<Connected, Failure> {
        self.guard.check_url(url)?;
        let port = url.port_or_known_default().ok_or(NetworkError::Dns(DnsError::Failed))?;
        let start = Instant::now();
        let addresses = self.addresses(url).await?;
        let dns = start.elapsed();

        let start = Instant::now();
        let targets = addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect();
        let (stream, peer) = self.dial_first(targets).await?;
        let connect = start.elapsed();

        let start = Instant::now();
        let (stream, protocol) = if Scheme::of(url) == Some(Scheme::Https) {
            within(self.limits.tls(), Phase::Tls, self.tls.secure(stream, url, alpn)).await?
        } else {
            (stream, Protocol::Http1)
        };
        Ok(Connected { stream, protocol, peer, dns, connect, tls: start.elapsed() })
    }

    /// A second connection to a peer, for the data of FTP: to its address and to no other.
    #[cfg(feature = "ftp")]
    pub(crate) async fn connect_again(
        &self,
        peer: SocketAddr,
        port: u16,
    ) -> Result<BoxStream, Failure> {
        // REP-ACCESS-11: what the server says of an address is not even read; a port it may choose,
        // among those that no other service has.
        self.guard.check_address(peer.ip())?;
        self.guard.check_port(Scheme::Ftp, port)?;
        let (stream, _) = self.dial_first(vec![SocketAddr::new(peer.ip(), port)]).await?;
        Ok(stream)
    }

    /// The addresses of a URL's host. All have been judged; none is looked up again.
    async fn addresses(&self, url: &Url) -> Result<Vec<IpAddr>, Failure> {
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
    /// or kept silent for a moment (RFC 8305, without its history).
    async fn dial_first(
        &self,
        targets: Vec<SocketAddr>,
    ) -> Result<(BoxStream, SocketAddr), NetworkError> {
        let mut targets = targets.into_iter();
        let mut attempts = JoinSet::new();
        let mut last = NetworkError::Timeout(Phase::Connect);
        let all = async {
            loop {
                if let Some(target) = targets.next() {
                    let dial = Arc::clone(&self.dial);
                    let time = self.limits.connect();
                    attempts.spawn(async move {
                        let result = timeout(time, dial.dial(target)).await;
                        (target, result.unwrap_or(Err(io::ErrorKind::TimedOut.into())))
                    });
                }
                tokio::select! {
                    biased;
                    done = attempts.join_next() => match done {
                        Some(Ok((target, Ok(stream)))) => return Ok((stream, target)),
                        Some(Ok((_, Err(error)))) if error.kind() == io::ErrorKind::TimedOut => {
                            last = NetworkError::Timeout(Phase::Connect);
                        }
                        Some(Ok((_, Err(error)))) => last = NetworkError::Connect(error.kind()),
                        // A dialler that panicked has not connected.
                        Some(Err(_)) => last = NetworkError::Connect(io::ErrorKind::Other),
                        None => return Err(last),
                    },
                    () = sleep(NEXT_ADDRESS), if targets.len() > 0 => {}
                }
            }
        };
        within(self.limits.connect_all(), Phase::Connect, all).await
    }
}

/// The families in turn, beginning with that of the first address.
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
