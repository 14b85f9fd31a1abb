//! The evidence of an answer of the robots client.

use serde::Serialize;
use verger::ProductToken;
use verger::access::{Stale, State};
use verger_fetch::decision::{Decision, RecordSource};

use crate::record::RecordKeys;
use crate::values::Values;

/// The version of `decision` in the contract.
pub const VERSION: u8 = 2;

/// The evidence of a live answer: key `decision`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Decision))]
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
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::optional::<RecordKeys>))]
    record: Option<RecordKeys<'a>>,
}

impl<'a> DecisionKeys<'a> {
    /// A decision of the robots client as JSON.
    pub fn of(decision: &'a Decision) -> Self {
        let (access, pace) = (decision.access(), decision.pace());
        let crawler = decision.crawler();
        Self {
            version: VERSION,
            verger: decision.version(),
            checked_url: decision.url().as_str(),
            tokens: crawler.tokens().iter().map(ProductToken::as_str).collect(),
            ignores_star: crawler.ignores_star(),
            ignores_robots: crawler.ignores_robots(),
            access_profile: decision.access_profile(),
            access: access.kind().name(),
            source: decision.source().name(),
            decided_at: decision.decided_at().seconds(),
            valid_until: access.valid_until().seconds(),
            stale: access.stale().map(Stale::name),
            asked_pause: pace.requested.map(|pause| pause.as_secs_f64()),
            kept_pause: pace.applied.as_secs_f64(),
            next_try: next_try(&decision.state()),
            record: decision.record().map(|record| {
                RecordKeys::of(record, &decision.state(), decision.file(), decision.last())
            }),
        }
    }
}

/// The evidence of decisions about one origin by the record in the store: JSON without the URL and
/// the time, in the parts around them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RepeatedDecision(pub(crate) [String; 3]);

impl RepeatedDecision {
    /// The evidence for a repeated question.
    pub fn of(decision: &Decision) -> Self {
        let source = RecordSource::Store.name();
        let of = DecisionKeys::of(decision);
        let keys = DecisionKeys { checked_url: "", source, decided_at: 0, ..of };
        let mut json = Vec::new();
        // Writing to memory does not fail.
        let _ = Values::write_value(&mut json, &keys);
        let json = String::from_utf8_lossy(&json);
        // Quotes inside of texts are escaped, so these are the keys.
        let (before, rest) = json.split_once("\"checked_url\":\"\"").unwrap_or_default();
        let (between, after) = rest.split_once("\"decided_at\":0").unwrap_or_default();
        let between = format!("{between}\"decided_at\":");
        Self([before.to_owned(), between, after.to_owned()])
    }
}

/// Time of the next fetch in seconds since 1970; `None` for an origin that was never fetched.
pub fn next_try(state: &State) -> Option<u64> {
    (*state != State::UNKNOWN).then(|| state.next_try().seconds())
}
