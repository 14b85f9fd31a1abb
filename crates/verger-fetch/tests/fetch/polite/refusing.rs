//! A very large number of origins that refuse at the same time.

use std::sync::Arc;

use tokio::task::yield_now;
use tokio::time::Instant;
use verger::Origin;
use verger::access::{Outcome, Profile, Timestamp};
use verger_fetch::record::{Attempt, File, OriginRecord, ReadOptions, Response};
use verger_fetch::store::{MemoryStore, Store};

use crate::polite::site::Sites;

/// Enough for more pauses than fit in memory.
const ORIGINS: usize = 120_000;

#[expect(clippy::print_stdout, reason = "the memory is to be seen")]
#[tokio::test(start_paused = true)]
async fn a_new_origin_gets_a_turn_at_once_despite_many_back_offs() {
    let given = std::env::var("VERGER_BACK_OFF_ORIGINS").ok();
    let origins = given.and_then(|text| text.parse().ok()).unwrap_or(ORIGINS);
    let sites = Sites::shop("User-agent: *\nDisallow:\n");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let client = sites.client().store(Arc::clone(&store)).build().unwrap();
    for number in 0..origins {
        let host = format!("h{number}.d{}.example", number / 10);
        let origin = Origin::from_parts("http", &host, None).unwrap();
        store.put(Arc::new(fetched(&origin))).await.unwrap();
        let permit = client.turn(&format!("http://{host}/x")).await.unwrap();
        permit.report(503, Some(b"86400"));
        // Its back-off is written.
        yield_now().await;
    }
    let start = Instant::now();
    client.turn("http://shop.example/x").await.unwrap().report(200, None);
    assert_eq!(start.elapsed().as_secs(), 0);
    // An origin that refused is still in back-off after its pause was forgotten in memory.
    let last = format!("http://h{}.d{}.example/x", origins - 1, (origins - 1) / 10);
    assert!(client.check(&last).await.unwrap().delay().as_secs() > 86_000);
    let resident =
        crate::polite::resident_kib().map_or_else(String::new, |kib| format!(", {kib} KiB"));
    println!("{origins} origins in back-off{resident}");
}

/// The record of an origin whose robots.txt was fetched at midnight.
fn fetched(origin: &Origin) -> OriginRecord {
    let now = Timestamp::from_seconds(20_000 * 86_400);
    let mut attempt = Attempt::new(Response::new(now, Outcome::Success, origin.robots_url()));
    attempt.file = Some(File::new(origin, "User-agent: *\nDisallow:\n", now));
    let options = ReadOptions::new(Profile::RFC9309).with_identity("ExampleBot");
    OriginRecord::new(options.key(origin)).after(None, &options, attempt, 0).shared.unwrap()
}
