//! The client without `async`, by a runtime on its own thread.

use std::sync::Arc;

use tokio::runtime::Builder;
use verger_fetch::background::Background;
use verger_fetch::store::{SqliteOptions, SqliteStore, Store as _};
use verger_testkit::server::ScriptedResponse;

use crate::client::world::{NOW, client, key, origin, shop, start, until};

#[test]
fn a_back_off_that_is_reported_without_a_runtime_is_stored() {
    // The server's runtime; the client has its own.
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let file = "User-agent: *\nDisallow: /x\nSitemap: https://shop.example/map\n";
    let world = runtime.block_on(start(shop(ScriptedResponse::new(200).body(file))));
    let background = Background::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robots.sqlite");
    let store = background.block_on(SqliteStore::open(&path, SqliteOptions::default())).unwrap();
    let store = Arc::new(store);
    let client = {
        let _inside = background.enter();
        client(&world).store(store.clone()).build().unwrap()
    };
    assert!(!background.block_on(client.check("http://shop.example/x")).unwrap().is_allowed());
    let sitemaps = background.block_on(client.sitemaps(&origin())).unwrap();
    assert_eq!(sitemaps[0].url.as_deref(), Some("https://shop.example/map"));
    let permit = background.block_on(client.turn("http://shop.example/y")).unwrap();
    permit.report(503, Some(b"600"));
    runtime.block_on(until("a back-off", || async {
        let found = store.get(&key()).await.unwrap().found();
        found.unwrap().back_off().is_some_and(|it| it.until.seconds() == NOW + 600)
    }));
}
