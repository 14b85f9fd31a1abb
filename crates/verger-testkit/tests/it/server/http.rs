//! Each step of a script, over plain HTTP.

use std::io::ErrorKind;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use verger_testkit::server::{
    RULES, Request, Script, ScriptedResponse, ServerAction, Service, Setup, Site, World,
};

use super::client::{Heard, ask, connect, listen};
use super::soon;

const HOST: &str = "shop.example";

async fn one(script: Script) -> (World, Heard) {
    let world = Setup::web(HOST, Site::always(script)).start().await.expect("a world");
    let mut stream = connect(&world, 80).await;
    let heard = soon(ask(&mut stream, HOST, "/robots.txt")).await;
    (world, heard)
}

#[tokio::test]
async fn bytes_arrive_unchanged_and_the_request_is_recorded() {
    let (world, heard) = one(Script::text(b"a\0\xff")).await;
    assert_eq!(heard, Heard::Closed(b"a\0\xff".to_vec()));
    let record = world.record();
    assert_eq!(record.connections, 1);
    assert_eq!(record.requests[0].url(), "http://shop.example/robots.txt");
    assert_eq!(record.requests[0].head, b"GET /robots.txt HTTP/1.1\r\nHost: shop.example\r\n\r\n");
}

#[tokio::test]
async fn repetitions_are_counted() {
    for (unit, times) in [(&b"ab"[..], 100_001), (b"a", 3), (b"abc", 0), (&vec![b'x'; 70_000], 2)] {
        let (_, heard) = one(Script::of(ServerAction::Times(unit.to_vec(), times))).await;
        assert_eq!(heard, Heard::Closed(unit.repeat(times)), "{times}");
    }
}

#[tokio::test]
async fn forever_sends_bytes_without_an_end() {
    assert_eq!(
        one(Script::of(ServerAction::Forever(b"1\r\n#\r\n".to_vec()))).await.1,
        Heard::Endless
    );
}

#[tokio::test]
async fn single_bytes_are_all_sent() {
    assert_eq!(
        one(Script::of(ServerAction::Single(RULES.to_vec()))).await.1,
        Heard::Closed(RULES.to_vec())
    );
    assert_eq!(
        one(Script::of(ServerAction::Drip(b"drip".to_vec()))).await.1,
        Heard::Closed(b"drip".into())
    );
}

#[tokio::test]
async fn a_drip_comes_byte_by_byte_without_end() {
    let script = Script::of(ServerAction::DripForever(b"ab".to_vec()));
    let world = Setup::web(HOST, Site::always(script)).start().await.unwrap();
    let mut stream = connect(&world, 80).await;
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut heard = [0; 7];
    soon(stream.read_exact(&mut heard)).await.unwrap();
    assert_eq!(&heard, b"abababa");
}

#[tokio::test]
async fn then_never_leaves_the_connection_open_and_silent() {
    assert_eq!(one(Script::text("a").then_never()).await.1, Heard::Silent(b"a".into()));
}

#[tokio::test]
async fn a_reset_is_an_error_for_the_reader() {
    let (_, heard) =
        one(Script::text("a").then(ServerAction::Pause(Duration::from_millis(20))).then_reset())
            .await;
    assert_eq!(heard, Heard::Failed(b"a".into(), ErrorKind::ConnectionReset));
}

#[tokio::test]
async fn a_close_leaves_the_other_direction_open() {
    let world =
        Setup::web(HOST, Site::always(Script::of(ServerAction::Close))).start().await.unwrap();
    let mut stream = connect(&world, 80).await;
    assert_eq!(soon(ask(&mut stream, HOST, "/")).await, Heard::Closed(Vec::new()));
    // Still read and discarded: no reset.
    stream.write_all(&[b'x'; 10_000]).await.unwrap();
    assert_eq!(soon(listen(&mut stream)).await, Heard::Closed(Vec::new()));
}

#[tokio::test]
async fn an_open_connection_gets_the_next_request() {
    let site = Site::new().once(Script::text("first").staying()).any(Script::text("second"));
    let world = Setup::web(HOST, site).start().await.unwrap();
    let mut stream = connect(&world, 80).await;
    assert_eq!(soon(ask(&mut stream, HOST, "/a")).await, Heard::Silent(b"first".into()));
    assert_eq!(soon(ask(&mut stream, HOST, "/b")).await, Heard::Closed(b"second".into()));
    let record = world.record();
    let targets: Vec<_> = record.requests.iter().map(Request::target).collect();
    assert_eq!((targets, record.connections), (vec!["/a".to_owned(), "/b".to_owned()], 1));
    assert!(record.requests.iter().all(|request| request.connection == 0));
}

#[tokio::test]
async fn routes_depend_on_host_path_and_number() {
    let site = Site::new()
        .path_once("/robots.txt", ScriptedResponse::redirect(301, "/b").script())
        .host("other.example", ScriptedResponse::new(410).script())
        .path("/b", ScriptedResponse::rules().script());
    let world = Setup::web(HOST, site).start().await.unwrap();
    let mut heard = Vec::new();
    for (host, target) in
        [(HOST, "/robots.txt"), (HOST, "/robots.txt"), ("other.example", "/b"), (HOST, "/b")]
    {
        let mut stream = connect(&world, 80).await;
        let bytes = soon(ask(&mut stream, host, target)).await.bytes().to_vec();
        heard.push(String::from_utf8(bytes[9..12].to_vec()).unwrap());
    }
    assert_eq!(heard, ["301", "404", "410", "200"]);
    assert_eq!(world.record().connections, 4);
}

#[tokio::test]
async fn a_raw_service_can_send_first_or_wait_for_input() {
    let setup = Setup::new()
        .place(80, Service::Raw(Script::text("SSH-2.0-x\r\n").then_never()))
        .place(443, Service::Raw(Script::of(ServerAction::AwaitInput).then_text("heard")));
    let world = setup.start().await.unwrap();
    let mut first = connect(&world, 80).await;
    assert_eq!(soon(listen(&mut first)).await, Heard::Silent(b"SSH-2.0-x\r\n".into()));
    let mut second = connect(&world, 443).await;
    assert_eq!(soon(listen(&mut second)).await, Heard::Silent(Vec::new()));
    second.write_all(b"x").await.unwrap();
    assert_eq!(soon(listen(&mut second)).await, Heard::Closed(b"heard".into()));
}
