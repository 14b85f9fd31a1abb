//! The default dialler, on loopback.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use tokio::net::TcpListener;
use verger_fetch::fetch::{Fetcher, Identity, Outcome, Request};
use verger_fetch::guard::{AddressKind, Guard, Why};
use verger_fetch::net::{ConnectError, NetworkError, TcpDial};

use crate::world::{RULES, World, answer, response};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn fetcher(guard: Guard) -> Fetcher {
    Fetcher::builder(Identity::new("ExampleBot/1.0").unwrap())
        .guard(guard)
        .resolve(Arc::new(World::new()))
        .dial(Arc::new(TcpDial))
        .build()
        .unwrap()
}

#[tokio::test]
async fn loopback_is_reached_where_it_is_allowed_and_only_there() {
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
    let Outcome::Refused(refusal) = refused.outcome else { panic!("{:?}", refused.outcome) };
    assert_eq!(refusal.why(), Why::Address(AddressKind::Loopback));
    assert!(world.requests().is_empty());

    let guard = Guard::new().allow_net("127.0.0.0/8".parse().unwrap());
    let fetched = fetcher(guard).fetch(&Request::new(url)).await;
    assert_eq!((fetched.outcome, fetched.body), (Outcome::Success, RULES.into()));
}

#[tokio::test]
async fn closed_port_is_a_network_error() {
    let listener = TcpListener::bind((LOOPBACK, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let guard = Guard::new().allow_net("127.0.0.0/8".parse().unwrap());
    let url = format!("http://127.0.0.1:{port}/robots.txt").parse().unwrap();
    let fetched = fetcher(guard).fetch(&Request::new(url)).await;
    let refused = NetworkError::Connect(ConnectError::Refused);
    assert_eq!(fetched.outcome, Outcome::Network(refused));
}
