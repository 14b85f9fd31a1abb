//! The default resolver, against a name server on loopback.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::failure::{ConnectError, DnsError, Failure, NetworkError};
use crate::fetch::{FetchReport, Request};
use crate::guard::{AddressKind, RefusalReason};
use crate::net::{BoxFuture, DnsResolver, Proxy, Resolve, Resolved};
use tokio::net::UdpSocket;
use tokio::time::sleep;

use crate::fetch::tests::guarded::why;
use crate::fetch::tests::world::{RULES, World, answer, response};

const SERVFAIL: u8 = 2;
const NXDOMAIN: u8 = 3;

/// The answer of a server for a name: a code and addresses.
type Answers = fn(&str) -> (u8, Vec<IpAddr>);

/// Types of questions (RFC 1035 section 3.2.2, RFC 3596).
const A: u8 = 1;
const AAAA: u8 = 28;

/// Listens, and answers the first question of each message.
async fn name_server(answers: Answers) -> SocketAddr {
    silent_server(0, answers).await
}

/// A name server that never answers questions of this type.
async fn silent_server(silent: u8, answers: Answers) -> SocketAddr {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let at = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut buffer = [0; 1500];
        while let Ok((count, from)) = socket.recv_from(&mut buffer).await {
            let reply = reply(&buffer[..count], silent, answers);
            if let Some(reply) = reply {
                socket.send_to(&reply, from).await.unwrap();
            }
        }
    });
    at
}

/// A reply (RFC 1035 section 4).
fn reply(message: &[u8], silent: u8, answers: Answers) -> Option<Vec<u8>> {
    let mut labels = Vec::new();
    let mut at = 12;
    while message[at] != 0 {
        let end = at + 1 + usize::from(message[at]);
        labels.push(String::from_utf8(message[at + 1..end].to_vec()).unwrap());
        at = end;
    }
    let kind = message[at + 2];
    if kind == silent {
        return None;
    }
    let question = &message[12..at + 5];
    let (code, addresses) = answers(&labels.join("."));
    let wanted: Vec<_> =
        addresses.iter().filter(|address| address.is_ipv4() == (kind == 1)).collect();

    let mut reply = vec![message[0], message[1], 0x81, 0x80 | code, 0, 1];
    reply.extend_from_slice(&u16::try_from(wanted.len()).unwrap().to_be_bytes());
    reply.extend_from_slice(&[0; 4]);
    reply.extend_from_slice(question);
    for address in wanted {
        let data = match address {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        };
        reply.extend_from_slice(&[0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0]);
        reply.push(u8::try_from(data.len()).unwrap());
        reply.extend_from_slice(&data);
    }
    Some(reply)
}

/// The addresses of a name in both parts.
async fn all(resolver: &DnsResolver, name: &str) -> Result<Vec<IpAddr>, DnsError> {
    let Resolved { mut addresses, rest } = resolver.resolve_early(name).await?;
    if let Some(rest) = rest {
        addresses.extend(rest.await);
    }
    addresses.sort();
    Ok(addresses)
}

fn parsed(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[tokio::test]
async fn addresses_and_dns_errors_are_distinguished() {
    let at = name_server(|name| match name {
        "both.example" => (0, parsed(&["1.1.1.1", "2606:4700::1111"])),
        "v4.example" => (0, parsed(&["1.1.1.1", "1.1.1.2"])),
        "v6.example" => (0, parsed(&["2606:4700::1111"])),
        "none.example" => (0, Vec::new()),
        "broken.example" => (SERVFAIL, Vec::new()),
        _ => (NXDOMAIN, Vec::new()),
    })
    .await;
    let resolver = DnsResolver::asking(&[at]).unwrap();
    for (name, expected) in [
        ("both.example", Ok(&["1.1.1.1", "2606:4700::1111"][..])),
        ("v4.example", Ok(&["1.1.1.1", "1.1.1.2"][..])),
        ("v6.example", Ok(&["2606:4700::1111"][..])),
        ("none.example", Err(DnsError::NoAddress)),
        ("broken.example", Err(DnsError::Failed)),
        ("missing.example", Err(DnsError::NoSuchName)),
    ] {
        assert_eq!(all(&resolver, name).await, expected.map(parsed), "{name}");
    }
}

#[tokio::test]
async fn names_that_browsers_ask_for_are_asked_for_as_they_are() {
    let at = name_server(|_| (0, parsed(&["1.1.1.1"]))).await;
    let resolver = DnsResolver::asking(&[at]).unwrap();
    let label = "a".repeat(63);
    let longest = format!("{label}.{label}.{label}.{}.example", "a".repeat(53));
    assert_eq!(longest.len(), 253);
    for name in [
        "my_shop.example",
        "_shop.example",
        "my.sh_op.example",
        "-shop.example",
        "shop-.example",
        "my--shop.example",
        "-.example",
        "_.example",
        "*.example",
        "a!$&'()+,;=~.example",
        "123.example",
        "0x7f.example",
        "xn--bcher-kva.example",
        "xn--a.example",
        "xn--.example",
        &format!("{label}.example"),
        &longest,
    ] {
        assert_eq!(all(&resolver, name).await, Ok(parsed(&["1.1.1.1"])), "{name}");
    }
    for name in [
        "",
        ".",
        ".example",
        "shop..example",
        "shop.example.",
        &format!("{label}a.example"),
        &format!("a{longest}"),
        &"a.".repeat(200),
    ] {
        assert_eq!(all(&resolver, name).await, Err(DnsError::InvalidName), "{name}");
    }
}

#[tokio::test]
async fn unusual_names_are_fetched() {
    let at = name_server(|_| (0, parsed(&["1.1.1.1"]))).await;
    for host in ["my_shop.example", "-shop.example", "shop-.example", "_.example", "-shop.example."]
    {
        let world = World::new().script("1.1.1.1:80", answer(response("200 OK", "", RULES)));
        let fetched = fetch(&world, at, &format!("http://{host}/robots.txt")).await;
        assert_eq!(fetched.failure, None, "{host}");
        let request = world.requests().remove(0);
        assert!(request.contains(&format!("\r\nhost: {host}\r\n")), "{request}");
    }
}

async fn fetch(world: &World, name_server: SocketAddr, url: &str) -> FetchReport {
    let resolver = Arc::new(DnsResolver::asking(&[name_server]).unwrap());
    let fetcher = world.builder().resolve(resolver).build_fetcher().unwrap();
    fetcher.fetch(&Request::new(url.parse().unwrap())).await
}

#[tokio::test]
async fn addresses_of_one_family_are_used_while_the_other_one_is_silent() {
    for (silent, answers, dialled) in [
        (AAAA, (|_| (0, parsed(&["1.1.1.1"]))) as Answers, "1.1.1.1:80"),
        (A, |_| (0, parsed(&["2606:4700::1111"])), "[2606:4700::1111]:80"),
    ] {
        let at = silent_server(silent, answers).await;
        let world = World::new().script(dialled, answer(response("200 OK", "", RULES)));
        let fetched = fetch(&world, at, "http://shop.example/robots.txt").await;
        assert_eq!(fetched.failure, None, "{dialled}");
        assert_eq!(world.dialled(), [dialled]);
    }
}

/// The time after which a resolver knows all addresses.
const LATE: Duration = Duration::from_secs(1);

/// A resolver that knows some addresses late. `None`: never.
#[derive(Debug)]
struct Late {
    first: &'static [&'static str],
    rest: Option<&'static [&'static str]>,
    asked: Mutex<u32>,
}

