//! The client without `async`.

use std::sync::Arc;

use tokio::runtime::Builder;
use verger::{Crawler, Dialect};
use verger_fetch::blocking::BlockingRobotsClient;
use verger_fetch::store::{MemoryStore, SqliteOptions, SqliteStore, Store as _};
use verger_testkit::server::{Answer, Setup, Site};

use crate::client::world::{NOW, client, key, origin, shop, start, until};

#[test]
fn a_back_off_that_is_reported_without_a_runtime_is_stored() {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let world = runtime.block_on(start(shop(Answer::new(404))));
    let store = Arc::new(MemoryStore::new());
    let client = BlockingRobotsClient::new(client(&world).store(store.clone())).unwrap();
    client.turn("http://shop.example/x").unwrap().report(503, Some(b"600"));
    runtime.block_on(until("a back-off", || async {
        let found = store.get(&key()).await.unwrap().found();
        found.unwrap().back_off().is_some_and(|it| it.until.seconds() == NOW + 600)
    }));
}

#[test]
fn every_method_works_without_a_runtime() {
    // The server's runtime; the client has its own.
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let file =
        Answer::new(200).body("User-agent: *\nDisallow: /x\nSitemap: https://shop.example/map\n");
    let site =
        Site::new().path("/robots.txt", file.script()).any(Answer::new(200).body("page").script());
    let world = runtime.block_on(start(Setup::web("shop.example", site)));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robots.sqlite");
    let store = SqliteStore::open_blocking(&path, SqliteOptions::default()).unwrap();
    let client = BlockingRobotsClient::new(client(&world).store(Arc::new(store))).unwrap();

    let origin = origin();
    let (x, y) = ("http://shop.example/x", "http://shop.example/y");
    assert!(!client.check(x).unwrap().is_allowed());
    let all: Vec<bool> =
        client.check_all([x, y]).into_iter().map(|answer| answer.unwrap().is_allowed()).collect();
    assert_eq!(all, [false, true]);
    let other = Arc::new(Crawler::new("OtherBot"));
    assert!(client.check_as(&other, &Dialect::GOOGLE, y).unwrap().is_allowed());
    client.turn(y).unwrap().report(200, None);
    assert_eq!(client.get(y).unwrap().body(), b"page");
    client.report_available(&origin, 200);
    assert_eq!(client.record(&origin).unwrap().last().unwrap().status, Some(200));
    let sitemaps = client.sitemaps(&origin).unwrap();
    assert_eq!(sitemaps[0].url.as_deref(), Some("https://shop.example/map"));
    let before = world.record().requests.len();
    client.refresh(&origin).unwrap();
    assert_eq!(world.record().requests.len(), before + 1);
}
