//! Origins: the scope of one robots.txt, and its URL (REP-ACCESS-1 to REP-ACCESS-8).

#[cfg(feature = "url")]
mod of_url;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::fmt;
use core::net::{Ipv4Addr, Ipv6Addr};
use core::str::FromStr;

use crate::limits;

/// Scheme, host and port: the scope of one robots.txt.
///
/// Host and scheme are lower case; a default port is `None` (REP-ACCESS-3, REP-ACCESS-4). A single
/// dot at the end of a host is significant: `shop.example.` and `shop.example` are different
/// origins (REP-ACCESS-7).
///
/// `Origin::of`, `Origin::of_robots_url` and `Origin::covers`, which read URLs, need the feature
/// `url`; without it, create an origin [from its parts](Self::from_parts).
///
/// # Examples
///
/// ```
/// use verger::Origin;
///
/// let origin = Origin::from_parts("HTTPS", "Shop.Example", Some(443))?;
/// assert_eq!(origin.robots_url(), "https://shop.example/robots.txt");
/// assert_eq!(origin, Origin::from_parts("https", "shop.example", None)?);
/// assert_ne!(origin, Origin::from_parts("http", "shop.example", None)?);
/// # Ok::<(), verger::OriginError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    scheme: Box<str>,
    host: Box<str>,
    port: Option<u16>,
}

impl Origin {
    /// Creates an origin from its parts.
    ///
    /// The host is a name in ASCII (Punycode for other scripts), an IPv4 address as four decimal
    /// numbers, or an IPv6 address in brackets, in any spelling. `None` is the scheme's default
    /// port.
    ///
    /// # Errors
    ///
    /// If the scheme is invalid, such as `1http`; if the host is empty, as in `http:///x`, has an
    /// invalid character, such as `a b`, or is too long.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Origin, OriginError};
    ///
    /// let origin = Origin::from_parts("https", "[2001:DB8::1]", Some(8443))?;
    /// assert_eq!((origin.scheme(), origin.host(), origin.port()), ("https", "[2001:db8::1]", Some(8443)));
    /// assert_eq!(origin.robots_url(), "https://[2001:db8::1]:8443/robots.txt");
    /// assert_eq!(Origin::from_parts("https", "a b", None), Err(OriginError::InvalidHost));
    /// # Ok::<(), OriginError>(())
    /// ```
    pub fn from_parts(
        scheme: &str,
        ascii_host: &str,
        port: Option<u16>,
    ) -> Result<Self, OriginError> {
        if !is_scheme(scheme.as_bytes()) {
            return Err(OriginError::InvalidScheme);
        }
        let host = canonical_host(ascii_host)?;
        let scheme = scheme.to_ascii_lowercase().into_boxed_str();
        let port = port.filter(|&port| Some(port) != default_port(&scheme));
        Ok(Self { scheme, host, port })
    }

    /// The scheme, in lower case.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The host, in lower case; an IPv6 address is in brackets, in its shortest spelling.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, if it is not the scheme's default.
    pub const fn port(&self) -> Option<u16> {
        self.port
    }

    /// The URL of the origin's robots.txt (REP-ACCESS-1).
    pub fn robots_url(&self) -> String {
        format!("{self}/robots.txt")
    }
}

impl FromStr for Origin {
    type Err = OriginError;

    /// Reads the form that `Display` writes, `https://shop.example:8443`, in any case and also with
    /// a default port. `Origin::of` (feature `url`) reads URLs, and names in other scripts.
    ///
    /// # Errors
    ///
    /// As [`from_parts`](Self::from_parts); [`OriginError::NotAnOrigin`] if text follows the port,
    /// even a slash.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Origin, OriginError};
    ///
    /// let origin: Origin = "https://shop.example:8443".parse()?;
    /// assert_eq!(origin, Origin::from_parts("https", "shop.example", Some(8443))?);
    /// assert_eq!("shop.example".parse::<Origin>(), Err(OriginError::NoScheme));
    /// assert_eq!("https://shop.example/x".parse::<Origin>(), Err(OriginError::NotAnOrigin));
    /// # Ok::<(), OriginError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, OriginError> {
        let (scheme, rest) = text.split_once("://").ok_or(OriginError::NoScheme)?;
        if rest.contains(['/', '\\', '?', '#']) {
            return Err(OriginError::NotAnOrigin);
        }
        let host_end = rest.rfind(']').map_or(0, |bracket| bracket + 1);
        let (host, port) = match rest[host_end..].find(':') {
            Some(colon) => (&rest[..host_end + colon], Some(&rest[host_end + colon + 1..])),
            None => (rest, None),
        };
        let port = port.map(|port| {
            let is_number = !port.is_empty() && port.bytes().all(|octet| octet.is_ascii_digit());
            if is_number { port.parse().ok() } else { None }.ok_or(OriginError::InvalidPort)
        });
        Self::from_parts(scheme, host, port.transpose()?)
    }
}

