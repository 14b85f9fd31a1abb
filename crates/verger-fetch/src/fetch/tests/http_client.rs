//! A custom HTTP client: the requests that it gets, and the use of its responses.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::client::{CheckError, RobotsClient, RobotsClientBuilder, TurnError};
use crate::decision::Decision;
use crate::failure::{CodingError, Failure, Incomplete, NetworkError, Phase, ProtocolError};
use crate::fetch::{
    FetchReport, Fetcher, HttpClient, HttpRequest, HttpResponse, Identity, Preconditions, Request,
};
use crate::guard::{Refusal, RefusalReason};
use crate::http::HeaderMap;
use crate::limits::{LimitReached, Limits, TOTAL};
use crate::net::BoxFuture;
use tokio::time::Instant;
use verger::{Crawler, Reason};

use crate::fetch::tests::world::RULES;

const SHOP: &str = "http://shop.example/robots.txt";

/// The response of a URL.
#[derive(Clone, Debug)]
enum Answer {
    Response(u16, Vec<(&'static str, &'static str)>, Result<Vec<u8>, NetworkError>),
    Fails(Failure),
    /// Never ends; the peer is known before that.
    Hangs(Option<SocketAddr>),
}

/// A request as received.
#[derive(Clone, Debug)]
struct Asked {
    url: String,
    headers: HeaderMap,
    body_limit: usize,
}

/// An HTTP client with fixed responses; any other URL answers 404.
#[derive(Debug, Default)]
struct Scripted {
    answers: HashMap<&'static str, Answer>,
    peer: Option<SocketAddr>,
    asked: Mutex<Vec<Asked>>,
    was_dropped: Arc<AtomicBool>,
}

/// Records that it is dropped.
struct Alarm(Arc<AtomicBool>);

impl Drop for Alarm {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl HttpClient for Scripted {
    fn get<'a>(
        &'a self,
        request: &'a HttpRequest<'a>,
    ) -> BoxFuture<'a, Result<HttpResponse, Failure>> {
        let url = request.url().to_string();
        let answer = self.answers.get(url.as_str()).cloned();
        let (headers, body_limit) = (request.headers().clone(), request.body_limit());
        self.asked.lock().unwrap().push(Asked { url, headers, body_limit });
        Box::pin(async move {
            let (status, fields, body) = match answer {
                None => (404, Vec::new(), Ok(Vec::new())),
                Some(Answer::Response(status, fields, body)) => (status, fields, body),
                Some(Answer::Fails(error)) => return Err(error),
                Some(Answer::Hangs(peer)) => {
                    let _alarm = Alarm(Arc::clone(&self.was_dropped));
                    if let Some(peer) = peer {
                        request.note_peer(peer);
                    }
                    std::future::pending().await
                }
            };
            if let Some(peer) = self.peer {
                request.note_peer(peer);
            }
            let mut headers = HeaderMap::new();
            for (name, value) in fields {
                headers.append(name, value.parse().unwrap());
            }
            Ok(HttpResponse::new(status, headers, body))
        })
    }
}

