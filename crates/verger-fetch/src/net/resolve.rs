//! Names to addresses, by the name servers of the system.
//!
//! Hickory and not `getaddrinfo`: a call of the latter occupies a thread until it returns and cannot be
//! given up, so a few hundred names whose servers stay silent would stop every fetch of the process.
//! Its own filters of answers are not used; they are made for name servers, and the
//! [guard](crate::guard) judges every address.

use std::error::Error;
use std::fmt::{self, Display};
use std::net::IpAddr;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;
use hickory_resolver::net::NetError;

use super::{BoxFuture, DnsError, Resolve};

/// Time for one question to one server; twice this and a retry over TCP fit in the budget for DNS.
const QUESTION: Duration = Duration::from_secs(2);

/// Asks the name servers that the system is configured with, and its hosts file. The default.
pub struct SystemResolver(TokioResolver);

impl SystemResolver {
    /// Reads the system's configuration: `/etc/resolv.conf` and `/etc/hosts`, or the registry.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn new() -> Result<Self, SystemResolverError> {
        let mut builder = TokioResolver::builder_tokio().map_err(SystemResolverError)?;
        let options = builder.options_mut();
        options.timeout = QUESTION;
        options.attempts = 2;
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        Ok(Self(builder.build().map_err(SystemResolverError)?))
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(async move {
            // The dot keeps search domains out: `shop.example` is never `shop.example.corp.internal`.
            match self.0.lookup_ip(format!("{name}.")).await {
                Ok(found) => Ok(found.iter().collect()),
                Err(error) if error.is_nx_domain() => Err(DnsError::NoSuchName),
                Err(error) if error.is_no_records_found() => Err(DnsError::NoAddress),
                Err(_) => Err(DnsError::Failed),
            }
        })
    }
}

impl fmt::Debug for SystemResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SystemResolver")
    }
}

/// The system's name servers are not known.
#[derive(Debug)]
pub struct SystemResolverError(NetError);

impl Display for SystemResolverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("could not read the system's DNS configuration")
    }
}

impl Error for SystemResolverError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}
