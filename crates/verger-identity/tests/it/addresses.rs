//! Claims and addresses.

use std::collections::BTreeSet;
use std::net::IpAddr;

use verger::access::Timestamp;
use verger_identity::ipnet::IpNet;
use verger_identity::{Identifier, Lists, Reason, Request, Status, TrustedProxies};
use verger_registry::Registry;

use crate::{header, json, request, time};

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
            all.collect::<Option<Vec<_>>>()?.iter().flat_map(|(list, _)| list.prefixes()).collect(),
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
        for address in edges(&prefixes).iter().chain(all.iter().step_by(97)) {
            let request = Request { ip: Some(*address), ..request(&header, "2026-09-10", "") };
            let claim = identifier.identify(&request, at);
            let claim = claim
                .claims
                .into_iter()
                .find(|it| it.crawler.user_agents().contains(&token.to_owned()));
            let claim = claim.expect("the header names it");
            let is_listed = prefixes.iter().any(|prefix| prefix.contains(address));
            let is_verified = claim.addresses.status == Status::Verified;
            assert_eq!(is_verified, is_listed, "{token} {address}");
            assert!(
                is_verified
                    || claim.addresses.status == Status::Failed
                    || claim.addresses.reason == Some(Reason::Proxy),
                "{token} {address}"
            );
        }
    }
}

