//! Failures below the level of HTTP statuses, and responses that are not whole.

use std::error::Error;
use std::fmt::{self, Display};
use std::io;

use serde::{Deserialize, Serialize};

use super::Blames;
use super::tls::TlsError;

/// A fetch failed below the level of HTTP statuses, or its response was not whole.
///
/// For access, robots.txt is then unreachable, except for faults of the crawler or of its network
/// ([`Failure::is_fault`](super::Failure::is_fault)). No kind contains foreign text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "detail", rename_all = "snake_case")]
#[non_exhaustive]
pub enum NetworkError {
    /// The name could not be resolved.
    Dns(DnsError),
    /// No address accepted a connection; the error of the last attempt.
    Connect(ConnectError),
    /// TLS failed.
    Tls(TlsError),
    /// A time limit was reached.
    Timeout(Phase),
    /// The response was cut.
    Incomplete(Incomplete),
    /// The content coding of the body could not be decoded.
    Coding(CodingError),
    /// The head of the response is larger than
    /// [`Limits::head_bytes`](crate::limits::Limits::head_bytes).
    HeadTooLarge,
    /// The head has more fields than [`Limits::head_fields`](crate::limits::Limits::head_fields).
    TooManyFields,
    /// More interim responses than [`Limits::interim`](crate::limits::Limits::interim).
    TooManyInterim,
    /// The coded body is larger than [`Limits::wire`](crate::limits::Limits::wire), and its
    /// beginning does not decode to [`BODY`](crate::limits::BODY) bytes.
    WireTooLarge,
    /// Chunk sizes, chunk extensions and trailers are larger than the body permits.
    FramingTooLarge,
    /// The response is not HTTP, or is ambiguous.
    Protocol(ProtocolError),
    /// An FTP server rejected a command.
    Ftp {
        /// The step of the session.
        step: FtpStep,
        /// The reply code; `None` without a valid reply.
        code: Option<u16>,
    },
    /// The proxy failed, or could not reach the site.
    Proxy(ProxyError),
    /// This process did not run for a while during the fetch, twice.
    Suspended,
}

impl NetworkError {
    /// The party at fault, for a request that has or has not reached a peer.
    ///
    /// A failure to resolve a name or to reach an address is [`Unclear`](Blames::Unclear): only an
    /// answer of another host shows that the crawler's own network works (REP-CACHE-28).
    pub(crate) const fn blames(self, has_peer: bool) -> Blames {
        match self {
            Self::Dns(DnsError::NoResources | DnsError::InvalidName)
            | Self::Tls(TlsError::Name)
            | Self::Protocol(ProtocolError::FtpPath | ProtocolError::Unsendable)
            | Self::Connect(
                ConnectError::Denied | ConnectError::NoLocalAddress | ConnectError::NoResources,
            )
            | Self::Suspended => Blames::Crawler,
            Self::Proxy(error) => error.blames(),
            Self::Connect(ConnectError::Refused | ConnectError::Reset) => Blames::Site,
            Self::Dns(_) | Self::Connect(_) | Self::Timeout(Phase::Dns | Phase::Connect) => {
                Blames::Unclear
            }
            Self::Timeout(Phase::Total) if !has_peer => Blames::Unclear,
            _ => Blames::Site,
        }
    }

    /// Whether it may be due to a suspension of this process: a timer, or a server that closed the
    /// connection.
    pub(crate) const fn may_be_late(self) -> bool {
        let is_lost = matches!(
            self,
            Self::Dns(DnsError::Failed)
                | Self::Connect(ConnectError::Reset)
                | Self::Ftp { .. }
                | Self::Tls(TlsError::Handshake)
                | Self::Proxy(ProxyError::Tls(TlsError::Handshake))
        );
        is_lost || self.is_silence()
    }

    /// Whether the server became silent or closed the connection, as an overloaded one does.
    pub(crate) const fn is_silence(self) -> bool {
        match self {
            Self::Timeout(_) | Self::Proxy(ProxyError::Timeout(_) | ProxyError::Closed) => true,
            Self::Incomplete(part) => !matches!(part, Incomplete::Partial),
            _ => false,
        }
    }
}

/// The error of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConnectError {
    /// The address refused the connection.
    Refused,
    /// The address reset or aborted the connection.
    Reset,
    /// No route to the host.
    HostUnreachable,
    /// No route to the network, or no network at all.
    NetworkUnreachable,
    /// This machine has no address or port to connect from.
    NoLocalAddress,
    /// The operating system does not allow the connection.
    Denied,
    /// This process or machine has no descriptors, ports or memory left.
    NoResources,
    /// Any other error of the operating system.
    Other,
}

