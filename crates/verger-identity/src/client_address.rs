//! The address of a client behind trusted proxies.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;
use serde::Serialize;

/// The header field in which the proxies write the address of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProxyHeader {
    /// `Forwarded` (RFC 7239), read from the right.
    Forwarded,
    /// `X-Forwarded-For`, or another field with a list of addresses, read from the right.
    List(String),
    /// `CF-Connecting-IP`, `True-Client-IP`, `X-Real-IP` or another field with one address.
    Single(String),
}

impl ProxyHeader {
    /// The kind of a header field by its name. Fields that are not known have a list.
    pub fn named(name: &str) -> Self {
        const SINGLE: [&str; 5] =
            ["cf-connecting-ip", "true-client-ip", "x-real-ip", "fastly-client-ip", "x-client-ip"];
        match name.to_ascii_lowercase() {
            name if name == "forwarded" => Self::Forwarded,
            name if SINGLE.contains(&name.as_str()) => Self::Single(name),
            name => Self::List(name),
        }
    }

    /// The name of the field, in lower case.
    pub fn name(&self) -> &str {
        match self {
            Self::Forwarded => "forwarded",
            Self::List(name) | Self::Single(name) => name,
        }
    }
}

/// Proxies that a site trusts to report the address of their client.
///
/// # Examples
///
/// ```
/// use verger_identity::{ProxyHeader, TrustedProxies};
///
/// let proxies = TrustedProxies::new(
///     vec!["192.0.2.0/24".parse()?],
///     ProxyHeader::named("X-Forwarded-For"),
/// );
/// let client = proxies.client("192.0.2.7".parse()?, ["203.0.113.9, 66.249.66.1, 192.0.2.8"]);
/// assert_eq!(client?.to_string(), "66.249.66.1");
/// // Anybody can send the field, so it counts only from a trusted proxy.
/// let client = proxies.client("198.51.100.1".parse()?, ["66.249.66.1"]);
/// assert_eq!(client?.to_string(), "198.51.100.1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TrustedProxies {
    networks: Vec<IpNet>,
    header: ProxyHeader,
}

impl TrustedProxies {
    /// Proxies in these networks that write this field.
    pub const fn new(networks: Vec<IpNet>, header: ProxyHeader) -> Self {
        Self { networks, header }
    }

    /// The field to pass to [`client`](Self::client).
    pub const fn header(&self) -> &ProxyHeader {
        &self.header
    }

    /// The address of the client: the last one that is not a trusted proxy.
    ///
    /// `peer` is the address of the connection, and `values` are the values of the field in order.
    ///
    /// # Errors
    ///
    /// The connection is from a trusted proxy, and the field has no usable address.
    ///
    /// # Complexity
    ///
    /// Linear in the field and in the number of networks.
    pub fn client<'a>(
        &self,
        peer: IpAddr,
        values: impl IntoIterator<Item = &'a str, IntoIter: DoubleEndedIterator>,
    ) -> Result<IpAddr, HiddenClient> {
        if !self.trusts(peer) {
            return Ok(peer.to_canonical());
        }
        let mut values = values.into_iter();
        if let ProxyHeader::Single(_) = self.header {
            // A second value was sent by the client.
            return match (values.next_back(), values.next_back()) {
                (Some(value), None) => address(value),
                (None, _) => Err(HiddenClient::Missing),
                _ => Err(HiddenClient::Malformed),
            };
        }
        for value in values.rev() {
            let separated = separated(value, ',').ok_or(HiddenClient::Malformed)?;
            for hop in separated.into_iter().rev().filter(|hop| !hop.trim().is_empty()) {
                let found = match self.header {
                    ProxyHeader::Forwarded => forwarded(hop)?,
                    _ => address(hop)?,
                };
                if !self.trusts(found) {
                    return Ok(found);
                }
            }
        }
        Err(HiddenClient::Missing)
    }

    fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks.iter().any(|network| network.contains(&address))
    }
}

/// The address of the `for` parameter of one element of `Forwarded`.
fn forwarded(element: &str) -> Result<IpAddr, HiddenClient> {
    let pairs = separated(element, ';').ok_or(HiddenClient::Malformed)?;
    let mut found = pairs.iter().filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("for").then_some(value)
    });
    match (found.next(), found.next()) {
        (Some(value), None) => address(value),
        (None, _) => Err(HiddenClient::Missing),
        _ => Err(HiddenClient::Malformed),
    }
}

/// An address, with or without quotes, brackets and a port.
fn address(text: &str) -> Result<IpAddr, HiddenClient> {
    let text = text.trim();
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    let address = bare.parse().ok().or_else(with_port).ok_or(HiddenClient::Malformed)?;
    Ok(IpAddr::to_canonical(&address))
}

/// The parts between separators outside of quoted strings; `None` if a string has no end.
fn separated(text: &str, separator: char) -> Option<Vec<&str>> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, char) in text.char_indices() {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            char if char == separator && !is_quoted => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    (!is_quoted).then_some(parts)
}

/// The reason that the address of a client is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HiddenClient {
    /// The field is absent, or has only trusted proxies.
    Missing,
    /// A value is not an address.
    Malformed,
}

impl fmt::Display for HiddenClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "the proxy sent no address of its client",
            Self::Malformed => "the proxy sent a field without a valid address",
        })
    }
}

impl Error for HiddenClient {}
