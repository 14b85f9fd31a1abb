//! HTTP proxies.
//!
//! # Flow
//!
//! An http URL is sent to the proxy as a whole. For an https URL the proxy opens a tunnel (CONNECT,
//! RFC 9110 section 9.3.6), with TLS to the site inside, verified as usual.
//!
//! # Scope
//!
//! The proxy resolves the names of sites. The guard has checked the URL, but sees no address of a
//! name. The operator chooses the proxy, so its own address is not checked. Its connections are not
//! limited for each address: that limit protects an operator of many sites, and here it would limit
//! all sites together. The number of fetches bounds them.
//!
//! # Not supported
//!
//! Proxies over TLS, SOCKS, and authentication other than Basic.

use std::error::Error;
use std::fmt::{self, Debug, Display};
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderValue, PROXY_AUTHORIZATION};
use hyper::{Request, upgrade};
use hyper_util::rt::TokioIo;
use percent_encoding::percent_decode_str;
use tokio::time::Instant;
use url::{Host, Url};

use super::connect::{dial, first_to_connect};
use super::{
    Alpn, BoxStream, Connected, Net, NetworkError, Phase, Protocol, ProtocolError, ProxyError,
    Route, within,
};
use crate::guard::Scheme;
use crate::limits::HEAD_ROOM;

/// An HTTP proxy: its host and port, and the credentials for it.
///
/// `Debug` and `Display` omit the credentials. They are sent to the proxy only.
///
/// # Examples
///
/// ```
/// use verger_fetch::net::{Proxy, ProxyUrlError};
///
/// let proxy = Proxy::new("http://crawler:secret@proxy.example:3128")?;
/// assert_eq!(proxy.to_string(), "http://proxy.example:3128");
///
/// let error = Proxy::new("socks5://proxy.example:1080").unwrap_err();
/// assert_eq!(error, ProxyUrlError::Scheme);
/// # Ok::<(), ProxyUrlError>(())
/// ```
#[derive(Clone)]
pub struct Proxy {
    host: Host,
    port: u16,
    /// The value of `Proxy-Authorization`.
    pub(crate) authorization: Option<HeaderValue>,
}

impl Proxy {
    /// Parses the URL of a proxy: `http://host:port` or `http://user:password@host:port`. Special
    /// characters in the credentials are percent-encoded.
    ///
    /// # Errors
    ///
    /// If the URL has another form. The error does not quote it, because it may contain a password.
    pub fn new(url: &str) -> Result<Self, ProxyUrlError> {
        let (_, rest) = url.split_once("://").ok_or(ProxyUrlError::Malformed)?;
        let parsed = Url::parse(url).map_err(|_| ProxyUrlError::Malformed)?;
        if parsed.scheme() != "http" {
            return Err(ProxyUrlError::Scheme);
        }
        let host = parsed.host().ok_or(ProxyUrlError::Malformed)?.to_owned();
        if parsed.path() != "/" || parsed.query().is_some() || parsed.fragment().is_some() {
            return Err(ProxyUrlError::Path);
        }
        // The parser drops the default port of the scheme, but a proxy has no default port.
        let written = rest.trim_end().trim_end_matches('/').rsplit_once(':');
        let is_80 = written.is_some_and(|(_, port)| port.parse() == Ok(80_u16));
        let port = parsed.port().or(is_80.then_some(80)).ok_or(ProxyUrlError::Port)?;
        let authorization = match (parsed.username(), parsed.password()) {
            ("", None) => None,
            (user, password) => Some(basic(user, password.unwrap_or_default())?),
        };
        Ok(Self { host, port, authorization })
    }

    /// Whether its host is an address.
    pub(crate) const fn is_address(&self) -> bool {
        !matches!(self.host, Host::Domain(_))
    }
}

/// Credentials as in RFC 7617 section 2.
fn basic(user: &str, password: &str) -> Result<HeaderValue, ProxyUrlError> {
    let [user, password] =
        [user, password].map(|text| percent_decode_str(text).collect::<Vec<_>>());
    let has_control = [&user, &password].into_iter().flatten().any(u8::is_ascii_control);
    if has_control || user.contains(&b':') {
        return Err(ProxyUrlError::Credentials);
    }
    let text = STANDARD.encode([&user[..], b":", &password].concat());
    let mut value =
        HeaderValue::try_from(format!("Basic {text}")).map_err(|_| ProxyUrlError::Credentials)?;
    value.set_sensitive(true);
    Ok(value)
}

impl Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}:{}", self.host, self.port)
    }
}

impl Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({self})")
    }
}

/// The error of parsing the URL of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProxyUrlError {
    /// It is not a URL with a host.
    Malformed,
    /// The scheme is not `http`.
    Scheme,
    /// It has no port.
    Port,
    /// It has a path, a query or a fragment.
    Path,
    /// The user has a colon, or the user or password has a control character. Basic authentication
    /// cannot send them (RFC 7617 section 2).
    Credentials,
}

