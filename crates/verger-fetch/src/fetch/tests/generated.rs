//! Proxies that answer 404 or redirect in place of a site, and the question that finds them
//! (REP-CACHE-28a).

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::failure::{Failure, NetworkError, ProxyError};
use crate::fetch::{Fetcher, Preconditions, Request};
use crate::net::{BoxFuture, BoxStream, Dial, Proxy};

use crate::fetch::tests::proxied::{CREDENTIALS, HTTP, fetch_by};
use crate::fetch::tests::world::{Act, World, response};

/// A dialler to a proxy with one response for sites, and another one for the name that cannot
/// exist; without one it never answers.
#[derive(Clone, Debug)]
struct Resolving {
    world: World,
    of_site: Vec<u8>,
    of_none: Option<Vec<u8>>,
}

impl Resolving {
    fn new(of_site: &str, of_none: Option<&str>) -> Self {
        // Only a redirect has a use for it.
        let of = |status: &str| response(status, "Location: https://login.example/\r\n", "text");
        Self { world: World::new(), of_site: of(of_site), of_none: of_none.map(of) }
    }

    fn fetcher(&self) -> Fetcher {
        let builder = self.world.builder().dial(Arc::new(self.clone()));
        builder
            .proxy(Proxy::new("http://user:secret@10.0.0.1:3128").unwrap())
            .build_fetcher()
            .unwrap()
    }

    /// Number of questions for the name that cannot exist, among the requests.
    fn probes(&self) -> usize {
        let requests = self.world.requests();
        requests.iter().filter(|request| request.starts_with(PROBE)).count()
    }
}

impl Dial for Resolving {
    fn dial(&self, _: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        let this = self.clone();
        tokio::spawn(async move {
            let request = this.world.read_request(&mut theirs).await?;
            let act = match (request.starts_with(PROBE), this.of_none) {
                (true, None) => Act::Hang,
                (true, Some(response)) => {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    Act::Send(response)
                }
                (false, _) => Act::Send(this.of_site),
            };
            this.world.play(theirs, vec![act]).await
        });
        Box::pin(async move { Ok(Box::new(ours) as BoxStream) })
    }
}

const PROBE: &str = "GET http://x.invalid/robots.txt HTTP/1.1\r\n";

