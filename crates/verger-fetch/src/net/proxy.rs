//! HTTP proxies.
//!
//! # Not supported
//!
//! Proxies over TLS, SOCKS, and authentication other than Basic.

use std::error::Error;
use std::fmt::{self, Debug, Display};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::HeaderValue;
use percent_encoding::percent_decode_str;
use url::{Host, Url};

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
/// assert_eq!(error.to_string(), "expected the scheme `http`");
/// # Ok::<(), ProxyUrlError>(())
/// ```
#[derive(Clone)]
pub struct Proxy {
    pub(super) host: Host,
    pub(super) port: u16,
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
        let (_, rest) = url.split_once("://").ok_or(MALFORMED)?;
        let parsed = Url::parse(url).map_err(|_| MALFORMED)?;
        if parsed.scheme() != "http" {
            return Err(SCHEME);
        }
        let host = parsed.host().ok_or(MALFORMED)?.to_owned();
        if parsed.path() != "/" || parsed.query().is_some() || parsed.fragment().is_some() {
            return Err(PATH);
        }
        // The parser drops the default port of the scheme, but a proxy has no default port.
        let written = rest.trim_end().trim_end_matches('/').rsplit_once(':');
        let is_80 = written.is_some_and(|(_, port)| port.parse() == Ok(80_u16));
        let port = parsed.port().or(is_80.then_some(80)).ok_or(PORT)?;
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
        return Err(CREDENTIALS);
    }
    let text = STANDARD.encode([&user[..], b":", &password].concat());
    let mut value = HeaderValue::try_from(format!("Basic {text}")).map_err(|_| CREDENTIALS)?;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProxyUrlError {
    message: &'static str,
    hint: &'static str,
}

const FORM: &str = "the form is `http://host:port` or `http://user:password@host:port`; special \
    characters in a password are percent-encoded";

const MALFORMED: ProxyUrlError =
    ProxyUrlError { message: "expected a URL such as `http://proxy.example:3128`", hint: FORM };
const PATH: ProxyUrlError =
    ProxyUrlError { message: "expected nothing after the port", hint: FORM };
/// Basic authentication cannot send them (RFC 7617 section 2).
const CREDENTIALS: ProxyUrlError = ProxyUrlError {
    message: "expected a user without a colon, and no control characters",
    hint: FORM,
};
const SCHEME: ProxyUrlError = ProxyUrlError {
    message: "expected the scheme `http`",
    hint: "a proxy with an `http` URL serves https sites as well; others are not supported",
};
const PORT: ProxyUrlError = ProxyUrlError {
    message: "missing the port",
    hint: "many proxies listen on port 3128, 8080 or 8888",
};

impl ProxyUrlError {
    /// Advice for the user.
    pub const fn hint(self) -> &'static str {
        self.hint
    }
}

impl Display for ProxyUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

impl Error for ProxyUrlError {}

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
            ("http://[::80]", Err(PORT)),
            ("http://u:p@127.0.0.1:80/", Ok("http://127.0.0.1:80")),
            ("http://[::1]:8080", Ok("http://[::1]:8080")),
            ("http://localhost:8888", Ok("http://localhost:8888")),
            ("", Err(MALFORMED)),
            ("proxy.example", Err(MALFORMED)),
            ("proxy.example:3128", Err(MALFORMED)),
            ("127.0.0.1:3128", Err(MALFORMED)),
            ("http://:3128", Err(MALFORMED)),
            ("http://proxy.example:99999", Err(MALFORMED)),
            ("https://proxy.example:3128", Err(SCHEME)),
            ("socks5://proxy.example:1080", Err(SCHEME)),
            ("http://proxy.example", Err(PORT)),
            ("http://u:80@proxy.example", Err(PORT)),
            ("http://proxy.example:3128/x", Err(PATH)),
            ("http://proxy.example:3128?x", Err(PATH)),
            ("http://proxy.example:3128#x", Err(PATH)),
            ("http://a%3Ab:c@proxy.example:3128", Err(CREDENTIALS)),
            ("http://a:b%0D%0AX@proxy.example:3128", Err(CREDENTIALS)),
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
