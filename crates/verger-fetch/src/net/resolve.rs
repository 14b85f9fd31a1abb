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

use hickory_resolver::config::{LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::{ResolverBuilder, TokioResolver};

use super::{BoxFuture, ConnectError, DnsError, Resolve};
use crate::limits::{DNS, DNS_ATTEMPTS, DNS_QUERY};

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
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        Ok(Self(builder.build().map_err(DnsConfigError)?))
    }
}

/// Time for one query, from the time for a name; at least the default.
fn query_time(time: Duration) -> Duration {
    DNS_QUERY.max(time * 2 / 5)
}

impl Resolve for DnsResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(async move {
            // The final dot disables search domains: `shop.example` is never
            // `shop.example.corp.internal`.
            match self.0.lookup_ip(format!("{name}.")).await {
                Ok(found) => Ok(found.iter().collect()),
                Err(error) if error.is_nx_domain() => Err(DnsError::NoSuchName),
                Err(error) if error.is_no_records_found() => Err(DnsError::NoAddress),
                // The resolver hides the cause of a missing socket, so one is opened here.
                Err(_) => match UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)) {
                    Err(error) if ConnectError::from(&error) == ConnectError::NoResources => {
                        Err(DnsError::NoResources)
                    }
                    _ => Err(DnsError::Failed),
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