impl From<&io::Error> for ConnectError {
    fn from(error: &io::Error) -> Self {
        use io::ErrorKind as Kind;
        #[cfg(unix)]
        {
            use rustix::io::Errno;
            let errno = error.raw_os_error().map(Errno::from_raw_os_error);
            let resources = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM, Errno::AGAIN];
            if errno.is_some_and(|errno| resources.contains(&errno)) {
                return Self::NoResources;
            }
        }
        match error.kind() {
            Kind::ConnectionRefused => Self::Refused,
            Kind::ConnectionReset | Kind::ConnectionAborted => Self::Reset,
            Kind::HostUnreachable => Self::HostUnreachable,
            Kind::NetworkUnreachable | Kind::NetworkDown => Self::NetworkUnreachable,
            Kind::AddrNotAvailable => Self::NoLocalAddress,
            Kind::PermissionDenied => Self::Denied,
            Kind::OutOfMemory => Self::NoResources,
            _ => Self::Other,
        }
    }
}

/// The error of a name lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DnsError {
    /// The name does not exist (NXDOMAIN).
    NoSuchName,
    /// The name exists without an address.
    NoAddress,
    /// No usable answer.
    Failed,
    /// No query was sent: this process has no descriptors, ports or memory left.
    NoResources,
    /// No query was sent: the name has an empty label, a label of more than 63 octets, or more than
    /// 253 octets.
    InvalidName,
}

/// The phase of a fetch that timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Phase {
    /// The answer of DNS.
    Dns,
    /// A connection.
    Connect,
    /// The TLS handshake.
    Tls,
    /// The head of the response.
    Head,
    /// More of the body, or the reply of an FTP server.
    Idle,
    /// The whole fetch ([`TOTAL`](crate::limits::TOTAL)).
    Total,
}

/// The missing part of a cut response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Incomplete {
    /// The connection ended before the end of the head.
    Head,
    /// The connection ended before the end of the body.
    Body,
    /// The chunks are broken.
    Chunks,
    /// The TLS connection ended without `close_notify`, and the length of the body is unknown.
    TlsTruncated,
    /// 206, a part that was not requested (REP-AMB-46).
    Partial,
}

/// The error of a content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CodingError {
    /// A coding that was not requested.
    Unknown,
    /// More than one coding.
    Several,
    /// Corrupt data in the declared coding, a cut body, or a wrong checksum.
    Corrupt,
}

/// The violation of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProtocolError {
    /// It is not valid HTTP/1.
    Malformed,
    /// Both `Content-Length` and `Transfer-Encoding`, as in request smuggling.
    TwoLengths,
    /// A transfer coding other than `chunked` alone.
    TransferCoding,
    /// More bytes than `Content-Length`.
    ExcessBytes,
    /// Data arrived before the request.
    Unasked,
    /// 101, or another interim status as the final one.
    InterimStatus,
    /// A path that is invalid in an FTP command.
    FtpPath,
    /// A URL of more than 64 KiB, which was not sent.
    Unsendable,
}

/// The step of an FTP session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FtpStep {
    /// The greeting.
    Greeting,
    /// `USER` and `PASS`.
    Login,
    /// `TYPE I`.
    Type,
    /// `EPSV`.
    Passive,
    /// `RETR`.
    Retrieve,
    /// The reply after the data.
    Complete,
}

/// The failure of a [`Proxy`](crate::net::Proxy), or between the proxy and a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProxyError {
    /// The name of the proxy could not be resolved.
    Dns(DnsError),
    /// No address of the proxy accepted a connection.
    Connect(ConnectError),
    /// A time limit. [`Phase::Head`]: the proxy did not respond; it may have waited for the site.
    Timeout(Phase),
    /// The status of the proxy itself, for example 407 (invalid credentials), 403 (request not
    /// permitted) or, to CONNECT, 502 (site unreachable).
    Status(u16),
    /// A 404, a 410 or a redirect that the proxy may have generated, because it answers in the same
    /// way for a name that cannot exist (REP-CACHE-28a).
    Generated(u16),
    /// The proxy closed the connection before it responded.
    Closed,
    /// The tunnel was opened, but TLS to the site failed in it. The proxy may have ended or
    /// intercepted it, so nothing is known about the site.
    Tls(TlsError),
    /// The response is not valid HTTP, or its head exceeds a limit.
    Malformed,
}

