//! The settings of a fetcher.

use std::error::Error;
use std::fmt::{self, Display};
use std::future::ready;
#[cfg(feature = "dns")]
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use verger::TokenError;

use super::http::BuiltIn;
use super::{Fetcher, HttpClient, Identity, Sign};
use crate::failure::{DnsError, TlsError};
use crate::guard::Guard;
use crate::limits::{LimitError, Limits};
#[cfg(feature = "dns")]
use crate::net::DnsResolver;
use crate::net::{BoxFuture, Dial, Net, Proxy, Resolve, Roots, TcpDial};

/// The settings of a [`Fetcher`]. [`RobotsClientBuilder`](crate::client::RobotsClientBuilder)
/// describes them.
#[derive(Clone, Debug)]
pub(crate) struct FetcherBuilder {
    identity: Identity,
    pub(crate) guard: Guard,
    pub(crate) limits: Limits,
    pub(crate) roots: Roots,
    pub(crate) resolve: Option<Arc<dyn Resolve>>,
    pub(crate) dial: Arc<dyn Dial>,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) http2_for_robots: bool,
    pub(crate) http: Option<Arc<dyn HttpClient>>,
    pub(crate) signer: Option<Arc<dyn Sign>>,
}

impl FetcherBuilder {
    pub(crate) fn new(identity: Identity) -> Self {
        Self {
            identity,
            guard: Guard::new(),
            limits: Limits::default(),
            roots: Roots::default(),
            resolve: None,
            dial: Arc::new(TcpDial),
            proxy: None,
            http2_for_robots: false,
            http: None,
            signer: None,
        }
    }

    pub(crate) fn build(self) -> Result<Fetcher, BuildError> {
        let Self { identity, mut guard, limits, proxy, .. } = self;
        limits.check().map_err(BuildError::Limit)?;
        let is_built_in = self.http.is_none();
        let is_proxied = is_built_in && proxy.is_some();
        let (http, net): (Arc<dyn HttpClient>, _) = if let Some(http) = self.http {
            (http, None)
        } else {
            let resolve = match self.resolve {
                Some(resolve) => resolve,
                // No name is resolved; the proxy may be the only way out of a network without DNS.
                None if proxy.as_ref().is_some_and(Proxy::is_address) => Arc::new(NoResolver),
                None => system_resolver(limits)?,
            };
            let net = Net::new(guard.clone(), resolve, self.dial, self.roots, limits, proxy);
            let net = net.map_err(BuildError::Tls)?;
            if is_proxied {
                guard = guard.by_proxy();
            }
            let http = BuiltIn::new(net.clone(), self.http2_for_robots);
            (Arc::new(http), (!is_proxied).then_some(net))
        };
        Ok(Fetcher {
            identity,
            guard,
            limits,
            http,
            signer: self.signer,
            is_built_in,
            is_proxied,
            net,
        })
    }
}

#[cfg(feature = "dns")]
fn system_resolver(limits: Limits) -> Result<Arc<dyn Resolve>, BuildError> {
    let resolver = DnsResolver::system_within(limits.dns).map_err(BuildError::Resolver)?;
    Ok(Arc::new(resolver))
}

#[cfg(not(feature = "dns"))]
const fn system_resolver(_: Limits) -> Result<Arc<dyn Resolve>, BuildError> {
    Err(BuildError::NoResolver)
}

/// Placeholder for a resolver that is never called.
#[derive(Debug)]
struct NoResolver;

impl Resolve for NoResolver {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(ready(Err(DnsError::Failed)))
    }
}

/// The error of building a client.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// No group can name the crawler, so only groups for `*` would apply.
    Crawler(TokenError),
    /// A limit is outside its range.
    Limit(LimitError),
    /// No resolver was set, and the feature `dns` is off.
    NoResolver,
    /// The system's name servers are unknown.
    #[cfg(feature = "dns")]
    Resolver(io::Error),
    /// TLS could not be set up.
    Tls(TlsError),
}

impl Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crawler(error) => write!(f, "no group can name the crawler: {error}"),
            Self::Limit(error) => error.fmt(f),
            Self::NoResolver => f.write_str("set a resolver, or enable the feature `dns`"),
            #[cfg(feature = "dns")]
            Self::Resolver(error) => write!(f, "no name servers are known: {error}"),
            Self::Tls(_) => f.write_str("could not set up TLS"),
        }
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            #[cfg(feature = "dns")]
            Self::Resolver(error) => error.source(),
            Self::Crawler(_) | Self::Limit(_) | Self::NoResolver | Self::Tls(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(feature = "dns"))]
    #[test]
    fn a_resolver_is_needed_without_the_default_one() {
        let mut builder = FetcherBuilder::new(Identity::new("ExampleBot/1.0").unwrap());
        assert!(matches!(builder.clone().build(), Err(BuildError::NoResolver)));
        builder.resolve = Some(Arc::new(NoResolver));
        assert!(builder.build().is_ok());
    }

    #[test]
    fn no_name_servers_are_needed_for_the_address_of_a_proxy() {
        for (url, is_asked) in [
            ("http://10.0.0.1:3128", false),
            ("http://[::1]:3128", false),
            ("http://proxy.example:3128", true),
        ] {
            let mut builder = FetcherBuilder::new(Identity::new("ExampleBot/1.0").unwrap());
            builder.proxy = Some(Proxy::new(url).unwrap());
            let built = builder.build();
            let has_none = built.is_ok_and(|fetcher| format!("{fetcher:?}").contains("NoResolver"));
            assert_eq!(has_none, !is_asked, "{url}");
        }
    }
}
