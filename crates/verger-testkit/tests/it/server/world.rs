//! Names and dials.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::time::timeout;
use verger_testkit::server::{Lookup, NoAddress, PUBLIC, Script, Service, Setup};

/// An answer that is still absent after this time never comes.
const SOON: Duration = Duration::from_millis(50);

#[tokio::test]
async fn a_dial_reaches_loopback_or_fails() {
    let setup = Setup::new()
        .place(80, Service::Raw(Script::new()))
        .place(81, Service::Refused)
        .place(82, Service::Silent);
    let world = setup.start().await.unwrap();
    let at = |port| SocketAddr::from((PUBLIC, port));
    assert!(world.dial(at(80)).await.unwrap().ip().is_loopback());
    assert_eq!(world.dial(at(81)).await.unwrap_err().kind(), ErrorKind::ConnectionRefused);
    assert!(timeout(SOON, world.dial(at(82))).await.is_err());
    assert_eq!(world.dial(at(83)).await.unwrap_err().kind(), ErrorKind::ConnectionRefused);
    let record = world.record();
    assert_eq!(record.dials, [80, 81, 82, 83].map(at));
    assert_eq!(record.strays, [at(83)]);
}

#[tokio::test]
async fn an_ipv4_mapped_address_is_the_same_place() {
    let world = Setup::new().place(80, Service::Raw(Script::new())).start().await.unwrap();
    let mapped: IpAddr = "::ffff:93.184.216.34".parse().unwrap();
    assert!(world.dial((mapped, 80).into()).await.is_ok());
}

#[tokio::test]
async fn names_resolve_in_sequence_fail_and_stay_silent() {
    let private = IpAddr::from([10, 0, 0, 1]);
    let setup = Setup::new()
        .name("flip.example", [PUBLIC, private].map(|address| Lookup::addresses([address])))
        .name("bogus.example", [Lookup::Fails(NoAddress::Bogus)])
        .name("never.example", [Lookup::Never]);
    let world = setup.start().await.unwrap();
    assert_eq!(world.resolve("flip.example").await.unwrap().addresses, [PUBLIC]);
    assert_eq!(world.resolve("Flip.example.").await.unwrap().addresses, [private]);
    assert_eq!(world.resolve("bogus.example").await, Err(NoAddress::Bogus));
    assert_eq!(world.resolve("other.example").await, Err(NoAddress::NoSuchName));
    assert!(timeout(SOON, world.resolve("never.example")).await.is_err());
    let record = world.record();
    assert_eq!(record.lookups.len(), 5);
    assert_eq!(record.shown, [PUBLIC, private]);
}

#[tokio::test]
async fn dropping_the_world_stops_its_servers() {
    let world = Setup::new().place(80, Service::Raw(Script::new())).start().await.unwrap();
    let local = world.dial((PUBLIC, 80).into()).await.unwrap();
    drop(world);
    tokio::task::yield_now().await;
    let refused = tokio::net::TcpStream::connect(local).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
}
