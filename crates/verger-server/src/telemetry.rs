//! Logs, and numbers for operators.
//!
//! Labels are from closed sets: no host, path or agent of a request is a label.

use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};

use metrics::{
    Counter, Gauge, counter, describe_counter, describe_gauge, describe_histogram, gauge,
};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use verger::{Reason, quoted};

use crate::error::StartError;

/// The source of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tier {
    /// A prepared answer.
    Prepared,
    /// The client with the store.
    Store,
    /// A fetch.
    Fetch,
    /// No record was needed, or there is no answer.
    None,
}

const TIERS: [&str; 4] = ["prepared", "store", "fetch", "none"];

/// Counters of the hot path, looked up once.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// By reason, in the order of [`Reason::ALL`], and tier.
    answers: Vec<[Counter; TIERS.len()]>,
    /// Answers without a decision.
    pub(crate) pending: Counter,
    pub(crate) busy: Counter,
    statuses: Vec<Counter>,
    pub(crate) streamed: Counter,
    pub(crate) requests: Gauge,
    pub(crate) connections: Gauge,
    pub(crate) refused_connections: Counter,
    pub(crate) prepared_bytes: Gauge,
    pub(crate) work: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let answers = |reason: &'static str, tier: &'static str| counter!("verger_serve_answers_total", "reason" => reason, "tier" => tier);
        let statuses =
            STATUSES.map(|status| counter!("verger_serve_responses_total", "status" => status));
        Self {
            answers: Reason::ALL
                .iter()
                .map(|reason| TIERS.map(|tier| answers(reason.name(), tier)))
                .collect(),
            pending: answers("pending", "none"),
            busy: answers("busy", "none"),
            statuses: statuses.to_vec(),
            streamed: counter!("verger_serve_streamed_questions_total"),
            requests: gauge!("verger_serve_requests"),
            connections: gauge!("verger_serve_connections"),
            refused_connections: counter!("verger_serve_refused_connections_total"),
            prepared_bytes: gauge!("verger_serve_prepared_bytes"),
            work: gauge!("verger_serve_work"),
        }
    }

    pub(crate) fn answered(&self, reason: Reason, tier: Tier) {
        self.answers[place(reason)][tier as usize].increment(1);
    }

    /// Counts prepared answers of a stream, which are many.
    pub(crate) fn prepared(&self, counts: &mut Counts) {
        for (count, tiers) in counts.iter_mut().zip(&self.answers).filter(|(count, _)| **count > 0)
        {
            tiers[Tier::Prepared as usize].increment(std::mem::take(count));
        }
    }

    pub(crate) fn responded(&self, status: u16) {
        if let Some(counter) = self.statuses.get(usize::from(status / 100).saturating_sub(2)) {
            counter.increment(1);
        }
    }
}

/// Numbers of answers by reason, in the order of [`Reason::ALL`].
pub(crate) type Counts = [u64; Reason::ALL.len()];

/// The place of a reason in [`Counts`].
pub(crate) fn place(reason: Reason) -> usize {
    Reason::ALL.iter().position(|known| *known == reason).unwrap_or_default()
}

/// Classes of statuses.
const STATUSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];

/// Installs the recorder of this process, once. Returns the source of the text form, which is empty
/// if the embedding program has a recorder, which then gets all metrics.
pub(crate) fn recorder() -> Result<PrometheusHandle, StartError> {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    static LOCK: Mutex<()> = Mutex::new(());
    let _lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = HANDLE.get() {
        return Ok(handle.clone());
    }
    let error =
        |error: &dyn std::fmt::Display| StartError::new(format!("could not count: {error}"));
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BUCKETS)
        .map_err(|cause| error(&cause))?;
    let recorder = builder.build_recorder();
    let handle = recorder.handle();
    if metrics::set_global_recorder(recorder).is_err() {
        tracing::info!("this program has a recorder of metrics, so `/metrics` is empty");
    }
    describe();
    Ok(HANDLE.get_or_init(|| handle).clone())
}