impl Resolve for Late {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        panic!("a fetch asks for the first addresses")
    }

    fn resolve_early<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Resolved<'a>, DnsError>> {
        *self.asked.lock().unwrap() += 1;
        Box::pin(async move {
            let rest = Box::pin(async {
                match self.rest {
                    Some(rest) => {
                        sleep(LATE).await;
                        parsed(rest)
                    }
                    None => std::future::pending().await,
                }
            });
            Ok(Resolved { addresses: parsed(self.first), rest: Some(rest) })
        })
    }
}

#[tokio::test(start_paused = true)]
async fn late_addresses_are_dialled_if_the_first_ones_refuse() {
    let refused = Err(Some(Failure::Network(NetworkError::Connect(ConnectError::Refused))));
    let private = Err(RefusalReason::Address(AddressKind::Private));
    for (rest, expected, dialled) in [
        (Some(&["2606:4700::1"][..]), Ok(Ok(())), &["1.1.1.1:80", "[2606:4700::1]:80"][..]),
        (Some(&["2606:4700::2"]), Ok(refused.clone()), &["1.1.1.1:80", "[2606:4700::2]:80"]),
        // Also the guard checks them: all, and before the first is dialled.
        (Some(&["2606:4700::1", "10.0.0.1"]), private, &["1.1.1.1:80"]),
        (Some(&[]), Ok(refused.clone()), &["1.1.1.1:80"]),
        (None, Ok(refused), &["1.1.1.1:80"]),
    ] {
        let world = World::new().script("[2606:4700::1]:80", answer(response("200 OK", "", RULES)));
        let late = Arc::new(Late { first: &["1.1.1.1"], rest, asked: Mutex::default() });
        let fetcher = world.builder().resolve(late.clone()).build_fetcher().unwrap();
        let url = "http://shop.example/robots.txt".parse().unwrap();
        let outcome = fetcher.fetch(&Request::new(url)).await.failure;
        match expected {
            Ok(Ok(())) => assert_eq!(outcome, None),
            Ok(Err(expected)) => assert_eq!(outcome, expected, "{rest:?}"),
            Err(expected) => assert_eq!(why(outcome.as_ref()), expected),
        }
        assert_eq!((world.dialled(), *late.asked.lock().unwrap()), (strings(dialled), 1));
    }
}

#[tokio::test(start_paused = true)]
async fn late_addresses_of_a_proxy_are_dialled_too() {
    let late = Late { first: &["10.0.0.1"], rest: Some(&["::1"]), asked: Mutex::default() };
    let world = World::new().script("[::1]:3128", answer(response("200 OK", "", RULES)));
    let proxy = Proxy::new("http://proxy.example:3128").unwrap();
    let fetcher = world.builder().resolve(Arc::new(late)).proxy(proxy).build_fetcher().unwrap();
    let url = "http://shop.example/robots.txt".parse().unwrap();
    let fetched = fetcher.fetch(&Request::new(url)).await;
    assert_eq!(fetched.failure, None);
    assert_eq!(world.dialled(), ["10.0.0.1:3128", "[::1]:3128"]);
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[test]
fn resolver_needs_a_server() {
    assert!(DnsResolver::asking(&[]).is_err());
}