#[tokio::test(start_paused = true)]
async fn unmarked_404_counts_if_the_proxy_gives_another_error_for_a_name_that_cannot_exist() {
    let generated =
        |status| Some(Failure::Network(NetworkError::Proxy(ProxyError::Generated(status))));
    for status in [404, 410] {
        let of_site = format!("{status} x");
        for (of_none, expected) in [
            (Some("404 No such domain"), generated(status)),
            (Some("410 Gone"), generated(status)),
            (Some("200 OK"), generated(status)),
            (Some("204 No Content"), generated(status)),
            (Some("302 Found"), generated(status)),
            (Some("400 Bad Request"), Some(Failure::Status(status))),
            (Some("403 Forbidden"), Some(Failure::Status(status))),
            (Some("429 Too Many Requests"), Some(Failure::Status(status))),
            (Some("500 Unable to connect"), Some(Failure::Status(status))),
            (Some("502 Bad Gateway"), Some(Failure::Status(status))),
            (Some("503 Service Unavailable"), Some(Failure::Status(status))),
            // The doubt remains.
            (None, generated(status)),
        ] {
            let proxy = Resolving::new(&of_site, of_none);
            let fetched = fetch_by(&proxy.fetcher(), HTTP).await;
            assert_eq!(fetched.failure, expected, "{status} {of_none:?}");
            let is_of_site = expected == Some(Failure::Status(status));
            assert_eq!(fetched.hops[0].reached, is_of_site, "{status} {of_none:?}");
            let requests = proxy.world.requests();
            assert_eq!((requests.len(), proxy.probes()), (2, 1), "{requests:?}");
            assert!(requests[1].contains(CREDENTIALS), "{requests:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn unmarked_redirect_counts_if_the_proxy_gives_an_error_for_a_name_that_cannot_exist() {
    for status in [301, 302, 303, 307, 308] {
        let generated = Failure::Network(NetworkError::Proxy(ProxyError::Generated(status)));
        for (of_none, is_of_site) in [
            (Some("302 Found"), false),
            (Some("200 OK"), false),
            (None, false),
            // It redirects nothing itself.
            (Some("404 No such domain"), true),
            (Some("502 Bad Gateway"), true),
        ] {
            let proxy = Resolving::new(&format!("{status} x"), of_none);
            let fetched = fetch_by(&proxy.fetcher(), HTTP).await;
            assert_eq!(proxy.probes(), 1, "{status} {of_none:?}");
            assert_eq!(fetched.hops.len() == 2, is_of_site, "{status} {of_none:?}");
            assert_eq!(fetched.hops[0].reached, is_of_site, "{status} {of_none:?}");
            assert_eq!(fetched.failure == Some(generated.clone()), !is_of_site, "{fetched:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn concurrent_fetches_ask_a_proxy_once_and_remember_its_answer_for_a_day() {
    let day = Duration::from_secs(24 * 60 * 60);
    let second = Duration::from_secs(1);
    for (of_none, remembered) in
        [(Some("404 x"), day), (Some("502 x"), day), (None, Duration::from_secs(60))]
    {
        let proxy = Resolving::new("404 Not Found", of_none);
        let fetcher = proxy.fetcher();
        let clone = fetcher.clone();
        let both = tokio::join!(fetch_by(&fetcher, HTTP), fetch_by(&clone, "http://b.example/"));
        assert_eq!(both.0.failure, both.1.failure);
        assert_eq!(proxy.probes(), 1, "{of_none:?}");
        tokio::time::advance(remembered.saturating_sub(second)).await;
        fetch_by(&fetcher, HTTP).await;
        assert_eq!(proxy.probes(), 1, "{of_none:?}");
        tokio::time::advance(second).await;
        fetch_by(&fetcher, HTTP).await;
        assert_eq!(proxy.probes(), 2, "{of_none:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn cancelled_question_to_a_proxy_is_asked_again() {
    let proxy = Resolving::new("404 Not Found", Some("502 x"));
    let fetcher = proxy.fetcher();
    let short = Duration::from_millis(500);
    assert!(tokio::time::timeout(short, fetch_by(&fetcher, HTTP)).await.is_err());
    assert_eq!(fetch_by(&fetcher, HTTP).await.failure, Some(Failure::Status(404)));
    assert_eq!(proxy.probes(), 2);
}

#[tokio::test(start_paused = true)]
async fn proxy_is_asked_for_an_unmarked_404_or_redirect_of_robots_txt_only() {
    let url = || "http://shop.example/robots.txt".parse().unwrap();
    let etag = Preconditions::new(url(), Some(b"\"x\""), None).unwrap();
    let conditional = || Request { preconditions: Some(&etag), ..Request::new(url()) };
    for (of_site, request, probes) in [
        ("200 OK", Request::new(url()), 0),
        ("304 Not Modified", conditional(), 0),
        ("403 Forbidden", Request::new(url()), 0),
        ("429 Too Many Requests", Request::new(url()), 0),
        ("503 Service Unavailable", Request::new(url()), 0),
        ("300 Multiple Choices", Request::new(url()), 0),
        ("404 Not Found", Request::page(url()), 0),
        ("302 Found", Request::page(url()), 0),
        ("302 Found", Request::new(url()), 1),
        ("404 Not Found", conditional(), 1),
    ] {
        let proxy = Resolving::new(of_site, Some("502 x"));
        proxy.fetcher().fetch(&request).await;
        assert_eq!(proxy.probes(), probes, "{of_site}");
        let requests = proxy.world.requests();
        assert!(requests.iter().skip(1).all(|request| !request.contains("if-none-match")));
    }
}
