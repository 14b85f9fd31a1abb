//! The address of a client behind trusted proxies.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

/// Proxies that a site trusts to report the address of their client.
///
/// # Examples
///
/// ```
/// use verger_identity::TrustedProxies;
///
/// let proxies = TrustedProxies::new(vec!["192.0.2.0/24".parse()?], "X-Forwarded-For");
/// let client = proxies.client("192.0.2.7".parse()?, Some("203.0.113.9, 66.249.66.1, 192.0.2.8"));
/// assert_eq!(client?.to_string(), "66.249.66.1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies {
    networks: Vec<IpNet>,
    field: String,
}

/// Fields with the address of a client.
pub const PROXY_FIELDS: [&str; 12] = [
    "x-forwarded-for",
    "forwarded",
    "x-real-ip",
    "x-client-ip",
    "cf-connecting-ip",
    "true-client-ip",
    "fastly-client-ip",
    "do-connecting-ip",
    "fly-client-ip",
    "x-azure-socketip",
    "x-envoy-external-address",
    WITH_PORT,
];

/// Those with a list of addresses; the others have one.
const LISTS: [&str; 2] = ["x-forwarded-for", "forwarded"];

/// A field whose address is always followed by a port, that of IPv6 without brackets.
const WITH_PORT: &str = "cloudfront-viewer-address";

impl TrustedProxies {
    /// Proxies in these networks, and the field in which they write the address of their client:
    /// `Forwarded` (RFC 7239), `X-Forwarded-For` or another list, or a field with one address, such
    /// as `CF-Connecting-IP`.
    pub fn new(networks: Vec<IpNet>, field: &str) -> Self {
        let networks = networks.into_iter().map(canonical).collect();
        Self { networks, field: field.to_ascii_lowercase() }
    }

    /// The name of the field, in lower case.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// The address of the client: the last one that is not a trusted proxy.
    ///
    /// `peer` is the address of the connection, and `value` is that of the field; several values
    /// are joined by `, ` in order.
    ///
    /// # Errors
    ///
    /// The connection is from a trusted proxy, and the field has no usable address.
    pub fn client(&self, peer: IpAddr, value: Option<&str>) -> Result<IpAddr, &'static str> {
        let is_trusted = |address: &IpAddr| self.networks.iter().any(|it| it.contains(address));
        let mut client = peer.to_canonical();
        let value = value.unwrap_or_default();
        let has_one = !LISTS.contains(&&*self.field) && PROXY_FIELDS.contains(&&*self.field);
        if has_one && is_trusted(&client) {
            // A second value was sent by the client.
            let port = value.rfind(':').filter(|_| self.field == WITH_PORT);
            let value = &value[..port.unwrap_or(value.len())];
            return if value.is_empty() { Err(MISSING) } else { address(value) };
        }
        // An empty element is what a proxy wrote who knew no address. Those before it may be the
        // client's.
        let mut hops = value.rsplit(',').take_while(|hop| !hop.trim().is_empty());
        while is_trusted(&client) {
            let hop = hops.next().ok_or(MISSING)?;
            client = if self.field == "forwarded" { forwarded(hop)? } else { address(hop)? };
        }
        Ok(client)
    }
}

/// Whether an address of a log may be one that the log cuts: its end is 0, that of IPv6 by 64 bits.
///
/// ```
/// assert!(verger_identity::may_be_cut("192.0.2.0".parse()?));
/// assert!(!verger_identity::may_be_cut("192.0.2.10".parse()?));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
pub fn may_be_cut(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.octets()[3] == 0,
        IpAddr::V6(address) => address.segments()[4..] == [0; 4],
    }
}

/// A network of IPv4 addresses that are written as those of IPv6 (`::ffff:0:0/96`), as one of IPv4.
pub(crate) fn canonical(network: IpNet) -> IpNet {
    let length = network.prefix_len().checked_sub(96).filter(|_| network.addr().is_ipv6());
    let address = network.addr().to_canonical();
    let mapped = length.filter(|_| address.is_ipv4()).map(|length| IpNet::new(address, length));
    mapped.and_then(Result::ok).unwrap_or(network)
}

/// The address of an element of `Forwarded`. A quoted string with a separator or a quote is
/// malformed: no proxy needs it, and a client could hide an address in it.
fn forwarded(hop: &str) -> Result<IpAddr, &'static str> {
    let mut client = Err(MISSING);
    for pair in hop.split(';') {
        if pair.contains('\\') || pair.matches('"').count() % 2 == 1 {
            return Err(MALFORMED);
        }
        let (name, value) = pair.split_once('=').unwrap_or_default();
        if name.trim().eq_ignore_ascii_case("for") {
            client = if client == Err(MISSING) { Ok(address(value)?) } else { Err(MALFORMED) };
        }
    }
    client
}

/// The address in a field of a proxy, with or without quotes.
fn address(text: &str) -> Result<IpAddr, &'static str> {
    let text = text.trim();
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    read_address(text).ok_or(MALFORMED)
}

/// Reads an address, with or without brackets and a port. One of IPv4 that is written as IPv6 is
/// one of IPv4.
///
/// ```
/// let address = verger_identity::read_address("[2001:db8::1]:443").expect("an address");
/// assert_eq!(address.to_string(), "2001:db8::1");
/// ```
pub fn read_address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let found = bare.parse().ok().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()));
    found.map(|it: IpAddr| it.to_canonical())
}

const MISSING: &str = "the proxy sent no address of its client";
const MALFORMED: &str = "the proxy sent a field without a valid address";
