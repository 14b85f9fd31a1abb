//! Hosts and addresses, forbidden and allowed (N001 to N077).

use std::net::IpAddr;

use crate::server::{Lookup, Service, Setup, Site};

use super::{Claim, Class, Entry, HOST, REFUSED, good, ids, rules};

/// Forbidden hosts as they appear in a URL, and the address they mean or, for a name, resolve to.
pub(super) const FORBIDDEN: &[(&str, &str)] = &[
    ("127.0.0.1", "127.0.0.1"),
    ("127.1", "127.0.0.1"),
    ("0x7f000001", "127.0.0.1"),
    ("2130706433", "127.0.0.1"),
    ("0177.0.0.1", "127.0.0.1"),
    ("127.0.0.1.", "127.0.0.1"),
    ("0", "0.0.0.0"),
    ("0.0.0.0", "0.0.0.0"),
    ("10.0.0.1", "10.0.0.1"),
    ("172.16.0.1", "172.16.0.1"),
    ("172.31.255.255", "172.31.255.255"),
    ("192.168.0.1", "192.168.0.1"),
    ("100.64.0.1", "100.64.0.1"),
    ("169.254.1.1", "169.254.1.1"),
    ("169.254.170.2", "169.254.170.2"),
    ("192.0.0.192", "192.0.0.192"),
    ("198.18.0.1", "198.18.0.1"),
    ("192.0.2.1", "192.0.2.1"),
    ("224.0.0.1", "224.0.0.1"),
    ("240.0.0.1", "240.0.0.1"),
    ("255.255.255.255", "255.255.255.255"),
    ("168.63.129.16", "168.63.129.16"),
    ("100.100.100.200", "100.100.100.200"),
    ("[::]", "::"),
    ("[::1]", "::1"),
    ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"),
    ("[::ffff:10.0.0.1]", "::ffff:10.0.0.1"),
    ("[::127.0.0.1]", "::127.0.0.1"),
    ("[64:ff9b::7f00:1]", "64:ff9b::7f00:1"),
    ("[64:ff9b::a00:1]", "64:ff9b::a00:1"),
    ("[64:ff9b:1::1]", "64:ff9b:1::1"),
    ("[2002:7f00:1::]", "2002:7f00:1::"),
    ("[2001:0:53aa:64c::]", "2001:0:53aa:64c::"),
    ("[fc00::1]", "fc00::1"),
    ("[fd00:ec2::254]", "fd00:ec2::254"),
    ("[fe80::1]", "fe80::1"),
    ("[fec0::1]", "fec0::1"),
    ("[ff02::1]", "ff02::1"),
    ("[2001:db8::1]", "2001:db8::1"),
    ("[100::1]", "100::1"),
    ("localhost", "127.0.0.1"),
    ("LOCALHOST.", "127.0.0.1"),
    ("a.localhost", "127.0.0.1"),
    ("ip6-localhost", "::1"),
    ("metadata.google.internal", "169.254.169.254"),
    ("metadata", "169.254.169.254"),
    ("host.docker.internal", "172.17.0.1"),
    ("kubernetes.default.svc", "10.96.0.1"),
    ("a.local", "192.168.0.2"),
    ("a.internal", "10.0.0.2"),
    ("router", "192.168.0.1"),
    ("printer.lan", "192.168.0.3"),
    ("127.0.0.1.nip.io", "127.0.0.1"),
];

/// More of them (N054 to N073). A zone is not part of an address from a resolver.
const MORE: &[&str] = &[
    "0.0.0.1",
    "127.255.255.254",
    "169.254.0.1",
    "192.88.99.1",
    "198.51.100.1",
    "203.0.113.1",
    "233.252.0.1",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::c0a8:1]",
    "[64:ff9b:1:7f00:1::]",
    "[2002:a00:1::]",
    "[2002:c0a8:1::]",
    "[2001:10::1]",
    "[2001:20::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[fe80::1%eth0]",
    "[::ffff:169.254.169.254]",
    "[::ffff:168.63.129.16]",
    "[fd12:3456::1]",
];

/// Addresses that are allowed (N074 to N077): the last is a public one with the prefix of NAT64.
const PUBLIC_ONES: &[&str] = &["1.1.1.1", "8.8.8.8", "[2606:4700::1111]", "[64:ff9b::808:808]"];

pub(super) fn entries() -> Vec<Entry> {
    let forbidden = FORBIDDEN.iter().map(|&(host, address)| (host, address.to_owned()));
    let more = MORE.iter().map(|&host| {
        let bare = host.trim_matches(['[', ']']);
        (host, bare.split('%').next().unwrap_or(bare).to_owned())
    });
    let refused = ids('N', 1).zip(forbidden.chain(more)).map(|(id, (host, address))| {
        // Once in the URL and once in an answer for a harmless name.
        let setup = private_names(Setup::new()).name(HOST, [answer(&address)]);
        let mut literal = REFUSED.to_vec();
        literal.push(Class::Invalid);
        Entry::new(id, format!("{host}, in the URL and as an answer"), setup, literal)
            .asking(format!("http://{host}/"))
            .then(format!("http://{HOST}/"), REFUSED)
            .claim(Claim::Requests(0, 0))
            .claim(Claim::Dials(0))
    });
    let allowed = ids('N', 74).zip(PUBLIC_ONES).map(|(id, &host)| {
        let address = parsed(host.trim_matches(['[', ']']));
        let setup = Setup::new().name(HOST, [Lookup::addresses(address)]).place_at(
            (address.unwrap_or(super::super::PUBLIC), 80).into(),
            Service::Http(Site::always(good())),
        );
        Entry::new(id, format!("{host}, in the URL and as an answer"), setup, vec![Class::Rules])
            .asking(format!("http://{host}/"))
            .then(format!("http://{HOST}/"), &[Class::Rules])
            .claim(Claim::Requests(2, 2))
            .claim(Claim::Body(rules()))
    });
    refused.chain(allowed).collect()
}

/// Adds the forbidden names, as the resolver of a misconfigured network would answer them.
pub(super) fn private_names(setup: Setup) -> Setup {
    let names =
        FORBIDDEN.iter().filter(|(host, _)| parsed(host.trim_matches(['[', ']'])).is_none());
    names.fold(setup, |setup, &(name, address)| setup.name(name, [answer(address)]))
}

/// An answer with one address.
pub(super) fn answer(address: &str) -> Lookup {
    Lookup::addresses(parsed(address))
}

fn parsed(address: &str) -> Option<IpAddr> {
    address.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_is_one() {
        let more = MORE.iter().map(|host| host.trim_matches(['[', ']']).split('%').next().unwrap());
        let public = PUBLIC_ONES.iter().map(|host| host.trim_matches(['[', ']']));
        for address in FORBIDDEN.iter().map(|&(_, address)| address).chain(more).chain(public) {
            assert!(parsed(address).is_some(), "{address}");
        }
    }
}
