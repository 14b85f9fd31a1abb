//! Fetches through an HTTP proxy: the requests to it, its possible responses, and refusals of the
//! guard.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::client::RobotsClientBuilder;
use crate::failure::{ConnectError, DnsError, Failure, NetworkError, Phase, ProxyError, TlsError};
use crate::fetch::{FetchReport, Fetcher, Request};
use crate::guard::{Guard, RefusalReason};
use crate::limits::{CONNECT, DNS, HEAD, TLS, TOTAL};
use crate::net::{BoxFuture, BoxStream, Dial, Proxy, Roots};
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;

use crate::fetch::tests::guarded::{INSIDE, literal, why};
use crate::fetch::tests::secured::{Party, party, trusting};
use crate::fetch::tests::world::{
    Act, RULES, Server, SilentDns, World, answer, redirect, response,
};

const PROXY: &str = "http://user:secret@proxy.example:3128";
/// `user:secret`.
pub(crate) const CREDENTIALS: &str = "proxy-authorization: Basic dXNlcjpzZWNyZXQ=\r\n";
pub(crate) const HTTP: &str = "http://shop.example/robots.txt";
const HTTPS: &str = "https://shop.example/robots.txt";
const ESTABLISHED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// A world with one proxy, whose connections follow these scripts.
fn proxy(scripts: impl IntoIterator<Item = Vec<Act>>) -> World {
    let world = World::new().name("proxy.example", &["10.0.0.1"]);
    scripts.into_iter().fold(world, |world, script| world.script("10.0.0.1:3128", script))
}

fn answering(response: impl Into<Vec<u8>>) -> World {
    proxy([answer(response)])
}

fn builder(world: &World) -> RobotsClientBuilder {
    world.builder().proxy(Proxy::new(PROXY).unwrap())
}

pub(crate) async fn fetch_by(fetcher: &Fetcher, url: &str) -> FetchReport {
    fetcher.fetch(&Request::new(url.parse().unwrap())).await
}

async fn fetch(world: &World, url: &str) -> FetchReport {
    fetch_by(&builder(world).build_fetcher().unwrap(), url).await
}

fn error_of(fetched: &FetchReport) -> ProxyError {
    match fetched.failure {
        Some(Failure::Network(NetworkError::Proxy(error))) => error,
        ref other => panic!("expected an error of the proxy, but found {other:?}"),
    }
}

/// A dialler to a proxy that redirects http URLs to https ones. All tunnels lead to one site.
#[derive(Debug)]
struct Tunnelling {
    world: World,
    party: Arc<rustls::ServerConfig>,
    /// Of the site, in TLS.
    script: Vec<Act>,
}

impl Dial for Tunnelling {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        assert_eq!(to.to_string(), "10.0.0.1:3128", "only the proxy is dialled");
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        let acceptor = TlsAcceptor::from(Arc::clone(&self.party));
        let (world, script) = (self.world.clone(), self.script.clone());
        tokio::spawn(async move {
            let request = world.read_request(&mut theirs).await?;
            if request.starts_with("GET http://x.invalid/") {
                return world.play(theirs, vec![Act::Send(response("502 x", "", ""))]).await;
            }
            if request.starts_with("GET http:") {
                return world.play(theirs, vec![Act::Send(redirect(HTTPS))]).await;
            }
            tokio::io::AsyncWriteExt::write_all(&mut theirs, ESTABLISHED).await?;
            let stream = acceptor.accept(theirs).await?;
            world.play(stream, script).await
        });
        Box::pin(async move { Ok(Box::new(ours) as BoxStream) })
    }
}

fn tunnelling(party: &Party, script: Vec<Act>) -> (World, Fetcher) {
    let world = proxy([]);
    let dial = Tunnelling { world: world.clone(), party: Arc::clone(&party.config), script };
    let fetcher =
        builder(&world).dial(Arc::new(dial)).roots(trusting(party)).build_fetcher().unwrap();
    (world, fetcher)
}