impl fmt::Display for Origin {
    /// The origin without a final slash: `https://shop.example:8443`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// The reason why a URL or its parts do not give an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OriginError {
    /// The scheme is not a letter followed by letters, digits, `+`, `-` and `.`.
    InvalidScheme,
    /// The text is relative: `shop.example/x` has no scheme.
    NoScheme,
    /// The host is missing: `https:///x`.
    EmptyHost,
    /// The host has an invalid character, or is a malformed address: `https://[::1/`.
    InvalidHost,
    /// The host, or one of its labels, is too long.
    HostTooLong,
    /// The port is not a number up to 65535: `https://shop.example:99999/`.
    InvalidPort,
    /// The text has a path, a query or a fragment: `https://shop.example/x`.
    NotAnOrigin,
}

impl fmt::Display for OriginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidScheme => "expected a scheme such as `https`",
            Self::NoScheme => "missing a scheme such as `https://`",
            Self::EmptyHost => "missing a host",
            Self::InvalidHost => "the host is neither a name nor an address",
            Self::HostTooLong => {
                "expected a host of at most 253 bytes, 63 in each label, but found a longer one"
            }
            Self::InvalidPort => "expected a port up to 65535",
            Self::NotAnOrigin => {
                "expected an origin such as `https://shop.example`, but found more than scheme, host \
                 and port"
            }
        })
    }
}

impl core::error::Error for OriginError {}

/// REP-ACCESS-3; ws and wss use http and https.
pub(crate) fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}

/// The canonical spelling of a host.
fn canonical_host(host: &str) -> Result<Box<str>, OriginError> {
    if host.is_empty() {
        return Err(OriginError::EmptyHost);
    }
    if let Some(address) = host.strip_prefix('[') {
        let address = address.strip_suffix(']').and_then(|address| address.parse().ok());
        return address.map(written).ok_or(OriginError::InvalidHost);
    }
    // RFC 3986 section 3.2.2, without percent-encoding.
    let is_octet =
        |octet: u8| octet.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=%".contains(&octet);
    if !host.bytes().all(is_octet) {
        return Err(OriginError::InvalidHost);
    }
    let name = host.strip_suffix('.').unwrap_or(host);
    // A name that ends in a number is an address in the WHATWG standard; only the usual spelling is
    // accepted.
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = !last.is_empty() && last.bytes().all(|octet| octet.is_ascii_digit())
        || last.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("0x"));
    if is_number && host.parse::<Ipv4Addr>().is_err() {
        return Err(OriginError::InvalidHost);
    }
    let too_long = name.len() > limits::HOST_BYTES
        || name.split('.').any(|label| label.len() > limits::LABEL_BYTES);
    if too_long {
        return Err(OriginError::HostTooLong);
    }
    Ok(host.to_ascii_lowercase().into_boxed_str())
}

/// An address as browsers write it: also a mapped IPv4 address is in hexadecimal, unlike in
/// `Display`.
fn written(address: Ipv6Addr) -> Box<str> {
    let text = match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] => format!("[::ffff:{high:x}:{low:x}]"),
        _ => format!("[{address}]"),
    };
    text.into_boxed_str()
}