impl ProxyError {
    /// REP-CACHE-28: the proxy is part of the crawler's own network. If the proxy may have failed
    /// to reach the site, the fault is unclear.
    const fn blames(self) -> Blames {
        match self {
            Self::Timeout(Phase::Head) | Self::Closed | Self::Status(500..=599) => Blames::Unclear,
            _ => Blames::Crawler,
        }
    }
}

impl Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dns(DnsError::NoSuchName) => "the host does not exist",
            Self::Dns(DnsError::NoAddress) => "the host has no address",
            Self::Dns(DnsError::Failed) => "the host could not be resolved",
            Self::Dns(DnsError::NoResources) => "no descriptors, ports or memory left",
            Self::Dns(DnsError::InvalidName) => "the host is not a valid DNS name",
            Self::Connect(error) => return write!(f, "could not connect: {error}"),
            Self::Tls(TlsError::Handshake) => "the TLS handshake failed",
            Self::Tls(TlsError::Name) => "no certificate can name this host",
            Self::Tls(error) => return write!(f, "the server's certificate {}", error.defect()),
            Self::Timeout(phase) => {
                return f.write_str(match phase {
                    Phase::Dns => "DNS took too long",
                    Phase::Connect => "connecting took too long",
                    Phase::Tls => "the TLS handshake took too long",
                    Phase::Head => "the response took too long to begin",
                    Phase::Idle => "the server stopped sending data",
                    Phase::Total => "the fetch took too long",
                });
            }
            Self::Incomplete(Incomplete::Head) => "the connection ended before the response",
            Self::Incomplete(Incomplete::Body) => "the connection ended before the body did",
            Self::Incomplete(Incomplete::Chunks) => "the chunks of the body are broken",
            Self::Incomplete(Incomplete::TlsTruncated) => "the TLS connection was cut",
            Self::Incomplete(Incomplete::Partial) => "the response is partial (206)",
            Self::Coding(CodingError::Unknown) => "the body has an unknown content coding",
            Self::Coding(CodingError::Several) => "the body has several content codings",
            Self::Coding(CodingError::Corrupt) => "the body could not be decoded",
            Self::HeadTooLarge => "the head of the response is too large",
            Self::TooManyFields => "the response has too many header fields",
            Self::TooManyInterim => "too many interim responses",
            Self::WireTooLarge => "the encoded body is too large",
            Self::FramingTooLarge => "the framing of the body is too large",
            Self::Protocol(ProtocolError::Malformed) => "the response is not valid HTTP",
            Self::Protocol(ProtocolError::TwoLengths) => {
                "the response states two lengths of its body"
            }
            Self::Protocol(ProtocolError::TransferCoding) => {
                "the response has a transfer coding other than `chunked`"
            }
            Self::Protocol(ProtocolError::ExcessBytes) => {
                "the body is longer than its Content-Length"
            }
            Self::Protocol(ProtocolError::Unasked) => "the server sent data before the request",
            Self::Protocol(ProtocolError::InterimStatus) => {
                "expected a final status, but found an interim one"
            }
            Self::Protocol(ProtocolError::Unsendable) => "the URL is too long to be sent",
            Self::Protocol(ProtocolError::FtpPath) => "the path cannot be requested over FTP",
            Self::Proxy(error) => return error.fmt(f),
            Self::Suspended => "this process was suspended during the fetch",
            Self::Ftp { step, code } => {
                let step = step.name();
                return match code {
                    Some(code) => write!(f, "the FTP server replied {code} to {step}"),
                    None => write!(f, "the FTP server gave no valid reply to {step}"),
                };
            }
        })
    }
}

impl Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused => "connection refused",
            Self::Reset => "connection reset",
            Self::HostUnreachable => "host unreachable",
            Self::NetworkUnreachable => "network unreachable",
            Self::NoLocalAddress => "no local address to connect from",
            Self::Denied => "permission denied",
            Self::NoResources => "no descriptors, ports or memory left",
            Self::Other => "other error",
        })
    }
}

