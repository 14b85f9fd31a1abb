//! Failures of fetches: the cause, the party at fault, and whether another try makes sense.

mod network;
mod tls;

use std::error::Error;
use std::fmt::{self, Display};
use std::io;

use serde::{Deserialize, Serialize};

pub use self::network::{
    CodingError, ConnectError, DnsError, FtpStep, Incomplete, NetworkError, Phase, ProtocolError,
    ProxyError,
};
pub use self::tls::TlsError;
use crate::guard::Refusal;
use crate::limits::LimitReached;

/// The failure of a fetch: a kind with its parameters.
///
/// `Display` is the message for people; programs need not parse it. As JSON (`serde`) it is an
/// object with `kind` and, if the kind has parameters, `detail`.
///
/// # Examples
///
/// ```
/// use verger_fetch::failure::{Failure, NetworkError, Phase};
///
/// let failure = Failure::Network(NetworkError::Timeout(Phase::Head));
/// assert_eq!(failure.to_string(), "the response took too long to begin");
/// assert!(!failure.is_fault());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "detail", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Failure {
    /// A final status other than success and redirect.
    ///
    /// FTP's 550 to RETR, "no such file", becomes 404: both mean that there is no robots.txt
    /// (REP-ACCESS-11).
    Status(u16),
    /// More redirects than allowed (REP-ACCESS-23).
    RedirectLimit,
    /// A redirect that cannot be followed, or that the profile forbids (REP-AMB-17, REP-ACCESS-28).
    BrokenRedirect(Broken),
    /// A redirect to a URL that is disallowed to this crawler (REP-ACCESS-22).
    DisallowedHop,
    /// Status 202 without a body (REP-AMB-46).
    AcceptedEmpty,
    /// The guard refused to connect: the URL itself, a redirect, or an address of the name.
    Refused(Refusal),
    /// The robots.txt of this origin has no URL that can be requested.
    NoUrl,
    /// The client is offline: nothing was requested.
    Offline {
        /// Whether the store has a record of the origin.
        has_record: bool,
    },
    /// A limit of this client was reached for longer than [`TOTAL`](crate::limits::TOTAL), because
    /// of other fetches: usually the limit of connections to an address. Nothing was sent. Never in
    /// a record.
    #[serde(skip)]
    Busy(LimitReached),
    /// There is no whole response.
    #[serde(untagged)]
    Network(NetworkError),
}

/// The defect of a redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Broken {
    /// No Location, or an empty one.
    NoLocation,
    /// Several Locations that differ.
    SeveralLocations,
    /// The Location is not a URL.
    BadLocation,
    /// The scheme of the Location is neither http nor https.
    TargetScheme,
    /// From https to http, which this request does not permit (REP-ACCESS-28).
    Downgrade,
    /// 304 to an unconditional request, or one that confirms no stored file.
    NotModifiedUnasked,
    /// 300, 305, 306 or another 3xx that is not a redirect.
    NoRedirect,
}

/// The party at fault for a failure, as far as known (REP-CACHE-28).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blames {
    /// The site.
    Site,
    /// The site or its name servers, or the crawler's own network.
    Unclear,
    /// The crawler: the failure says nothing about the site.
    Crawler,
}

impl Failure {
    /// Finds the cause of a failed connection among the sources of an HTTP library's error.
    ///
    /// It recognises a [`Refusal`] of the guard, a [`NetworkError`] of the caller's resolver, an
    /// [`io::Error`] that only connecting can cause, and an error of `rustls`. Otherwise `None`:
    /// only the library knows whether a timeout or a reset occurred while connecting.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_fetch::failure::{ConnectError, Failure, NetworkError};
    /// use verger_fetch::guard::Guard;
    ///
    /// let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
    /// let expected = NetworkError::Connect(ConnectError::Refused).into();
    /// assert_eq!(Failure::find(&refused), Some(expected));
    ///
    /// let refusal = Guard::new().check_addresses("a.example", &["10.0.0.1".parse()?]).unwrap_err();
    /// let wrapped = std::io::Error::other(refusal.clone());
    /// assert_eq!(Failure::find(&wrapped), Some(refusal.into()));
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
                return Some(NetworkError::Tls(error.into()).into());
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

    /// Whether another try makes no sense until the configuration of the client changes: its guard
    /// refused to connect, or the origin has no URL that can be requested.
    pub const fn lasts(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::NoUrl)
    }

    /// Whether the client itself or its proxy failed, or its guard refused, so that the site
    /// received no request (REP-CACHE-28). False for failures that may be the site's, such as an
    /// unknown host or a proxy that could not reach the site.
    pub fn is_fault(&self) -> bool {
        match self {
            Self::Refused(_) | Self::NoUrl | Self::Offline { .. } | Self::Busy(_) => true,
            Self::Network(error) => error.blames(true) == Blames::Crawler,
            _ => false,
        }
    }

    /// Whether it may be due to a suspension of this process.
    pub(crate) const fn may_be_late(&self) -> bool {
        match self {
            Self::Network(error) => error.may_be_late(),
            // The server waited for the request.
            Self::Status(408) => true,
            _ => false,
        }
    }
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

