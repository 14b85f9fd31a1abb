//! Addresses that are not on the public Internet.
//!
//! The table is our own: the standard library's `is_global` is unstable, and the resolver's list is
//! for name servers. Sources: the IANA special-purpose registries for IPv4 and IPv6, and the
//! metadata addresses of clouds.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

/// The kind of a refused address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AddressKind {
    /// 0.0.0.0/8 and ::, "this host".
    Unspecified,
    /// The machine itself.
    Loopback,
    /// Private networks (RFC 1918), unique local and site-local addresses of IPv6.
    Private,
    /// Carrier-grade NAT (RFC 6598), which some clouds use for their metadata.
    SharedNat,
    /// Link-local, which most clouds use for their metadata.
    LinkLocal,
    /// The metadata service of a cloud at a seemingly public address.
    Metadata,
    /// Documentation and examples.
    Documentation,
    /// Benchmarks of networks (RFC 2544).
    Benchmark,
    /// Multicast.
    Multicast,
    /// Broadcast and reserved addresses.
    Reserved,
    /// Assignments of the IETF, and addresses of other protocols.
    Protocol,
    /// An address of a translator or tunnel with another address inside.
    Tunnel,
    /// IPv6 outside global unicast (`2000::/3`).
    NotGlobal,
}

impl AddressKind {
    /// The name of the kind in messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified",
            Self::Loopback => "loopback",
            Self::Private => "private",
            Self::SharedNat => "carrier-grade NAT",
            Self::LinkLocal => "link-local",
            Self::Metadata => "cloud metadata",
            Self::Documentation => "documentation",
            Self::Benchmark => "benchmark",
            Self::Multicast => "multicast",
            Self::Reserved => "reserved",
            Self::Protocol => "protocol assignment",
            Self::Tunnel => "tunnel",
            Self::NotGlobal => "not global unicast",
        }
    }
}

use AddressKind as Kind;

/// Ranges of IPv4: first address, prefix length, kind.
#[rustfmt::skip]
const V4: &[(Ipv4Addr, u8, Kind)] = &[
    (Ipv4Addr::UNSPECIFIED,            8, Kind::Unspecified),
    (Ipv4Addr::new(10, 0, 0, 0),       8, Kind::Private),
    (Ipv4Addr::new(100, 64, 0, 0),    10, Kind::SharedNat),
    (Ipv4Addr::new(127, 0, 0, 0),      8, Kind::Loopback),
    // Azure's wire server: a public address, answered by the host of the virtual machine.
    (Ipv4Addr::new(168, 63, 129, 16), 32, Kind::Metadata),
    (Ipv4Addr::new(169, 254, 0, 0),   16, Kind::LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0),    12, Kind::Private),
    (Ipv4Addr::new(192, 0, 0, 0),     24, Kind::Protocol),
    (Ipv4Addr::new(192, 0, 2, 0),     24, Kind::Documentation),
    (Ipv4Addr::new(192, 88, 99, 0),   24, Kind::Tunnel),
    (Ipv4Addr::new(192, 168, 0, 0),   16, Kind::Private),
    (Ipv4Addr::new(198, 18, 0, 0),    15, Kind::Benchmark),
    (Ipv4Addr::new(198, 51, 100, 0),  24, Kind::Documentation),
    (Ipv4Addr::new(203, 0, 113, 0),   24, Kind::Documentation),
    (Ipv4Addr::new(224, 0, 0, 0),      4, Kind::Multicast),
    (Ipv4Addr::new(240, 0, 0, 0),      4, Kind::Reserved),
];