impl ProxyUrlError {
    /// Advice for the user.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Scheme => {
                "a proxy with an `http` URL serves https sites as well; others are not supported"
            }
            Self::Port => "many proxies listen on port 3128, 8080 or 8888",
            Self::Malformed | Self::Path | Self::Credentials => {
                "the form is `http://host:port` or `http://user:password@host:port`; special \
                 characters in a password are percent-encoded"
            }
        }
    }
}

impl Display for ProxyUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "expected a URL such as `http://proxy.example:3128`",
            Self::Scheme => "expected the scheme `http`, but found another one",
            Self::Port => "expected a port, but found none",
            Self::Path => "expected nothing after the port",
            Self::Credentials => "expected a user without a colon, and no control characters",
        })
    }
}

impl Error for ProxyUrlError {}

/// Connections through a proxy.
impl Net {
    /// Connects to the proxy, and through it to the host of an https URL.
    pub(super) async fn connect_through(
        &self,
        proxy: &Proxy,
        url: &Url,
        alpn: Alpn,
    ) -> Result<Connected, NetworkError> {
        let start = Instant::now();
        let addresses = self.addresses_of(proxy).await.map_err(of_proxy)?;
        let dns = start.elapsed();

        let start = Instant::now();
        let (stream, peer) = self.dial_proxy(addresses, proxy.port).await.map_err(of_proxy)?;
        if Scheme::of(url) != Some(Scheme::Https) {
            let (connect, tls) = (start.elapsed(), std::time::Duration::ZERO);
            let (protocol, route) = (Protocol::Http1, Route::Relay);
            return Ok(Connected { stream, protocol, peer, dns, connect, tls, route });
        }
        let tunnel = self.tunnel(proxy, stream, url);
        let stream = within(self.limits.head(), Phase::Head, tunnel).await.map_err(of_proxy)?;
        let connect = start.elapsed();

        let start = Instant::now();
        let secure = self.tls.secure(stream, url, alpn);
        let secured = within(self.limits.tls(), Phase::Tls, secure).await;
        let (stream, protocol) = secured.map_err(of_tunnel)?;
        let (tls, route) = (start.elapsed(), Route::Tunnel);
        Ok(Connected { stream, protocol, peer, dns, connect, tls, route })
    }

    async fn addresses_of(&self, proxy: &Proxy) -> Result<Vec<IpAddr>, NetworkError> {
        match &proxy.host {
            Host::Ipv4(address) => Ok(vec![(*address).into()]),
            Host::Ipv6(address) => Ok(vec![(*address).into()]),
            Host::Domain(name) => self.in_order(self.look_up(name).await?),
        }
    }

    /// Dials the addresses until one accepts, as for sites without a proxy.
    async fn dial_proxy(
        &self,
        addresses: Vec<IpAddr>,
        port: u16,
    ) -> Result<(BoxStream, SocketAddr), NetworkError> {
        let attempts = addresses.into_iter().map(|address| {
            let target = SocketAddr::new(address, port);
            let dial = dial(Arc::clone(&self.dial), self.limits.connect(), target);
            async move { dial.await.map(|stream| (stream, target)) }
        });
        first_to_connect(attempts, self.limits.connect_all()).await
    }

    /// Opens a tunnel to the host of a URL.
    async fn tunnel(
        &self,
        proxy: &Proxy,
        stream: BoxStream,
        url: &Url,
    ) -> Result<BoxStream, NetworkError> {
        const MALFORMED: NetworkError = NetworkError::Proxy(ProxyError::Malformed);

        let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default());
        let site = format!("{host}:{}", port.unwrap_or_default());
        let mut request = Request::connect(&site).header(HOST, &site);
        if let Some(authorization) = &proxy.authorization {
            request = request.header(PROXY_AUTHORIZATION, authorization);
        }
        let request = request
            .body(Empty::<Bytes>::new())
            .map_err(|_| NetworkError::Protocol(ProtocolError::Malformed))?;
        let handshake = http1::Builder::new()
            .max_headers(self.limits.head_fields())
            .max_buf_size(self.limits.head_bytes() + HEAD_ROOM)
            .handshake(TokioIo::new(stream));
        let (mut sender, connection) = handshake.await.map_err(|_| MALFORMED)?;
        // The connection runs in this task, so that dropping the fetch drops it too.
        let exchange = async {
            let response =
                sender.send_request(request).await.map_err(|error| head_error(&error))?;
            let status = response.status();
            if !status.is_success() {
                return Err(NetworkError::Proxy(ProxyError::Status(status.as_u16())));
            }
            // It begins with the bytes after the head.
            upgrade::on(response).await.map_err(|_| MALFORMED)
        };
        let (mut exchange, mut connection) = (pin!(exchange), pin!(connection.with_upgrades()));
        let tunnel = tokio::select! {
            biased;
            tunnel = &mut exchange => tunnel,
            // It ends when it becomes the tunnel, or with an error that the request reports.
            _ = &mut connection => exchange.await,
        };
        Ok(Box::new(TokioIo::new(tunnel?)))
    }
}

