//! The network: names to addresses, addresses to streams.
//!
//! Two traits abstract the network, so that tests can script it: [`Resolve`] and [`Dial`]. The
//! [guard](crate::guard) checks addresses between the two.
//!
//! A proxy resolves names itself, so the guard does not see their addresses. No proxy is read from
//! the environment; a [`Proxy`] is used only if the caller sets one.

mod budget;
mod connect;
mod pool;
mod proxy;
#[cfg(feature = "dns")]
mod resolve;
mod silence;
mod tls;
mod tunnel;

use std::fmt::Debug;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

pub(crate) use self::budget::{Budget, Slot};
pub(crate) use self::connect::{Connected, Net, Route};
pub(crate) use self::pool::{Counted, Lend, Lends, Pool};
pub use self::proxy::{Proxy, ProxyUrlError};
#[cfg(feature = "dns")]
pub use self::resolve::DnsResolver;
pub(crate) use self::tls::{Alpn, Protocol};
pub use self::tls::{PemError, Roots};
use crate::failure::{DnsError, NetworkError, Phase};

/// Awaits a future within a time limit.
///
/// # Errors
///
/// The timeout of `phase`, or the error of the future.
pub(crate) async fn within<T>(
    time: Duration,
    phase: Phase,
    future: impl Future<Output = Result<T, NetworkError>>,
) -> Result<T, NetworkError> {
    tokio::time::timeout(time, future).await.unwrap_or(Err(NetworkError::Timeout(phase)))
}

/// A boxed future.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Resolves a name to addresses.
///
/// The caller sets the time limit, checks every address and dials only the returned ones.
pub trait Resolve: Debug + Send + Sync {
    /// Returns the addresses of a host name: lower case, punycode, no final dot.
    ///
    /// If one address family has answered and the other one is silent, return the known addresses:
    /// at the time limit of the caller they would be lost.
    ///
    /// # Errors
    ///
    /// If there is no address.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>>;

    /// Returns the addresses that are known first, and a future of the rest (RFC 8305 section 3).
    /// A fetch calls this method.
    ///
    /// Override it to deliver partial results: if the question for one address family is not
    /// answered soon after the other one, its answer becomes the rest. A wrapper of another
    /// resolver forwards it. The default has no rest.
    ///
    /// # Errors
    ///
    /// As [`resolve`](Self::resolve).
    fn resolve_early<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Resolved<'a>, DnsError>> {
        Box::pin(async move { Ok(self.resolve(name).await?.into()) })
    }
}

/// The addresses of a name, as far as they are known.
#[expect(missing_debug_implementations, reason = "a future has none")]
#[expect(clippy::exhaustive_structs, reason = "implementations of `Resolve` build it")]
pub struct Resolved<'a> {
    /// Addresses to dial.
    pub addresses: Vec<IpAddr>,
    /// Addresses that are not known yet. It is awaited only if none of `addresses` accepts a
    /// connection, for the rest of the time for the name.
    pub rest: Option<BoxFuture<'a, Vec<IpAddr>>>,
}

impl From<Vec<IpAddr>> for Resolved<'_> {
    fn from(addresses: Vec<IpAddr>) -> Self {
        Self { addresses, rest: None }
    }
}

/// Connects to an address.
///
/// The caller sets the time limit and has checked the address: an implementation connects to
/// exactly this one. The address of a [`Proxy`] is not checked.
pub trait Dial: Debug + Send + Sync {
    /// Returns a connected stream.
    ///
    /// # Errors
    ///
    /// If the connection fails.
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>>;
}

/// A connection.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection of any kind.
pub type BoxStream = Box<dyn Stream>;

/// Connects by TCP; the default.
#[derive(Debug)]
pub(crate) struct TcpDial;

impl Dial for TcpDial {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(async move {
            let stream = TcpStream::connect(to).await?;
            // A request is one write; waiting for more data has no benefit.
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as BoxStream)
        })
    }
}
