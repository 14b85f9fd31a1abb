//! Reverse DNS.

use std::net::IpAddr;

use verger::access::Timestamp;
use verger_identity::{Identifier, LookedUp};

use crate::{header, json, request, time};

/// The status, and the reason, of the proof by names.
fn proof(token: &str, address: &str, names: Result<&[(&str, &[&str])], &str>) -> String {
    let (identifier, header) = (Identifier::default(), header(token));
    let request = request(&header, "2026-09-10", address);
    let names = names.map_err(str::to_owned).map(|names| {
        let addresses = |all: &[&str]| all.iter().map(|it| it.parse::<IpAddr>().unwrap()).collect();
        names.iter().map(|(name, all)| ((*name).to_owned(), addresses(all))).collect()
    });
    let found = LookedUp { names: Some(names), at: time("2026-09-11"), ..LookedUp::default() };
    let found = json(&identifier.begin(&request, Timestamp::EPOCH).finish(&found));
    let proof = &found["claims"][0]["reverse_dns"];
    let part = |name: &str| proof[name].as_str().map(str::to_owned);
    [part("status"), part("reason")].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// A token, an address, the names of the address with their addresses, and the result.
type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a [&'a str])], &'a str);

#[test]
fn a_name_must_be_in_the_domain_and_resolve_to_the_address() {
    let ip = "203.0.113.9";
    #[rustfmt::skip]
    let cases: &[Case<'_>] = &[
        ("Googlebot", ip, &[("crawl-1.googlebot.com.", &[ip])], "verified"),
        ("Googlebot", ip, &[("CRAWL-1.GoogleBot.COM", &[ip])], "verified"),
        ("Googlebot", ip, &[("googlebot.com", &[ip])], "verified"),
        ("Googlebot", ip, &[("a.googlebot.com", &["198.51.100.1", "2001:db8::1", ip])], "verified"),
        ("Googlebot", ip, &[("host.example", &[ip]), ("a.googlebot.com", &[ip])], "verified"),
        ("Googlebot", "2001:db8::7", &[("a.googlebot.com", &["2001:db8:0:0::7"])], "verified"),
        ("Googlebot", "::ffff:203.0.113.9", &[("a.googlebot.com", &[ip])], "verified"),
        ("Googlebot", ip, &[("a.googlebot.com", &["::ffff:203.0.113.9"])], "verified"),
        ("Googlebot", ip, &[("googlebot.com.evil.example", &[ip])], "failed other_name"),
        ("Googlebot", ip, &[("fakegooglebot.com", &[ip])], "failed other_name"),
        ("Googlebot", ip, &[("a.googlebot.com\0.evil.example", &[ip])], "failed other_name"),
        ("Googlebot", ip, &[("\u{f6}.googlebot.comm", &[ip])], "failed other_name"),
        ("Googlebot", ip, &[("com", &[ip])], "failed other_name"),
        ("Googlebot", ip, &[("", &[ip])], "failed other_name"),
        ("Googlebot", ip, &[("a.googlebot.com", &[])], "failed not_confirmed"),
        ("Googlebot", ip, &[("a.googlebot.com", &["203.0.113.10"])], "failed not_confirmed"),
        ("Googlebot", ip, &[("a.search.msn.com", &[ip])], "failed other_name"),
        ("Googlebot", ip, &[], "failed no_name"),
        ("Googlebot", "10.0.0.1", &[("a.googlebot.com", &["10.0.0.1"])], "not_checked proxy"),
        ("bingbot", ip, &[("msnbot-1.search.msn.com", &[ip])], "verified"),
        ("GPTBot", ip, &[("a.openai.com", &[ip])], "not_published"),
    ];
    for &(token, address, names, expected) in cases {
        assert_eq!(proof(token, address, Ok(names)), expected, "{token} {address} {names:?}");
    }
    assert_eq!(proof("Googlebot", ip, Err("timeout")), "not_checked look_up");
    // Names of 10,000 other hosts come first.
    let mut many = vec![("host.example", &[][..]); 10_000];
    many.push(("a.googlebot.com", &[]));
    assert_eq!(proof("Googlebot", ip, Ok(&many)), "failed other_name");
}

#[test]
fn names_are_looked_up_only_if_they_prove_something() {
    let identifier = Identifier::default();
    for (token, from, expected) in [
        ("Googlebot", "66.249.66.1", true),
        ("Googlebot", "10.0.0.1", false),
        ("GPTBot", "66.249.66.1", false),
        ("Firefox", "66.249.66.1", false),
    ] {
        let header = header(token);
        let address =
            |ip| identifier.begin(&request(&header, "2026-09-10", ip), Timestamp::EPOCH).address();
        assert_eq!(address(from).is_some(), expected, "{token} {from}");
        assert_eq!(address(""), None);
    }
}
