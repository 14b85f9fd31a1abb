//! The evidence of an answer of the robots client.

use serde::Serialize;
use verger::ProductToken;
use verger::access::{State, Timestamp};
use verger_fetch::decision::{Decision, Source};
use verger_fetch::polite::Pace;

use crate::record::RecordKeys;

/// The version of `decision` in the contract.
pub const VERSION: u8 = 2;

/// The evidence of a live answer: key `decision`.
#[derive(Debug, Serialize)]
pub struct DecisionKeys<'a> {
    version: u8,
    verger: &'static str,
    checked_url: &'a str,
    tokens: Vec<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ignores_star: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ignores_robots: bool,
    access_profile: &'static str,
    access: &'static str,
    source: &'static str,
    decided_at: u64,
    valid_until: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_pause: Option<f64>,
    kept_pause: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_try: Option<u64>,
    #[serde(flatten)]
    record: Option<RecordKeys<'a>>,
}

impl<'a> DecisionKeys<'a> {
    /// A decision of the robots client as JSON.
    pub fn of(decision: &'a Decision) -> Self {
        let pace = decision.pace();
        let source = decision.source();
        Self::new(decision, pace, decision.url().as_str(), source, decision.decided_at())
    }

    /// The same evidence for another URL of the origin, at a time at which the record in the store
    /// still decides. `pace` is that of the decision.
    pub fn repeated(decision: &'a Decision, pace: Pace, url: &'a str, now: Timestamp) -> Self {
        Self::new(decision, pace, url, Source::Store, now)
    }

    fn new(
        decision: &'a Decision,
        pace: Pace,
        checked_url: &'a str,
        source: Source,
        decided_at: Timestamp,
    ) -> Self {
        let access = decision.access();
        let crawler = decision.crawler();
        Self {
            version: VERSION,
            verger: decision.version(),
            checked_url,
            tokens: crawler.tokens().iter().map(ProductToken::as_str).collect(),
            ignores_star: crawler.ignores_star(),
            ignores_robots: crawler.ignores_robots(),
            access_profile: decision.access_profile(),
            access: access.kind().name(),
            source: source.name(),
            decided_at: decided_at.seconds(),
            valid_until: access.valid_until().seconds(),
            stale: access.stale().map(verger::access::Stale::name),
            asked_pause: pace.requested.map(|pause| pause.as_secs_f64()),
            kept_pause: pace.applied.as_secs_f64(),
            next_try: next_try(&decision.state()),
            record: decision.record().map(|record| {
                RecordKeys::of(record, &decision.state(), decision.file(), decision.last())
            }),
        }
    }
}

/// Time of the next fetch in seconds since 1970; `None` for an origin that was never fetched.
pub fn next_try(state: &State) -> Option<u64> {
    (*state != State::UNKNOWN).then(|| state.next_try().seconds())
}
