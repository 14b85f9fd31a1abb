//! The builder of a fetcher.

use std::error::Error;
use std::fmt::{self, Display};
use std::future::ready;
use std::net::IpAddr;
use std::sync::Arc;

use super::http::BuiltIn;
use super::{Fetcher, HttpClient, Identity};
use crate::guard::Guard;
use crate::limits::Limits;
use crate::net::{BoxFuture, Dial, DnsError, Net, Proxy, Resolve, Roots, TcpDial, TlsError};
#[cfg(feature = "dns")]
use crate::net::{DnsConfigError, DnsResolver};

/// Builds a [`Fetcher`].
#[derive(Clone, Debug)]
pub struct FetcherBuilder {
    identity: Identity,
    guard: Guard,
    limits: Limits,
    roots: Roots,
    resolve: Option<Arc<dyn Resolve>>,
    dial: Arc<dyn Dial>,
    proxy: Option<Proxy>,
    http2_for_robots: bool,
    http: Option<Arc<dyn HttpClient>>,
}

impl Fetcher {
    /// Returns the builder of a fetcher with this identity.
    pub fn builder(identity: Identity) -> FetcherBuilder {
        FetcherBuilder {
            identity,
            guard: Guard::new(),
            limits: Limits::default(),
            roots: Roots::default(),
            resolve: None,
            dial: Arc::new(TcpDial),
            proxy: None,
            http2_for_robots: false,
            http: None,
        }
    }
}

impl FetcherBuilder {
    /// Permitted destinations. Default: the public Internet.
    #[must_use]
    pub fn guard(self, guard: Guard) -> Self {
        Self { guard, ..self }
    }

    /// Limits of time, size and number.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Trusted root certificates. Default: Mozilla's list.
    #[must_use]
    pub fn roots(self, roots: Roots) -> Self {
        Self { roots, ..self }
    }

    /// Resolver of names. Default: `DnsResolver::system`; required without the feature `dns`.
    #[must_use]
    pub fn resolve(self, resolve: Arc<dyn Resolve>) -> Self {
        Self { resolve: Some(resolve), ..self }
    }

    /// Dialler of connections. Default: [`TcpDial`].
    #[must_use]
    pub fn dial(self, dial: Arc<dyn Dial>) -> Self {
        Self { dial, ..self }
    }

    /// Sends all requests through an HTTP proxy. Default: no proxy, whatever the environment says.
    ///
    /// The proxy resolves the names of sites. The guard still checks every URL: scheme, port,
    /// literal address and name. Internal names are refused even with allowed networks. The
    /// addresses of public names are not checked, so the proxy should have no access to private
    /// networks. [`resolve`](Self::resolve) and [`dial`](Self::dial) apply to the proxy, whose own
    /// address is not checked. The limit of connections to one address does not apply to it. FTP is
    /// refused.
    #[must_use]
    pub fn proxy(self, proxy: Proxy) -> Self {
        Self { proxy: Some(proxy), ..self }
    }

    /// Whether fetches of robots.txt offer HTTP/2. Fetches of pages always do. Default: no.
    #[cfg(feature = "http2")]
    #[must_use]
    pub const fn http2_for_robots(mut self, offered: bool) -> Self {
        self.http2_for_robots = offered;
        self
    }

    /// HTTP client that sends requests, instead of the built-in one. Then [`roots`](Self::roots),
    /// [`resolve`](Self::resolve), [`dial`](Self::dial), [`proxy`](Self::proxy) and all
    /// [`limits`](Self::limits) of connections, heads and codings have no effect, and FTP is not
    /// supported. The guard checks every URL before it is sent.
    #[must_use]
    pub fn http_client(self, client: Arc<dyn HttpClient>) -> Self {
        Self { http: Some(client), ..self }
    }

    /// Builds the fetcher.
    ///
    /// # Errors
    ///
    /// If the system's DNS configuration is needed and cannot be read, or if the feature `dns` is
    /// off and no resolver was set. Neither is needed with a custom HTTP client, or with a proxy
    /// given by its address.
    pub fn build(self) -> Result<Fetcher, BuildError> {
        let Self { identity, mut guard, limits, proxy, .. } = self;
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
        #[cfg(not(feature = "ftp"))]
        drop(net);
        Ok(Fetcher {
            identity,
            guard,
            limits,
            http,
            is_built_in,
            is_proxied,
            #[cfg(feature = "ftp")]
            net,
        })
    }
}

#[cfg(feature = "dns")]
fn system_resolver(limits: Limits) -> Result<Arc<dyn Resolve>, BuildError> {
    let resolver = DnsResolver::system_within(limits.dns()).map_err(BuildError::Resolver)?;
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

/// The error of building a fetcher.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// No resolver was set, and the feature `dns` is off.
    NoResolver,
    /// The system's name servers are unknown.
    #[cfg(feature = "dns")]
    Resolver(DnsConfigError),
    /// TLS could not be set up.
    Tls(TlsError),
}

impl Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoResolver => {
                f.write_str("expected a resolver, but found none and no feature `dns`")
            }
            #[cfg(feature = "dns")]
            Self::Resolver(error) => Display::fmt(error, f),
            Self::Tls(_) => f.write_str("could not set up TLS"),
        }
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            #[cfg(feature = "dns")]
            Self::Resolver(error) => error.source(),
            Self::NoResolver | Self::Tls(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(feature = "dns"))]
    #[test]
    fn a_resolver_is_needed_without_the_default_one() {
        let build = || Fetcher::builder(Identity::new("ExampleBot/1.0").unwrap());
        assert!(matches!(build().build(), Err(BuildError::NoResolver)));
        assert!(build().resolve(Arc::new(NoResolver)).build().is_ok());
    }

    #[test]
    fn no_name_servers_are_needed_for_the_address_of_a_proxy() {
        for (url, is_asked) in [
            ("http://10.0.0.1:3128", false),
            ("http://[::1]:3128", false),
            ("http://proxy.example:3128", true),
        ] {
            let builder = Fetcher::builder(Identity::new("ExampleBot/1.0").unwrap());
            let built = builder.proxy(Proxy::new(url).unwrap()).build();
            let has_none = built.is_ok_and(|fetcher| format!("{fetcher:?}").contains("NoResolver"));
            assert_eq!(has_none, !is_asked, "{url}");
        }
    }
}