impl Error for Failure {}

impl Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoLocation => "a redirect without a Location",
            Self::SeveralLocations => "a redirect with several Locations",
            Self::BadLocation => "a redirect with an invalid Location",
            Self::TargetScheme => "a redirect to a scheme other than http and https",
            Self::Downgrade => "a redirect from https to http",
            Self::NotModifiedUnasked => "304 to an unconditional request",
            Self::NoRedirect => "a 3xx status that is not a redirect",
        })
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "status {status}"),
            Self::RedirectLimit => f.write_str("too many redirects"),
            Self::BrokenRedirect(broken) => broken.fmt(f),
            Self::DisallowedHop => f.write_str("redirected to a URL that is disallowed"),
            Self::AcceptedEmpty => f.write_str("status 202 without a body"),
            Self::Busy(limit) => limit.fmt(f),
            Self::Network(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::NoUrl => f.write_str("the URL of robots.txt cannot be requested"),
            Self::Offline { has_record: true } => {
                f.write_str("offline, and the stored record of this origin is too old")
            }
            Self::Offline { has_record: false } => {
                f.write_str("offline, and no record of this origin is stored")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Guard;

    #[test]
    fn a_failure_is_unchanged_after_conversion_to_json_and_back() {
        let refusal = Guard::new().check_url(&"http://127.0.0.1/".parse().unwrap()).unwrap_err();
        for (failure, json) in [
            (Failure::Status(503), r#"{"kind":"status","detail":503}"#),
            (Failure::RedirectLimit, r#"{"kind":"redirect_limit"}"#),
            (
                Failure::BrokenRedirect(Broken::NoLocation),
                r#"{"kind":"broken_redirect","detail":"no_location"}"#,
            ),
            (
                Failure::Refused(refusal),
                r#"{"kind":"refused","detail":{"what":"127.0.0.1","why":{"address":"loopback"}}}"#,
            ),
            (
                Failure::Offline { has_record: true },
                r#"{"kind":"offline","detail":{"has_record":true}}"#,
            ),
            (
                Failure::Network(NetworkError::Timeout(Phase::Head)),
                r#"{"kind":"timeout","detail":"head"}"#,
            ),
            (
                Failure::Network(NetworkError::Connect(ConnectError::Refused)),
                r#"{"kind":"connect","detail":"refused"}"#,
            ),
            (Failure::Network(NetworkError::HeadTooLarge), r#"{"kind":"head_too_large"}"#),
            (
                Failure::Network(NetworkError::Incomplete(Incomplete::Partial)),
                r#"{"kind":"incomplete","detail":"partial"}"#,
            ),
            (
                Failure::Network(NetworkError::Ftp { step: FtpStep::Login, code: Some(530) }),
                r#"{"kind":"ftp","detail":{"step":"login","code":530}}"#,
            ),
            (
                Failure::Network(NetworkError::Proxy(ProxyError::Status(407))),
                r#"{"kind":"proxy","detail":{"status":407}}"#,
            ),
            (
                Failure::Network(NetworkError::Proxy(ProxyError::Connect(ConnectError::Refused))),
                r#"{"kind":"proxy","detail":{"connect":"refused"}}"#,
            ),
            (
                Failure::Network(NetworkError::Proxy(ProxyError::Closed)),
                r#"{"kind":"proxy","detail":"closed"}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&failure).unwrap(), json);
            assert_eq!(serde_json::from_str::<Failure>(json).unwrap(), failure);
        }
    }

    #[test]
    fn faults_of_the_client_differ_from_failures_of_the_site() {
        let refusal = Guard::new().check_url(&"http://127.0.0.1/".parse().unwrap()).unwrap_err();
        let proxy = |error| Failure::Network(NetworkError::Proxy(error));
        for (failure, expected) in [
            (Failure::Refused(refusal), true),
            (Failure::Offline { has_record: true }, true),
            (Failure::NoUrl, true),
            (proxy(ProxyError::Connect(ConnectError::Refused)), true),
            (proxy(ProxyError::Status(407)), true),
            (Failure::Network(NetworkError::Connect(ConnectError::NoResources)), true),
            // Perhaps the site's.
            (proxy(ProxyError::Status(502)), false),
            (Failure::Network(NetworkError::Dns(DnsError::NoSuchName)), false),
            (Failure::Network(NetworkError::Timeout(Phase::Connect)), false),
            (Failure::Network(NetworkError::Connect(ConnectError::Refused)), false),
            (Failure::Status(503), false),
            (Failure::DisallowedHop, false),
            (Failure::RedirectLimit, false),
        ] {
            assert_eq!(failure.is_fault(), expected, "{failure}");
        }
    }

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
            assert_eq!(Failure::find(&error), expected.map(Failure::Network), "{error:?}");
        }
    }
}
