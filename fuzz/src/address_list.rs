//! Target `address_list`: published lists of addresses.
//!
//! A list has no short prefix. Each edge of a prefix is found, in a prefix that is at least as
//! specific. A copy of the list in a file has the same prefixes. Errors are inert.

use std::net::IpAddr;

use verger::access::Timestamp;
use verger_identity::{AddressList, Lists, limits};

use crate::inert::assert_inert;

/// Checks lists.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let url = "https://bot.example/ips.json";
    let copy = Lists::copy(url, Timestamp::EPOCH, bytes);
    let list = match AddressList::read(bytes) {
        Ok(list) => list,
        Err(error) => {
            assert_inert(&error);
            assert_eq!(copy, Err(error));
            return;
        }
    };
    for prefix in list.prefixes() {
        let v4 = prefix.addr().is_ipv4();
        let shortest = if v4 { limits::SHORTEST_V4 } else { limits::SHORTEST_V6 };
        assert!(prefix.prefix_len() >= shortest && prefix == prefix.trunc());
        // `::/80` ends with addresses of IPv4 that are written as IPv6: these are ones of IPv4.
        let is_itself = |edge: &IpAddr| *edge == edge.to_canonical();
        for edge in [prefix.network(), prefix.broadcast()].into_iter().filter(is_itself) {
            let (found, _) = list.find(edge).expect("the prefix has it");
            assert!(found.contains(&edge) && found.prefix_len() >= prefix.prefix_len());
        }
    }
    let mut lists = Lists::default();
    lists.read(&copy.expect("a list has a copy")).expect("a copy is read");
    let (copied, dated) = lists.at(url, Timestamp::EPOCH).expect("it is there");
    assert!(copied.prefixes().eq(list.prefixes()));
    assert_eq!(dated.copied, Timestamp::EPOCH);
}

/// Lists in several forms, as seeds.
pub(crate) const SEEDS: [&str; 5] = [
    r#"{"creationTime":"2026-09-03T14:46:06.000000","prefixes":[{"ipv6Prefix":"2001:4860:4801:10::/64"},{"ipv4Prefix":"66.249.64.0/27","services":["A","B"]}]}"#,
    r#"{"ips":[{"ip_address":"5.39.1.224"}],"result":{"ipv4_cidrs":["173.245.48.0/20"]}}"#,
    "# probes\n52.57.22.1\n2a05:d014::/56 # Frankfurt\n",
    r#"["3.7.1.1","2a01:4ff:f0:2219::1"]"#,
    "::/80",
];
