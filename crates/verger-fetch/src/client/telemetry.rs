//! Events through the facade `tracing`, and numbers through the facade `metrics` (feature
//! `metrics`). They have no effect unless the program installs a subscriber and a recorder.

use std::time::Duration;

#[cfg(feature = "metrics")]
use metrics::{counter, histogram};
use tracing::Span;
use url::Url;
use verger::Untrusted;
use verger::limits::QUOTED_CHARS;

use crate::decision::Decision;
use crate::failure::Failure;
use crate::fetch::{FetchReport, sent_url};
use crate::record::OriginRecord;

/// The span of the polite fetch of a page, including its turns. Credentials and fragment are
/// removed from the URL.
pub(super) fn page_span(url: &str) -> Span {
    let Some(url) = sent_url(url) else { return tracing::info_span!("page") };
    tracing::info_span!("page", url = %shown(&url))
}

/// Counts a decision.
#[cfg_attr(not(feature = "metrics"), expect(unused_variables, reason = "there are no metrics"))]
pub(super) fn decided(decision: &Decision) {
    #[cfg(feature = "metrics")]
    {
        let access = decision.access().kind().name();
        let source = decision.source().name();
        counter!("verger_decisions_total", "access" => access, "source" => source).increment(1);
    }
}

/// Reports the end of a fetch of `what`, `robots` or `page`.
pub(super) fn fetched(what: &'static str, fetched: &FetchReport) {
    let outcome = label(fetched);
    #[cfg(feature = "metrics")]
    {
        counter!("verger_fetches_total", "what" => what, "outcome" => outcome).increment(1);
        histogram!("verger_fetch_seconds", "what" => what).record(fetched.time);
        let bytes = u64::try_from(fetched.wire_bytes).unwrap_or(u64::MAX);
        counter!("verger_wire_bytes_total", "what" => what).increment(bytes);
    }
    tracing::debug!(
        what,
        url = %shown(&fetched.final_url),
        status = fetched.status,
        outcome,
        hops = fetched.hops.len(),
        bytes = fetched.body.len(),
        seconds = fetched.time.as_secs_f64(),
        "fetched"
    );
}

/// Records the wait for a turn.
#[cfg_attr(not(feature = "metrics"), expect(unused_variables, reason = "there are no metrics"))]
pub(super) fn waited(waited: Duration) {
    #[cfg(feature = "metrics")]
    histogram!("verger_turn_wait_seconds").record(waited);
}

/// Warns if robots.txt is unreachable after a fetch.
pub(super) fn recorded(record: &OriginRecord) {
    let state = record.state();
    let failure = record.last().and_then(|last| last.failure.as_ref());
    if let Some(failure) = failure.filter(|_| state.failures() > 0 || record.has_fault()) {
        tracing::warn!(failures = state.failures(), %failure, "robots.txt is unreachable");
    }
}

/// Counts a lookup of a store by the tier that answered.
#[cfg_attr(not(feature = "metrics"), expect(unused_variables, reason = "there are no metrics"))]
pub(super) fn looked_up(tier: &'static str) {
    #[cfg(feature = "metrics")]
    counter!("verger_store_lookups_total", "tier" => tier).increment(1);
}

/// Counts an event without labels.
#[cfg_attr(not(feature = "metrics"), expect(unused_variables, reason = "there are no metrics"))]
pub(super) fn count(name: &'static str) {
    #[cfg(feature = "metrics")]
    counter!(name).increment(1);
}

/// The counter of failed calls of the store.
pub(super) const STORE_FAILURES: &str = "verger_store_failures_total";

/// Records a wait for another process that fetches the same origin.
#[cfg_attr(not(feature = "metrics"), expect(unused_variables, reason = "there are no metrics"))]
pub(super) fn waited_for_lease(waited: Duration) {
    #[cfg(feature = "metrics")]
    histogram!("verger_lease_wait_seconds").record(waited);
}

fn shown(url: &Url) -> Untrusted<'_> {
    Untrusted::new(url.as_str()).limited_to(QUOTED_CHARS)
}

const fn label(fetched: &FetchReport) -> &'static str {
    match fetched.failure {
        None if fetched.is_not_modified() => "not_modified",
        None => "success",
        Some(Failure::RedirectLimit) => "redirect_limit",
        Some(Failure::BrokenRedirect(_)) => "broken_redirect",
        Some(Failure::DisallowedHop) => "disallowed_hop",
        Some(Failure::Network(_)) => "network",
        Some(Failure::Refused(_)) => "refused",
        Some(Failure::Busy(_)) => "busy",
        Some(_) => "status",
    }
}
