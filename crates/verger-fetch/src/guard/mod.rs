//! The guard protects networks from a client that fetches untrusted URLs.
//!
//! A URL, a redirect or a DNS answer may point at this machine, its network or the metadata service
//! of its cloud. Each hop has two checks: of the URL before its name is resolved
//! ([`Guard::check_url`]), and of every address before one is dialled ([`Guard::check_addresses`]).
//! Exactly the checked addresses are dialled. Names are not resolved again, so DNS rebinding fails.
//!
//! Through a proxy ([`Proxy`](crate::net::Proxy)), only the URL is checked, because the proxy
//! resolves the names. So internal names are refused there even if a network is allowed.
//!
//! Everything is refused unless it is public. [`Guard::with_allowed_net`] allows networks, for
//! intranets and tests.

mod address;
mod name;
mod port;

use std::error::Error;
use std::fmt::{self, Display};
use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use url::{Host, Url};
use verger::Untrusted;
use verger::limits::QUOTED_CHARS;

pub use self::address::AddressKind;
use self::name::NameKind;

/// Decides the permitted destinations of connections.
///
/// # Examples
///
/// ```
/// use verger_fetch::guard::Guard;
///
/// let guard = Guard::new();
/// assert!(guard.check_url(&"https://shop.example/robots.txt".parse()?).is_ok());
///
/// let refusal = guard.check_url(&"http://0x7f.1/robots.txt".parse()?).unwrap_err();
/// assert_eq!(refusal.to_string(), "Verger does not connect to 127.0.0.1: a loopback address");
///
/// let intranet = Guard::new().with_allowed_net("127.0.0.0/8".parse()?);
/// assert!(intranet.check_url(&"http://127.0.0.1:8080/robots.txt".parse()?).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Guard {
    allowed: Vec<IpNet>,
    /// A proxy resolves the names, so their addresses cannot be checked.
    is_by_proxy: bool,
}

/// The scheme of a robots.txt that can be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    /// `http`.
    Http,
    /// `https`.
    Https,
    /// `ftp`, with feature `ftp`.
    Ftp,
}

impl Scheme {
    /// The scheme of a URL, if it can be fetched.
    pub(crate) fn of(url: &Url) -> Option<Self> {
        match url.scheme() {
            "http" => Some(Self::Http),
            "https" => Some(Self::Https),
            "ftp" if cfg!(feature = "ftp") => Some(Self::Ftp),
            _ => None,
        }
    }
}

impl Guard {
    /// A guard that permits only the public Internet.
    pub const fn new() -> Self {
        Self { allowed: Vec::new(), is_by_proxy: false }
    }

    /// Also permits addresses of a network.
    ///
    /// Internal names (`wiki`, `db.internal`) are then resolved too, and are permitted if all their
    /// addresses are in allowed networks. The permitted ports do not change.
    #[must_use]
    pub fn with_allowed_net(mut self, net: IpNet) -> Self {
        self.allowed.push(net);
        self
    }

    /// The same guard for names that a proxy resolves.
    pub(crate) const fn by_proxy(mut self) -> Self {
        self.is_by_proxy = true;
        self
    }

    /// Checks a URL before any other step: scheme, port, and name or literal address.
    ///
    /// # Errors
    ///
    /// The refusal with the host, the port or the scheme.
    pub fn check_url(&self, url: &Url) -> Result<(), Refusal> {
        let Some(scheme) = Scheme::of(url) else {
            return Err(Refusal::new(url.scheme(), RefusalReason::Scheme));
        };
        match url.host() {
            None => return Err(Refusal::new(url.as_str(), RefusalReason::NoHost)),
            Some(Host::Ipv4(address)) => self.check_address(address.into())?,
            Some(Host::Ipv6(address)) => self.check_address(address.into())?,
            Some(Host::Domain(name)) => match name::kind(name) {
                NameKind::Malformed => {
                    return Err(Refusal::new(name, RefusalReason::MalformedName));
                }
                NameKind::Inside if self.is_by_proxy => {
                    return Err(Refusal::new(name, RefusalReason::InsideNameByProxy));
                }
                NameKind::Inside if self.allowed.is_empty() => {
                    return Err(Refusal::new(name, RefusalReason::InsideName));
                }
                NameKind::Inside | NameKind::Public => {}
            },
        }
        Self::check_port(scheme, url.port_or_known_default().unwrap_or(0))
    }

    /// Checks all addresses of a name. One forbidden address refuses all.
    ///
    /// # Errors
    ///
    /// The refusal with the first forbidden address.
    pub fn check_addresses(&self, host: &str, addresses: &[IpAddr]) -> Result<(), Refusal> {
        let inside = name::kind(host) == NameKind::Inside;
        for &address in addresses {
            if inside && !self.allows(address) {
                return Err(Refusal::new(&address.to_string(), RefusalReason::OutsideAllowed));
            }
            self.check_address(address)?;
        }
        Ok(())
    }