/// Ranges of IPv6. Beyond them, only `2000::/3` is global unicast.
#[rustfmt::skip]
const V6: &[(Ipv6Addr, u8, Kind)] = &[
    (Ipv6Addr::UNSPECIFIED,                            128, Kind::Unspecified),
    (Ipv6Addr::LOCALHOST,                              128, Kind::Loopback),
    // IPv4-compatible, withdrawn.
    (Ipv6Addr::UNSPECIFIED,                             96, Kind::Tunnel),
    // NAT64 with a prefix chosen by the network: the target is unknown.
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0),     48, Kind::Tunnel),
    // Teredo, ORCHID and the rest of the IETF's block.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0),        23, Kind::Protocol),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0),    32, Kind::Documentation),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0),        16, Kind::Tunnel),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0),        20, Kind::Documentation),
    (Ipv6Addr::new(0x5f00, 0, 0, 0, 0, 0, 0, 0),        16, Kind::Protocol),
    // Amazon's, within the private range.
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), 128, Kind::Metadata),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0),         7, Kind::Private),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0),        10, Kind::LinkLocal),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0),        10, Kind::Private),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0),         8, Kind::Multicast),
];

/// The well-known prefix of NAT64 (RFC 6052).
const NAT64: Ipv6Addr = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);

/// The kind of an address that must not be connected to; `None` if it is public.
pub(super) fn kind(address: IpAddr) -> Option<AddressKind> {
    match unwrapped(address) {
        IpAddr::V4(address) => kind_v4(address),
        IpAddr::V6(address) => kind_v6(address),
    }
}

/// The IPv4 address inside a v4-mapped or NAT64 address, because it is the real target. Networks
/// with DNS64 resolve public names to this form, so the form alone is no reason to refuse.
pub(super) fn unwrapped(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    if let Some(v4) = v6.to_ipv4_mapped() {
        return v4.into();
    }
    if in_v6(v6, NAT64, 96) {
        let [.., a, b, c, d] = v6.octets();
        return Ipv4Addr::new(a, b, c, d).into();
    }
    address
}

fn kind_v4(address: Ipv4Addr) -> Option<AddressKind> {
    let within = |&&(first, prefix, _): &&(Ipv4Addr, u8, Kind)| {
        let mask = u32::MAX << (32 - prefix);
        address.to_bits() & mask == first.to_bits()
    };
    V4.iter().find(within).map(|&(_, _, kind)| kind)
}

fn kind_v6(address: Ipv6Addr) -> Option<AddressKind> {
    V6.iter()
        .find(|&&(first, prefix, _)| in_v6(address, first, prefix))
        .map(|&(_, _, kind)| kind)
        .or_else(|| (address.segments()[0] >> 13 != 1).then_some(Kind::NotGlobal))
}

