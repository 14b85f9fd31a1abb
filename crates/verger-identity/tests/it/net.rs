//! Look-ups, against a name server and directories on loopback.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UdpSocket};
use verger::Crawler;
use verger::access::Timestamp;
use verger_fetch::client::{Clock, RobotsClient, SystemClock};
use verger_fetch::failure::DnsError;
use verger_fetch::limits::Limits;
use verger_fetch::net::{BoxFuture, BoxStream, Dial, DnsResolver, Resolve, Roots};
use verger_identity::net::Lookups;
use verger_identity::{Identifier, Request, Signer, SigningKey, limits};
use verger_testkit::server::{Lookup, Script, ScriptedResponse, Service, Setup, Site, Tls, World};

use crate::{header, json, request};

/// A clock that the test sets.
#[derive(Clone, Debug)]
struct Hand(Arc<AtomicU64>);

impl Hand {
    fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1_788_000_000)))
    }

    fn pass(&self, time: Duration) {
        self.0.fetch_add(time.as_secs(), Ordering::Relaxed);
    }
}

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(self.0.load(Ordering::Relaxed))
    }
}

#[derive(Clone, Debug)]
struct Net(Arc<World>);

impl Resolve for Net {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        let found = async move { self.0.resolve(name).await.map(|found| found.addresses) };
        Box::pin(async { found.await.map_err(|_| DnsError::NoSuchName) })
    }
}

impl Dial for Net {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(async move { Ok(Box::new(self.0.connect(to).await?) as BoxStream) })
    }
}

fn client(
    world: &Arc<World>,
    clock: &Hand,
    limits: Limits,
) -> verger_fetch::client::RobotsClientBuilder {
    let identity = verger_fetch::fetch::Identity::new("ExampleSite/1.0").unwrap();
    let net = Arc::new(Net(Arc::clone(world)));
    let roots = world
        .root()
        .map_or_else(Roots::mozilla, |root| Roots::none().with_certificate(root).unwrap());
    RobotsClient::builder(Crawler::new("ExampleSite"), identity)
        .resolve(Arc::clone(&net) as Arc<dyn Resolve>)
        .dial(net)
        .roots(roots)
        .limits(limits)
        .clock(Arc::new(clock.clone()))
}

/// The DNS answers of a name server by question: records of the data of an answer, or an error
/// code.
type Zone = fn(&str, u16) -> Result<Vec<Vec<u8>>, u8>;

const PTR: u16 = 12;
const A: u16 = 1;
const AAAA: u16 = 28;
const SERVFAIL: u8 = 2;
const NXDOMAIN: u8 = 3;

fn encoded(name: &str) -> Vec<u8> {
    let labels = name.split('.').filter(|label| !label.is_empty());
    let mut all: Vec<u8> = labels
        .flat_map(|label| [&[u8::try_from(label.len()).unwrap()][..], label.as_bytes()].concat())
        .collect();
    all.push(0);
    all
}

/// A reply (RFC 1035 section 4).
fn reply(message: &[u8], zone: Zone, limit: usize) -> Vec<u8> {
    let (mut at, mut labels) = (12, Vec::new());
    while message[at] != 0 {
        let end = at + 1 + usize::from(message[at]);
        labels.push(String::from_utf8_lossy(&message[at + 1..end]).to_ascii_lowercase());
        at = end;
    }
    let kind = u16::from_be_bytes([message[at + 1], message[at + 2]]);
    let question = &message[12..at + 5];
    let (code, records) = match zone(&labels.join("."), kind) {
        Ok(records) => (0, records),
        Err(code) => (code, Vec::new()),
    };
    let mut body = Vec::new();
    for data in &records {
        body.extend([0xc0, 12]);
        body.extend(kind.to_be_bytes());
        body.extend([0, 1, 0, 0, 1, 0]);
        body.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        body.extend(data);
    }
    let is_cut = body.len() > limit;
    let count = if is_cut { 0 } else { u16::try_from(records.len()).unwrap() };
    // Without a record, the negative answer is valid for a time (RFC 2308).
    let soa: Vec<u8> = if count == 0 && !is_cut && code != SERVFAIL {
        let data = [encoded("ns.test"), encoded("a.test"), [0, 0, 1, 0].repeat(5)].concat();
        let length = u16::try_from(data.len()).unwrap().to_be_bytes();
        [encoded(""), vec![0, 6, 0, 1, 0, 0, 1, 0], length.to_vec(), data].concat()
    } else {
        Vec::new()
    };
    let flags = [if is_cut { 0x86 } else { 0x84 }, 0x80 | code];
    let counts =
        [&[0, 1][..], &count.to_be_bytes(), &[0, u8::from(!soa.is_empty()), 0, 0]].concat();
    if is_cut {
        body.clear();
    }
    [&message[..2], &flags, &counts, question, &body, &soa].concat()
}