#[tokio::test]
async fn http_request_to_the_proxy_has_the_absolute_url() {
    let world = answering(response("200 OK", "", RULES));
    let fetched = fetch(&world, "http://shop.example:8080/robots.txt?a=b").await;
    assert_eq!((&fetched.failure, &fetched.body[..]), (&None, RULES.as_bytes()));
    let requests = world.requests();
    let [request] = &requests[..] else { panic!("{requests:?}") };
    assert!(request.starts_with("GET http://shop.example:8080/robots.txt?a=b HTTP/1.1\r\n"));
    assert!(request.contains("\r\nhost: shop.example:8080\r\n"), "{request}");
    assert!(request.contains(CREDENTIALS), "{request}");
    // The proxy resolves the name of the site, so its address is unknown.
    assert_eq!(
        (world.asked(), world.dialled()),
        (vec!["proxy.example".into()], vec!["10.0.0.1:3128".into()])
    );
    let hop = &fetched.hops[0];
    assert_eq!((hop.status, hop.peer, hop.reached), (Some(200), None, true));
}

#[tokio::test]
async fn https_url_is_requested_through_a_tunnel() {
    let shop = party(&["shop.example"], |_| ());
    let (world, fetcher) = tunnelling(&shop, answer(response("200 OK", "", RULES)));
    let fetched = fetch_by(&fetcher, HTTPS).await;
    assert_eq!((&fetched.failure, &fetched.body[..]), (&None, RULES.as_bytes()));
    let requests = world.requests();
    let [connect, get] = &requests[..] else { panic!("{requests:?}") };
    let expected =
        format!("CONNECT shop.example:443 HTTP/1.1\r\nhost: shop.example:443\r\n{CREDENTIALS}\r\n");
    assert_eq!(connect, &expected);
    // The credentials are for the proxy only.
    assert!(get.starts_with("GET /robots.txt HTTP/1.1\r\nhost: shop.example\r\n"), "{get}");
    assert!(!get.to_ascii_lowercase().contains("authorization"), "{get}");
    assert_eq!(world.asked(), ["proxy.example"]);
    let hop = &fetched.hops[0];
    assert_eq!((hop.status, hop.peer, hop.reached), (Some(200), None, true));
}

#[tokio::test]
async fn certificate_of_the_site_is_checked_through_a_tunnel() {
    let other = party(&["other.example"], |_| ());
    let (_, fetcher) = tunnelling(&other, answer(response("200 OK", "", RULES)));
    let expected =
        Some(Failure::Network(NetworkError::Proxy(ProxyError::Tls(TlsError::WrongName))));
    assert_eq!(fetch_by(&fetcher, HTTPS).await.failure, expected);
}

#[tokio::test]
async fn redirect_from_http_to_https_goes_through_the_proxy_twice() {
    let shop = party(&["shop.example"], |_| ());
    let (world, fetcher) = tunnelling(&shop, answer(response("200 OK", "", RULES)));
    let fetched = fetch_by(&fetcher, HTTP).await;
    assert_eq!((fetched.failure, fetched.hops.len()), (None, 2));
    let starts = [
        "GET http://shop.example/robots.txt ",
        // The redirect has no `Via` (REP-CACHE-28a).
        "GET http://x.invalid/robots.txt ",
        "CONNECT shop.example:443 ",
        "GET /robots.txt ",
    ];
    let requests = world.requests();
    assert_eq!(requests.len(), starts.len());
    for (request, start) in requests.iter().zip(starts) {
        assert!(request.starts_with(start), "{request}");
    }
}

#[tokio::test]
async fn proxy_without_credentials_gets_none() {
    let world = answering(response("200 OK", "", RULES));
    let plain = Proxy::new("http://10.0.0.1:3128").unwrap();
    let fetcher = world.builder().proxy(plain).build_fetcher().unwrap();
    assert_eq!(fetch_by(&fetcher, HTTP).await.failure, None);
    assert!(!world.requests()[0].to_ascii_lowercase().contains("authorization"));
    assert!(world.asked().is_empty());
}

