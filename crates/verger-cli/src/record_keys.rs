//! What is known of a record, as the JSON contract has it (`docs/json.md`): in a `decision`, and in what a
//! store keeps.

use serde::Serialize;
use verger::access::Timestamp;
use verger_fetch::record::{Hop, Record};

/// Where a robots.txt came from, and when.
#[derive(Debug, Serialize)]
pub(crate) struct RecordKeys<'a> {
    pub(crate) origin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<&'a str>,
    pub(crate) hops: Vec<HopKeys<'a>>,
    pub(crate) final_url: &'a str,
    pub(crate) tried_at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fetched_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fresh_until: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failing_since: Option<u64>,
    pub(crate) downgraded: bool,
    pub(crate) truncated: bool,
    pub(crate) html: bool,
    pub(crate) bytes: usize,
    pub(crate) sha256: String,
}

/// A redirect.
#[derive(Debug, Serialize)]
pub(crate) struct HopKeys<'a> {
    pub(crate) status: u16,
    pub(crate) url: &'a str,
}

impl<'a> RecordKeys<'a> {
    pub(crate) fn of(record: &'a Record) -> Self {
        let answer = record.answer();
        Self {
            origin: record.origin().to_string(),
            status: answer.status,
            failure: answer.failure.as_deref(),
            hops: answer.hops.iter().map(HopKeys::of).collect(),
            final_url: &answer.final_url,
            tried_at: record.tried_at(),
            fetched_at: record.fetched_at(),
            fresh_until: record.fresh_until(),
            failing_since: record.state().failing_since().map(Timestamp::seconds),
            downgraded: answer.downgraded,
            truncated: answer.truncated,
            html: answer.html,
            bytes: answer.body.as_bytes().len(),
            sha256: answer.body.sha256_hex(),
        }
    }
}

impl<'a> HopKeys<'a> {
    pub(crate) fn of(hop: &'a Hop) -> Self {
        Self { status: hop.status, url: &hop.url }
    }
}