/// RFC 3986 section 3.1.
pub(crate) fn is_scheme(text: &[u8]) -> bool {
    let belongs = |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'+' | b'-' | b'.');
    text.first().is_some_and(u8::is_ascii_alphabetic) && text.iter().all(belongs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[track_caller]
    fn check(parts: (&str, &str, Option<u16>), expected: Result<&str, OriginError>) {
        let found = Origin::from_parts(parts.0, parts.1, parts.2).map(|origin| origin.to_string());
        assert_eq!(found.as_deref().map_err(|error| *error), expected);
    }

    #[test]
    fn default_ports_are_removed_and_case_is_folded() {
        check(("http", "H.example", Some(80)), Ok("http://h.example"));
        check(("https", "h", Some(443)), Ok("https://h"));
        check(("ftp", "h", Some(21)), Ok("ftp://h"));
        check(("http", "h", Some(443)), Ok("http://h:443"));
        check(("gopher", "h", Some(70)), Ok("gopher://h:70"));
        check(("http", "h", Some(0)), Ok("http://h:0"));
        check(("wss", "h", Some(443)), Ok("wss://h"));
    }

    #[test]
    fn hosts_are_names_or_addresses() {
        check(("https", "[2001:DB8::1]", None), Ok("https://[2001:db8::1]"));
        check(("https", "[2001:db8:0:0:0:0:0:1]", None), Ok("https://[2001:db8::1]"));
        check(("https", "[::FFFF:127.0.0.1]", None), Ok("https://[::ffff:7f00:1]"));
        check(("https", "212.96.82.21", None), Ok("https://212.96.82.21"));
        check(("https", "shop.example.", None), Ok("https://shop.example."));
        for host in ["127.1", "0x7f.0.0.1", "2130706433", "256.1.1.1", "1.2.3.04", "h.0X1", "a.1"] {
            check(("https", host, None), Err(OriginError::InvalidHost));
        }
        for host in ["[::1", "::1", "[]", "[v1.x]", "a b", "a/b", "a@b", "é", "a:1", "a#"] {
            check(("https", host, None), Err(OriginError::InvalidHost));
        }
        check(("https", "", None), Err(OriginError::EmptyHost));
    }

    #[test]
    fn an_origin_is_read_as_it_is_written() {
        for text in
            ["https://h", "http://h:443", "ftp://[2001:db8::1]:2121", "svn+ssh://h.", "x://[::1]"]
        {
            let origin: Origin = text.parse().expect("an origin");
            assert_eq!(origin.to_string(), text);
        }
        assert_eq!("HTTPS://H:443".parse::<Origin>().expect("an origin").to_string(), "https://h");
        for (text, error) in [
            ("", OriginError::NoScheme),
            ("h", OriginError::NoScheme),
            ("mailto:a@h", OriginError::NoScheme),
            ("https://", OriginError::EmptyHost),
            ("https://:80", OriginError::EmptyHost),
            ("https://h:", OriginError::InvalidPort),
            ("https://h:+80", OriginError::InvalidPort),
            ("https://h:65536", OriginError::InvalidPort),
            ("https://a:b@h", OriginError::InvalidPort),
            ("https://a@h", OriginError::InvalidHost),
            ("https://[::1]x", OriginError::InvalidHost),
            ("https://::1", OriginError::InvalidPort),
            ("https://h x", OriginError::InvalidHost),
            ("1://h", OriginError::InvalidScheme),
            ("https://h/", OriginError::NotAnOrigin),
            ("https://h?", OriginError::NotAnOrigin),
            ("https://h#", OriginError::NotAnOrigin),
            ("https://h\\x", OriginError::NotAnOrigin),
        ] {
            assert_eq!(text.parse::<Origin>(), Err(error), "{text:?}");
        }
    }

    #[test]
    fn names_are_as_long_as_dns_allows() {
        let label = "a".repeat(63);
        let longest = [&*label, &*label, &*label, &"a".repeat(61)].join(".");
        assert_eq!(longest.len(), 253);
        assert!(Origin::from_parts("https", &longest, None).is_ok());
        assert!(Origin::from_parts("https", &alloc::format!("{longest}."), None).is_ok());
        for host in [alloc::format!("a{label}"), alloc::format!("{longest}a"), "a.".repeat(128)] {
            check(("https", &host, None), Err(OriginError::HostTooLong));
        }
    }

    #[test]
    fn schemes_have_a_grammar() {
        check(("svn+ssh", "h", None), Ok("svn+ssh://h"));
        for scheme in ["", "1http", "ht tp", "http:", "-x"] {
            check((scheme, "h", None), Err(OriginError::InvalidScheme));
        }
    }
}