/// The error of a CONNECT without a response.
fn head_error(error: &hyper::Error) -> NetworkError {
    NetworkError::Proxy(if error.is_parse() { ProxyError::Malformed } else { ProxyError::Closed })
}

/// An error of TLS in a tunnel. A proxy that responds itself inside the tunnel must not count as a
/// failing site: that would allow everything.
const fn of_tunnel(error: NetworkError) -> NetworkError {
    NetworkError::Proxy(match error {
        NetworkError::Tls(error) => ProxyError::Tls(error),
        NetworkError::Timeout(phase) => ProxyError::Timeout(phase),
        other => return other,
    })
}

/// An error on the way to a proxy.
const fn of_proxy(error: NetworkError) -> NetworkError {
    NetworkError::Proxy(match error {
        NetworkError::Dns(error) => ProxyError::Dns(error),
        NetworkError::Connect(error) => ProxyError::Connect(error),
        NetworkError::Timeout(phase) => ProxyError::Timeout(phase),
        other => return other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn authorization(url: &str) -> Option<String> {
        let value = Proxy::new(url).unwrap().authorization?;
        Some(value.to_str().unwrap().to_owned())
    }

    #[test]
    fn urls_of_proxies_have_a_port_and_nothing_after_it() {
        for (url, expected) in [
            ("http://proxy.example:3128", Ok("http://proxy.example:3128")),
            ("HTTP://Proxy.example:3128/", Ok("http://proxy.example:3128")),
            ("http://127.0.0.1:80", Ok("http://127.0.0.1:80")),
            ("http://127.0.0.1:080", Ok("http://127.0.0.1:80")),
            ("http://[::1]:0080/", Ok("http://[::1]:80")),
            ("http://[::80]", Err(ProxyUrlError::Port)),
            ("http://u:p@127.0.0.1:80/", Ok("http://127.0.0.1:80")),
            ("http://[::1]:8080", Ok("http://[::1]:8080")),
            ("http://localhost:8888", Ok("http://localhost:8888")),
            ("", Err(ProxyUrlError::Malformed)),
            ("proxy.example", Err(ProxyUrlError::Malformed)),
            ("proxy.example:3128", Err(ProxyUrlError::Malformed)),
            ("127.0.0.1:3128", Err(ProxyUrlError::Malformed)),
            ("http://:3128", Err(ProxyUrlError::Malformed)),
            ("http://proxy.example:99999", Err(ProxyUrlError::Malformed)),
            ("https://proxy.example:3128", Err(ProxyUrlError::Scheme)),
            ("socks5://proxy.example:1080", Err(ProxyUrlError::Scheme)),
            ("http://proxy.example", Err(ProxyUrlError::Port)),
            ("http://u:80@proxy.example", Err(ProxyUrlError::Port)),
            ("http://proxy.example:3128/x", Err(ProxyUrlError::Path)),
            ("http://proxy.example:3128?x", Err(ProxyUrlError::Path)),
            ("http://proxy.example:3128#x", Err(ProxyUrlError::Path)),
            ("http://a%3Ab:c@proxy.example:3128", Err(ProxyUrlError::Credentials)),
            ("http://a:b%0D%0AX@proxy.example:3128", Err(ProxyUrlError::Credentials)),
        ] {
            let found = Proxy::new(url).map(|proxy| proxy.to_string());
            assert_eq!(found, expected.map(str::to_owned), "{url}");
        }
    }

    #[test]
    fn credentials_are_decoded_and_sent_as_basic() {
        for (url, expected) in [
            ("http://proxy.example:3128", None),
            // `Aladdin:open sesame`, the example of RFC 7617.
            (
                "http://Aladdin:open%20sesame@proxy.example:3128",
                Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ),
            ("http://user@proxy.example:3128", Some("Basic dXNlcjo=")),
            ("http://:key@proxy.example:3128", Some("Basic OmtleQ==")),
            ("http://a:b:c@proxy.example:3128", Some("Basic YTpiOmM=")),
        ] {
            assert_eq!(authorization(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn credentials_are_not_shown() {
        let proxy = Proxy::new("http://user:secret@proxy.example:3128").unwrap();
        let shown = format!("{proxy} {proxy:?} {:?}", proxy.authorization);
        for secret in ["user", "secret", "dXNlcjpzZWNyZXQ="] {
            assert!(!shown.contains(secret), "{shown}");
        }
        let error = Proxy::new("ftp://user:secret@proxy.example:3128").unwrap_err();
        assert!(!format!("{error} {error:?} {}", error.hint()).contains("secret"));
    }
}
