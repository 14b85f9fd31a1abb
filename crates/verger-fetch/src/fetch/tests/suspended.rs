//! Time in which the process did not run says nothing about a site (REP-CACHE-28a).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::client::RobotsClient;
use crate::failure::{Failure, Incomplete, NetworkError, Phase};
use crate::fetch::{HttpClient, HttpRequest, HttpResponse, Identity, Request};
use crate::http::HeaderMap;
use crate::limits::Limits;
use crate::net::BoxFuture;
use crate::record::RecordKey;
use crate::store::{Lookup, MemoryStore, Pending, Store};
use tokio::time::{advance, sleep};
use verger::access::Profile;
use verger::{Crawler, Reason};

use crate::fetch::tests::world::RULES;

const URL: &str = "http://shop.example/robots.txt";

/// The end of a request that was disturbed.
#[derive(Clone, Copy, Debug)]
enum End {
    Failed(NetworkError),
    Status(u16),
    Never,
}

/// A site that answers with the rules, except to the first requests. The process stops during them
/// for some time.
#[derive(Debug)]
struct Site {
    stops: usize,
    time: Duration,
    end: End,
    requests: AtomicUsize,
}

impl HttpClient for Site {
    fn get<'a>(&'a self, _: &'a HttpRequest<'a>) -> BoxFuture<'a, Result<HttpResponse, Failure>> {
        let respond = |status, body: &[u8]| {
            Ok(HttpResponse::new(status, HeaderMap::new(), Ok(body.to_vec())))
        };
        Box::pin(async move {
            if self.requests.fetch_add(1, Ordering::Relaxed) >= self.stops {
                return respond(200, RULES.as_bytes());
            }
            sleep(Duration::from_millis(10)).await;
            advance(self.time).await;
            match self.end {
                End::Failed(error) => Err(error.into()),
                End::Status(status) => respond(status, b""),
                End::Never => std::future::pending().await,
            }
        })
    }
}

const LONG: Duration = Duration::from_secs(60 * 60);
const SHORT: Duration = Duration::from_millis(300);
const SILENT: NetworkError = NetworkError::Timeout(Phase::Head);
const CLOSED: NetworkError = NetworkError::Incomplete(Incomplete::Head);

fn site(stops: usize, time: Duration, end: End) -> Arc<Site> {
    Arc::new(Site { stops, time, end, requests: AtomicUsize::new(0) })
}

fn identity() -> Identity {
    Identity::new("ExampleBot/1.0").unwrap()
}

#[tokio::test(start_paused = true)]
async fn rep_cache_28a_a_fetch_during_which_the_process_stopped_is_repeated_once() {
    let network = |error| Some(Failure::Network(error));
    for (timeout, stops, time, end, expected, requests) in [
        (30_000, 1, LONG, End::Never, None, 2),
        (30_000, 1, LONG, End::Failed(SILENT), None, 2),
        (30_000, 1, LONG, End::Failed(CLOSED), None, 2),
        (30_000, 1, LONG, End::Status(408), None, 2),
        (30_000, 2, LONG, End::Never, network(NetworkError::Suspended), 2),
        (30_000, 2, LONG, End::Status(408), network(NetworkError::Suspended), 2),
        // An answer is one, whenever it is read.
        (30_000, 1, LONG, End::Status(404), Some(Failure::Status(404)), 1),
        // A busy machine.
        (30_000, 1, SHORT, End::Failed(SILENT), network(SILENT), 1),
        (30_000, 1, SHORT, End::Status(408), Some(Failure::Status(408)), 1),
        (30_000, 1, SHORT, End::Never, network(NetworkError::Timeout(Phase::Total)), 1),
        // Most of a short time.
        (1_500, 1, SHORT * 4, End::Never, None, 2),
        (500, 1, SHORT, End::Never, None, 2),
        (500, 1, SHORT, End::Status(408), None, 2),
        (500, 2, SHORT, End::Never, network(NetworkError::Suspended), 2),
        (500, 1, SHORT / 6, End::Never, network(NetworkError::Timeout(Phase::Total)), 1),
    ] {
        let site = site(stops, time, end);
        let timeout = Duration::from_millis(timeout);
        let fetcher = RobotsClient::builder(Crawler::new("ExampleBot"), identity())
            .http_client(site.clone())
            .limits(Limits::default().with_timeout(timeout).unwrap())
            .build_fetcher()
            .unwrap();
        let fetched = fetcher.fetch(&Request::new(URL.parse().unwrap())).await;
        let found = (fetched.failure, site.requests.load(Ordering::Relaxed));
        assert_eq!(found, (expected, requests), "{timeout:?} {stops} {time:?} {end:?}");
    }
}

/// A store. The process stops during its first call.
#[derive(Debug)]
struct Stopping(MemoryStore, AtomicUsize, Duration);

impl Store for Stopping {
    forward!(0: put, remove, list, clear);

    fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Lookup> {
        Box::pin(async move {
            if self.1.fetch_add(1, Ordering::Relaxed) == 0 {
                advance(self.2).await;
            }
            self.0.get(key).await
        })
    }
}

#[tokio::test(start_paused = true)]
async fn rep_cache_28a_a_stop_before_a_fetch_costs_it_no_time() {
    for (timeout, time) in [(30_000, LONG), (1_000, SHORT * 3)] {
        let limits = Limits::default().with_timeout(Duration::from_millis(timeout)).unwrap();
        let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity())
            .limits(limits)
            .store(Arc::new(Stopping(MemoryStore::new(), AtomicUsize::new(0), time)))
            .http_client(site(0, time, End::Never))
            .build()
            .unwrap();
        let decision = client.check("http://shop.example/cart").await;
        assert_eq!(decision.map(|decision| decision.reason()), Ok(Reason::Rule), "{timeout}");
    }
}

#[tokio::test(start_paused = true)]
async fn rep_cache_28a_a_stop_is_neither_the_fault_of_the_site_nor_of_other_requests() {
    for (stops, expected) in [(1, Reason::Rule), (2, Reason::Unreachable)] {
        let site = site(stops, LONG, End::Never);
        let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity())
            .access(Profile::ARCHIVE)
            .http_client(site)
            .build()
            .unwrap();
        let decision = client.check("http://shop.example/cart").await.unwrap();
        assert_eq!((decision.is_allowed(), decision.reason()), (false, expected), "{decision}");
        let failure = Failure::Network(NetworkError::Suspended);
        let is_fault = expected == Reason::Unreachable;
        assert_eq!(decision.fault(), is_fault.then_some(&failure));
    }
}
