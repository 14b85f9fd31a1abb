//! Reaching a server: names to addresses, addresses to streams.
//!
//! Two traits stand between the fetch and the network, so that tests put scripts in their place:
//! [`Resolve`] and [`Dial`]. Between the two stands the [guard](crate::guard).
//!
//! Nothing here reads the environment: a proxy resolves names itself, so the guard does not see their
//! addresses. A [`Proxy`] is used only if the caller sets one.

mod budget;
mod connect;
mod dial;
mod error;
mod places;
mod pool;
mod proxy;
mod request_error;
#[cfg(feature = "dns")]
mod resolve;
mod silence;
mod tls;

use std::fmt::Debug;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

pub(crate) use self::budget::{Budget, Slot};
pub(crate) use self::connect::{Connected, Net, Route};
pub use self::dial::TcpDial;
pub(crate) use self::error::within;
pub use self::error::{
    Blames, CodingError, ConnectError, DnsError, FtpStep, Incomplete, NetworkError, PemError,
    Phase, ProtocolError, ProxyError, TlsError,
};
pub(crate) use self::pool::{Lend, Lends, Pool, silence};
pub use self::proxy::{Proxy, ProxyUrlError};
pub use self::request_error::RequestError;
#[cfg(feature = "dns")]
pub use self::resolve::{DnsConfigError, DnsResolver};
pub use self::tls::Roots;
pub(crate) use self::tls::{Alpn, Protocol};

/// A future in a box.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Turns a name into addresses.
///
/// The caller sets the time limit, judges every address and dials none but those returned.
pub trait Resolve: Debug + Send + Sync {
    /// The addresses of a host name: lower case, punycode, no dot at the end.
    ///
    /// # Errors
    ///
    /// When there is none.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>>;
}

/// Connects to an address.
///
/// The caller sets the time limit and has judged the address: an implementation connects to exactly
/// this one. The address of a [`Proxy`] is not judged.
pub trait Dial: Debug + Send + Sync {
    /// A connected stream.
    ///
    /// # Errors
    ///
    /// When the connection does not come about.
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>>;
}

/// A connection.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection of any kind.
pub type BoxStream = Box<dyn Stream>;
