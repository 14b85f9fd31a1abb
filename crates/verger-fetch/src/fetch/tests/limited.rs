//! Limits of time and size, on a paused clock.

use std::time::Duration;

use crate::failure::{Failure, Incomplete, NetworkError, Phase};
use crate::fetch::{FetchReport, Request};
use crate::limits::{
    ADDRESSES, CONNECT, CONNECT_ALL, DNS, HEAD, IDLE, Limits, NEXT_ADDRESS, TOTAL, TRAILER_BYTES,
};
use tokio::time::Instant;

use crate::fetch::tests::world::{
    Act, RULES, Server, SilentDns, World, answer, redirect, response,
};

const MOMENT: Duration = Duration::from_millis(500);

/// Fetches and measures the time.
async fn timed(world: &World) -> (FetchReport, Duration) {
    let start = Instant::now();
    let fetched = world.fetch_shop().await;
    (fetched, start.elapsed())
}

/// Fetches with the longest limits, so that no time ends it, however slow the machine is.
async fn patient(world: &World) -> FetchReport {
    let limits = Limits::default().with_timeout(TOTAL.most).unwrap();
    let fetcher = world.builder().limits(limits).build_fetcher().unwrap();
    fetcher.fetch(&Request::new("http://shop.example/robots.txt".parse().unwrap())).await
}

async fn assert_timeout(world: World, phase: Phase, after: Duration) {
    let (fetched, took) = timed(&world).await;
    assert_eq!(fetched.failure, Some(Failure::Network(NetworkError::Timeout(phase))));
    let late = took.checked_sub(after).unwrap_or_else(|| panic!("{took:?} before {after:?}"));
    assert!(late < Duration::from_millis(10), "{took:?}, not {after:?}");
    assert_eq!(fetched.time, took);
}

#[tokio::test(start_paused = true)]
async fn silent_name_server_is_a_timeout() {
    let world = World::new();
    let fetcher = world.builder().resolve(std::sync::Arc::new(SilentDns)).build_fetcher().unwrap();
    let start = Instant::now();
    let fetched = fetcher.fetch(&Request::new("http://shop.example/".parse().unwrap())).await;
    assert_eq!(fetched.failure, Some(Failure::Network(NetworkError::Timeout(Phase::Dns))));
    assert_eq!(start.elapsed().as_secs(), DNS.default.as_secs());
}

#[tokio::test(start_paused = true)]
async fn address_that_does_not_accept_is_a_timeout() {
    let world =
        World::new().name("shop.example", &["1.1.1.1"]).server("1.1.1.1:80", Server::Silent);
    assert_timeout(world, Phase::Connect, CONNECT.default).await;
}

#[tokio::test(start_paused = true)]
async fn addresses_that_do_not_accept_share_a_timeout() {
    // They start one after the other; the last of forty would end long after the limit for all.
    let addresses: Vec<String> = (1..=40).map(|last| format!("1.1.1.{last}")).collect();
    let limits = Limits { addresses: 40, ..Limits::default() };
    let names: Vec<&str> = addresses.iter().map(String::as_str).collect();
    let mut world = World::new().name("shop.example", &names);
    for address in &addresses {
        world = world.server(&format!("{address}:80"), Server::Silent);
    }
    let start = Instant::now();
    let fetcher = world.builder().limits(limits).build_fetcher().unwrap();
    let fetched = fetcher.fetch(&Request::new("http://shop.example/".parse().unwrap())).await;
    assert_eq!(fetched.failure, Some(Failure::Network(NetworkError::Timeout(Phase::Connect))));
    assert_eq!(start.elapsed().as_secs(), CONNECT_ALL.default.as_secs());
}

#[tokio::test(start_paused = true)]
async fn the_number_of_dialled_addresses_is_limited() {
    let addresses: Vec<String> = (0..250).map(|last| format!("1.1.1.{last}")).collect();
    let names: Vec<&str> = addresses.iter().map(String::as_str).collect();
    let world = World::new().name("shop.example", &names);
    world.fetch_shop().await;
    assert_eq!(world.dialled().len(), ADDRESSES.default);
}

#[tokio::test(start_paused = true)]
async fn next_address_is_dialled_when_the_first_fails_or_is_slow() {
    for (first, after) in [(Server::Refuses, Duration::ZERO), (Server::Silent, NEXT_ADDRESS)] {
        let world = World::new()
            .name("shop.example", &["2606:4700::1111", "1.1.1.1"])
            .server("[2606:4700::1111]:80", first)
            .script("1.1.1.1:80", answer(response("200 OK", "", RULES)));
        let (fetched, took) = timed(&world).await;
        assert_eq!(fetched.failure, None);
        assert_eq!(fetched.hops[0].peer, Some("1.1.1.1:80".parse().unwrap()));
        assert_eq!(took.as_millis() / 100, after.as_millis() / 100);
    }
}

#[tokio::test(start_paused = true)]
async fn server_that_sends_nothing_is_a_timeout() {
    assert_timeout(World::shop([vec![Act::Hang]]), Phase::Head, HEAD.default).await;
}

