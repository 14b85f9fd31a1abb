//! Answers of a resolver, and missing answers (N078 to N113).

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use crate::server::{Lookup, NoAddress, PUBLIC, Service, Site};

use super::dns_addresses::answer;
use super::{Claim, Class, Entry, HOST, REFUSED, Setup, good, good_web, rules};

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

pub(super) fn entries() -> Vec<Entry> {
    let mut all: Vec<Entry> = FAILURES
        .iter()
        .map(|&(id, failure)| {
            let setup = Setup::new().name(HOST, [Lookup::Fails(failure)]);
            Entry::new(id, failure.to_string(), setup, vec![Class::Unreachable])
                .claim(Claim::Dials(0))
        })
        .collect();
    all.push(Entry::new(
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
fn private() -> Vec<Entry> {
    let refused = |id, what: &str, lookup: Lookup| {
        let setup = good_web(HOST).name(HOST, [lookup]);
        Entry::new(id, what, setup, REFUSED.to_vec()).claim(Claim::Dials(0))
    };
    let private = IpAddr::from([10, 0, 0, 1]);
    let flip =
        good_web(HOST).name(HOST, [Lookup::addresses([PUBLIC]), Lookup::addresses([private])]);
    vec![
        refused("N086", "an alias of localhost", answer("127.0.0.1")),
        refused("N088", "a public and a private address", Lookup::addresses([PUBLIC, private])),
        // A client that resolves once to check and once to connect fails at the first ask. A
        // refusal does not replace the fresh file (REP-CACHE-28).
        Entry::new("N089", "public first, private then", flip, vec![Class::Rules])
            .again(&[Class::Rules])
            .claim(Claim::Requests(1, 1))
            .claim(Claim::Dials(1)),
        refused("N102", "127.0.0.1 by the hosts file", answer("127.0.0.1")),
    ]
}

/// Unusual answers without a forbidden address.
fn public() -> Vec<Entry> {
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
        Entry::new(id, what, setup, vec![Class::Rules]).claim(Claim::Body(rules()))
    };
    vec![
        Entry::new(
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
        Entry::new(
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
fn names() -> Vec<Entry> {
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
        Entry::new(id, what, setup, classes)
            .asking(format!("http://{name}/"))
            .claim(Claim::Requests(0, 0))
            .claim(Claim::Dials(0))
    })
    .into()
}