fn in_v6(address: Ipv6Addr, first: Ipv6Addr, prefix: u8) -> bool {
    let mask = u128::MAX << (128 - prefix);
    address.to_bits() & mask == first.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every range: its first and last address, and the public neighbours outside.
    #[rustfmt::skip]
    const RANGES: &[(&str, &str, Kind, &str, &str)] = &[
        ("0.0.0.0", "0.255.255.255", Kind::Unspecified, "-", "1.0.0.0"),
        ("10.0.0.0", "10.255.255.255", Kind::Private, "9.255.255.255", "11.0.0.0"),
        ("100.64.0.0", "100.127.255.255", Kind::SharedNat, "100.63.255.255", "100.128.0.0"),
        ("127.0.0.0", "127.255.255.255", Kind::Loopback, "126.255.255.255", "128.0.0.0"),
        ("168.63.129.16", "168.63.129.16", Kind::Metadata, "168.63.129.15", "168.63.129.17"),
        ("169.254.0.0", "169.254.255.255", Kind::LinkLocal, "169.253.255.255", "169.255.0.0"),
        ("172.16.0.0", "172.31.255.255", Kind::Private, "172.15.255.255", "172.32.0.0"),
        ("192.0.0.0", "192.0.0.255", Kind::Protocol, "191.255.255.255", "192.0.1.0"),
        ("192.0.2.0", "192.0.2.255", Kind::Documentation, "192.0.1.255", "192.0.3.0"),
        ("192.88.99.0", "192.88.99.255", Kind::Tunnel, "192.88.98.255", "192.88.100.0"),
        ("192.168.0.0", "192.168.255.255", Kind::Private, "192.167.255.255", "192.169.0.0"),
        ("198.18.0.0", "198.19.255.255", Kind::Benchmark, "198.17.255.255", "198.20.0.0"),
        ("198.51.100.0", "198.51.100.255", Kind::Documentation, "198.51.99.255", "198.51.101.0"),
        ("203.0.113.0", "203.0.113.255", Kind::Documentation, "203.0.112.255", "203.0.114.0"),
        ("224.0.0.0", "239.255.255.255", Kind::Multicast, "223.255.255.255", "-"),
        ("240.0.0.0", "255.255.255.255", Kind::Reserved, "-", "-"),

        ("::", "::", Kind::Unspecified, "-", "-"),
        ("::1", "::1", Kind::Loopback, "-", "-"),
        ("::2", "::ffff:ffff", Kind::Tunnel, "-", "-"),
        ("::1:0:0", "::fffe:ffff:ffff", Kind::NotGlobal, "-", "-"),
        ("::ffff:10.0.0.0", "::ffff:10.255.255.255", Kind::Private, "::ffff:9.255.255.255", "::ffff:11.0.0.0"),
        ("64:ff9b::127.0.0.0", "64:ff9b::127.255.255.255", Kind::Loopback, "64:ff9b::126.255.255.255", "64:ff9b::128.0.0.0"),
        ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", Kind::Tunnel, "-", "-"),
        ("64:ff9b::1:0:0", "64:ff9b:0:ffff:ffff:ffff:ffff:ffff", Kind::NotGlobal, "-", "-"),
        ("100::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::NotGlobal, "-", "-"),
        ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::Protocol, "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", Kind::Documentation, "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"),
        ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::Tunnel, "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"),
        ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::Documentation, "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"),
        ("4000::", "5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::NotGlobal, "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-"),
        ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::Protocol, "-", "-"),
        ("5f01::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::NotGlobal, "-", "-"),
        ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::Private, "-", "-"),
        ("fd00:ec2::254", "fd00:ec2::254", Kind::Metadata, "-", "-"),
        ("fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::NotGlobal, "-", "-"),
        ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::LinkLocal, "-", "-"),
        ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::Private, "-", "-"),
        ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::Multicast, "-", "-"),
    ];

    fn kind_of(text: &str) -> Option<AddressKind> {
        kind(text.parse().unwrap())
    }

    #[test]
    fn ranges_are_refused_from_their_first_to_their_last_address() {
        for &(first, last, expected, below, above) in RANGES {
            assert_eq!(kind_of(first), Some(expected), "{first}");
            assert_eq!(kind_of(last), Some(expected), "{last}");
            for public in [below, above].into_iter().filter(|text| *text != "-") {
                assert_eq!(kind_of(public), None, "{public}, beside {first}");
            }
        }
    }

    #[test]
    fn each_row_of_the_tables_has_a_test() {
        let tested: Vec<IpAddr> = RANGES.iter().map(|row| row.0.parse().unwrap()).collect();
        for (first, ..) in V4 {
            assert!(tested.contains(&IpAddr::V4(*first)), "{first}");
        }
        for (first, ..) in V6 {
            assert!(tested.contains(&IpAddr::V6(*first)), "{first}");
        }
    }

    #[test]
    fn public_addresses_pass_in_every_form() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2000::",
            "223.255.255.255",
        ] {
            assert_eq!(kind_of(text), None, "{text}");
        }
    }

    #[test]
    fn embedded_addresses_are_checked() {
        for (text, expected) in [
            ("::ffff:169.254.169.254", Kind::LinkLocal),
            ("::ffff:168.63.129.16", Kind::Metadata),
            ("64:ff9b::192.168.0.1", Kind::Private),
            ("64:ff9b::100.100.100.200", Kind::SharedNat),
            ("::ffff:0:127.0.0.1", Kind::NotGlobal),
            ("2002:7f00:1::", Kind::Tunnel),
            ("fd00:ec2::254", Kind::Metadata),
            ("::127.0.0.1", Kind::Tunnel),
        ] {
            assert_eq!(kind_of(text), Some(expected), "{text}");
        }
    }
}