impl Display for ProxyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dns(DnsError::NoResources) => "no descriptors, ports or memory left",
            Self::Dns(_) => "the name of the proxy could not be resolved",
            Self::Connect(error) => return write!(f, "could not connect to the proxy: {error}"),
            Self::Timeout(Phase::Dns) => "resolving the name of the proxy took too long",
            Self::Timeout(Phase::Connect) => "connecting to the proxy took too long",
            Self::Timeout(Phase::Tls) => "the TLS handshake through the proxy took too long",
            Self::Tls(TlsError::Handshake | TlsError::Name) => {
                "the TLS handshake through the proxy failed"
            }
            Self::Tls(error) => {
                let defect = error.defect();
                return write!(f, "the certificate received through the proxy {defect}");
            }
            Self::Timeout(_) => "the proxy did not respond in time",
            Self::Status(407) => "the proxy requires a valid user and password (status 407)",
            Self::Status(status @ 500..=599) => {
                return write!(f, "the proxy could not reach the site (status {status})");
            }
            Self::Status(status) => {
                return write!(f, "the proxy rejected the request (status {status})");
            }
            Self::Generated(status) => {
                return write!(f, "status {status}, possibly from the proxy itself");
            }
            Self::Closed => "the proxy closed the connection before it responded",
            Self::Malformed => "the proxy's response is not valid HTTP, or too large",
        })
    }
}

impl FtpStep {
    const fn name(self) -> &'static str {
        match self {
            Self::Greeting => "the connection",
            Self::Login => "the login",
            Self::Type => "TYPE",
            Self::Passive => "EPSV",
            Self::Retrieve => "RETR",
            Self::Complete => "the end of the data",
        }
    }
}

impl Error for NetworkError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreachable_names_and_addresses_may_be_the_crawlers_fault() {
        for (error, expected) in [
            (NetworkError::Dns(DnsError::NoSuchName), Blames::Unclear),
            (NetworkError::Timeout(Phase::Connect), Blames::Unclear),
            (NetworkError::Timeout(Phase::Head), Blames::Site),
            (NetworkError::Connect(ConnectError::HostUnreachable), Blames::Unclear),
            (NetworkError::Connect(ConnectError::Refused), Blames::Site),
            (NetworkError::Connect(ConnectError::NoResources), Blames::Crawler),
            (NetworkError::Dns(DnsError::NoResources), Blames::Crawler),
            (NetworkError::Dns(DnsError::InvalidName), Blames::Crawler),
            (NetworkError::Tls(TlsError::Name), Blames::Crawler),
            (NetworkError::Protocol(ProtocolError::Unsendable), Blames::Crawler),
            (NetworkError::Protocol(ProtocolError::Malformed), Blames::Site),
            (NetworkError::Tls(TlsError::Handshake), Blames::Site),
            (NetworkError::Proxy(ProxyError::Dns(DnsError::Failed)), Blames::Crawler),
            (NetworkError::Proxy(ProxyError::Connect(ConnectError::Refused)), Blames::Crawler),
            (NetworkError::Proxy(ProxyError::Timeout(Phase::Connect)), Blames::Crawler),
            (NetworkError::Proxy(ProxyError::Timeout(Phase::Head)), Blames::Unclear),
            (NetworkError::Proxy(ProxyError::Closed), Blames::Unclear),
            (NetworkError::Proxy(ProxyError::Malformed), Blames::Crawler),
            (NetworkError::Proxy(ProxyError::Tls(TlsError::Handshake)), Blames::Crawler),
            (NetworkError::Proxy(ProxyError::Tls(TlsError::Certificate)), Blames::Crawler),
            (NetworkError::Proxy(ProxyError::Status(302)), Blames::Crawler),
            (NetworkError::Proxy(ProxyError::Generated(404)), Blames::Crawler),
            (NetworkError::Proxy(ProxyError::Status(403)), Blames::Crawler),
            (NetworkError::Proxy(ProxyError::Status(407)), Blames::Crawler),
            (NetworkError::Proxy(ProxyError::Status(502)), Blames::Unclear),
        ] {
            assert_eq!(error.blames(true), expected, "{error}");
        }
        assert_eq!(NetworkError::Timeout(Phase::Total).blames(false), Blames::Unclear);
        assert_eq!(NetworkError::Timeout(Phase::Total).blames(true), Blames::Site);
    }

    #[cfg(unix)]
    #[test]
    fn missing_descriptors_differ_from_other_errors() {
        let of = |number| ConnectError::from(&io::Error::from_raw_os_error(number));
        assert_eq!(of(rustix::io::Errno::MFILE.raw_os_error()), ConnectError::NoResources);
        assert_eq!(of(rustix::io::Errno::CONNREFUSED.raw_os_error()), ConnectError::Refused);
    }
}