#[tokio::test]
async fn statuses_of_the_proxy_and_of_the_site_are_distinguished() {
    let status = |status: &str, headers: &str| response(status, headers, "text");
    for (text, headers, expected) in [
        ("407 Proxy Authentication Required", "Proxy-Authenticate: Basic realm=x\r\n", Err(407)),
        ("403 Filtered", "Server: tinyproxy/1.11.1\r\n", Err(403)),
        ("400 Bad Request", "", Err(400)),
        ("403 Forbidden", "Via: 1.1 p\r\nX-Squid-Error: ERR_ACCESS_DENIED 0\r\n", Err(403)),
        ("403 Forbidden", "Via: 1.1 p\r\n", Ok((403, true))),
        ("404 Not Found", "Via: 1.1 p\r\n", Ok((404, true))),
        ("429 Too Many Requests", "", Ok((429, false))),
        ("502 Bad Gateway", "", Ok((502, false))),
        ("503 Service Unavailable", "Via: 1.1 p\r\n", Ok((503, false))),
    ] {
        let fetched = fetch(&answering(status(text, headers)), HTTP).await;
        let hop = &fetched.hops[0];
        match expected {
            Ok((status, reached)) => {
                assert_eq!(fetched.failure, Some(Failure::Status(status)), "{text}");
                assert_eq!((hop.status, hop.reached), (Some(status), reached), "{text}");
            }
            Err(status) => {
                assert_eq!(error_of(&fetched), ProxyError::Status(status), "{text}");
                assert_eq!((hop.status, hop.reached), (None, false), "{text}");
            }
        }
    }
    for code in [204, 302, 400, 403, 405, 407, 500, 502, 503, 504] {
        let world = answering(status(&format!("{code} x"), "Location: http://a.example/\r\n"));
        let fetched = fetch(&world, HTTPS).await;
        // 204 is a success, but opens no tunnel.
        let expected = if code == 204 { ProxyError::Malformed } else { ProxyError::Status(code) };
        assert_eq!(error_of(&fetched), expected, "{code}");
        assert_eq!((fetched.status, fetched.hops.len(), fetched.hops[0].reached), (None, 1, false));
    }
}

/// A page of the proxy itself shows nothing about the network (REP-CACHE-28a).
#[tokio::test]
async fn unmarked_error_for_a_page_may_be_the_proxys() {
    for (text, headers, expected) in [
        ("200 OK", "", true),
        ("403 Forbidden", "", false),
        ("404 Not Found", "", false),
        ("404 Not Found", "Via: 1.1 p\r\n", true),
        ("502 Bad Gateway", "Via: 1.1 p\r\n", false),
    ] {
        let world = answering(response(text, headers, "text"));
        let page = Request::page(HTTP.parse().unwrap());
        let fetched = builder(&world).build_fetcher().unwrap().fetch(&page).await;
        assert_eq!(fetched.hops[0].reached, expected, "{text} {headers}");
    }
}

#[tokio::test]
async fn invalid_response_of_a_proxy_is_an_error_of_the_proxy() {
    let head = format!("HTTP/1.1 200 OK\r\nA: {}\r\n", "a".repeat(500_000));
    let fields = format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(1_000));
    for (text, expected) in [
        ("", ProxyError::Closed),
        ("HTTP/1.1 200 OK\r\nA: b\r\n", ProxyError::Closed),
        ("SSH-2.0-OpenSSH_9.2\r\n", ProxyError::Malformed),
        ("\x15\x03\x03\x00\x02\x02\x32 an alert of TLS", ProxyError::Malformed),
        (&head, ProxyError::Malformed),
        (&fields, ProxyError::Malformed),
    ] {
        for url in [HTTP, HTTPS] {
            let start = text.get(..40).unwrap_or(text);
            assert_eq!(error_of(&fetch(&answering(text), url).await), expected, "{url} {start:?}");
        }
    }
}

#[tokio::test]
async fn endless_head_of_a_proxy_is_an_error() {
    for start in ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nA: "] {
        let script = vec![
            Act::Request,
            Act::Send(start.into()),
            Act::Forever(b"a: b\r\n".repeat(100), Duration::ZERO),
        ];
        for url in [HTTP, HTTPS] {
            let fetched = fetch(&proxy([script.clone()]), url).await;
            assert_eq!(error_of(&fetched), ProxyError::Malformed, "{url} {start:?}");
        }
    }
}

#[tokio::test]
async fn bytes_after_the_head_belong_to_the_tunnel() {
    // TLS servers do not send first: the bytes reach the handshake, which fails.
    let early = [ESTABLISHED, b"220 mail.example ESMTP\r\n"].concat();
    let fetched = fetch(&proxy([vec![Act::Request, Act::Send(early), Act::Hang]]), HTTPS).await;
    let expected =
        Some(Failure::Network(NetworkError::Proxy(ProxyError::Tls(TlsError::Handshake))));
    assert_eq!(fetched.failure, expected);
    // RFC 9110 section 9.3.6: a length has no meaning in a success to CONNECT.
    let framed = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc".to_vec();
    let fetched = fetch(&proxy([vec![Act::Request, Act::Send(framed), Act::Hang]]), HTTPS).await;
    assert_eq!(fetched.failure, expected);
}

