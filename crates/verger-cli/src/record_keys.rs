//! A record, as the JSON contract has it (`docs/json.md`): in a `decision`, and in what a store keeps.

use serde::Serialize;
use serde_json::Value;
use verger::Untrusted;
use verger::access::{State, Timestamp};
use verger_fetch::record::{Body, Failure, File, Hop, Record, Response, Way};

/// The source and the times of a robots.txt, for one access profile.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the contract, or for people")]
pub(crate) struct RecordKeys<'a> {
    pub(crate) origin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<FailureKeys>,
    pub(crate) hops: Vec<HopKeys<'a>>,
    pub(crate) final_url: &'a str,
    pub(crate) tried_at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fetched_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fresh_until: Option<u64>,
    #[serde(flatten)]
    pub(crate) outage: Option<OutageKeys>,
    pub(crate) downgraded: bool,
    pub(crate) truncated: bool,
    pub(crate) html: bool,
    pub(crate) bytes: usize,
    pub(crate) sha256: String,
    /// For people.
    #[serde(skip)]
    pub(crate) basis: Basis,
}

/// What a record rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// A fetch.
    Fetch,
    /// A file that was stored before; the client is offline.
    File,
    /// Nothing: the client is offline.
    Nothing,
}

/// An outage: its begin by the clock, and its length and fetches (REP-CACHE-25).
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct OutageKeys {
    pub(crate) failing_since: u64,
    pub(crate) failing_for: u64,
    pub(crate) failures: u32,
}

/// Why a fetch brought no file: `kind`, for some kinds `detail`, and `message`.
#[derive(Debug, Serialize)]
pub(crate) struct FailureKeys {
    kind: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Value>,
    pub(crate) message: String,
}

/// A redirect.
#[derive(Debug, Serialize)]
pub(crate) struct HopKeys<'a> {
    pub(crate) status: u16,
    pub(crate) url: &'a str,
}

impl<'a> RecordKeys<'a> {
    pub(crate) fn of(
        record: &'a Record,
        state: &State,
        file: Option<&'a File>,
        last: Option<&'a Response>,
    ) -> Self {
        let way = Way::of(file, last);
        let empty = Body::default();
        let body = file.map_or(&empty, |file| &file.body);
        Self {
            origin: record.origin().to_string(),
            status: last.and_then(|last| last.status),
            failure: last.and_then(|last| last.failure.as_ref()).map(FailureKeys::of),
            hops: way.hops.iter().map(HopKeys::of).collect(),
            final_url: way.final_url,
            tried_at: last.map_or(0, |last| last.tried_at.seconds()),
            fetched_at: state.fetched_at().map(Timestamp::seconds),
            fresh_until: state.fresh_until().map(Timestamp::seconds),
            outage: OutageKeys::of(state),
            downgraded: way.downgraded,
            truncated: file.is_some_and(File::is_truncated),
            html: file.is_some_and(|file: &File| file.html),
            bytes: body.as_bytes().len(),
            sha256: body.sha256_hex(),
            basis: Basis::of(file, last),
        }
    }
}

impl Basis {
    fn of(file: Option<&File>, last: Option<&Response>) -> Self {
        let is_offline =
            last.is_some_and(|last| matches!(last.failure, Some(Failure::Offline { .. })));
        match (is_offline, file) {
            (false, _) => Self::Fetch,
            (true, Some(_)) => Self::File,
            (true, None) => Self::Nothing,
        }
    }
}

impl OutageKeys {
    pub(crate) fn of(state: &State) -> Option<Self> {
        Some(Self {
            failing_since: state.failing_since()?.seconds(),
            failing_for: state.outage_length().as_secs(),
            failures: state.failures(),
        })
    }
}

impl FailureKeys {
    fn of(failure: &Failure) -> Self {
        let mut keys = serde_json::to_value(failure).unwrap_or_default();
        let mut detail = keys.get_mut("detail").map(Value::take);
        if let Failure::Message(_) = failure {
            // The message itself.
            detail = None;
        }
        detail.iter_mut().for_each(escape);
        Self { kind: keys["kind"].take(), detail, message: failure.to_string() }
    }
}

/// Parameters may hold foreign text, as the name of a host that was refused.
fn escape(value: &mut Value) {
    match value {
        Value::String(text) => *text = Untrusted::new(&*text).to_string(),
        Value::Object(keys) => keys.values_mut().for_each(escape),
        _ => {}
    }
}

impl<'a> HopKeys<'a> {
    pub(crate) fn of(hop: &'a Hop) -> Self {
        Self { status: hop.status, url: &hop.url }
    }
}