/// Starts a name server over UDP and TCP. Returns a resolver, and the number of questions.
async fn name_server(zone: Zone) -> (Arc<DnsResolver>, Arc<AtomicUsize>) {
    let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let at = tcp.local_addr().unwrap();
    let udp = UdpSocket::bind(at).await.unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    tokio::spawn(async move {
        let mut buffer = [0; 1500];
        while let Ok((length, from)) = udp.recv_from(&mut buffer).await {
            counted.fetch_add(1, Ordering::Relaxed);
            udp.send_to(&reply(&buffer[..length], zone, 1_000), from).await.unwrap();
        }
    });
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = tcp.accept().await {
            tokio::spawn(async move {
                while let Ok(length) = stream.read_u16().await {
                    let mut message = vec![0; length.into()];
                    stream.read_exact(&mut message).await?;
                    let reply = reply(&message, zone, 65_000);
                    stream.write_u16(u16::try_from(reply.len()).unwrap()).await?;
                    stream.write_all(&reply).await?;
                }
                io::Result::Ok(())
            });
        }
    });
    (Arc::new(DnsResolver::asking(&[at]).unwrap()), count)
}

fn zone(name: &str, kind: u16) -> Result<Vec<Vec<u8>>, u8> {
    let ptr = |host: &str| Ok(vec![encoded(host)]);
    match (name, kind) {
        ("1.113.0.203.in-addr.arpa", PTR) => ptr("crawl-1.googlebot.com"),
        ("2.113.0.203.in-addr.arpa", PTR) => ptr("googlebot.com.evil.example"),
        ("3.113.0.203.in-addr.arpa", PTR) => ptr("fakegooglebot.com"),
        ("4.113.0.203.in-addr.arpa", PTR) => ptr("no-address.googlebot.com"),
        ("5.113.0.203.in-addr.arpa", PTR) => ptr("elsewhere.googlebot.com"),
        ("6.113.0.203.in-addr.arpa", PTR) => ptr("broken.googlebot.com"),
        ("8.113.0.203.in-addr.arpa", PTR) => {
            Ok((0..1_500).map(|at| encoded(&format!("h{at}.googlebot.com"))).collect())
        }
        ("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa", PTR) => {
            ptr("six.googlebot.com")
        }
        ("crawl-1.googlebot.com", A) => Ok(vec![vec![198, 51, 100, 1], vec![203, 0, 113, 1]]),
        ("elsewhere.googlebot.com", A) => Ok(vec![vec![203, 0, 113, 55]]),
        ("googlebot.com.evil.example", A) => Ok(vec![vec![203, 0, 113, 2]]),
        ("fakegooglebot.com", A) => Ok(vec![vec![203, 0, 113, 3]]),
        ("7.113.0.203.in-addr.arpa" | "broken.googlebot.com", _) => Err(SERVFAIL),
        ("six.googlebot.com", AAAA) => {
            Ok(vec!["2001:db8::1".parse::<std::net::Ipv6Addr>().unwrap().octets().to_vec()])
        }
        ("crawl-1.googlebot.com" | "elsewhere.googlebot.com" | "six.googlebot.com", _) => {
            Ok(Vec::new())
        }
        _ => Err(NXDOMAIN),
    }
}

