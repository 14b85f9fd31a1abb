//! Claims and addresses.

use std::collections::BTreeSet;
use std::net::IpAddr;

use verger_identity::ipnet::IpNet;
use verger_identity::{AddressList, HiddenClient, Identifier, Lists, Request};
use verger_registry::Registry;

use crate::{header, json, time};

/// The address before or after another one.
fn beside(address: IpAddr, step: i8) -> IpAddr {
    match address {
        IpAddr::V4(it) => IpAddr::V4(it.to_bits().wrapping_add_signed(step.into()).into()),
        IpAddr::V6(it) => IpAddr::V6(it.to_bits().wrapping_add_signed(step.into()).into()),
    }
}

/// All edges of all bundled prefixes, and the addresses beside them, for each crawler with bundled
/// lists. The oracle compares each prefix of the lists.
#[test]
fn the_edges_of_all_prefixes_decide() {
    let (identifier, lists, at) = (Identifier::default(), Lists::bundled(), time("2026-09-10"));
    let crawlers: Vec<_> = Registry::bundled().crawlers().iter().collect();
    let prefixes_of = |crawler: &verger_registry::Crawler| -> Option<BTreeSet<IpNet>> {
        let all = crawler.ip_ranges().iter().map(|url| lists.at(url, at));
        Some(
            all.collect::<Option<Vec<_>>>()?
                .iter()
                .flat_map(|found| found.list.prefixes())
                .collect(),
        )
    };
    let mut groups: Vec<(&[String], &str, BTreeSet<IpNet>)> = Vec::new();
    for crawler in &crawlers {
        let named = crawler.user_agents().first();
        let (Some(named), Some(prefixes)) = (named, prefixes_of(crawler)) else { continue };
        if !prefixes.is_empty() && !groups.iter().any(|(urls, ..)| *urls == crawler.ip_ranges()) {
            groups.push((crawler.ip_ranges(), named, prefixes));
        }
    }
    assert!(groups.len() > 12, "{}", groups.len());
    let edges = |prefixes: &BTreeSet<IpNet>| -> BTreeSet<IpAddr> {
        (prefixes.iter().flat_map(|prefix| [prefix.network(), prefix.broadcast()]))
            .flat_map(|edge| [beside(edge, -1), edge, beside(edge, 1)])
            .collect()
    };
    // Edges of other crawlers are samples.
    let all: BTreeSet<_> = groups.iter().flat_map(|(.., prefixes)| edges(prefixes)).collect();
    for (_, token, prefixes) in groups {
        let header = header(token);
        for address in edges(&prefixes).iter().chain(all.iter().step_by(29)) {
            let claim = identifier.identify(Request::new(&header, at).with_address(Ok(*address)));
            let claim = claim
                .claims
                .into_iter()
                .find(|it| it.crawler.user_agents().contains(&token.to_owned()));
            let claim = claim.expect("the header names it");
            let is_listed = prefixes.iter().any(|prefix| prefix.contains(address));
            let is_verified = claim.list.is_verified();
            assert_eq!(is_verified, is_listed, "{token} {address}");
            assert!(
                is_verified || claim.list.is_failed() || lists.is_proxy(*address),
                "{token} {address}"
            );
        }
    }
}

/// The status, and the reason, of the proof by addresses.
fn proof(identifier: &Identifier, token: &str, at: &str, address: &str) -> String {
    let header = header(token);
    let request = Request::new(&header, time(at));
    let request = match address {
        "" => request,
        "hidden" => request.with_address(Err(HiddenClient::Missing)),
        address => request.with_address(Ok(address.parse().unwrap())),
    };
    let found = json(&identifier.identify(request));
    let proof = &found["claims"][0]["addresses"];
    let part = |name: &str| proof[name].as_str().map(str::to_owned);
    let more = proof["list"]["is_later"].as_bool().or(proof["lists"][0]["is_later"].as_bool());
    let more = more.filter(|is_later| *is_later).map(|_| "later".to_owned());
    [part("status"), part("reason"), more].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_proof_by_addresses_has_a_reason() {
    let mut lists = Lists::default();
    lists.set_proxies_of(Lists::bundled());
    let by_service = br#"{"prefixes":[{"ipv4Prefix":"192.0.2.0/24","services":["GPTBot"]},{"ipv4Prefix":"192.0.2.128/25","services":["OtherBot"]}]}"#;
    lists.insert(
        "https://openai.com/gptbot.json",
        time("2026-06-01"),
        AddressList::read(by_service).unwrap(),
    );
    let by_region = br#"{"prefixes":[{"ipv4Prefix":"192.0.2.0/24","services":["search"]}]}"#;
    lists.insert(
        "https://index.commoncrawl.org/ccbot.json",
        time("2026-06-01"),
        AddressList::read(by_region).unwrap(),
    );
    let identifier = Identifier::from(lists);
    for (token, at, address, expected) in [
        ("GPTBot", "2026-07-01", "192.0.2.1", "verified"),
        ("gptbot", "2026-07-01", "192.0.2.127", "verified"),
        ("GPTBot", "2026-07-01", "192.0.2.128", "failed other_service"),
        ("GPTBot", "2026-07-01", "192.0.3.0", "failed not_listed"),
        ("GPTBot", "2026-07-01", "2001:db8::1", "failed not_listed"),
        ("GPTBot", "2026-05-01", "192.0.2.1", "verified later"),
        ("GPTBot", "2026-05-01", "192.0.3.0", "failed not_listed later"),
        ("GPTBot", "2026-07-01", "172.70.1.1", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "192.168.1.1", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "::1", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "hidden", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "", "not_checked no_address"),
        // The services of this list are no tokens.
        ("CCBot", "2026-07-01", "192.0.2.1", "verified"),
        ("bingbot", "2026-07-01", "192.0.2.1", "not_checked no_list"),
        ("Bytespider", "2026-07-01", "192.0.2.1", "not_published"),
    ] {
        assert_eq!(proof(&identifier, token, at, address), expected, "{token} {at} {address}");
    }
}

#[test]
fn only_whole_product_tokens_are_claims() {
    let identifier = Identifier::default();
    for (header, expected) in [
        (
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            &["Googlebot"][..],
        ),
        ("Googlebot-Image/1.0", &["Googlebot-Image"]),
        ("FakeGooglebot/2.1", &[]),
        ("ExampleBot/1.0 (+https://example.com/not-GPTBot)", &[]),
        ("TelegramBot (like TwitterBot)", &["Twitterbot", "TelegramBot"]),
    ] {
        let found = identifier.identify(Request::new(header, time("2026-09-10")));
        let tokens: Vec<_> = found.claims.iter().map(|claim| claim.crawler.token()).collect();
        assert_eq!(tokens, expected, "{header}");
    }
}
