//! Hosts and addresses, forbidden and allowed (N001 to N077), and answers of a resolver (N078 to
//! N113).

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use crate::server::{Lookup, NoAddress, PUBLIC, Service, Setup, Site};

use super::entry::{Attack, HOST, REFUSED, good, good_web, ids, rules};
use super::expect::{Claim, Class};

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

pub(super) fn addresses() -> Vec<Attack> {
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
        Attack::new(id, format!("{host}, in the URL and as an answer"), setup, literal)
            .asking(format!("http://{host}/"))
            .then(format!("http://{HOST}/"), REFUSED)
            .claim(Claim::Requests(0, 0))
            .claim(Claim::Dials(0))
    });
    let allowed = ids('N', 74).zip(PUBLIC_ONES).map(|(id, &host)| {
        let address = parsed(host.trim_matches(['[', ']']));
        let setup = Setup::new()
            .name(HOST, [Lookup::addresses(address)])
            .place_at((address.unwrap_or(PUBLIC), 80).into(), Service::Http(Site::always(good())));
        Attack::new(id, format!("{host}, in the URL and as an answer"), setup, vec![Class::Rules])
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

/// A public IPv6 address.
const PUBLIC_V6: &str = "2606:4700::1111";
/// Maximum number of addresses tried of one answer.
const MOST_ADDRESSES: usize = 16;

const FAILURES: &[(&str, NoAddress)] = &[
    ("N078", NoAddress::NoSuchName),
    ("N079", NoAddress::ServerFailure),
    ("N080", NoAddress::Refused),
    ("N081", NoAddress::NoData),
    ("N083", NoAddress::Truncated),
    ("N084", NoAddress::Loop),
    ("N085", NoAddress::ChainTooLong),
    ("N113", NoAddress::Bogus),
];

pub(super) fn answers() -> Vec<Attack> {
    let mut all: Vec<Attack> = FAILURES
        .iter()
        .map(|&(id, failure)| {
            let setup = Setup::new().name(HOST, [Lookup::Fails(failure)]);
            Attack::new(id, failure.to_string(), setup, vec![Class::Unreachable])
                .claim(Claim::Dials(0))
        })
        .collect();
    all.push(Attack::new(
        "N082",
        "no answer, ever",
        Setup::new().name(HOST, [Lookup::Never]),
        vec![Class::Unreachable],
    ));
    all.extend(private());
    all.extend(public());
    all.extend(names());
    all
}

/// Answers that contain a forbidden address.
fn private() -> Vec<Attack> {
    let refused = |id, what: &str, lookup: Lookup| {
        let setup = good_web(HOST).name(HOST, [lookup]);
        Attack::new(id, what, setup, REFUSED.to_vec()).claim(Claim::Dials(0))
    };
    let private = IpAddr::from([10, 0, 0, 1]);
    let flip =
        good_web(HOST).name(HOST, [Lookup::addresses([PUBLIC]), Lookup::addresses([private])]);
    vec![
        refused("N086", "an alias of localhost", answer("127.0.0.1")),
        refused("N088", "a public and a private address", Lookup::addresses([PUBLIC, private])),
        // A client that resolves once to check and once to connect fails at the first ask. A
        // refusal does not replace the fresh file (REP-CACHE-28).
        Attack::new("N089", "public first, private then", flip, vec![Class::Rules])
            .again(&[Class::Rules])
            .claim(Claim::Requests(1, 1))
            .claim(Claim::Dials(1)),
        refused("N102", "127.0.0.1 by the hosts file", answer("127.0.0.1")),
    ]
}

/// Unusual answers without a forbidden address.
fn public() -> Vec<Attack> {
    let ttl = |ttl: Duration| Lookup::Addresses(vec![PUBLIC], ttl);
    let many: Vec<IpAddr> = (0..1000_u32)
        .map(|number| Ipv4Addr::from_bits(Ipv4Addr::new(93, 184, 0, 1).to_bits() + number).into())
        .collect();
    let crowd = many.iter().fold(Setup::new(), |setup, &address| {
        setup.place_at((address, 80).into(), Service::Refused)
    });
    let v6: Option<IpAddr> = PUBLIC_V6.parse().ok();
    let v6_here = v6.unwrap_or(PUBLIC);
    let nat64 = "64:ff9b::5db8:d822".parse().unwrap_or(PUBLIC);
    let site = || Service::Http(Site::always(good()));
    let at = |address: IpAddr| {
        Setup::new()
            .name(HOST, [Lookup::addresses([address])])
            .place_at((address, 80).into(), site())
    };
    let blackhole = good_web(HOST)
        .name(HOST, [Lookup::addresses([v6_here, PUBLIC])])
        .place_at((v6_here, 80).into(), Service::Silent);
    let rules_at = |id, what: &str, setup: Setup| {
        Attack::new(id, what, setup, vec![Class::Rules]).claim(Claim::Body(rules()))
    };
    vec![
        Attack::new(
            "N087",
            "a thousand addresses, and each refuses",
            crowd.name(HOST, [Lookup::addresses(many)]),
            vec![Class::Unreachable],
        )
        .claim(Claim::Dials(MOST_ADDRESSES)),
        rules_at(
            "N090",
            "an answer that holds for no time",
            good_web(HOST).name(HOST, [ttl(Duration::ZERO)]),
        )
        .again(&[Class::Rules]),
        rules_at(
            "N091",
            "an answer that holds for 68 years",
            good_web(HOST).name(HOST, [ttl(Duration::from_secs(1 << 31))]),
        ),
        rules_at("N108", "a public address behind NAT64", at(nat64)),
        rules_at("N109", "an IPv6 address alone", at(v6_here)),
        Attack::new(
            "N110",
            "an IPv4 address alone, where the network has none",
            good_web(HOST).place(80, Service::Refused),
            vec![Class::Unreachable],
        ),
        rules_at("N111", "IPv6 leads into the dark, IPv4 does not", blackhole),
        rules_at(
            "N112",
            "a public IPv4 address in the form of IPv6",
            good_web(HOST).name(HOST, [answer("::ffff:93.184.216.34")]),
        ),
    ]
}

/// Invalid names, and names that are not public. If a client resolves them, it gets a private
/// address.
fn names() -> Vec<Attack> {
    let label = "a".repeat(64);
    let long = format!("{}example", "a.".repeat(125));
    [
        ("N095", "a label of 64", format!("{label}.example")),
        ("N096", "a name of 257", long),
        ("N097", "NUL in the name", "a%00b.example".to_owned()),
        ("N098", "an encoded dot in a label, which becomes a dot", "127.0.0%2e1".to_owned()),
        ("N099", "a space in the name", "a b.example".to_owned()),
        ("N100", "two dots at the end", "shop.example..".to_owned()),
        ("N101", "one label, for a search list", "intranet".to_owned()),
        ("N103", ".local", "printer.local".to_owned()),
        ("N104", ".onion", "a2345678901234567890.onion".to_owned()),
        ("N105", ".internal", "db.internal".to_owned()),
        ("N106", ".test", "shop.test".to_owned()),
        ("N107", "Punycode that is none", "xn--a-ecp-.example".to_owned()),
    ]
    .map(|(id, what, name)| {
        let mut classes = REFUSED.to_vec();
        classes.push(Class::Invalid);
        let setup = Setup::new().name(&name, [answer("10.0.0.1")]);
        Attack::new(id, what, setup, classes)
            .asking(format!("http://{name}/"))
            .claim(Claim::Requests(0, 0))
            .claim(Claim::Dials(0))
    })
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_is_valid() {
        let more = MORE.iter().map(|host| host.trim_matches(['[', ']']).split('%').next().unwrap());
        let public = PUBLIC_ONES.iter().map(|host| host.trim_matches(['[', ']']));
        for address in FORBIDDEN.iter().map(|&(_, address)| address).chain(more).chain(public) {
            assert!(parsed(address).is_some(), "{address}");
        }
    }
}