    /// Checks one address.
    ///
    /// # Errors
    ///
    /// The refusal, if the address is neither public nor in an allowed network.
    pub(crate) fn check_address(&self, address: IpAddr) -> Result<(), Refusal> {
        match address::kind(address) {
            Some(kind) if !self.allows(address) => {
                Err(Refusal::new(&address.to_string(), RefusalReason::Address(kind)))
            }
            _ => Ok(()),
        }
    }

    /// Checks a port.
    ///
    /// # Errors
    ///
    /// The refusal, if the port is reserved for another protocol.
    pub(crate) fn check_port(scheme: Scheme, port: u16) -> Result<(), Refusal> {
        if port::is_allowed(scheme, port) {
            Ok(())
        } else {
            Err(Refusal::new(&format!("port {port}"), RefusalReason::Port))
        }
    }

    /// Whether a permitted peer is public. An unknown one is, unless other networks are allowed.
    pub(crate) fn is_public(&self, peer: Option<IpAddr>) -> bool {
        peer.map_or(self.allowed.is_empty(), |peer| address::kind(peer).is_none())
    }

    /// Whether an allowed network contains the address or the one embedded in it.
    fn allows(&self, address: IpAddr) -> bool {
        let inner = address::unwrapped(address);
        self.allowed.iter().any(|net| net.contains(&address) || net.contains(&inner))
    }
}

/// A destination that the guard refused to connect to, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    #[serde(rename = "what")]
    subject: String,
    #[serde(rename = "why")]
    reason: RefusalReason,
}

/// The reason of a refusal by the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalReason {
    /// The scheme is not supported.
    Scheme,
    /// The URL has no host.
    NoHost,
    /// The host is not a valid DNS name.
    MalformedName,
    /// The name is internal: one label, or a special end such as `.internal`.
    InsideName,
    /// The port is reserved for another protocol.
    Port,
    /// The address is not public. One such address of a name refuses all of them.
    Address(AddressKind),
    /// An address of an internal name is outside the allowed networks.
    OutsideAllowed,
    /// The name is internal, and only the proxy knows its address. Allowed networks do not change
    /// that.
    InsideNameByProxy,
}

impl Refusal {
    pub(crate) fn new(subject: &str, reason: RefusalReason) -> Self {
        Self { subject: subject.to_owned(), reason }
    }

    /// The refused host, address, port or scheme. It is untrusted text: show it through
    /// [`Untrusted`], as `Display` does.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The reason of the refusal.
    pub const fn reason(&self) -> RefusalReason {
        self.reason
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = Untrusted::new(&self.subject).limited_to(QUOTED_CHARS);
        write!(f, "Verger does not connect to {subject}: {}", self.reason)
    }
}

impl Error for Refusal {}

impl Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scheme => "a scheme that is not fetched",
            Self::NoHost => "a URL without a host",
            Self::MalformedName => "no host name",
            Self::InsideName => "a name outside the public DNS",
            Self::Port => "a port reserved for another protocol",
            Self::Address(AddressKind::Unspecified) => "an unspecified address",
            Self::Address(AddressKind::NotGlobal) => "an address that is not global unicast",
            Self::Address(kind) => return write!(f, "a {} address", kind.name()),
            Self::OutsideAllowed => "an address outside the allowed networks",
            Self::InsideNameByProxy => {
                "a name outside the public DNS, whose address only the proxy would know"
            }
        })
    }
}

/// Parses a network such as `10.0.0.0/8` or `fd00::/8`, or a single address, for
/// [`Guard::with_allowed_net`].
///
/// # Errors
///
/// [`NetError`] for any other text.
///
/// # Examples
///
/// ```
/// use verger_fetch::guard::parse_net;
///
/// assert_eq!(parse_net("10.0.0.0/8")?, "10.0.0.0/8".parse()?);
/// assert_eq!(parse_net("127.0.0.1")?, "127.0.0.1/32".parse()?);
/// assert_eq!(
///     parse_net("localhost").unwrap_err().to_string(),
///     "expected a network such as `10.0.0.0/8`, or an address, but found `localhost`",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_net(text: &str) -> Result<IpNet, NetError> {
    let address = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse().or_else(|_| address()).map_err(|_| NetError { found: text.into() })
}

/// The error of [`parse_net`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetError {
    found: Box<str>,
}

impl Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Untrusted::new(&*self.found).quoted();
        write!(f, "expected a network such as `10.0.0.0/8`, or an address, but found {found}")
    }
}

