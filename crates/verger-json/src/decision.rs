//! The evidence of an answer of the robots client.

use std::io::{self, Write};

use serde::Serialize;
use verger::ProductToken;
use verger::access::{Stale, State, Timestamp};
use verger_fetch::decision::{Decision, Source};

use crate::record::RecordKeys;
use crate::values::Values;

/// The version of `decision` in the contract.
pub const VERSION: u8 = 2;

/// The evidence of a live answer: key `decision`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Decision))]
pub struct DecisionKeys<'a> {
    #[serde(flatten)]
    version: VersionKeys,
    checked_url: &'a str,
    #[serde(flatten)]
    question: QuestionKeys<'a>,
    decided_at: u64,
    #[serde(flatten)]
    access: AccessKeys<'a>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = DecisionVersion))]
struct VersionKeys {
    version: u8,
    verger: &'static str,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = DecisionQuestion))]
struct QuestionKeys<'a> {
    tokens: Vec<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ignores_star: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ignores_robots: bool,
    access_profile: &'static str,
    access: &'static str,
    source: &'static str,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = DecisionAccess))]
struct AccessKeys<'a> {
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
            version: VersionKeys { version: VERSION, verger: decision.version() },
            checked_url: decision.url().as_str(),
            question: QuestionKeys {
                tokens: crawler.tokens().iter().map(ProductToken::as_str).collect(),
                ignores_star: crawler.ignores_star(),
                ignores_robots: crawler.ignores_robots(),
                access_profile: decision.access_profile(),
                access: access.kind().name(),
                source: decision.source().name(),
            },
            decided_at: decision.decided_at().seconds(),
            access: AccessKeys {
                valid_until: access.valid_until().seconds(),
                stale: access.stale().map(Stale::name),
                asked_pause: pace.requested.map(|pause| pause.as_secs_f64()),
                kept_pause: pace.applied.as_secs_f64(),
                next_try: next_try(&decision.state()),
                record: decision.record().map(|record| {
                    RecordKeys::of(record, &decision.state(), decision.file(), decision.last())
                }),
            },
        }
    }
}

/// The evidence of decisions about one origin by the record in the store: JSON that lacks only the
/// URL and the time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RepeatedDecision {
    version: Vec<u8>,
    question: Vec<u8>,
    access: Vec<u8>,
}

impl RepeatedDecision {
    /// The evidence for a repeated question.
    pub fn of(decision: &Decision) -> Self {
        let mut keys = DecisionKeys::of(decision);
        keys.question.source = Source::Store.name();
        let [version, question, access] =
            [members(&keys.version), members(&keys.question), members(&keys.access)];
        Self { version, question, access }
    }

    /// Writes the value of `decision` for a URL as a client sends it.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, out: &mut impl Write, url: &str, now: Timestamp) -> io::Result<()> {
        let now = now.seconds();
        out.write_all(b"{")?;
        out.write_all(&self.version)?;
        out.write_all(b",\"checked_url\":")?;
        Values::write_value(out, &url)?;
        out.write_all(b",")?;
        out.write_all(&self.question)?;
        write!(out, ",\"decided_at\":{now},")?;
        out.write_all(&self.access)?;
        out.write_all(b"}")
    }
}

/// The members of an object.
fn members(keys: &impl Serialize) -> Vec<u8> {
    let mut json = Vec::new();
    // Writing to memory does not fail.
    let _ = Values::write_value(&mut json, keys);
    json.pop();
    json.drain(..1);
    json
}

/// Time of the next fetch in seconds since 1970; `None` for an origin that was never fetched.
pub fn next_try(state: &State) -> Option<u64> {
    (*state != State::UNKNOWN).then(|| state.next_try().seconds())
}
