//! The counters with a recorder.

use std::collections::BTreeMap;

use metrics_util::debugging::{DebugValue, DebuggingRecorder};

use crate::polite::site::Sites;

/// Counters by name and labels; for histograms the number of values.
fn counted(work: impl AsyncFnOnce()) -> BTreeMap<String, u64> {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    metrics::with_local_recorder(&recorder, || runtime.unwrap().block_on(work()));
    let values = snapshotter.snapshot().into_vec().into_iter().map(|(key, _, _, value)| {
        let labels: Vec<_> = key.key().labels().map(|label| label.value().to_owned()).collect();
        let value = match value {
            DebugValue::Counter(count) => count,
            DebugValue::Histogram(values) => u64::try_from(values.len()).unwrap(),
            DebugValue::Gauge(_) => panic!("there are no gauges"),
        };
        (format!("{} {}", key.key().name(), labels.join(" ")).trim_end().to_owned(), value)
    });
    values.collect()
}

#[test]
fn questions_fetches_bytes_and_waits_are_counted() {
    let found = counted(async || {
        let robots = "User-agent: *\nDisallow: /cart\n";
        let sites = Sites::shop(robots).page("http://shop.example/x", "200 OK", "", "12345");
        let client = sites.client().build().unwrap();
        assert!(client.get("http://shop.example/x").await.unwrap().is_success());
        assert!(client.get("http://shop.example/cart").await.is_err());
        assert!(client.check("http://shop.example/y").await.unwrap().is_allowed());
        assert!(client.get("http://shop.example/404").await.unwrap().body().is_empty());
    });
    let expected = [
        ("verger_decisions_total rules fetch", 1),
        ("verger_decisions_total rules store", 3),
        ("verger_fetch_seconds page", 2),
        ("verger_fetch_seconds robots", 1),
        ("verger_fetches_total page status", 1),
        ("verger_fetches_total page success", 1),
        ("verger_fetches_total robots success", 1),
        ("verger_turn_wait_seconds", 2),
        ("verger_wire_bytes_total page", 5),
        ("verger_wire_bytes_total robots", 30),
    ];
    assert_eq!(found, expected.map(|(name, count)| (name.to_owned(), count)).into());
}