/// The status, and the reason, of the proof by addresses.
fn proof(identifier: &Identifier, token: &str, at: &str, address: &str) -> String {
    let header = header(token);
    let found = json(&identifier.identify(&request(&header, at, address), Timestamp::EPOCH));
    let proof = &found["claims"][0]["addresses"];
    let part = |name: &str| proof[name].as_str().map(str::to_owned);
    let more = proof["list"]["is_later"].as_bool().or(proof["lists"][0]["is_later"].as_bool());
    let more = more.filter(|is_later| *is_later).map(|_| "later".to_owned());
    [part("status"), part("reason"), more].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_proof_by_addresses_has_a_reason() {
    let mut lists = Lists::default();
    let copies = r#"
        {"urls":["https://openai.com/gptbot.json"],"copied":"2026-06-01","list":{"prefixes":[
            {"ipv4Prefix":"192.0.2.0/24","services":["gptbot"]},
            {"ipv4Prefix":"192.0.2.128/25","service":"OtherBot"}]}}
        {"urls":["https://index.commoncrawl.org/ccbot.json"],"copied":"2026-06-01","list":{"prefixes":[
            {"ipv4Prefix":"192.0.2.0/24","services":["search"]}]}}
    "#;
    lists.read(copies).unwrap();
    let proxies = TrustedProxies::new(vec!["192.0.2.99/32".parse().unwrap()], "X-Real-IP");
    let mut identifier = Identifier::new(lists);
    identifier.proxies = proxies;
    for (token, at, address, expected) in [
        ("GPTBot", "2026-07-01", "192.0.2.1", "verified"),
        ("gptbot", "2026-07-01", "192.0.2.127", "verified"),
        ("GPTBot", "2026-07-01", "192.0.2.128", "failed other_service"),
        ("GPTBot", "2026-07-01", "192.0.3.0", "failed not_listed"),
        ("GPTBot", "2026-07-01", "2001:db8::1", "failed not_listed"),
        ("GPTBot", "2026-05-01", "192.0.2.1", "verified later"),
        ("GPTBot", "2026-05-01", "192.0.3.0", "failed not_listed later"),
        // 400 days before the copy, and after it.
        ("GPTBot", "2025-04-27", "192.0.2.1", "verified later"),
        ("GPTBot", "2025-04-26T23:59:59Z", "192.0.2.1", "not_checked no_list"),
        ("GPTBot", "2025-04-26T23:59:59Z", "192.0.3.0", "not_checked no_list"),
        ("GPTBot", "2027-07-06", "192.0.2.1", "verified"),
        ("GPTBot", "2027-07-06T00:00:01Z", "192.0.3.0", "not_checked no_list"),
        ("GPTBot", "2027-07-06T00:00:01Z", "172.70.1.1", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "172.70.1.1", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "192.168.1.1", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "::1", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "fd12::1", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "::", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "64:ff9b::c000:201", "not_checked proxy"),
        // Cloudflare writes such an address for a client with IPv6.
        ("GPTBot", "2026-07-01", "247.12.3.4", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "ff02::1", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "198.19.255.255", "not_checked proxy"),
        ("GPTBot", "2026-07-01", "198.20.0.0", "failed not_listed"),
        // It is a trusted one, and sent no address.
        ("GPTBot", "2026-07-01", "192.0.2.99", "not_checked proxy"),
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
fn a_cut_address_of_a_log_proves_nothing() {
    let identifier = Identifier::default();
    // The prefix of the second one is in the list.
    for (address, is_logged, expected) in [
        ("203.0.113.0", false, "failed"),
        ("66.249.66.0", false, "verified"),
        ("203.0.113.0", true, "undecided"),
        ("66.249.66.0", true, "undecided"),
        ("2001:db8:1:2::", true, "undecided"),
        ("2001:db8:1:2::1", true, "failed"),
        ("203.0.113.1", true, "failed"),
        ("66.249.66.1", true, "verified"),
    ] {
        let request = Request { is_logged, ..request("Googlebot/2.1", "2026-09-10", address) };
        let found = identifier.identify(&request, Timestamp::EPOCH);
        assert_eq!(found.verdict.to_string(), expected, "{address}");
        assert_eq!(found.address, address.parse().ok());
        let reason = found.claims[0].addresses.reason;
        assert_eq!(reason == Some(Reason::MayBeCut), expected == "undecided", "{address}");
        let pending = identifier.begin(&request, Timestamp::EPOCH);
        assert_eq!(pending.address().is_none(), expected == "undecided", "{address}");
    }
}

/// Random nested prefixes of three services, the first of which is the crawler's.
#[test]
fn the_prefixes_of_a_crawler_are_the_addresses_that_prove_it() {
    let mut rng = fastrand::Rng::with_seed(39);
    let crawler = Registry::bundled().find("GPTBot").unwrap();
    for _ in 0..300 {
        let mut prefix = || {
            let (host, length) = (rng.u8(..), rng.u8(24..=32));
            let service = rng.choice(["GPTBot", "B", "C"]).unwrap();
            format!(r#"{{"ipv4Prefix":"192.0.2.{host}/{length}","services":["{service}"]}}"#)
        };
        let all = [prefix(), prefix(), prefix(), prefix()].join(",");
        let url = &crawler.ip_ranges()[0];
        let mut lists = Lists::default();
        let list = Lists::copy(url, time("2026-06-01"), format!("[{all}]").as_bytes()).unwrap();
        lists.read(&list).unwrap();
        let (prefixes, _) = lists.prefixes_of(crawler, time("2026-06-01")).unwrap();
        let identifier = Identifier::new(lists);
        for host in 0..=u8::MAX {
            let address = IpAddr::from([192, 0, 2, host]);
            let is_listed = prefixes.iter().any(|it| it.contains(&address));
            let found = proof(&identifier, "GPTBot", "2026-06-01", &address.to_string());
            assert_eq!(is_listed, found == "verified", "{all} {address}");
            let mut listed = identifier.lists.crawlers(address, time("2026-06-01"));
            assert_eq!(is_listed, listed.any(|it| it.token() == "GPTBot"), "{all} {address}");
        }
    }
}

#[test]
fn a_request_is_verified_only_if_all_its_claims_are() {
    let identifier = Identifier::default();
    for (header, expected) in [
        ("Googlebot/2.1", "verified"),
        ("Googlebot/2.1 Googlebot-Image/1.0", "verified"),
        ("Googlebot/2.1 Bytespider/1.0", "undecided"),
        ("Googlebot/2.1 GPTBot/1.2", "failed"),
        ("Bytespider/1.0 GPTBot/1.2", "failed"),
        ("Googlebot/2.1 curl/8.0", "verified"),
    ] {
        let request = request(header, "2026-09-10", "66.249.66.1");
        let found = identifier.identify(&request, Timestamp::EPOCH);
        assert_eq!(found.verdict.to_string(), expected, "{header}");
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
        ("TelegramBot (like TwitterBot)", &["TelegramBot"]),
        ("Feedly/1.0 (+https://feedly.com/fetcher.html; like FeedFetcher-Google)", &["Feedly"]),
        ("DuckDuckBot/1.1 (like DuckDuckBot-Https) GPTBot/1.2", &["DuckDuckBot", "GPTBot"]),
        ("Googlebot/2.1 bingbot/2.0 like Googlebot", &["Googlebot", "bingbot"]),
        // Alone, it is a claim.
        ("Example (like Googlebot)", &["Googlebot"]),
        ("curl/8.0", &["curl"]),
    ] {
        let found = identifier.identify(&request(header, "2026-09-10", ""), Timestamp::EPOCH);
        let tokens: Vec<_> = found.claims.iter().map(|claim| claim.crawler.token()).collect();
        assert_eq!(tokens, expected, "{header}");
    }
}