#[tokio::test]
async fn names_are_confirmed_by_dns() {
    let (resolver, asked) = name_server(zone).await;
    let world = Arc::new(Setup::new().start().await.unwrap());
    let client = client(&world, &Hand::new(), Limits::default()).build().unwrap();
    let (lookups, identifier) = (Lookups::new(client, resolver), Identifier::default());
    let header = header("Googlebot");
    for (address, expected) in [
        ("203.0.113.1", "verified -"),
        ("203.0.113.2", "failed other_name"),
        ("203.0.113.3", "failed other_name"),
        ("203.0.113.4", "failed not_confirmed"),
        ("203.0.113.5", "failed not_confirmed"),
        ("203.0.113.6", "not_checked look_up"),
        ("203.0.113.7", "not_checked look_up"),
        ("203.0.113.8", "failed not_confirmed"),
        ("203.0.113.9", "failed no_name"),
        ("2001:db8::1", "verified -"),
        ("2001:db8::2", "failed no_name"),
    ] {
        let request = request(&header, "2026-09-10", address);
        let mut before = asked.load(Ordering::Relaxed);
        for round in 0..2 {
            let found = json(&lookups.finish(identifier.begin(&request, Timestamp::EPOCH)).await);
            let proof = &found["claims"][0]["reverse_dns"];
            let text = |name: &str| proof[name].as_str().unwrap_or("-").to_owned();
            assert_eq!(format!("{} {}", text("status"), text("reason")), expected, "{address}");
            let now = asked.load(Ordering::Relaxed);
            // One question for the names, and two for the addresses of each, some of them repeated.
            assert!(now - before <= 2 + 2 * limits::HOST_NAMES, "{address}");
            assert!(
                round == 0 || now == before || expected.contains("look_up"),
                "{address} is cached"
            );
            before = now;
        }
    }
}

const WELL_KNOWN: &str = "/.well-known/http-message-signatures-directory";

/// A request that a key signed at the time of the clock.
fn signed(key: &Signer, clock: &Hand) -> Request {
    let mut head: Request = "GET /a?b HTTP/1.1\nHost: shop.example".parse().unwrap();
    let url = "https://shop.example/a?b".parse().unwrap();
    let fields = key.sign(&url, clock.now()).unwrap();
    head.headers.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    head
}

fn key(agent: &str) -> Signer {
    SigningKey::generate().unwrap().1.for_agent(agent).unwrap()
}

/// A world with the site of an agent, and look-ups in it.
async fn directory(site: Site, clock: &Hand, limits: Limits) -> (Arc<World>, Lookups) {
    let setup = Setup::new()
        .host("bot.example")
        .name("inside.example", [Lookup::addresses(["10.0.0.1".parse().unwrap()])])
        .place(443, Service::Https(Tls::default(), site));
    let world = Arc::new(setup.start().await.unwrap());
    let (resolver, _) = name_server(|_, _| Err(NXDOMAIN)).await;
    (Arc::clone(&world), Lookups::new(client(&world, clock, limits).build().unwrap(), resolver))
}