#[tokio::test]
async fn failures_to_reach_the_proxy_and_the_site_are_distinguished() {
    for url in [HTTP, HTTPS] {
        let nameless = World::new().dns("proxy.example", Err(DnsError::NoSuchName));
        assert_eq!(error_of(&fetch(&nameless, url).await), ProxyError::Dns(DnsError::NoSuchName));
        let none = World::new().name("proxy.example", &[]);
        assert_eq!(error_of(&fetch(&none, url).await), ProxyError::Dns(DnsError::NoAddress));
        let refusing = World::new().name("proxy.example", &["10.0.0.1", "::1"]);
        let refused = ProxyError::Connect(ConnectError::Refused);
        assert_eq!(error_of(&fetch(&refusing, url).await), refused);
        assert_eq!(refusing.dialled(), ["10.0.0.1:3128", "[::1]:3128"]);
    }
    // The next address is tried.
    let world = World::new()
        .name("proxy.example", &["::1", "10.0.0.1"])
        .script("10.0.0.1:3128", answer(response("200 OK", "", RULES)));
    assert_eq!(fetch(&world, HTTP).await.failure, None);
}

#[tokio::test(start_paused = true)]
async fn proxy_that_hangs_is_a_timeout() {
    let timeout = |phase| Some(Failure::Network(NetworkError::Proxy(ProxyError::Timeout(phase))));
    let hangs = vec![Act::Request, Act::Hang];
    let drips = vec![Act::Request, Act::Forever(b"H".to_vec(), TOTAL.most)];
    let established = vec![Act::Request, Act::Send(ESTABLISHED.to_vec()), Act::Hang];
    let silent = World::new().name("proxy.example", &["10.0.0.1"]);
    let silent = silent.server("10.0.0.1:3128", Server::Silent);
    for (world, url, expected, after) in [
        (silent.clone(), HTTP, timeout(Phase::Connect), CONNECT.default),
        (silent, HTTPS, timeout(Phase::Connect), CONNECT.default),
        (proxy([hangs.clone()]), HTTP, timeout(Phase::Head), HEAD.default),
        (proxy([hangs]), HTTPS, timeout(Phase::Head), HEAD.default),
        (proxy([drips]), HTTPS, timeout(Phase::Head), HEAD.default),
        // The proxy confirms the tunnel, but the site may not be there.
        (proxy([established]), HTTPS, timeout(Phase::Tls), TLS.default),
    ] {
        let start = Instant::now();
        let fetched = fetch(&world, url).await;
        assert_eq!(fetched.failure, expected, "{url}");
        assert_eq!(start.elapsed().as_secs(), after.as_secs(), "{url}");
        assert!(!fetched.hops[0].reached);
    }
    let fetcher = builder(&World::new()).resolve(Arc::new(SilentDns)).build_fetcher().unwrap();
    let start = Instant::now();
    assert_eq!(fetch_by(&fetcher, HTTPS).await.failure, timeout(Phase::Dns));
    assert_eq!(start.elapsed().as_secs(), DNS.default.as_secs());
}

#[tokio::test]
async fn dropped_fetch_closes_the_connection_to_the_proxy() {
    let (ours, mut theirs) = tokio::io::duplex(1024);
    let dial = One(std::sync::Mutex::new(Some(Box::new(ours))));
    let world = World::new().name("proxy.example", &["10.0.0.1"]);
    let fetcher = builder(&world).dial(Arc::new(dial)).build_fetcher().unwrap();
    let mut fetched = Box::pin(async move { fetch_by(&fetcher, HTTPS).await });
    let read = async {
        let mut buffer = [0; 1024];
        tokio::io::AsyncReadExt::read(&mut theirs, &mut buffer).await.unwrap()
    };
    tokio::select! {
        _ = &mut fetched => panic!("the proxy has not answered"),
        count = read => assert!(count > 0),
    }
    drop(fetched);
    let mut rest = Vec::new();
    tokio::io::AsyncReadExt::read_to_end(&mut theirs, &mut rest).await.unwrap();
}

/// One connection.
struct One(std::sync::Mutex<Option<BoxStream>>);

impl std::fmt::Debug for One {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("One")
    }
}

