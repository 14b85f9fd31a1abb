//! Many connections to one address: a limited number at a time; the others wait, but not for silent
//! ones.

use std::time::Duration;

use crate::failure::Failure;
use crate::fetch::{FetchReport, Fetcher, Request};
use crate::limits::{LimitReached, Limits, PER_ADDRESS, SILENCE, TOTAL};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::fetch::tests::world::{Act, RULES, Server, World, answer, redirect, response};

const SHARED: &str = "1.1.1.1";

/// Sites that share an address and a response.
fn sites(count: usize, script: Vec<Act>) -> World {
    let world = World::new().script(&format!("{SHARED}:80"), script);
    (0..count).fold(world, |world, at| world.name(&format!("h{at}.example"), &[SHARED]))
}

/// A response that takes this number of half seconds, and is never silent for longer than one.
fn dripping(halves: usize) -> Vec<Act> {
    let half = SILENCE / 2;
    let mut script = vec![Act::Request, Act::Send(b"HTTP/1.1 200 OK\r\n\r\n".to_vec())];
    for _ in 0..halves {
        script.extend([Act::Wait(half), Act::Send(b"#".to_vec())]);
    }
    script
}

/// Fetches this number of sites at once. Returns the reports in the order of their ends, with
/// times.
async fn fetch_all(fetcher: &Fetcher, count: usize) -> Vec<(FetchReport, Duration)> {
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for at in 0..count {
        let fetcher = fetcher.clone();
        tasks.spawn(async move {
            let request = Request::new(format!("http://h{at}.example/").parse().unwrap());
            (fetcher.fetch(&request).await, start.elapsed())
        });
    }
    let mut all = Vec::new();
    while let Some(done) = tasks.join_next().await {
        all.push(done.unwrap());
    }
    all
}

#[tokio::test(start_paused = true)]
async fn an_address_gets_four_connections_at_a_time() {
    // Data arrives repeatedly for two seconds.
    let world = sites(10, dripping(4));
    let fetcher = world.builder().build_fetcher().unwrap();
    let task = tokio::spawn({
        let fetcher = fetcher.clone();
        async move { fetch_all(&fetcher, 10).await }
    });
    // During the fetches of each four.
    let mut wait = Duration::from_secs(1);
    for dialled in [PER_ADDRESS.default, 8, 10] {
        sleep(wait).await;
        assert_eq!(world.dialled().len(), dialled);
        wait = Duration::from_secs(2);
    }
    let ends: Vec<u64> = task
        .await
        .unwrap()
        .into_iter()
        .map(|(fetched, end)| {
            assert_eq!(fetched.failure, None);
            end.as_secs()
        })
        .collect();
    assert_eq!(ends, [2, 2, 2, 2, 4, 4, 4, 4, 6, 6]);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_place_takes_no_fetch_time_and_is_limited() {
    // Each takes 18 seconds, so the second four end after 36.
    let all = fetch_all(&sites(9, dripping(36)).builder().build_fetcher().unwrap(), 9).await;
    let ends: Vec<_> =
        all.iter().map(|(fetched, end)| (end.as_secs(), fetched.failure.clone())).collect();
    let four = |end| vec![(end, None); 4];
    let limit = LimitReached::new(
        PER_ADDRESS.default,
        "connections to one address are open (`per_address`)",
    );
    let busy = vec![(TOTAL.default.as_secs(), Some(Failure::Busy(limit)))];
    assert_eq!(ends, [four(18), busy, four(36)].concat());
    assert!(36 > TOTAL.default.as_secs());
}

#[tokio::test(start_paused = true)]
async fn a_full_address_delays_no_other_address() {
    let world = sites(PER_ADDRESS.default, vec![Act::Request, Act::Hang])
        .name("elsewhere.example", &["1.1.1.2"])
        .name("both.example", &[SHARED, "1.1.1.2"])
        .script("1.1.1.2:80", answer(response("200 OK", "", RULES)));
    let fetcher = world.builder().build_fetcher().unwrap();
    tokio::spawn({
        let fetcher = fetcher.clone();
        async move { fetch_all(&fetcher, PER_ADDRESS.default).await }
    });
    sleep(Duration::from_secs(1)).await;
    for host in ["elsewhere", "both"] {
        let start = Instant::now();
        let request = Request::new(format!("http://{host}.example/").parse().unwrap());
        let fetched = fetcher.fetch(&request).await;
        assert_eq!(fetched.failure, None, "{host}");
        assert_eq!(fetched.hops[0].peer, Some("1.1.1.2:80".parse().unwrap()), "{host}");
        assert!(start.elapsed() < Duration::from_secs(1), "{host}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_end_of_a_connection_frees_its_place() {
    let one = Limits { per_address: 1, ..Limits::default() };
    for server in [
        Server::Refuses,
        Server::Silent,
        Server::Script(vec![Act::Request, Act::Hang]),
        Server::Script(vec![Act::Request]),
        Server::Script(answer(redirect("/robots.txt"))),
        Server::Script(answer(response("404 x", "", ""))),
        Server::Script(answer(response("200 OK", "", RULES))),
    ] {
        let world =
            World::new().name("shop.example", &[SHARED]).server(&format!("{SHARED}:80"), server);
        let fetcher = world.builder().limits(one).build_fetcher().unwrap();
        let request = Request::new("http://shop.example/".parse().unwrap());
        // Cancelled in the middle too.
        let cut = tokio::time::timeout(Duration::from_millis(1), fetcher.fetch(&request)).await;
        drop(cut);
        let first = fetcher.fetch(&request).await;
        let second = fetcher.fetch(&request).await;
        assert_eq!(first.failure, second.failure);
        assert!(!matches!(first.failure, Some(Failure::Busy(_))));
    }
}

#[tokio::test(start_paused = true)]
async fn an_address_without_a_free_place_is_used_if_the_other_one_refuses() {
    let slow = vec![
        Act::Request,
        Act::Wait(Duration::from_secs(2)),
        Act::Send(response("200 OK", "", RULES)),
    ];
    // Nothing listens at the other address.
    let world = World::new().script(&format!("{SHARED}:80"), slow);
    let both = [SHARED, "2606:4700::1111"];
    let world = (0..10).fold(world, |world, at| world.name(&format!("h{at}.example"), &both));
    let all = fetch_all(&world.builder().build_fetcher().unwrap(), 10).await;
    assert!(all.iter().all(|(fetched, _)| fetched.failure.is_none()), "{all:?}");
}

#[tokio::test(start_paused = true)]
async fn requests_to_a_slow_server_do_not_accelerate() {
    let late =
        vec![Act::Request, Act::Wait(SILENCE * 3 / 2), Act::Send(response("200 OK", "", RULES))];
    let world = sites(24, late);
    let fetcher = world.builder().build_fetcher().unwrap();
    let task = tokio::spawn(async move { fetch_all(&fetcher, 24).await });
    // Twice the number after the first silence, and then the number that became silent or ended.
    let mut dialled = Vec::new();
    sleep(SILENCE / 4).await;
    for _ in 0..8 {
        dialled.push(world.dialled().len());
        sleep(SILENCE / 2).await;
    }
    assert_eq!(dialled, [4, 4, 12, 12, 16, 16, 20, 20]);
    assert!(task.await.unwrap().iter().all(|(fetched, _)| fetched.failure.is_none()));
}