impl Error for NetError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(guard: &Guard, url: &str) -> Option<RefusalReason> {
        guard.check_url(&url.parse().unwrap()).err().map(|refusal| refusal.reason())
    }

    #[test]
    fn urls_are_checked_as_parsed_and_not_as_written() {
        let loopback = Some(RefusalReason::Address(AddressKind::Loopback));
        for (url, expected) in [
            ("https://shop.example/robots.txt", None),
            ("http://shop.example:8080/", None),
            ("http://1.1.1.1/", None),
            ("http://[2606:4700::1111]/", None),
            ("http://127.0.0.1/", loopback),
            ("http://127.1/", loopback),
            ("http://0x7f000001/", loopback),
            ("http://2130706433/", loopback),
            ("http://0177.0.0.1/", loopback),
            ("http://127.0.0.1./", loopback),
            ("http://127。0。0。1/", loopback),
            ("http://①②⑦.⓪.⓪.①/", loopback),
            ("http://[::1]/", loopback),
            ("http://[::ffff:127.0.0.1]/", loopback),
            ("http://0/", Some(RefusalReason::Address(AddressKind::Unspecified))),
            ("http://localhost/", Some(RefusalReason::InsideName)),
            ("http://LOCALHOST./", Some(RefusalReason::InsideName)),
            ("http://shop.example../", Some(RefusalReason::MalformedName)),
            ("http://shop.example:22/", Some(RefusalReason::Port)),
            ("http://shop.example:0/", Some(RefusalReason::Port)),
            ("http://shop.example:6379/", Some(RefusalReason::Port)),
            ("file:///etc/passwd", Some(RefusalReason::Scheme)),
            ("gopher://shop.example:70/", Some(RefusalReason::Scheme)),
        ] {
            assert_eq!(reason(&Guard::new(), url), expected, "{url}");
        }
    }

    #[test]
    fn allowed_networks_permit_their_addresses_only() {
        let guard = Guard::new().with_allowed_net("10.1.0.0/16".parse().unwrap());
        assert_eq!(reason(&guard, "http://10.1.2.3/"), None);
        assert_eq!(reason(&guard, "http://[::ffff:10.1.2.3]/"), None);
        assert_eq!(reason(&guard, "http://10.1.2.3:6379/"), Some(RefusalReason::Port));
        assert_eq!(
            reason(&guard, "http://10.2.0.1/"),
            Some(RefusalReason::Address(AddressKind::Private))
        );
        assert_eq!(
            reason(&guard, "http://127.0.0.1/"),
            Some(RefusalReason::Address(AddressKind::Loopback))
        );
    }

    #[test]
    fn internal_names_are_refused_through_a_proxy() {
        for guard in [Guard::new(), Guard::new().with_allowed_net("10.1.0.0/16".parse().unwrap())] {
            let guard = guard.by_proxy();
            assert_eq!(reason(&guard, "http://wiki/"), Some(RefusalReason::InsideNameByProxy));
            assert_eq!(reason(&guard, "http://shop.example/"), None);
        }
    }

    #[test]
    fn internal_names_need_addresses_of_allowed_networks() {
        let guard = Guard::new().with_allowed_net("10.1.0.0/16".parse().unwrap());
        assert_eq!(reason(&guard, "http://wiki/"), None);
        let check = |host: &str, addresses: &[&str]| {
            let addresses: Vec<IpAddr> =
                addresses.iter().map(|text| text.parse().unwrap()).collect();
            guard.check_addresses(host, &addresses).err().map(|refusal| refusal.reason())
        };
        assert_eq!(check("wiki", &["10.1.2.3"]), None);
        assert_eq!(check("wiki", &["10.1.2.3", "8.8.8.8"]), Some(RefusalReason::OutsideAllowed));
        assert_eq!(check("metadata", &["169.254.169.254"]), Some(RefusalReason::OutsideAllowed));
        assert_eq!(check("shop.example", &["10.1.2.3", "8.8.8.8"]), None);
        assert_eq!(
            check("shop.example", &["8.8.8.8", "192.168.0.1"]),
            Some(RefusalReason::Address(AddressKind::Private))
        );
    }

    #[test]
    fn refusals_of_addresses_are_sentences() {
        for (address, expected) in [
            ("0.0.0.0", "an unspecified address"),
            ("127.0.0.1", "a loopback address"),
            ("10.0.0.1", "a private address"),
            ("100.64.0.1", "a carrier-grade NAT address"),
            ("169.254.169.254", "a link-local address"),
            ("168.63.129.16", "a cloud metadata address"),
            ("192.0.2.1", "a documentation address"),
            ("198.18.0.1", "a benchmark address"),
            ("224.0.0.1", "a multicast address"),
            ("240.0.0.1", "a reserved address"),
            ("192.0.0.1", "a protocol assignment address"),
            ("2002::1", "a tunnel address"),
            ("4000::1", "an address that is not global unicast"),
        ] {
            let refusal = Guard::new().check_address(address.parse().unwrap()).unwrap_err();
            let expected = format!("Verger does not connect to {address}: {expected}");
            assert_eq!(refusal.to_string(), expected);
        }
    }

    #[test]
    fn refusals_escape_foreign_text() {
        let refusal = Refusal::new("a\u{1b}[2J", RefusalReason::Scheme);
        assert_eq!(
            refusal.to_string(),
            r"Verger does not connect to a\x1b[2J: a scheme that is not fetched"
        );
    }
}
