//! The error of a request without a response.

use std::error::Error;
use std::fmt::{self, Display};
use std::io;

use super::{ConnectError, NetworkError, tls};
use crate::guard::Refusal;
use crate::limits::LimitReached;

/// A request without a response.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// The guard refused an address.
    Refused(Refusal),
    /// The request failed.
    Network(NetworkError),
    /// A limit of this client was reached for too long, for example of connections to the address.
    /// The request was not sent.
    Busy(LimitReached),
}

impl RequestError {
    /// Finds the cause of a failed connection among the sources of an HTTP library's error.
    ///
    /// It recognises a [`Refusal`] of the guard, a [`NetworkError`] of the caller's resolver, an
    /// [`io::Error`] that only connecting can cause, and an error of `rustls`. Otherwise `None`:
    /// only the library knows whether a timeout or a reset occurred while connecting.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_fetch::guard::Guard;
    /// use verger_fetch::net::{ConnectError, NetworkError, RequestError};
    ///
    /// let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
    /// let expected = NetworkError::Connect(ConnectError::Refused).into();
    /// assert_eq!(RequestError::find(&refused), Some(expected));
    ///
    /// let refusal = Guard::new().check_address("10.0.0.1".parse()?).unwrap_err();
    /// let wrapped = std::io::Error::other(refusal.clone());
    /// assert_eq!(RequestError::find(&wrapped), Some(refusal.into()));
    /// # Ok::<(), std::net::AddrParseError>(())
    /// ```
    pub fn find(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(refusal) = error.downcast_ref::<Refusal>() {
                return Some(refusal.clone().into());
            }
            if let Some(&error) = error.downcast_ref::<NetworkError>() {
                return Some(error.into());
            }
            if let Some(error) = error.downcast_ref::<rustls::Error>() {
                return Some(NetworkError::Tls(tls::kind(error)).into());
            }
            let io = error.downcast_ref::<io::Error>();
            let wrapped = io.and_then(io::Error::get_ref);
            if let (Some(io), None) = (io, wrapped) {
                return match ConnectError::from(io) {
                    ConnectError::Reset | ConnectError::Other => None,
                    error => Some(NetworkError::Connect(error).into()),
                };
            }
            // The source of an `io::Error` is the source of its inner error.
            next = wrapped.map_or_else(|| error.source(), |wrapped| Some(wrapped));
        }
        None
    }
}

impl Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Network(error) => error.fmt(f),
            Self::Busy(limit) => limit.fmt(f),
        }
    }
}

impl Error for RequestError {}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{DnsError, TlsError};

    #[test]
    fn reasons_are_found_among_the_sources_of_an_error() {
        let io = |kind: io::ErrorKind| io::Error::from(kind);
        let certificate = || rustls::Error::InvalidCertificate(rustls::CertificateError::Expired);
        for (error, expected) in [
            (
                io(io::ErrorKind::ConnectionRefused),
                Some(NetworkError::Connect(ConnectError::Refused)),
            ),
            (
                io(io::ErrorKind::HostUnreachable),
                Some(NetworkError::Connect(ConnectError::HostUnreachable)),
            ),
            // While connecting, or later.
            (io(io::ErrorKind::ConnectionReset), None),
            (io(io::ErrorKind::TimedOut), None),
            (io(io::ErrorKind::UnexpectedEof), None),
            (io::Error::other("another"), None),
            (
                io::Error::other(NetworkError::Dns(DnsError::NoAddress)),
                Some(NetworkError::Dns(DnsError::NoAddress)),
            ),
            (
                io::Error::other(io::Error::other(certificate())),
                Some(NetworkError::Tls(TlsError::Expired)),
            ),
            (
                io::Error::other(rustls::Error::HandshakeNotComplete),
                Some(NetworkError::Tls(TlsError::Handshake)),
            ),
        ] {
            assert_eq!(
                RequestError::find(&error),
                expected.map(RequestError::Network),
                "{error:?}"
            );
        }
    }
}