#[tokio::test(start_paused = true)]
async fn server_has_the_configured_time() {
    let slow = |seconds| {
        let wait = Act::Wait(Duration::from_secs(seconds));
        World::shop([vec![Act::Request, wait, Act::Send(response("200 OK", "", RULES))]])
    };
    let fetch = async |seconds, timeout| {
        let limits = Limits::default().with_timeout(Duration::from_secs(timeout)).unwrap();
        let fetcher = slow(seconds).builder().limits(limits).build_fetcher().unwrap();
        fetcher.fetch(&Request::new("http://shop.example/".parse().unwrap())).await.failure
    };
    assert_eq!(fetch(19, 20).await, None);
    assert_eq!(fetch(119, 120).await, None);
    assert!(matches!(fetch(21, 20).await, Some(Failure::Network(NetworkError::Timeout(_)))));
    assert!(matches!(
        fetch(2, 1).await,
        Some(Failure::Network(NetworkError::Timeout(Phase::Total)))
    ));
}

#[tokio::test(start_paused = true)]
async fn head_that_arrives_slowly_is_a_timeout() {
    let start = Act::Send(b"HTTP/1.1 200 OK\r\n".to_vec());
    let drip = Act::Forever(b"A: 1\r\n".to_vec(), MOMENT);
    assert_timeout(World::shop([vec![Act::Request, start, drip]]), Phase::Head, HEAD.default).await;

    let interim = Act::Forever(b"HTTP/1.1 102 x\r\n\r\n".to_vec(), Duration::from_secs(2));
    assert_timeout(World::shop([vec![Act::Request, interim]]), Phase::Head, HEAD.default).await;
}

#[tokio::test(start_paused = true)]
async fn body_that_stops_is_a_timeout() {
    let world = World::shop([vec![
        Act::Request,
        Act::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nUser-".to_vec()),
        Act::Hang,
    ]]);
    assert_timeout(world, Phase::Idle, IDLE.default).await;
}

#[tokio::test(start_paused = true)]
async fn body_that_arrives_slowly_ends_at_the_total_timeout() {
    let world = World::shop([vec![
        Act::Request,
        Act::Send(b"HTTP/1.1 200 OK\r\n\r\n".to_vec()),
        Act::Forever(b"#".to_vec(), MOMENT),
    ]]);
    assert_timeout(world, Phase::Total, TOTAL.default).await;
}

#[tokio::test(start_paused = true)]
async fn hops_share_one_timeout() {
    let slow = |number: usize| {
        vec![
            Act::Request,
            Act::Wait(Duration::from_secs(9)),
            Act::Send(redirect(&format!("/{number}"))),
        ]
    };
    let world = World::shop((0..6).map(slow));
    let (fetched, took) = timed(&world).await;
    assert_eq!(fetched.failure, Some(Failure::Network(NetworkError::Timeout(Phase::Total))));
    assert_eq!(took.as_secs(), TOTAL.default.as_secs());
    assert_eq!(fetched.hops.len(), 4);
}

#[tokio::test]
async fn endless_bodies_are_cut_at_the_limit() {
    for (head, body) in [
        ("", "#".repeat(10_000)),
        ("Content-Length: 99999999999999\r\n", "#".repeat(10_000)),
        ("Transfer-Encoding: chunked\r\n", format!("2710\r\n{}\r\n", "#".repeat(10_000))),
        ("Transfer-Encoding: chunked\r\n", "1\r\n#\r\n".repeat(10_000)),
    ] {
        let world = World::shop([vec![
            Act::Request,
            Act::Send(format!("HTTP/1.1 200 OK\r\n{head}\r\n").into_bytes()),
            Act::Forever(body.into_bytes(), Duration::ZERO),
        ]]);
        let fetched = patient(&world).await;
        assert_eq!(fetched.failure, None, "{head}");
        assert_eq!((fetched.body.len(), fetched.truncated), (Limits::default().body, true));
    }
}

#[tokio::test]
async fn endless_framing_is_an_error() {
    for (start, more, expected) in [
        ("", "0000000000", NetworkError::FramingTooLarge),
        ("5;", "aaaaaaaaaa", NetworkError::Incomplete(Incomplete::Chunks)),
        ("1\r\n#\r\n0\r\n", "A: 1\r\n", NetworkError::Incomplete(Incomplete::Chunks)),
    ] {
        let head = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{start}");
        let world = World::shop([vec![
            Act::Request,
            Act::Send(head.into_bytes()),
            Act::Forever(more.repeat(5_000).into_bytes(), Duration::ZERO),
        ]]);
        let outcome = patient(&world).await.failure;
        assert_eq!(outcome, Some(Failure::Network(expected)), "{start}");
    }
}

#[tokio::test]
async fn trailers_are_dropped_and_limited() {
    // Ten fields, each with a colon, a space and a line end.
    let trailers = |bytes: usize| format!("A: {}\r\n", "x".repeat(bytes / 10 - 5)).repeat(10);
    let most = TRAILER_BYTES / 10 * 10;
    let too_large = Some(Failure::Network(NetworkError::FramingTooLarge));
    for (bytes, expected) in [(50, None), (most, None), (most + 10, too_large)] {
        let world = World::answering(format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{RULES}\r\n0\r\n{}\r\n",
            RULES.len(),
            trailers(bytes),
        ));
        assert_eq!(world.fetch_shop().await.failure, expected, "{bytes}");
    }
}
