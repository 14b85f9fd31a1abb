//! What a live answer rests on, as the JSON contract has it (`docs/json.md`) and for people.

use std::fmt;

use serde::Serialize;
use verger::access::Timestamp;
use verger::{ProductToken, Untrusted};
use verger_fetch::decision::Decision;

use crate::kept::HopKeys;
use crate::output::time;

/// The version of `decision` in the contract.
pub(crate) const VERSION: u8 = 1;

/// The evidence of a live answer.
#[derive(Debug, Serialize)]
pub(crate) struct DecisionKeys<'a> {
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
    #[serde(flatten)]
    record: Option<RecordKeys<'a>>,
}

#[derive(Debug, Serialize)]
struct RecordKeys<'a> {
    origin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a str>,
    hops: Vec<HopKeys<'a>>,
    final_url: &'a str,
    tried_at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    fetched_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fresh_until: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_since: Option<u64>,
    downgraded: bool,
    cut: bool,
    html: bool,
    bytes: usize,
    sha256: String,
}

impl<'a> DecisionKeys<'a> {
    pub(crate) fn of(decision: &'a Decision) -> Self {
        let (access, pace) = (decision.access(), decision.pace());
        let crawler = decision.crawler();
        let seconds = |time: Option<Timestamp>| time.map(Timestamp::seconds);
        let record = decision.record().map(|record| {
            let answer = record.answer();
            let hops = answer.hops.iter();
            RecordKeys {
                origin: record.origin().to_string(),
                status: answer.status,
                failure: answer.failure.as_deref(),
                hops: hops.map(|hop| HopKeys { status: hop.status, url: &hop.url }).collect(),
                final_url: &answer.final_url,
                tried_at: record.fetched_at(),
                fetched_at: seconds(record.state().fetched_at()),
                fresh_until: record.fresh_until(),
                failing_since: seconds(record.state().failing_since()),
                downgraded: answer.downgraded,
                cut: answer.truncated,
                html: answer.html,
                bytes: answer.body.as_bytes().len(),
                sha256: answer.body.sha256_hex(),
            }
        });
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
            stale: access.stale().map(verger::access::Stale::name),
            asked_pause: pace.asked.map(|asked| asked.as_secs_f64()),
            kept_pause: pace.kept.as_secs_f64(),
            record,
        }
    }
}

/// The evidence in a few words, for the line of an answer.
pub(crate) struct InWords<'a>(pub(crate) &'a Decision);

impl fmt::Display for InWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(record) = self.0.record() else {
            return f.write_str("nothing fetched");
        };
        let answer = record.answer();
        match (&answer.failure, answer.status) {
            (Some(failure), _) => write!(f, "{}", Untrusted::new(failure))?,
            (None, Some(status)) => write!(f, "status {status}")?,
            (None, None) => f.write_str("fetched")?,
        }
        write!(f, ", {}", time(record.fetched_at()))?;
        if self.0.source() == verger_fetch::decision::Source::Store {
            f.write_str(", from the store")?;
        }
        match self.0.access().stale() {
            Some(_) => f.write_str(", by the last copy"),
            None => Ok(()),
        }
    }
}
