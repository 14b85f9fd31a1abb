//! The default dialler, on loopback.

#[cfg(unix)]
use std::fs::File;
use std::net::{IpAddr, Ipv4Addr};
#[cfg(unix)]
use std::process::Command;
use std::sync::Arc;

use crate::client::RobotsClient;
use crate::failure::{ConnectError, DnsError, Failure, NetworkError};
use crate::fetch::{Fetcher, Identity, Request};
use crate::guard::{AddressKind, Guard, RefusalReason};
use crate::net::TcpDial;
#[cfg(unix)]
use crate::net::{DnsResolver, Resolve as _};
use tokio::net::TcpListener;
use verger::Crawler;

use crate::fetch::tests::world::{RULES, World, answer, response};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn fetcher(guard: Guard) -> Fetcher {
    RobotsClient::builder(Crawler::new("ExampleBot"), Identity::new("ExampleBot/1.0").unwrap())
        .guard(guard)
        .resolve(Arc::new(World::new()))
        .dial(Arc::new(TcpDial))
        .build_fetcher()
        .unwrap()
}

#[tokio::test]
async fn loopback_is_reachable_only_if_it_is_allowed() {
    let listener = TcpListener::bind((LOOPBACK, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let world = World::new();
    let server = world.clone();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        server.play(stream, answer(response("200 OK", "", RULES))).await
    });
    let url: url::Url = format!("http://127.0.0.1:{port}/robots.txt").parse().unwrap();

    let refused = fetcher(Guard::new()).fetch(&Request::new(url.clone())).await;
    let Some(Failure::Refused(refusal)) = refused.failure else { panic!("{:?}", refused.failure) };
    assert_eq!(refusal.reason(), RefusalReason::Address(AddressKind::Loopback));
    assert!(world.requests().is_empty());

    let guard = Guard::new().with_allowed_net("127.0.0.0/8".parse().unwrap());
    let fetched = fetcher(guard).fetch(&Request::new(url)).await;
    assert_eq!((fetched.failure, fetched.body), (None, RULES.into()));
}

#[tokio::test]
async fn closed_port_is_a_network_error() {
    let listener = TcpListener::bind((LOOPBACK, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let guard = Guard::new().with_allowed_net("127.0.0.0/8".parse().unwrap());
    let url = format!("http://127.0.0.1:{port}/robots.txt").parse().unwrap();
    let fetched = fetcher(guard).fetch(&Request::new(url)).await;
    let refused = NetworkError::Connect(ConnectError::Refused);
    assert_eq!(fetched.failure, Some(Failure::Network(refused)));
}

/// Run in a separate process with few descriptors, which would otherwise be missing in other tests.
#[cfg(unix)]
#[test]
fn missing_descriptors_prevent_resolving_and_are_not_a_failure_of_the_site() {
    const IN_CHILD: &str = "VERGER_TEST_FEW_DESCRIPTORS";
    const NAME: &str = "fetch::tests::sockets::missing_descriptors_prevent_resolving_and_are_not_a_failure_of_the_site";
    if std::env::var_os(IN_CHILD).is_some() {
        return resolve_without_descriptors();
    }
    let child = Command::new("sh")
        .args(["-c", "ulimit -n 64; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", NAME])
        .env(IN_CHILD, "1")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && output.contains("1 passed"), "{output}");
}

#[cfg(unix)]
fn resolve_without_descriptors() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // Nothing answers there.
        let resolver = DnsResolver::asking(&[(LOOPBACK, 9).into()]).unwrap();
        let taken: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
        assert!(!taken.is_empty());
        assert_eq!(resolver.resolve("shop.example").await, Err(DnsError::NoResources));
        drop(taken);
        assert_eq!(resolver.resolve("shop.example").await, Err(DnsError::Failed));
    });
}
