//! No connection to a refused address, whatever DNS answers.

use crate::failure::Failure;
use crate::fetch::Request;
use crate::guard::{AddressKind, Guard, RefusalReason};

use crate::fetch::tests::world::{RULES, World, answer, redirect, response};

/// One address of every refused range.
pub(crate) const INSIDE: &[&str] = &[
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "5f00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
];

pub(crate) fn why(failure: Option<&Failure>) -> RefusalReason {
    match failure {
        Some(Failure::Refused(refusal)) => refusal.reason(),
        other => panic!("expected a refusal, but found {other:?}"),
    }
}

pub(crate) fn literal(address: &str) -> String {
    if address.contains(':') { format!("[{address}]") } else { address.to_owned() }
}

#[tokio::test]
async fn non_public_addresses_are_refused_as_answers_of_dns() {
    for address in INSIDE {
        for answer in [
            vec![*address],
            vec!["8.8.8.8", address],
            vec![address, "2606:4700::1111"],
            // After all addresses that would be dialled.
            [vec!["8.8.8.8"; 40], vec![address]].concat(),
        ] {
            let world = World::new().name("shop.example", &answer);
            let fetched = world.fetch_shop().await;
            assert!(
                matches!(why(fetched.failure.as_ref()), RefusalReason::Address(_)),
                "{answer:?}"
            );
            assert!(world.dialled().is_empty(), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn addresses_of_a_name_are_checked_again_for_each_hop() {
    let world = World::new()
        .name("shop.example", &["1.1.1.1"])
        .name("shop.example", &["127.0.0.1"])
        .script("1.1.1.1:80", answer(redirect("/a")));
    let fetched = world.fetch_shop().await;
    assert_eq!(why(fetched.failure.as_ref()), RefusalReason::Address(AddressKind::Loopback));
    assert_eq!(world.dialled(), ["1.1.1.1:80"]);
}

#[tokio::test]
async fn internal_names_are_not_resolved() {
    for name in ["localhost", "a.localhost", "router", "metadata.google.internal", "a.onion"] {
        let world = World::new().name(name, &["1.1.1.1"]);
        let fetched = world.fetch(&format!("http://{name}/robots.txt")).await;
        assert_eq!(why(fetched.failure.as_ref()), RefusalReason::InsideName, "{name}");
        assert!(world.asked().is_empty(), "{name}");
    }
}

#[tokio::test]
async fn schemes_and_ports_are_refused_before_dns_and_connections() {
    for (url, expected) in [
        ("gopher://shop.example:70/", RefusalReason::Scheme),
        ("file:///robots.txt", RefusalReason::Scheme),
        ("http://shop.example:22/", RefusalReason::Port),
        ("https://shop.example:21/", RefusalReason::Port),
    ] {
        let world = World::new().name("shop.example", &["1.1.1.1"]);
        assert_eq!(why(world.fetch(url).await.failure.as_ref()), expected, "{url}");
        assert!(world.asked().is_empty() && world.dialled().is_empty(), "{url}");
    }
}

#[tokio::test]
async fn internal_names_are_resolved_if_a_network_is_allowed() {
    let guard = Guard::new().with_allowed_net("10.1.0.0/16".parse().unwrap());
    let request = Request::new("http://wiki/robots.txt".parse().unwrap());
    for (addresses, expected) in [
        (&["10.1.2.3"][..], None),
        (&["10.1.2.3", "8.8.8.8"][..], Some(RefusalReason::OutsideAllowed)),
        (&["169.254.169.254"][..], Some(RefusalReason::OutsideAllowed)),
    ] {
        let world = World::new()
            .name("wiki", addresses)
            .script("10.1.2.3:80", answer(response("200 OK", "", RULES)));
        let fetcher = world.builder().guard(guard.clone()).build_fetcher().unwrap();
        let outcome = fetcher.fetch(&request).await.failure;
        match expected {
            None => assert_eq!(outcome, None),
            Some(expected) => assert_eq!(why(outcome.as_ref()), expected),
        }
    }
}
