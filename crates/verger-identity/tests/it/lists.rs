//! Published lists and their copies.

use verger_identity::{AddressList, Lists};
use verger_registry::{Crawler, Registry};

use crate::time;

#[test]
fn lists_of_all_operators_are_read() {
    #[rustfmt::skip]
    let cases: &[(&str, &str, &[&str])] = &[
        ("Google", r#"{"creationTime":"2026-09-03T14:46:06.000000","prefixes":[{"ipv6Prefix":"2001:4860:4801:10::/64"},{"ipv4Prefix":"66.249.64.0/27"}]}"#, &["66.249.64.0/27", "2001:4860:4801:10::/64"]),
        ("JAFAR", r#"{"synctoken":"a","creationTime":"2026-04-10T22:30:00Z","notes":"10.0.0.0/8","description":"8.8.8.8","prefixes":[{"ipv4Prefix":"192.0.2.0/24","services":["A","1.1.1.1"]},{"ipv4Prefix":"198.51.100.0/24","ipv6Prefix":"2001:db8::/32"},{"region":"eu"}]}"#, &["192.0.2.0/24"]),
        ("JAFAR without addresses", r#"{"creationTime":"2026-04-10T22:30:00Z","prefixes":[]}"#, &[]),
        ("Amazon Web Services", r#"{"syncToken":"1","createDate":"2026-09-03-14-46-06","prefixes":[{"ip_prefix":"3.5.140.0/22","region":"x","service":"AMAZON"}],"ipv6_prefixes":[{"ipv6_prefix":"2a05:d07a:a000::/40"}]}"#, &["3.5.140.0/22", "2a05:d07a:a000::/40"]),
        ("Ahrefs", r#"{"ips":[{"ip_address":"5.39.1.224"},{"ip_address":"5.39.1.225"}]}"#, &["5.39.1.224/32", "5.39.1.225/32"]),
        ("Cloudflare", r#"{"result":{"ipv4_cidrs":["173.245.48.0/20"],"ipv6_cidrs":["2400:cb00::/32"],"etag":"x"},"success":true}"#, &["173.245.48.0/20", "2400:cb00::/32"]),
        ("Datadog", r#"{"version":53,"modified":"2026-08-01","synthetics":{"prefixes_ipv4":["3.18.172.189/32"],"prefixes_ipv6":[]}}"#, &["3.18.172.189/32"]),
        ("Better Stack", r#"{"eu":["5.161.75.7"],"us":["2a01:4ff:f0:2219::1"]}"#, &["5.161.75.7/32", "2a01:4ff:f0:2219::1/128"]),
        ("Checkly", r#"["3.7.1.1","3.7.1.2"]"#, &["3.7.1.1/32", "3.7.1.2/32"]),
        ("text", "\u{feff}# probes\r\n52.57.22.1\r\n\n2a05:d014::/56 # Frankfurt\n", &["52.57.22.1/32", "2a05:d014::/56"]),
        ("IPv4 as IPv6", r#"["::ffff:192.0.2.0/120"]"#, &["192.0.2.0/24"]),
        ("host bits", r#"{"prefixes":[{"ipv4Prefix":"66.249.66.5/27"}]}"#, &["66.249.66.0/27"]),
    ];
    for (name, text, expected) in cases {
        let list =
            AddressList::read(text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut found: Vec<_> = list.prefixes().map(|prefix| prefix.to_string()).collect();
        found.sort_by_key(|text| text.contains(':'));
        assert_eq!(found, *expected, "{name}");
    }
}

#[test]
fn texts_that_are_no_lists_are_errors() {
    let deep = "[".repeat(100_000);
    let long = " ".repeat(verger_identity::limits::LIST_BYTES + 1);
    for (text, expected) in [
        ("", "expected addresses, but found none"),
        ("{}", "expected addresses, but found none"),
        (r#"{"error":"not found"}"#, "expected addresses, but found none"),
        (
            "<!doctype html>\n10.0.0.1",
            "line 1: expected an address or a prefix, but found `<!doctype html>`",
        ),
        (
            "10.0.0.1\n10.0.0.\u{1b}[2J",
            "line 2: expected an address or a prefix, but found `10.0.0.\\x1b[2J`",
        ),
        ("{\"prefixes\":[", "invalid JSON: EOF while parsing"),
        (
            r#"{"prefixes":[{"ipv4Prefix":"192.0.2.0/24","ipv4Prefix":"198.51.100.0/24"}]}"#,
            "invalid JSON: expected the key `ipv4Prefix` once",
        ),
        (&deep, "invalid JSON: recursion limit exceeded"),
        // They would verify everybody.
        ("0.0.0.0/0", "expected no prefix shorter than /8, but found 0.0.0.0/0"),
        (r#"["::/0"]"#, "expected no prefix shorter than /20, but found ::/0"),
        (r#"["::ffff:0:0/96"]"#, "expected no prefix shorter than /8, but found 0.0.0.0/0"),
        (&long, "expected at most 4194304 bytes"),
    ] {
        let error = AddressList::read(text.as_bytes()).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(AddressList::read(b"\xff\xfe").is_err());
}

#[test]
fn the_most_specific_prefix_decides() {
    let list = AddressList::read(
        br#"{"prefixes":[{"ipv4Prefix":"198.51.100.0/22","services":["A"]},
            {"ipv4Prefix":"198.51.100.0/24","services":["B"]},{"ipv4Prefix":"198.51.100.0/24","services":["C","B"]}]}"#,
    )
    .unwrap();
    for (address, prefix, services) in [
        ("198.51.100.255", "198.51.100.0/24", &["B", "C"][..]),
        ("198.51.101.0", "198.51.100.0/22", &["A"]),
        ("::ffff:198.51.103.255", "198.51.100.0/22", &["A"]),
    ] {
        let (found, of) = list.find(address.parse().unwrap()).unwrap();
        assert_eq!(
            (found.to_string().as_str(), of),
            (prefix, &services.iter().map(|&it| it.into()).collect::<Vec<Box<str>>>()[..])
        );
    }
    assert!(list.find("198.51.104.0".parse().unwrap()).is_none());
}

#[test]
fn a_copy_is_valid_from_its_creation_to_the_next_one() {
    let mut lists = Lists::default();
    let mut add = |copied: &str, created: &str, prefix: &str| {
        let list =
            format!(r#"{{"creationTime":"{created}","prefixes":[{{"ipv4Prefix":"{prefix}"}}]}}"#);
        let url = "https://Bot.example/list.json";
        lists.read(&Lists::copy(url, time(copied), list.as_bytes()).unwrap()).unwrap();
    };
    add("2026-06-20", "2026-06-10T00:00:00Z", "192.0.2.0/24");
    add("2026-03-05", "2026-03-01T00:00:00Z", "198.51.100.0/24");
    // A creation after the copy is a mistake of the operator.
    add("2026-09-01", "2030-01-01T00:00:00Z", "203.0.113.0/24");
    for (at, expected, is_later) in [
        ("2026-02-28T23:59:59Z", "198.51.100.0/24", true),
        ("2026-03-01", "198.51.100.0/24", false),
        ("2026-06-09T23:59:59Z", "198.51.100.0/24", false),
        ("2026-06-10", "192.0.2.0/24", false),
        ("2026-08-31T23:59:59Z", "192.0.2.0/24", false),
        ("2026-09-01", "203.0.113.0/24", false),
        ("2027-10-06", "203.0.113.0/24", false),
    ] {
        // The final slash and the case of the host do not matter.
        let (list, found) = lists.at("http://bot.example/list.json/", time(at)).unwrap();
        let prefixes: Vec<_> = list.prefixes().map(|prefix| prefix.to_string()).collect();
        assert_eq!((prefixes, found.is_later), (vec![expected.to_owned()], is_later), "{at}");
    }
    assert!(lists.at("https://bot.example/LIST.json", time("2026-09-01")).is_none());
    // More than 400 days away.
    for at in ["2025-01-28T23:59:59Z", "2027-10-06T00:00:01Z"] {
        assert!(lists.at("https://bot.example/list.json", time(at)).is_none(), "{at}");
    }
    for (at, is_outdated) in [("2026-10-31", false), ("2026-10-31T00:00:01Z", true)] {
        let (_, found) = lists.at("https://bot.example/list.json", time(at)).unwrap();
        assert_eq!(found.is_outdated, is_outdated, "{at}");
    }
}

#[test]
fn of_copies_with_one_creation_the_later_counts() {
    let url = "https://bot.example/list.json";
    let copy = |copied: &str, prefix: &str| {
        let list =
            format!(r#"{{"creationTime":"2026-03-01","prefixes":[{{"ipv4Prefix":"{prefix}"}}]}}"#);
        Lists::copy(url, time(copied), list.as_bytes()).unwrap()
    };
    let (early, late) = (copy("2026-03-02", "192.0.2.0/24"), copy("2026-03-03", "198.51.100.0/24"));
    // Of two copies of one second, that which was read later counts.
    let last = copy("2026-03-03", "203.0.113.0/24");
    for (texts, expected) in [
        (&[&early, &late][..], "198.51.100.0/24"),
        (&[&late, &early], "198.51.100.0/24"),
        (&[&late, &early, &last], "203.0.113.0/24"),
        (&[&last, &early, &late], "198.51.100.0/24"),
    ] {
        let mut lists = Lists::default();
        for text in texts {
            lists.read(text).unwrap();
        }
        let (list, _) = lists.at(url, time("2026-03-01")).unwrap();
        let prefixes: Vec<_> = list.prefixes().map(|prefix| prefix.to_string()).collect();
        assert_eq!(prefixes, [expected]);
    }
}

#[test]
fn many_urls_and_copies_are_read_in_linear_time() {
    let urls = vec![r#""https://bot.example/ips""#; 60_000].join(",");
    let one = format!(r#"{{"urls":[{urls}],"copied":"2026-06-01","list":["192.0.2.1"]}}"#);
    // From the last to the first: inserting each at its place would move all others.
    let copy = |at: usize| {
        let copied = time("2026-01-01").after(std::time::Duration::from_secs(at as u64));
        format!(
            r#"{{"urls":["https://bot.example/ips"],"copied":"{copied}","list":["192.0.2.1"]}}"#
        )
    };
    let many: Vec<_> = (0..5_000).rev().map(copy).collect();
    let mut lists = Lists::default();
    lists.read(&(one + &many.concat())).unwrap();
    let (_, found) = lists.at("https://bot.example/ips", time("2026-01-01T00:00:09Z")).unwrap();
    assert_eq!(found.copied, time("2026-01-01T00:00:09Z"));
}

#[test]
fn bundled_lists_are_those_of_the_registry() {
    let lists = Lists::bundled();
    let at = time("2026-09-10");
    let urls: Vec<&str> = Registry::bundled()
        .crawlers()
        .iter()
        .flat_map(Crawler::ip_ranges)
        .map(String::as_str)
        .collect();
    let known = |name: &str| lists.at(name, at).is_some_and(|(_, found)| !found.is_later);
    let missing: std::collections::BTreeSet<_> = urls.iter().filter(|url| !known(url)).collect();
    for url in [
        "https://openai.com/gptbot.json",
        "https://developers.google.com/static/crawling/ipranges/common-crawlers.json",
        "https://www.bing.com/toolbox/bingbot.json",
        "https://www.perplexity.com/perplexitybot.json",
        "https://mistral.ai/mistralai-user-ips.json",
    ] {
        assert!(urls.contains(&url) && known(url), "{url}");
    }
    // Lists without a copy.
    assert!(missing.len() < 16, "{missing:#?}");
}

#[test]
fn copies_that_are_no_lists_are_errors() {
    for (text, expected) in [
        ("[]", "expected copies of lists, but found invalid length"),
        ("{}", "expected copies of lists, but found missing field `urls`"),
        (r#"{"urls":[],"copied":"today","list":["192.0.2.1"]}"#, "expected a time"),
        (r#"{"urls":[],"copied":"2026-06-01","list":{}}"#, "expected addresses, but found none"),
        (
            r#"{"urls":[],"copied":"2026-06-01","list":{"a":["192.0.2.1"],"a":["192.0.2.2"]}}"#,
            "expected copies of lists, but found expected the key `a` once",
        ),
        (
            r#"{"urls":[],"copied":"2026-06-01","list":["192.0.2.1"]} ..."#,
            "expected copies of lists, but found expected value",
        ),
    ] {
        let error = Lists::default().read(text).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(Lists::copy("https://bot.example/", time("2026-06-01"), b"<html>").is_err());
}
