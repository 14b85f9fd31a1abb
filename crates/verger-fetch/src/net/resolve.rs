//! Resolution of names, by the name servers of the system.
//!
//! Hickory instead of `getaddrinfo`: the latter blocks a thread until it returns and cannot be
//! cancelled, so a few hundred names with silent servers would stop every fetch of the process.
//! Hickory's filters of answers are not used; they are for name servers, and the
//! [guard](crate::guard) checks every address.

use std::fmt;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::op::Query;
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};
use hickory_resolver::{Hosts, MAX_TTL, ResolverBuilder, TokioResolver};
use tokio::time::timeout;

use super::{BoxFuture, Resolve, Resolved};
use crate::failure::{ConnectError, DnsError};
use crate::limits::{DNS, DNS_ATTEMPTS, DNS_QUERY, RESOLUTION_DELAY};

/// Resolves names by name servers.
pub struct DnsResolver(TokioResolver);

impl DnsResolver {
    /// Uses the system's name servers and its hosts file. The default.
    ///
    /// # Errors
    ///
    /// If the configuration (`/etc/resolv.conf` and `/etc/hosts`, or the registry) cannot be read.
    pub fn system() -> io::Result<Self> {
        Self::system_within(DNS.default)
    }

    /// The same with this time for a name. Each query gets its share, for slow name servers.
    pub(crate) fn system_within(time: Duration) -> io::Result<Self> {
        let system = TokioResolver::builder_tokio().map_err(io::Error::other)?;
        let mut resolver = Self::new(system, query_time(time))?;
        if cfg!(unix)
            && let Ok(file) = fs::read("/etc/hosts")
        {
            resolver.0.set_hosts(Arc::new(hosts(&file)));
        }
        Ok(resolver)
    }

    /// Uses these name servers over UDP and TCP, and no configuration of the system.
    ///
    /// # Errors
    ///
    /// If there is no name server.
    pub fn asking(servers: &[SocketAddr]) -> io::Result<Self> {
        let server = |at: &SocketAddr| {
            let mut server = NameServerConfig::udp_and_tcp(at.ip());
            server.connections.iter_mut().for_each(|connection| connection.port = at.port());
            server
        };
        let servers: Vec<_> = servers.iter().map(server).collect();
        if servers.is_empty() {
            return Err(io::Error::other(NetError::NoConnections));
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
    ) -> io::Result<Self> {
        let options = builder.options_mut();
        options.timeout = query_time;
        options.attempts = DNS_ATTEMPTS;
        Ok(Self(builder.build().map_err(io::Error::other)?))
    }
}

impl DnsResolver {
    /// Returns the host names of an address, from its PTR records; none if it has no name.
    ///
    /// A name is a claim of the owner of the address: it counts only if it resolves to the address.
    /// Answers are cached for their time to live, also negative ones.
    ///
    /// # Errors
    ///
    /// If the name servers do not answer.
    pub async fn host_names(&self, address: IpAddr) -> Result<Vec<String>, DnsError> {
        let found = self.0.lookup(Name::from(address), RecordType::PTR).await;
        let found = match found.map_err(|error| dns_error(&error)) {
            Ok(found) => found,
            Err(DnsError::NoSuchName | DnsError::NoAddress) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let names = found.answers().iter().filter_map(|record| match &record.data {
            RData::PTR(name) => Some(name.to_lowercase().to_ascii()),
            _ => None,
        });
        Ok(names.collect())
    }

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

/// A name from octets, because the parser of names refuses `-shop.example`, which exists. Labels
/// make a complete name, so no search domain is appended: `shop.example` is never
/// `shop.example.corp.internal`.
fn name_of(text: &str) -> Result<Name, DnsError> {
    Name::from_labels(text.split('.').map(str::as_bytes)).map_err(|_| DnsError::InvalidName)
}

/// The names of a hosts file. Hickory's reader skips names that its parser refuses, and everything
/// after a comment in another encoding than UTF-8.
fn hosts(file: &[u8]) -> Hosts {
    let mut hosts = Hosts::default();
    for line in String::from_utf8_lossy(file).lines() {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let Some(Ok(address)) = words.next().map(str::parse::<IpAddr>) else { continue };
        let family = if address.is_ipv4() { RecordType::A } else { RecordType::AAAA };
        for name in words.filter_map(|word| name_of(word.trim_end_matches('.')).ok()) {
            let record = Record::from_rdata(name.clone(), MAX_TTL, address.into());
            let lookup = Lookup::new_with_max_ttl(Query::query(name.clone(), family), [record]);
            hosts.insert(name, family, lookup);
        }
    }
    hosts
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
            let name = name_of(name)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn unusual_names_of_a_hosts_file_are_resolved() {
        let mut resolver = DnsResolver::asking(&[(Ipv4Addr::LOCALHOST, 9).into()]).unwrap();
        let file = b"# \xe9\n\
            1.1.1.1 shop.example -shop.example a!.example. # -comment.example\n\
            # 1.1.1.1 -none.example\n\
            1.1.1.x -bad.example\n\
            \t1.1.1.2\t-Shop.example \xff.example ..\r\n\
            2600::1 -shop.example -six.example";
        let hosts = hosts(file);
        let of_family = |name, family| {
            hosts.lookup_static_host(&Query::query(name_of(name).unwrap(), family)).is_some()
        };
        let is_known =
            |name| [RecordType::A, RecordType::AAAA].map(|family| of_family(name, family));
        for (name, expected) in [
            ("-shop.example", [true, true]),
            ("a!.example", [true, false]),
            ("-six.example", [false, true]),
            ("shop.example", [true, false]),
            ("-none.example", [false, false]),
            ("-comment.example", [false, false]),
            ("-bad.example", [false, false]),
        ] {
            assert_eq!(is_known(name), expected, "{name}");
        }
        resolver.0.set_hosts(Arc::new(hosts));
        let mut found = resolver.resolve("-shop.example").await.unwrap();
        found.sort();
        let expected: [IpAddr; 3] =
            ["1.1.1.1", "1.1.1.2", "2600::1"].map(|text| text.parse().unwrap());
        assert_eq!(found, expected);
    }

    #[test]
    fn a_query_has_its_share_of_the_time_for_a_name() {
        assert_eq!(query_time(DNS.default), DNS_QUERY);
        assert_eq!(query_time(DNS.least), DNS_QUERY);
        assert_eq!(query_time(Duration::from_secs(20)), Duration::from_secs(8));
    }
}