impl Dial for One {
    fn dial(&self, _: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(std::future::ready(Ok(self.0.lock().unwrap().take().unwrap())))
    }
}

/// The whole table of the guard; the proxy gets no request.
#[tokio::test]
async fn urls_that_the_guard_refuses_are_not_sent_to_the_proxy() {
    let mut refused: Vec<(String, Option<RefusalReason>)> = Vec::new();
    for address in INSIDE {
        for scheme in ["http", "https"] {
            refused.push((format!("{scheme}://{}/robots.txt", literal(address)), None));
        }
    }
    for name in ["localhost", "a.localhost", "router", "metadata.google.internal", "a.onion"] {
        for scheme in ["http", "https"] {
            let url = format!("{scheme}://{name}/robots.txt");
            refused.push((url, Some(RefusalReason::InsideNameByProxy)));
        }
    }
    for (url, expected) in [
        ("gopher://shop.example:70/", RefusalReason::Scheme),
        ("file:///robots.txt", RefusalReason::Scheme),
        ("http://shop.example:22/", RefusalReason::Port),
        ("https://shop.example:21/", RefusalReason::Port),
        ("http://shop.example../", RefusalReason::MalformedName),
    ] {
        refused.push((url.to_owned(), Some(expected)));
    }
    for (url, expected) in &refused {
        let check = |outcome: &Option<Failure>| match expected {
            Some(expected) => assert_eq!(why(outcome.as_ref()), *expected, "{url}"),
            None => assert!(matches!(why(outcome.as_ref()), RefusalReason::Address(_)), "{url}"),
        };
        let world = answering(response("200 OK", "", RULES));
        check(&fetch(&world, url).await.failure);
        assert!(world.dialled().is_empty() && world.asked().is_empty(), "{url}");
        // After a redirect too.
        if url.starts_with("http") {
            let location = format!("Via: 1.1 p\r\nLocation: {url}\r\n");
            let world = answering(response("302 Found", &location, ""));
            check(&fetch(&world, HTTP).await.failure);
            assert_eq!(world.requests().len(), 1, "{url}");
        }
    }
}

#[tokio::test]
async fn allowed_networks_permit_literal_addresses_and_no_names() {
    let guard = Guard::new().with_allowed_net("10.1.0.0/16".parse().unwrap());
    for (url, expected) in [
        ("http://10.1.2.3/robots.txt", None),
        ("http://wiki/robots.txt", Some(RefusalReason::InsideNameByProxy)),
        ("http://metadata.google.internal/robots.txt", Some(RefusalReason::InsideNameByProxy)),
    ] {
        let world = answering(response("200 OK", "", RULES));
        let fetcher = builder(&world).guard(guard.clone()).build_fetcher().unwrap();
        let outcome = fetch_by(&fetcher, url).await.failure;
        match expected {
            None => assert_eq!(outcome, None),
            Some(expected) => assert_eq!(why(outcome.as_ref()), expected),
        }
        assert_eq!(world.dialled().is_empty(), expected.is_some(), "{url}");
    }
}

#[cfg(feature = "ftp")]
#[tokio::test]
async fn ftp_is_refused_and_does_not_bypass_the_proxy() {
    let world = proxy([]).name("shop.example", &["1.1.1.1"]);
    let fetched = fetch(&world, "ftp://shop.example/robots.txt").await;
    assert_eq!(why(fetched.failure.as_ref()), RefusalReason::Scheme);
    assert!(world.dialled().is_empty() && world.asked().is_empty());
}

#[tokio::test]
async fn output_of_a_fetch_does_not_show_the_credentials() {
    for (world, roots) in [
        (answering(response("407 x", "", "")), Roots::none()),
        (answering(response("200 OK", "", RULES)), Roots::mozilla()),
        (World::new(), Roots::none()),
    ] {
        let builder = builder(&world).roots(roots);
        let fetcher = builder.clone().build_fetcher().unwrap();
        // Before the requests, which the world shows.
        let before = format!("{builder:?} {fetcher:?}");
        for url in [HTTP, HTTPS] {
            let fetched = fetch_by(&fetcher, url).await;
            let failure = fetched.failure.as_ref().map(ToString::to_string);
            let shown = format!("{before} {fetched:?} {failure:?}");
            assert!(!shown.contains("secret") && !shown.contains("dXNlcjpzZWNyZXQ"), "{shown}");
        }
    }
}
