//! Resolution of names, by the name servers of the system.
//!
//! Hickory instead of `getaddrinfo`: the latter blocks a thread until it returns and cannot be
//! cancelled, so a few hundred names with silent servers would stop every fetch of the process.
//! Hickory's filters of answers are not used; they are for name servers, and the
//! [guard](crate::guard) checks every address.

use std::error::Error;
use std::fmt::{self, Display};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::{ResolverBuilder, TokioResolver};
use tokio::time::timeout;

use super::{BoxFuture, ConnectError, DnsError, Resolve, Resolved};
use crate::limits::{DNS, DNS_ATTEMPTS, DNS_QUERY, RESOLUTION_DELAY};

/// Resolves names by name servers.
pub struct DnsResolver(TokioResolver);

impl DnsResolver {
    /// Uses the system's name servers and its hosts file. The default.
    ///
    /// # Errors
    ///
    /// If the configuration (`/etc/resolv.conf` and `/etc/hosts`, or the registry) cannot be read.
    pub fn system() -> Result<Self, DnsConfigError> {
        Self::system_within(DNS.default)
    }

    /// The same with this time for a name. Each query gets its share, for slow name servers.
    pub(crate) fn system_within(time: Duration) -> Result<Self, DnsConfigError> {
        Self::new(TokioResolver::builder_tokio().map_err(DnsConfigError)?, query_time(time))
    }

    /// Uses these name servers over UDP and TCP, and no configuration of the system.
    ///
    /// # Errors
    ///
    /// If there is no name server.
    pub fn asking(servers: &[SocketAddr]) -> Result<Self, DnsConfigError> {
        let server = |at: &SocketAddr| {
            let mut server = NameServerConfig::udp_and_tcp(at.ip());
            server.connections.iter_mut().for_each(|connection| connection.port = at.port());
            server
        };
        let servers: Vec<_> = servers.iter().map(server).collect();
        if servers.is_empty() {
            return Err(DnsConfigError(NetError::NoConnections));
        }
        let config = ResolverConfig::from_parts(None, Vec::new(), servers);
        let provider = TokioRuntimeProvider::default();
        let mut builder = TokioResolver::builder_with_config(config, provider);
        builder.options_mut().use_hosts_file = ResolveHosts::Never;
        Self::new(builder, DNS_QUERY)
    }

    fn new(
        mut builder: ResolverBuilder<TokioRuntimeProvider>,
        query_time: Duration,
    ) -> Result<Self, DnsConfigError> {
        let options = builder.options_mut();
        options.timeout = query_time;
        options.attempts = DNS_ATTEMPTS;
        Ok(Self(builder.build().map_err(DnsConfigError)?))
    }
}

impl DnsResolver {
    /// Addresses of one family; at least one.
    fn family(
        &self,
        name: Name,
        family: RecordType,
    ) -> BoxFuture<'_, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(async move {
            let found = self.0.lookup(name, family).await.map_err(|error| dns_error(&error))?;
            let records = found.answers().iter();
            let addresses: Vec<_> = records.filter_map(|record| record.data.ip_addr()).collect();
            if addresses.is_empty() { Err(DnsError::NoAddress) } else { Ok(addresses) }
        })
    }
}

fn dns_error(error: &NetError) -> DnsError {
    if error.is_nx_domain() {
        return DnsError::NoSuchName;
    }
    if error.is_no_records_found() {
        return DnsError::NoAddress;
    }
    // The resolver hides the cause of a missing socket, so one is opened here.
    match UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)) {
        Err(error) if ConnectError::from(&error) == ConnectError::NoResources => {
            DnsError::NoResources
        }
        _ => DnsError::Failed,
    }
}

/// Time for one query, from the time for a name; at least the default.
fn query_time(time: Duration) -> Duration {
    DNS_QUERY.max(time * 2 / 5)
}

impl Resolve for DnsResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(async move { Ok(self.resolve_early(name).await?.addresses) })
    }

    fn resolve_early<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Resolved<'a>, DnsError>> {
        Box::pin(async move {
            // Octets, because the parser of names refuses `-shop.example`, which exists. Labels
            // make a complete name, so no search domain is appended: `shop.example` is never
            // `shop.example.corp.internal`.
            let name = Name::from_labels(name.split('.').map(str::as_bytes));
            let name = name.map_err(|_| DnsError::InvalidName)?;
            let mut v4 = self.family(name.clone(), RecordType::A);
            let mut v6 = self.family(name, RecordType::AAAA);
            let (first, is_v4, mut other) = tokio::select! {
                first = &mut v4 => (first, true, v6),
                first = &mut v6 => (first, false, v4),
            };
            match first {
                Ok(mut addresses) => {
                    let rest = match timeout(RESOLUTION_DELAY, &mut other).await {
                        Ok(more) => {
                            addresses.extend(more.unwrap_or_default());
                            None
                        }
                        Err(_) => Some(Box::pin(async { other.await.unwrap_or_default() }) as _),
                    };
                    Ok(Resolved { addresses, rest })
                }
                // Some servers answer NXDOMAIN for one family only (RFC 4074 section 4.2).
                Err(error) => match other.await {
                    Ok(addresses) => Ok(addresses.into()),
                    Err(other) => Err(if is_v4 { error } else { other }),
                },
            }
        })
    }
}

impl fmt::Debug for DnsResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DnsResolver")
    }
}

/// The error of a missing or unreadable DNS configuration.
#[derive(Debug)]
pub struct DnsConfigError(NetError);

impl Display for DnsConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected name servers to ask, but found none")
    }
}

impl Error for DnsConfigError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_has_its_share_of_the_time_for_a_name() {
        assert_eq!(query_time(DNS.default), DNS_QUERY);
        assert_eq!(query_time(DNS.least), DNS_QUERY);
        assert_eq!(query_time(Duration::from_secs(20)), Duration::from_secs(8));
    }
}
