//! The record of an origin: in a `decision`, and in the list of a store.

use serde::Serialize;
use serde_json::Value;
use verger::Untrusted;
use verger::access::{State, Timestamp};
use verger_fetch::failure::Failure;
use verger_fetch::record::{Body, File, OriginRecord, RedirectChain, Response};

/// The source and the times of a robots.txt, for one access profile.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Record))]
#[non_exhaustive]
pub struct RecordKeys<'a> {
    /// Origin of the robots.txt.
    pub origin: String,
    /// Status of the last response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Failure of the last fetch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureKeys>,
    /// Redirects before the file.
    pub hops: Vec<HopKeys<'a>>,
    /// URL of the file.
    pub final_url: &'a str,
    /// Time of the last fetch, in seconds since 1970; 0 if there was none.
    pub tried_at: u64,
    /// Time of the last successful fetch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetched_at: Option<u64>,
    /// End of the freshness of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh_until: Option<u64>,
    /// The outage, if there is one.
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::optional::<OutageKeys>))]
    pub outage: Option<OutageKeys>,
    /// Whether a redirect led from https to http.
    pub downgraded: bool,
    /// Whether the file is longer than the size limit.
    pub truncated: bool,
    /// Whether the file looks like an HTML page.
    pub html: bool,
    /// Length of the file.
    pub bytes: usize,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// Source of this value, which is not written.
    #[serde(skip)]
    pub basis: Basis,
}

/// Source of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no other source")]
pub enum Basis {
    /// A fetch.
    Fetch,
    /// A stored file; the client is offline.
    File,
    /// Nothing; the client is offline.
    Nothing,
}

/// An outage: its begin by the clock, and its length and fetches (REP-CACHE-25).
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Outage))]
#[non_exhaustive]
pub struct OutageKeys {
    /// Begin by the clock, in seconds since 1970.
    pub failing_since: u64,
    /// Length in seconds, counted over failed fetches.
    pub failing_for: u64,
    /// Number of failed fetches.
    pub failures: u32,
}

/// The failure of a fetch: `kind`, for some kinds `detail`, and `message`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Failure))]
#[non_exhaustive]
pub struct FailureKeys {
    #[cfg_attr(feature = "_openapi", schema(value_type = String))]
    kind: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "_openapi", schema(value_type = Value, required = false))]
    detail: Option<Value>,
    /// Sentence for people.
    pub message: String,
}

/// A redirect.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Hop))]
#[non_exhaustive]
pub struct HopKeys<'a> {
    /// Status of the redirect.
    pub status: u16,
    /// URL of the redirect.
    pub url: &'a str,
}

impl<'a> RecordKeys<'a> {
    /// A record with its state in one access profile, its file for that profile, and its last
    /// response.
    pub fn of(
        record: &'a OriginRecord,
        state: &State,
        file: Option<&'a File>,
        last: Option<&'a Response>,
    ) -> Self {
        let chain = RedirectChain::of(file, last);
        let empty = Body::default();
        let body = file.map_or(&empty, |file| &file.body);
        Self {
            origin: record.origin().to_string(),
            status: last.and_then(|last| last.status),
            failure: last.and_then(|last| last.failure.as_ref()).map(FailureKeys::of),
            hops: chain.redirects.iter().map(|hop| HopKeys::new(hop.status, &hop.url)).collect(),
            final_url: chain.final_url,
            tried_at: last.map_or(0, |last| last.tried_at.seconds()),
            fetched_at: state.fetched_at().map(Timestamp::seconds),
            fresh_until: state.fresh_until().map(Timestamp::seconds),
            outage: OutageKeys::of(state),
            downgraded: chain.downgraded,
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
    /// The outage of a state; `None` if there is none.
    pub fn of(state: &State) -> Option<Self> {
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
        detail.iter_mut().for_each(escape);
        Self { kind: keys["kind"].take(), detail, message: failure.to_string() }
    }
}

/// Parameters may contain foreign text, such as the name of a refused host.
fn escape(value: &mut Value) {
    match value {
        Value::String(text) => *text = Untrusted::new(&*text).to_string(),
        Value::Object(keys) => keys.values_mut().for_each(escape),
        _ => {}
    }
}

impl<'a> HopKeys<'a> {
    /// A redirect as JSON.
    pub const fn new(status: u16, url: &'a str) -> Self {
        Self { status, url }
    }
}
