//! The order and the times of turns.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, sleep, timeout};
use verger::{Crawler, Dialect, Origin};
use verger_fetch::client::{CheckError, RobotsClient, TurnError};
use verger_fetch::polite::Politeness;
use verger_fetch::store::{MemoryStore, Store};

use crate::polite::site::{Sites, key};

const X: &str = "http://shop.example/x";

/// A status and the value of `Retry-After`.
type Report = (u16, Option<&'static [u8]>);

/// Seconds until a turn, which is then used for a request of some seconds.
async fn turn(client: &RobotsClient, start: Instant, lasts: u64) -> u64 {
    let permit = client.turn(X).await.unwrap();
    let at = start.elapsed().as_secs();
    sleep(Duration::from_secs(lasts)).await;
    permit.report(200, None);
    at
}

#[tokio::test(start_paused = true)]
async fn requests_to_one_origin_run_one_at_a_time_with_pauses() {
    for (rules, lasts, expected) in [
        ("", 0, [0, 1, 2, 3]),
        ("Crawl-delay: 10\n", 0, [0, 10, 20, 30]),
        // From the end of a request.
        ("Crawl-delay: 10\n", 5, [0, 15, 30, 45]),
        ("Request-rate: 1/20s\n", 0, [0, 20, 40, 60]),
        ("Crawl-delay: 100000\n", 0, [0, 300, 600, 900]),
    ] {
        let sites = Sites::shop(&format!("User-agent: *\n{rules}Disallow: /cart\n"));
        let client = sites.client().build().unwrap();
        let start = Instant::now();
        let mut tasks = JoinSet::new();
        for _ in 0..4 {
            let client = client.clone();
            tasks.spawn(async move { turn(&client, start, lasts).await });
        }
        let mut times = tasks.join_all().await;
        times.sort_unstable();
        assert_eq!(times, expected, "{rules:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn origins_do_not_wait_for_each_other() {
    let sites = Sites::shop("User-agent: *\nCrawl-delay: 100\n");
    let client = sites.client().build().unwrap();
    let start = Instant::now();
    for url in [X, "http://other.example/", "https://shop.example/", "http://shop.example:8080/"] {
        // Over https nothing answers here, so that URL is not allowed.
        match client.turn(url).await {
            Ok(permit) => permit.report(200, None),
            // The server does not support TLS.
            Err(error) => assert!(matches!(error, TurnError::Unreachable { .. }), "{url}: {error}"),
        }
    }
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[tokio::test(start_paused = true)]
async fn a_disallowed_url_gets_no_turn_and_adds_no_pause() {
    let sites = Sites::shop("User-agent: *\nDisallow: /cart\n");
    let client = sites.client().build().unwrap();
    let start = Instant::now();
    for _ in 0..10 {
        let error = client.turn("http://shop.example/cart").await.unwrap_err();
        let TurnError::Disallowed(decision) = error else { panic!("{error}") };
        assert_eq!(decision.url().path(), "/cart");
    }
    assert_eq!(turn(&client, start, 0).await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_does_not_delay_the_next_one() {
    let sites = Sites::shop("User-agent: *\nCrawl-delay: 10\n");
    let client = sites.client().build().unwrap();
    let start = Instant::now();
    assert_eq!(turn(&client, start, 0).await, 0);
    let impatient = timeout(Duration::from_secs(3), client.turn(X)).await;
    assert!(impatient.is_err());
    assert_eq!(turn(&client, start, 0).await, 10);
    // A dropped permit counts as a request.
    drop(client.turn(X).await.unwrap());
    assert_eq!(turn(&client, start, 0).await, 30);
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_refused_as_soon_as_its_wait_is_known_to_be_too_long() {
    let sites = Sites::shop("User-agent: *\nCrawl-delay: 10\nVisit-time: 0000-0100\n");
    let politeness =
        Politeness { longest_wait: Some(Duration::from_secs(9)), ..Politeness::default() };
    let client = sites.client().politeness(politeness).build().unwrap();
    let start = Instant::now();
    let too_long = || async {
        match client.turn(X).await {
            Err(TurnError::TooLong { again_in, .. }) => Some(again_in.as_secs()),
            Err(TurnError::Held { url }) if url == X => Some(0),
            _ => None,
        }
    };
    client.turn(X).await.unwrap().report(200, None);
    assert_eq!(too_long().await, Some(10));
    assert_eq!(start.elapsed().as_secs(), 0);
    // A refused call leaves no pause.
    sleep(Duration::from_secs(1)).await;
    let permit = client.turn(X).await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 10);
    // The duration of the previous request is unknown.
    assert_eq!(too_long().await, Some(0));
    assert_eq!(start.elapsed().as_secs(), 19);
    permit.report(503, Some(b"600"));
    assert_eq!(too_long().await, Some(600));
    sleep(Duration::from_secs(2 * 3_600)).await;
    assert!(too_long().await.is_some_and(|wait| wait > 21 * 3_600));
}

#[tokio::test(start_paused = true)]
async fn check_returns_the_wait_for_the_next_turn() {
    let sites = Sites::shop("User-agent: *\nCrawl-delay: 10\nVisit-time: 0000-0100\n");
    let client = sites.client().build().unwrap();
    let delay = || async { client.check(X).await.unwrap().delay().as_secs() };
    assert_eq!(delay().await, 0);
    client.turn(X).await.unwrap().report(200, None);
    assert_eq!(delay().await, 10);
    // Also for robots.txt itself.
    let origin = Origin::of(X).unwrap().unwrap();
    let crawler = Crawler::new("ExampleBot");
    assert_eq!(client.pace_of(&origin, &crawler, &Dialect::RFC9309).await.1.as_secs(), 10);
    sleep(Duration::from_secs(4)).await;
    assert_eq!(delay().await, 6);
    client.turn(X).await.unwrap().report(503, Some(b"600"));
    assert_eq!(delay().await, 600);
    // At two o'clock the window is closed until midnight.
    sleep(Duration::from_secs(2 * 3_600 - 10)).await;
    assert_eq!(delay().await, 22 * 3_600);

    let decision = client.check(X).await.unwrap();
    assert_eq!(decision.pace().requested, Some(Duration::from_secs(10)));
    assert_eq!(decision.pace().applied, Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn after_429_and_503_turns_wait_for_retry_after_or_a_doubling_back_off() {
    let cases: [(&[Report], &[u64]); 7] = [
        (&[(503, Some(b"90")), (200, None)], &[0, 90, 91]),
        (&[(503, Some(b"0")), (503, Some(b"1"))], &[0, 60, 120]),
        (&[(429, None), (429, None), (200, None), (429, None)], &[0, 60, 180, 181, 241]),
        // A date, and one in the past.
        (&[(503, Some(b"Fri, 04 Oct 2024 00:02:00 GMT"))], &[0, 120]),
        (&[(503, Some(b"Mon, 01 Jan 1990 00:00:00 GMT"))], &[0, 60]),
        (&[(503, Some(b"99999999"))], &[0, 86_400]),
        // Invalid values, and other statuses.
        (&[(503, Some(b"soon")), (500, Some(b"3600")), (404, None)], &[0, 60, 61, 62]),
    ];
    for (answers, expected) in cases {
        let sites = Sites::shop("User-agent: *\nDisallow:\n");
        let client = sites.client().build().unwrap();
        let start = Instant::now();
        let mut times = Vec::new();
        for (status, retry_after) in answers.iter().copied().chain([(200, None)]) {
            let permit = client.turn(X).await.unwrap();
            times.push(start.elapsed().as_secs());
            permit.report(status, retry_after);
        }
        assert_eq!(times, expected, "{answers:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn after_failed_requests_turns_wait_for_a_doubling_back_off() {
    let sites = Sites::shop("User-agent: *\nDisallow:\n");
    let client = sites.client().build().unwrap();
    let start = Instant::now();
    for expected in [0, 60, 180] {
        let permit = client.turn(X).await.unwrap();
        assert_eq!(start.elapsed().as_secs(), expected);
        permit.report_failure();
    }
}

#[tokio::test(start_paused = true)]
async fn a_stored_back_off_delays_other_clients_until_a_success() {
    let sites = Sites::shop("User-agent: *\nDisallow:\n");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let clients = [0; 3].map(|_| sites.client().store(Arc::clone(&store)).build().unwrap());
    let key = key(X);
    let kept = async || store.get(&key).await.unwrap().found().unwrap().back_off();
    let start = Instant::now();
    clients[0].turn(X).await.unwrap().report(503, Some(b"600"));
    yield_now().await;
    assert_eq!(kept().await.map(|it| it.refusals), Some(1));
    // Another client waits as well, and continues the count.
    let permit = clients[1].turn(X).await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 600);
    permit.report(503, None);
    yield_now().await;
    let permit = clients[2].turn(X).await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 720);
    permit.report(200, None);
    yield_now().await;
    assert_eq!(kept().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_queued_turn_obeys_a_back_off_that_another_client_stored() {
    // The response to this client's own request, which began before the back-off.
    for status in [200, 503] {
        let sites = Sites::shop("User-agent: *\nDisallow:\n");
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let [ours, theirs] =
            [0; 2].map(|_| sites.client().store(Arc::clone(&store)).build().unwrap());
        let start = Instant::now();
        let permit = ours.turn(X).await.unwrap();
        let queued = tokio::spawn(async move { turn(&ours, start, 0).await });
        sleep(Duration::from_secs(10)).await;
        theirs.turn(X).await.unwrap().report(503, Some(b"600"));
        yield_now().await;
        permit.report(status, None);
        assert_eq!(queued.await.unwrap(), 610, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn queued_turns_count_earlier_refusals_and_a_success_clears_them() {
    let sites = Sites::shop("User-agent: *\nDisallow:\n");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let client = sites.client().store(Arc::clone(&store)).build().unwrap();
    let key = key(X);
    let kept = async || {
        // A task writes the report.
        yield_now().await;
        let record = store.get(&key).await.unwrap().found().unwrap();
        record.back_off().map(|back_off| back_off.refusals)
    };
    let start = Instant::now();
    let mut permit = client.turn(X).await.unwrap();
    let mut queued = JoinSet::new();
    for _ in 0..3 {
        let client = client.clone();
        queued.spawn(async move { client.turn(X).await.unwrap() });
    }
    sleep(Duration::ZERO).await;
    for (refusals, next) in [(1, 60), (2, 180), (3, 420)] {
        permit.report(503, None);
        assert_eq!(kept().await, Some(refusals));
        permit = queued.join_next().await.unwrap().unwrap();
        assert_eq!(start.elapsed().as_secs(), next);
        // The pauses of other origins have no effect.
        for host in ["a", "b", "c"] {
            client.turn(&format!("http://{host}.example/x")).await.unwrap().report(200, None);
        }
    }
    permit.report(200, None);
    assert_eq!(kept().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_report_from_a_thread_without_a_runtime_is_stored() {
    let sites = Sites::shop("User-agent: *\nDisallow:\n");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let client = sites.client().store(Arc::clone(&store)).build().unwrap();
    let permit = client.turn(X).await.unwrap();
    std::thread::spawn(move || permit.report(503, None)).join().unwrap();
    yield_now().await;
    let key = key(X);
    let record = store.get(&key).await.unwrap().found().unwrap();
    assert_eq!(record.back_off().map(|it| it.refusals), Some(1));
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_robots_txt_fetch_does_not_count_as_a_wait_for_a_turn() {
    for longest in [0, 2] {
        let slow = Duration::from_secs(3);
        let sites = Sites::shop("").slow_page("http://slow.example/robots.txt", slow);
        let politeness = Politeness {
            longest_wait: Some(Duration::from_secs(longest)),
            ..Politeness::default()
        };
        let client = sites.client().politeness(politeness).build().unwrap();
        let ask = async || client.turn("http://slow.example/x").await;
        let start = Instant::now();
        let permit = ask().await.unwrap();
        assert_eq!(start.elapsed(), slow);
        assert!(matches!(ask().await, Err(TurnError::Held { .. })));
        permit.report(503, None);
        let error = ask().await.unwrap_err();
        let TurnError::TooLong { again_in, .. } = error else { panic!("{error}") };
        assert_eq!(again_in, Duration::from_secs(60));
        sleep(again_in).await;
        ask().await.unwrap().report(200, None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_robots_txt_fetch_after_a_wait_ends_at_the_longest_wait() {
    const ROBOTS: &str = "http://slow.example/robots.txt";
    let wait = Duration::from_secs(6 * 3_600);
    let (head, file) =
        ("Cache-Control: max-age=3600\r\n", "User-agent: *\nVisit-time: 0600-0845\n");
    let sites = Sites::shop("").page(ROBOTS, "200 OK", head, file);
    let sites = sites.slow_page(ROBOTS, Duration::from_secs(10));
    let longest = wait + Duration::from_secs(4);
    let politeness = Politeness { longest_wait: Some(longest), ..Politeness::default() };
    let client = sites.client().politeness(politeness).answers_while_refreshing(false);
    let client = client.build().unwrap();
    let start = Instant::now();
    let error = client.turn("http://slow.example/x").await.unwrap_err();
    assert!(matches!(error, TurnError::Check(CheckError::Late(it)) if it == longest), "{error}");
    assert_eq!(start.elapsed(), longest);
}

#[tokio::test(start_paused = true)]
async fn turn_errors_distinguish_unreachable_from_disallowed() {
    let sites = Sites::shop("User-agent: *\nDisallow: /\n");
    let error = sites.client().build().unwrap().turn(X).await.unwrap_err();
    assert!(matches!(error, TurnError::Disallowed(_)), "{error}");
    let robots = "http://shop.example/robots.txt";
    let sites = Sites::shop("User-agent: *\n").before(robots, "503 Down", "", "");
    let error = sites.client().build().unwrap().turn(X).await.unwrap_err();
    let TurnError::Unreachable { decision, again_in } = error else { panic!("{error}") };
    assert_eq!(decision.retry_in(), Some(again_in));
    assert!(again_in > Duration::ZERO && !decision.is_allowed());
}

#[tokio::test(start_paused = true)]
async fn at_once_allows_concurrent_requests_to_one_origin() {
    let sites = Sites::shop("User-agent: *\nDisallow:\n");
    let politeness = Politeness { at_once: 2, ..Politeness::default() };
    let client = sites.client().politeness(politeness).build().unwrap();
    let start = Instant::now();
    let held = [client.turn(X).await.unwrap(), client.turn(X).await.unwrap()];
    assert_eq!(start.elapsed().as_secs(), 0);
    assert!(timeout(Duration::from_secs(100), client.turn(X)).await.is_err());
    for permit in held {
        permit.report(200, None);
    }
    assert_eq!(turn(&client, start, 0).await, 101);
}

#[tokio::test(start_paused = true)]
async fn a_turn_waits_for_the_visit_time() {
    let sites = Sites::shop("User-agent: *\nVisit-time: 0600-0845\n");
    let client = sites.client().build().unwrap();
    let start = Instant::now();
    assert_eq!(turn(&client, start, 0).await, 6 * 3_600);

    let hasty = Politeness { visit_times: false, ..Politeness::default() };
    let client = sites.client().politeness(hasty).build().unwrap();
    let start = Instant::now();
    assert_eq!(turn(&client, start, 0).await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_turn_checks_the_rules_again_after_a_long_wait() {
    // Six hours later the file has changed, and its lifetime was one hour.
    let (robots, head) = ("http://shop.example/robots.txt", "Cache-Control: max-age=3600\r\n");
    let first = "User-agent: *\nVisit-time: 0600-0845\n";
    let sites = Sites::shop("User-agent: *\nDisallow: /x\n").before(robots, "200 OK", head, first);
    let client = sites.client().answers_while_refreshing(false).build().unwrap();
    let start = Instant::now();
    let error = client.turn(X).await.unwrap_err();
    assert!(matches!(error, TurnError::Disallowed(_)), "{error}");
    assert_eq!(start.elapsed().as_secs(), 6 * 3_600);
}

#[tokio::test(start_paused = true)]
async fn turns_for_robots_txt_obey_a_known_crawl_delay() {
    const ROBOTS: &str = "http://shop.example/robots.txt";
    let sites = Sites::shop("User-agent: *\nCrawl-delay: 10\n");
    let client = sites.client().build().unwrap();
    let start = Instant::now();
    client.turn(X).await.unwrap().report(200, None);
    client.turn(ROBOTS).await.unwrap().report(503, Some(b"600"));
    assert_eq!(start.elapsed().as_secs(), 10);
    client.turn(ROBOTS).await.unwrap().report(200, None);
    assert_eq!(start.elapsed().as_secs(), 610);
    assert_eq!(turn(&client, start, 0).await, 620);
}

#[tokio::test(start_paused = true)]
async fn report_response_reads_retry_after_and_returns_the_redirect_target() {
    let sites = Sites::shop("User-agent: *\nDisallow:\n");
    let client = sites.client().build().unwrap();
    let report = async |status, headers: &[(&str, &str)]| {
        let permit = client.turn(X).await.unwrap();
        permit.report_response(status, headers.iter().copied()).map(String::from)
    };
    let next = Some("http://shop.example/y".to_owned());
    assert_eq!(report(301, &[("LOCATION", "/y#part")]).await, next);
    for (status, headers) in [
        (200, &[("Location", "/y")][..]),
        (304, &[("Location", "/y")]),
        (302, &[]),
        (302, &[("Location", "ftp://shop.example/y")]),
        (302, &[("Location", "/y"), ("Location", "/z")]),
    ] {
        assert_eq!(report(status, headers).await, None, "{status} {headers:?}");
    }
    let start = Instant::now();
    assert_eq!(report(503, &[("retry-after", "600")]).await, None);
    assert_eq!(turn(&client, start, 0).await, 601);
}
