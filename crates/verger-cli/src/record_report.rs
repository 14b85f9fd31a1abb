//! Records of the store, as in the JSON contract (`docs/json.md`).

use serde::Serialize;
use verger::Reason;
use verger::access::{Stale, Timestamp};
use verger_fetch::client::RobotsClient;
use verger_fetch::failure::Failure;
use verger_fetch::record::{OriginRecord, Response};
use verger_fetch::store::StoreEntry;
use verger_json::stored_record::RecordReport;

use crate::sentence::time;

/// A record in the list of a store.
#[derive(Debug, Serialize)]
pub(crate) struct EntryReport<'a> {
    pub(crate) origin: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) identity: &'a str,
    pub(crate) access_profile: &'a str,
    #[serde(flatten)]
    pub(crate) summary: Summary<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Summary<'a> {
    Readable {
        access: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        tried_at: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        fetched_at: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        fresh_until: Option<u64>,
        bytes: usize,
    },
    Unreadable {
        error: Message,
    },
}

#[derive(Debug, Serialize)]
pub(crate) struct Message {
    pub(crate) message: String,
}

impl<'a> EntryReport<'a> {
    pub(crate) fn of(entry: &'a StoreEntry) -> Self {
        let summary = match &entry.summary {
            Ok(summary) => Summary::Readable {
                access: &summary.access,
                status: summary.status,
                tried_at: summary.tried_at,
                fetched_at: summary.fetched_at,
                fresh_until: summary.fresh_until,
                bytes: summary.body_bytes,
            },
            Err(miss) => Summary::Unreadable { error: Message { message: miss.to_string() } },
        };
        let [origin, identity, access_profile] = entry.parts();
        Self { origin, identity, access_profile, summary }
    }
}

/// The record of an origin after a fetch, and its meaning.
#[derive(Debug, Serialize)]
pub(crate) struct FetchedRecord<'a> {
    #[serde(flatten)]
    pub(crate) record: RecordReport<'a>,
    pub(crate) meaning: MeaningKeys,
}

/// The access to an origin, and its reason.
#[derive(Debug, Serialize)]
pub(crate) struct MeaningKeys {
    pub(crate) access_profile: &'static str,
    pub(crate) access: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stale: Option<&'static str>,
    pub(crate) valid_until: u64,
    /// Time of the copy that decides; only in text.
    #[serde(skip)]
    pub(crate) copy_of: Option<u64>,
    /// Time of the last try to fetch a newer one; only in text.
    #[serde(skip)]
    pub(crate) last_try: Option<String>,
}

impl MeaningKeys {
    pub(crate) fn of(record: &OriginRecord, client: &RobotsClient) -> Self {
        let access = client.access(record);
        let fetched_at = record.state().fetched_at().map(Timestamp::seconds);
        Self {
            access_profile: client.read_options().profile().name,
            access: access.kind().name(),
            reason: access.reason().map(Reason::name),
            stale: access.stale().map(Stale::name),
            valid_until: access.valid_until().seconds(),
            copy_of: fetched_at.filter(|_| access.stale().is_some()),
            last_try: record.last().and_then(|last| last_try(last)),
        }
    }
}

/// The warning that a file is a copy from before an outage, with the time of the last try.
pub(crate) fn copy_warning(client: &RobotsClient, record: &OriginRecord) -> Option<String> {
    let last = record.last()?;
    let failure = last.failure.as_ref()?;
    let stale = client.access(record).stale()?;
    if !matches!(stale, Stale::DuringOutage | Stale::NotRefreshed) {
        return None;
    }
    let fetched = record.state().fetched_at()?;
    let tried = last_try(last).map(|tried| format!(", last try {tried}")).unwrap_or_default();
    Some(format!("this is the last copy, of {}: {failure}{tried}", time(fetched.seconds())))
}

/// Time of the last try; `None` if the client is offline.
pub(crate) fn last_try(last: &Response) -> Option<String> {
    let is_offline = matches!(last.failure, Some(Failure::Offline { .. }));
    (!is_offline).then(|| time(last.tried_at.seconds()))
}
