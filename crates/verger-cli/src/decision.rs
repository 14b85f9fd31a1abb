//! What a live answer rests on, as the JSON contract has it (`docs/json.md`) and for people.

use std::fmt;

use serde::Serialize;
use verger::ProductToken;
use verger_fetch::decision::{Decision, Source};

use crate::kept::next_try;
use crate::last_copy::last_try;
use crate::record_keys::RecordKeys;
use crate::time::time;

/// The version of `decision` in the contract.
const VERSION: u8 = 2;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    next_try: Option<u64>,
    #[serde(flatten)]
    record: Option<RecordKeys<'a>>,
}

impl<'a> DecisionKeys<'a> {
    pub(crate) fn of(decision: &'a Decision) -> Self {
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
            stale: access.stale().map(verger::access::Stale::name),
            asked_pause: pace.asked.map(|asked| asked.as_secs_f64()),
            kept_pause: pace.kept.as_secs_f64(),
            next_try: next_try(&decision.state()),
            record: decision.record().map(|record| {
                RecordKeys::of(record, &decision.state(), decision.file(), decision.last())
            }),
        }
    }
}

/// The evidence in a few words, for the line of an answer.
pub(crate) struct InWords<'a> {
    pub(crate) decision: &'a Decision,
    /// Nothing is fetched: there is no next try.
    pub(crate) offline: bool,
}

impl fmt::Display for InWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(record) = self.decision.record() else {
            return f.write_str("nothing fetched");
        };
        if self.decision.fault().is_some() {
            f.write_str("not answered: ")?;
        }
        let status = self.decision.last().and_then(|last| last.status);
        match (self.decision.failure(), status) {
            (Some(failure), _) => write!(f, "{failure}")?,
            (None, Some(status)) => write!(f, "status {status}")?,
            (None, None) => f.write_str("fetched")?,
        }
        let state = self.decision.state();
        let has_failed = state.failing_since().is_some() || record.has_fault();
        // A fresh file outlives a failed fetch.
        let fresh =
            self.decision.file().filter(|_| !has_failed && self.decision.failure().is_some());
        match self.decision.last().and_then(last_try) {
            Some(tried) if has_failed || fresh.is_some() => write!(f, ", last try {tried}")?,
            Some(tried) => write!(f, ", {tried}")?,
            None => {}
        }
        if self.decision.source() == Source::Store {
            f.write_str(", from the store")?;
        }
        if let (Some(_), Some(fetched)) = (self.decision.access().stale(), state.fetched_at()) {
            write!(f, ", by the copy of {}", time(fetched.seconds()))?;
        }
        if let Some(file) = fresh {
            write!(f, ", by the file of {}", time(file.fetched_at.seconds()))?;
        }
        // REP-ACCESS-35: it is read all the same.
        if self.decision.file().is_some_and(|file| file.html) {
            f.write_str(", looks like a page")?;
        }
        // A fault of the client is not stored, so another process would try at once.
        if state.failing_since().is_some() && !self.offline && !record.has_fault() {
            let next = self.decision.next_try().unwrap_or_default();
            write!(f, ", next try {}", time(next.seconds()))?;
        }
        Ok(())
    }
}
