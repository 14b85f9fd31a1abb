//! Addresses without the part that tells one client from another.

use std::net::IpAddr;

/// An address whose last part is `x`: the last number of IPv4, everything after the first three
/// groups of IPv6.
pub(crate) fn cut(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.x")
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}::x")
        }
    }
}