/// Bounds of durations in seconds.
const BUCKETS: [f64; 13] =
    [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

fn describe() {
    for (name, about) in COUNTERS {
        describe_counter!(name, about);
    }
    for (name, about) in GAUGES {
        describe_gauge!(name, about);
    }
    for (name, about) in HISTOGRAMS {
        describe_histogram!(name, about);
    }
}

/// The counters, for `/metrics` and the book.
pub(crate) const COUNTERS: [(&str, &str); 13] = [
    ("verger_serve_answers_total", "Answers by reason and source"),
    ("verger_serve_responses_total", "Responses by class of status"),
    ("verger_serve_streamed_questions_total", "Questions of streams"),
    ("verger_serve_refused_connections_total", "Connections beyond the limit"),
    (
        "verger_decisions_total",
        "Decisions of the robots client, without prepared answers, by access and source",
    ),
    ("verger_fetches_total", "Fetches by outcome"),
    ("verger_joined_fetches_total", "Checks that joined the fetch of another check"),
    ("verger_wire_bytes_total", "Bytes of fetched bodies before decoding"),
    ("verger_store_failures_total", "Failed calls of the store"),
    ("verger_store_lookups_total", "Lookups in a store that is not in memory, by tier"),
    ("verger_leases_lost_total", "Leases that ended during their fetch"),
    ("verger_redis_calls_total", "Calls of Redis by call and result"),
    ("verger_redis_damaged_total", "Damaged or forged values in Redis"),
];

/// The gauges.
pub(crate) const GAUGES: [(&str, &str); 6] = [
    ("verger_serve_requests", "Running requests"),
    ("verger_serve_connections", "Open connections"),
    ("verger_serve_prepared_bytes", "Bytes of prepared answers"),
    ("verger_serve_work", "Evaluations and comparisons that run or wait"),
    ("verger_fetch_queue", "Origins whose robots.txt is fetched or waits for it"),
    ("verger_fetch_waiting", "Checks that wait for a fetch"),
];

/// The histograms.
pub(crate) const HISTOGRAMS: [(&str, &str); 4] = [
    ("verger_serve_request_seconds", "Duration of requests until their response begins, by route"),
    ("verger_fetch_seconds", "Duration of fetches"),
    ("verger_lease_wait_seconds", "Waits for another process that fetches the same robots.txt"),
    ("verger_redis_seconds", "Duration of calls that were sent to Redis, by call"),
];

/// Starts the log on standard error.
pub(crate) fn start_log(json: bool, levels: &str) -> Result<(), StartError> {
    let targets: Targets = levels.parse().map_err(|_| {
        let error =
            StartError::new(format!("expected levels of the log, but found {}", quoted(levels)));
        error.with_hint("`--log-level warn,verger_fetch=debug` is an example")
    })?;
    let layer = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false);
    let registry = tracing_subscriber::registry().with(targets);
    let started = if json {
        registry.with(layer.json().flatten_event(true)).try_init()
    } else {
        registry.with(layer).try_init()
    };
    started.map_err(|_| StartError::new("the log has already been started"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_have_their_names() {
        assert_eq!(TIERS[Tier::Fetch as usize], "fetch");
        assert_eq!(TIERS[Tier::None as usize], "none");
    }

    #[test]
    fn the_book_lists_every_number() {
        let page = include_str!("../../../docs/service.md");
        for (name, about) in COUNTERS.iter().chain(&GAUGES).chain(&HISTOGRAMS) {
            assert!(page.contains(&format!("| `{name}` |")), "{name}: {about}");
        }
    }

    #[test]
    fn every_number_of_the_crates_below_is_described() {
        // The service asks for turns without the client that counts them.
        let unused = ["verger_turn_wait_seconds", "verger_turns_lost_total"];
        let unused = unused.into_iter().chain(["verger_turn_store_failures_total"]);
        let mut known: Vec<&str> = unused.collect();
        known.extend(COUNTERS.iter().chain(&GAUGES).chain(&HISTOGRAMS).map(|(name, _)| *name));
        let sources = [
            include_str!("../../verger-fetch/src/client/telemetry.rs"),
            include_str!("../../verger-redis/src/telemetry.rs"),
        ];
        let literals = sources.iter().flat_map(|source| source.split('"').skip(1).step_by(2));
        let names: Vec<_> = literals.filter(|text| text.starts_with("verger_")).collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            assert!(known.contains(&name), "{name}");
        }
    }
}
