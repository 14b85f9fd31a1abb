//! The guard: a client that fetches what strangers name must not become their weapon.
//!
//! A URL, a redirect or a DNS answer may point at the machine we run on, at the network it stands in
//! or at the metadata service of its cloud. The guard is asked twice for every hop: with the URL,
//! before any name is resolved ([`Guard::check_url`]), and with every address of the answer, before
//! any is dialled ([`Guard::check_addresses`]). What is dialled is exactly what was checked; nothing is
//! resolved again, so a name that changes its answer gains nothing.
//!
//! Through a proxy ([`Proxy`](crate::net::Proxy)), only the URL is judged: the proxy resolves the names. So
//! a name of the inside is refused there even if a network is allowed.
//!
//! Refused is what is not named as public. [`Guard::with_allowed_net`] opens networks, for intranets and
//! tests.

mod address;
mod name;
mod net;
mod port;
mod refusal;

use std::net::IpAddr;

use ipnet::IpNet;
use url::{Host, Url};

pub use self::address::AddressKind;
use self::name::NameKind;
pub use self::net::{NetError, parse_net};
pub use self::refusal::{Refusal, RefusalReason};

/// Decides where connections may go.
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
/// assert_eq!(refusal.to_string(), "refused to connect to 127.0.0.1: a loopback address");
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

/// A scheme that a robots.txt can be fetched by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// `http`.
    Http,
    /// `https`.
    Https,
    /// `ftp`, with the feature of this name.
    Ftp,
}

impl Scheme {
    /// The scheme of a URL, if it can be fetched.
    pub fn of(url: &Url) -> Option<Self> {
        match url.scheme() {
            "http" => Some(Self::Http),
            "https" => Some(Self::Https),
            "ftp" if cfg!(feature = "ftp") => Some(Self::Ftp),
            _ => None,
        }
    }
}

impl Guard {
    /// A guard that lets nothing through but the public Internet.
    pub const fn new() -> Self {
        Self { allowed: Vec::new(), is_by_proxy: false }
    }

    /// Lets addresses of a network through as well.
    ///
    /// Names of the inside (`wiki`, `db.internal`) are then resolved too, and pass if all their
    /// addresses are in allowed networks. Which ports may be used does not change.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_fetch::guard::Guard;
    ///
    /// let guard = Guard::new().with_allowed_net("10.1.0.0/16".parse()?);
    /// assert!(guard.check_address("10.1.2.3".parse()?).is_ok());
    /// assert!(guard.check_address("10.2.2.3".parse()?).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Checks a URL before anything is done with it: scheme, port, name, or the address that stands
    /// in place of a name.
    ///
    /// # Errors
    ///
    /// The refusal, which names the host, the port or the scheme.
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
        self.check_port(scheme, url.port_or_known_default().unwrap_or(0))
    }

    /// Checks all addresses of a name. One that must not be connected to refuses them all.
    ///
    /// # Errors
    ///
    /// The refusal, which names the first such address.
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
    /// The refusal, when it is neither public nor in an allowed network.
    pub fn check_address(&self, address: IpAddr) -> Result<(), Refusal> {
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
    /// The refusal, when the port belongs to another service.
    pub fn check_port(&self, scheme: Scheme, port: u16) -> Result<(), Refusal> {
        if port::is_allowed(scheme, port) {
            Ok(())
        } else {
            Err(Refusal::new(&format!("port {port}"), RefusalReason::Port))
        }
    }

    /// Whether an allowed network holds the address, as it stands or as what it hides.
    fn allows(&self, address: IpAddr) -> bool {
        let inner = address::unwrapped(address);
        self.allowed.iter().any(|net| net.contains(&address) || net.contains(&inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(guard: &Guard, url: &str) -> Option<RefusalReason> {
        guard.check_url(&url.parse().unwrap()).err().map(|refusal| refusal.reason())
    }

    #[test]
    fn urls_are_judged_as_parsed_and_not_as_written() {
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
            assert_eq!(why(&Guard::new(), url), expected, "{url}");
        }
    }

    #[test]
    fn allowed_networks_open_their_addresses_and_nothing_else() {
        let guard = Guard::new().with_allowed_net("10.1.0.0/16".parse().unwrap());
        assert_eq!(why(&guard, "http://10.1.2.3/"), None);
        assert_eq!(why(&guard, "http://[::ffff:10.1.2.3]/"), None);
        assert_eq!(why(&guard, "http://10.1.2.3:6379/"), Some(RefusalReason::Port));
        assert_eq!(
            why(&guard, "http://10.2.0.1/"),
            Some(RefusalReason::Address(AddressKind::Private))
        );
        assert_eq!(
            why(&guard, "http://127.0.0.1/"),
            Some(RefusalReason::Address(AddressKind::Loopback))
        );
    }

    #[test]
    fn names_of_the_inside_are_refused_where_a_proxy_resolves_them() {
        for guard in [Guard::new(), Guard::new().with_allowed_net("10.1.0.0/16".parse().unwrap())] {
            let guard = guard.by_proxy();
            assert_eq!(why(&guard, "http://wiki/"), Some(RefusalReason::InsideNameByProxy));
            assert_eq!(why(&guard, "http://shop.example/"), None);
        }
    }

    #[test]
    fn names_of_the_inside_need_addresses_of_allowed_networks() {
        let guard = Guard::new().with_allowed_net("10.1.0.0/16".parse().unwrap());
        assert_eq!(why(&guard, "http://wiki/"), None);
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
}