/// The status, the reason, and the start of the detail of the signature of a request.
async fn proof(lookups: &Lookups, identifier: &Identifier, head: &Request, clock: &Hand) -> String {
    let request = Request { at: Some(clock.now()), ..head.clone() };
    let found = json(&lookups.finish(identifier.begin(&request, Timestamp::EPOCH)).await);
    let text = |name: &str| found["signature"][name].as_str().map(str::to_owned);
    [text("status"), text("reason"), text("detail")]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

#[tokio::test]
async fn key_sets_are_cached_and_outlive_failures() {
    let clock = Hand::new();
    let (old, new) = (key("https://bot.example"), key("https://bot.example"));
    let json = |key: &Signer| ScriptedResponse::new(200).body(key.key.key_set()).script();
    let site = Site::new()
        .path_once(WELL_KNOWN, json(&old))
        .path_once(WELL_KNOWN, ScriptedResponse::new(503).script())
        .path_once(WELL_KNOWN, ScriptedResponse::new(200).body("<html>").script())
        .path_once(WELL_KNOWN, json(&new))
        .path(WELL_KNOWN, ScriptedResponse::new(404).script());
    let (world, lookups) = directory(site, &clock, Limits::default()).await;
    let identifier = Identifier::default();
    let fetches = || world.record().requests.len();
    let minutes = |count: u64| Duration::from_secs(60 * count);
    for (pass, signer, expected, fetched) in [
        (minutes(0), &old, "verified", 1),
        (minutes(1), &old, "verified", 1),
        // An unknown key may be a new one, but not at once.
        (minutes(1), &new, "failed unknown_key", 1),
        // Failures evict no known key.
        (minutes(60), &old, "verified", 2),
        (minutes(4), &old, "verified", 2),
        // The last fetch failed, so the key may be new.
        (minutes(0), &new, "not_checked look_up the key set was not fetched: status 503", 2),
        (minutes(1), &old, "verified", 3),
        // The key was replaced.
        (minutes(5), &new, "verified", 4),
        (minutes(1), &old, "failed unknown_key", 4),
        (minutes(60 * 24 - 2), &new, "verified", 5),
        (minutes(6), &new, "not_checked look_up the key set was not fetched: status 404", 6),
    ] {
        clock.pass(pass);
        let found = proof(&lookups, &identifier, &signed(signer, &clock), &clock).await;
        assert!(found.starts_with(expected), "{found} instead of {expected}");
        assert_eq!(fetches(), fetched, "{expected}");
    }
}

#[tokio::test]
async fn hostile_directories_verify_nothing() {
    let clock = Hand::new();
    let key_of = key;
    let key = key("https://bot.example");
    let ok = || ScriptedResponse::new(200);
    let set = key.key.key_set();
    for (name, script, expected) in [
        ("redirect", ScriptedResponse::redirect(302, "/keys").script(), "status 302"),
        ("not found", ScriptedResponse::new(404).body(&set).script(), "status 404"),
        ("another success", ScriptedResponse::new(203).body(&set).script(), "status 203"),
        ("cut", ok().field("Content-Length", "9999").body(&set).without_length().script(), ""),
        (
            "huge",
            ok().body(format!("{set}{}", " ".repeat(limits::KEY_SET_BYTES))).script(),
            "the key set is invalid: expected at most 64 KiB",
        ),
        ("no JSON", ok().body("<html>").script(), "the key set is invalid: expected JSON"),
        ("slow", Script::new().then_never(), ""),
        ("closed", Script::new(), ""),
    ] {
        let site = Site::new().path("/keys", ok().body(&set).script()).path(WELL_KNOWN, script);
        // Only a silent server needs a short limit.
        let limits = match name {
            "slow" => Limits::default().with_timeout(Duration::from_millis(300)).unwrap(),
            _ => Limits::default(),
        };
        let (world, lookups) = directory(site, &clock, limits).await;
        let identifier = Identifier::default();
        let found = proof(&lookups, &identifier, &signed(&key, &clock), &clock).await;
        assert!(found.starts_with("not_checked look_up"), "{name}: {found}");
        assert!(found.contains(expected), "{name}: {found}");
        // A failure is remembered.
        let again = proof(&lookups, &identifier, &signed(&key, &clock), &clock).await;
        assert_eq!(found, again, "{name}");
        assert!(world.record().requests.len() <= 1, "{name}");
    }
    // Private addresses, by name and as a literal.
    let site = Site::always(ok().body(&set).script());
    let (world, lookups) = directory(site, &clock, Limits::default()).await;
    for agent in
        ["https://inside.example", "https://10.0.0.1", "https://[::1]", "https://localhost"]
    {
        let head = signed(&key_of(agent), &clock);
        let found = proof(&lookups, &Identifier::default(), &head, &clock).await;
        assert!(found.starts_with("not_checked look_up the key set was not fetched"), "{found}");
    }
    let record = world.record();
    assert_eq!((record.connections, record.strays.len()), (0, 0));
}

#[tokio::test]
async fn a_robots_client_signs_its_requests() {
    let clock = Hand::new();
    let key = key("https://bot.example");
    let mut identifier = Identifier::default();
    let keys = verger_identity::KeySet::read(key.key.key_set().as_bytes()).unwrap();
    identifier.add_key_set("https://bot.example", keys);
    let site = Site::new()
        .path("/robots.txt", ScriptedResponse::rules().script())
        .any(ScriptedResponse::new(200).body("<p>").script());
    let world = Arc::new(Setup::web("shop.example", site).start().await.unwrap());
    let client = client(&world, &clock, Limits::default()).signer(Arc::new(key)).build().unwrap();
    assert!(client.get("http://shop.example/a?b=%20c").await.unwrap().is_success());
    let requests = world.record().requests;
    assert_eq!(requests.len(), 2);
    for request in requests {
        let mut head: Request = String::from_utf8(request.head).unwrap().parse().unwrap();
        "http".clone_into(&mut head.scheme);
        let found = json(&identifier.identify(&head, SystemClock.now()));
        assert_eq!(found["signature"]["status"], "verified", "{found}");
        "/other".clone_into(&mut head.target);
        let found = json(&identifier.identify(&head, SystemClock.now()));
        assert_eq!(found["signature"]["reason"], "wrong_signature");
    }
}