impl Scripted {
    fn new(answers: impl IntoIterator<Item = (&'static str, Answer)>) -> Arc<Self> {
        Arc::new(Self { answers: answers.into_iter().collect(), ..Self::default() })
    }

    /// With one response, for the robots.txt of the shop.
    fn shop(answer: Answer) -> Arc<Self> {
        Self::new([(SHOP, answer)])
    }

    fn fetcher(self: &Arc<Self>) -> Fetcher {
        let builder =
            RobotsClient::builder(Crawler::new("ExampleBot"), identity()).http_client(self.clone());
        builder.build_fetcher().unwrap()
    }

    fn client(self: &Arc<Self>) -> RobotsClient {
        self.builder().build().unwrap()
    }

    fn builder(self: &Arc<Self>) -> RobotsClientBuilder {
        RobotsClient::builder(Crawler::new("ExampleBot"), identity()).http_client(self.clone())
    }

    async fn fetch(self: &Arc<Self>, url: &str) -> FetchReport {
        self.fetcher().fetch(&Request::new(url.parse().unwrap())).await
    }

    async fn check(self: &Arc<Self>, url: &str) -> Decision {
        self.client().check(url).await.unwrap()
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    fn urls(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.url).collect()
    }
}

fn identity() -> Identity {
    Identity::new("ExampleBot/1.0").unwrap().with_from("a@bot.example").unwrap()
}

fn ok(body: impl Into<Vec<u8>>) -> Answer {
    Answer::Response(200, Vec::new(), Ok(body.into()))
}

fn redirect(to: &'static str) -> Answer {
    Answer::Response(302, vec![("location", to)], Ok(b"moved".to_vec()))
}

fn status(status: u16) -> Answer {
    Answer::Response(status, Vec::new(), Ok(Vec::new()))
}

#[tokio::test]
async fn every_hop_is_a_separate_request_and_is_reported_with_its_peer() {
    let peer = "1.1.1.1:80".parse().unwrap();
    let client = Scripted {
        answers: HashMap::from([
            (SHOP, redirect("http://user:secret@www.shop.example/a#b")),
            ("http://www.shop.example/a", redirect("https://cdn.example/r.txt")),
            ("https://cdn.example/r.txt", ok(RULES)),
        ]),
        peer: Some(peer),
        ..Scripted::default()
    };
    let client = Arc::new(client);
    let fetched = client.fetch(SHOP).await;
    assert_eq!((fetched.failure, fetched.status), (None, Some(200)));
    assert_eq!(fetched.body, RULES.as_bytes());
    assert_eq!(fetched.wire_bytes, RULES.len());
    // Without credentials and fragment.
    let urls = [SHOP, "http://www.shop.example/a", "https://cdn.example/r.txt"];
    assert_eq!(client.urls(), urls);
    let hops = fetched.hops.iter().map(|hop| (hop.url.as_str(), hop.status, hop.peer));
    let expected = urls.into_iter().zip([302, 302, 200]);
    assert!(hops.eq(expected.map(|(url, status)| (url, Some(status), Some(peer)))));
}

#[tokio::test]
async fn urls_that_the_guard_refuses_do_not_reach_the_client() {
    for (url, expected) in [
        ("http://127.0.0.1/robots.txt", None),
        ("http://0x7f.1/robots.txt", None),
        ("http://169.254.169.254/robots.txt", None),
        ("https://[::ffff:10.0.0.1]/robots.txt", None),
        ("http://localhost/robots.txt", Some(RefusalReason::InsideName)),
        ("http://wiki/robots.txt", Some(RefusalReason::InsideName)),
        ("http://shop.example:22/robots.txt", Some(RefusalReason::Port)),
        ("gopher://shop.example:70/robots.txt", Some(RefusalReason::Scheme)),
        ("file:///robots.txt", Some(RefusalReason::Scheme)),
        // FTP is not supported with a custom client, and nothing else connects beside it.
        ("ftp://shop.example/robots.txt", Some(RefusalReason::Scheme)),
    ] {
        let client = Scripted::new([]);
        let Some(Failure::Refused(refusal)) = client.fetch(url).await.failure else {
            panic!("{url}")
        };
        match expected {
            Some(why) => assert_eq!(refusal.reason(), why, "{url}"),
            None => assert!(matches!(refusal.reason(), RefusalReason::Address(_)), "{url}"),
        }
        assert!(client.urls().is_empty(), "{url}");
    }
}

#[tokio::test]
async fn redirects_are_checked_before_they_reach_the_client() {
    for to in ["http://10.0.0.1/", "http://router/", "http://shop.example:25/"] {
        let client = Scripted::shop(redirect(to));
        assert!(matches!(client.fetch(SHOP).await.failure, Some(Failure::Refused(_))), "{to}");
        assert_eq!(client.urls(), [SHOP], "{to}");
    }
}

#[tokio::test]
async fn pages_are_checked_before_they_reach_the_client() {
    let client = Scripted::shop(ok(RULES));
    for url in ["http://127.0.0.1/", "http://localhost/", "http://shop.example:22/"] {
        assert!(client.client().get(url).await.is_err(), "{url}");
    }
    assert!(client.urls().is_empty());
}

#[tokio::test]
async fn requests_have_the_identity_and_only_the_validators_of_their_url() {
    let client = Scripted::new([(SHOP, redirect("/a")), ("http://shop.example/a", status(304))]);
    let url = || "http://shop.example/a".parse().unwrap();
    let preconditions = Preconditions::new(url(), Some(b"\"e\""), Some(b"then")).unwrap();
    let request = Request::new("http://user:secret@shop.example/robots.txt".parse().unwrap());
    let request = Request { preconditions: Some(&preconditions), ..request };
    assert!(client.fetcher().fetch(&request).await.is_not_modified());

    let common = [
        ("user-agent", "ExampleBot/1.0"),
        ("from", "a@bot.example"),
        ("accept", "text/plain, */*;q=0.1"),
    ];
    let conditions = [("if-none-match", "\"e\""), ("if-modified-since", "then")];
    let [first, second] = client.asked().try_into().unwrap();
    let sorted = |headers: &HeaderMap| {
        let mut all: Vec<_> = headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        all.sort();
        all
    };
    let expected = |fields: &[(&str, &str)]| {
        let mut all: Vec<_> =
            fields.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        all.sort();
        all
    };
    assert_eq!((first.url.as_str(), sorted(&first.headers)), (SHOP, expected(&common)));
    assert_eq!(sorted(&second.headers), expected(&[&common[..], &conditions].concat()));
    assert_eq!(first.body_limit, Limits::default().body);
}

#[tokio::test]
async fn an_unrequested_304_is_a_broken_redirect() {
    let fetched = Scripted::shop(status(304)).fetch(SHOP).await;
    assert!(matches!(fetched.failure, Some(Failure::BrokenRedirect(_))), "{:?}", fetched.failure);
}

#[tokio::test]
async fn bodies_are_cut_after_the_limit_and_marked() {
    let limit = Limits::default().body;
    for (length, last, kept, truncated) in [
        (limit, b'#', limit, false),
        (limit + 1, b'#', limit, true),
        // The line end shows that the last line is whole.
        (limit + 1, b'\n', limit + 1, true),
        // A longer body than a client should read is harmless.
        (limit + 5_000, b'#', limit, true),
    ] {
        let mut body = vec![b'#'; length];
        *body.last_mut().unwrap() = last;
        let fetched = Scripted::shop(ok(body)).fetch(SHOP).await;
        assert_eq!(fetched.failure, None);
        assert_eq!((fetched.body.len(), fetched.truncated), (kept, truncated), "{length} {last}");
    }
}

#[tokio::test]
async fn interim_statuses_are_failures() {
    for interim in [0, 100, 101, 103, 199] {
        let fetched = Scripted::shop(status(interim)).fetch(SHOP).await;
        let error = NetworkError::Protocol(ProtocolError::InterimStatus);
        assert_eq!(fetched.failure, Some(Failure::Network(error)), "{interim}");
    }
}

#[tokio::test]
async fn an_incomplete_body_is_a_failure_with_a_status() {
    let half = Err(NetworkError::Incomplete(Incomplete::Body));
    let client = Scripted::shop(Answer::Response(200, Vec::new(), half.clone()));
    let fetched = client.fetch(SHOP).await;
    let error = NetworkError::Incomplete(Incomplete::Body);
    assert_eq!(fetched.failure, Some(Failure::Network(error)));
    assert_eq!((fetched.status, fetched.hops[0].status), (Some(200), Some(200)));
    assert!(fetched.body.is_empty());
    // The body of another status is ignored.
    let client = Scripted::shop(Answer::Response(404, Vec::new(), half));
    assert_eq!(client.fetch(SHOP).await.failure, Some(Failure::Status(404)));
}

#[tokio::test]
async fn an_unrequested_partial_response_is_a_failure() {
    let part = Answer::Response(206, Vec::new(), Ok(RULES.into()));
    let fetched = Scripted::shop(part).fetch(SHOP).await;
    let error = NetworkError::Incomplete(Incomplete::Partial);
    assert_eq!(fetched.failure, Some(Failure::Network(error)));
}

#[tokio::test]
async fn an_undecoded_body_is_a_failure() {
    let coded = |coding, body: &[u8]| {
        Answer::Response(200, vec![("content-encoding", coding)], Ok(body.into()))
    };
    let failed = |error| Some(Failure::Network(NetworkError::Coding(error)));
    for (answer, expected) in [
        (coded("gzip", b"\x1f\x8b\x08"), failed(CodingError::Unknown)),
        (coded("br, gzip", b"?"), failed(CodingError::Several)),
        (coded("identity", b"#"), None),
        (coded("", b"#"), None),
        // An empty body is empty in every coding.
        (coded("gzip", b""), None),
    ] {
        let fetched = Scripted::shop(answer.clone()).fetch(SHOP).await;
        assert_eq!(fetched.failure, expected, "{answer:?}");
    }
    // An unreadable body allows nothing.
    let client = Scripted::shop(coded("gzip", b"\x1f\x8b\x08"));
    assert_eq!(client.check("http://shop.example/a").await.reason(), Reason::Unreachable);
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_drops_the_request() {
    let peer = "1.1.1.1:80".parse().unwrap();
    for known in [None, Some(peer)] {
        let client = Scripted::shop(Answer::Hangs(known));
        let start = Instant::now();
        let fetched = client.fetch(SHOP).await;
        assert_eq!(fetched.failure, Some(Failure::Network(NetworkError::Timeout(Phase::Total))));
        assert_eq!(start.elapsed(), TOTAL.default);
        assert!(client.was_dropped.load(Ordering::Relaxed));
        // From then on a timeout is the site's.
        assert_eq!(fetched.hops[0].peer, known);
    }
}

#[tokio::test]
async fn an_address_that_the_client_refuses_is_a_refusal() {
    let guard = crate::guard::Guard::new();
    let refusal: Refusal =
        guard.check_addresses("shop.example", &["10.0.0.1".parse().unwrap()]).unwrap_err();
    let client = Scripted::shop(Answer::Fails(refusal.clone().into()));
    assert_eq!(client.fetch(SHOP).await.failure, Some(Failure::Refused(refusal)));
    assert!(!client.check("http://shop.example/").await.is_allowed());
}

#[tokio::test]
async fn a_busy_client_is_not_a_failure_of_the_site() {
    let limit = LimitReached::new(9, "connections of the crawler are open");
    let client = Scripted::shop(Answer::Fails(Failure::Busy(limit)));
    assert_eq!(client.fetch(SHOP).await.failure, Some(Failure::Busy(limit)));
    let robots = client.client();
    let error = robots.check("http://shop.example/").await.unwrap_err();
    assert_eq!(error, CheckError::Busy(limit));
    let error = robots.get("http://shop.example/").await.unwrap_err();
    assert!(matches!(error, TurnError::Check(CheckError::Busy(_))), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn checks_and_pages_use_the_client() {
    let client = Scripted::new([
        (SHOP, ok(RULES)),
        ("http://shop.example/a", redirect("http://www.shop.example/b")),
        ("http://www.shop.example/b", ok("<title>b</title>")),
        ("http://shop.example/c", redirect("/cart")),
    ]);
    let robots = client.client();
    assert!(!robots.check("http://shop.example/cart").await.unwrap().is_allowed());
    assert_eq!(client.urls(), [SHOP]);

    let page = robots.get("http://shop.example/a").await.unwrap();
    assert!(page.is_success());
    assert_eq!(page.body(), b"<title>b</title>");
    let pages = [
        "http://shop.example/a",
        "http://www.shop.example/robots.txt",
        "http://www.shop.example/b",
    ];
    assert_eq!(client.urls()[1..], pages);
    let [_, first, robots_txt, _] = client.asked().try_into().unwrap();
    assert_eq!(first.headers["accept"], "text/html, application/xhtml+xml, */*;q=0.8");
    assert_eq!(first.body_limit, Limits::default().page);
    assert_eq!(robots_txt.body_limit, Limits::default().body);

    // A redirect to a disallowed URL ends there.
    let error = robots.get("http://shop.example/c").await.unwrap_err();
    assert!(matches!(error, TurnError::Disallowed(_)), "{error:?}");
    assert_eq!(client.urls().last().unwrap(), "http://shop.example/c");
}
