//! What a store keeps, as the JSON contract has it (`docs/json.md`).

use serde::Serialize;
use verger::Reason;
use verger::access::{Access, Stale, Timestamp};
use verger_fetch::record::{Miss, Record};
use verger_fetch::store::{Entry, Summary};

use crate::foreign::Foreign;

/// A line of a list.
#[derive(Debug, Serialize)]
pub(crate) struct Listed<'a> {
    pub(crate) origin: &'a str,
    #[serde(flatten)]
    pub(crate) found: Found<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Found<'a> {
    Summary {
        access: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        fetched_at: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        fresh_until: Option<u64>,
        bytes: usize,
    },
    Miss {
        error: Message,
    },
}

#[derive(Debug, Serialize)]
pub(crate) struct Message {
    pub(crate) message: String,
}

impl<'a> Listed<'a> {
    pub(crate) fn of(entry: &'a Entry) -> Self {
        let found = match &entry.summary {
            Ok(Summary { access, status, fetched_at, fresh_until, body_bytes, .. }) => {
                Found::Summary {
                    access,
                    status: *status,
                    fetched_at: *fetched_at,
                    fresh_until: *fresh_until,
                    bytes: *body_bytes,
                }
            }
            Err(miss) => Found::Miss { error: Message { message: miss.to_string() } },
        };
        Self { origin: &entry.origin, found }
    }

    pub(crate) fn miss(entry: &Entry) -> Option<&Miss> {
        entry.summary.as_ref().err()
    }
}

/// The record of an origin.
#[derive(Debug, Serialize)]
pub(crate) struct Kept<'a> {
    pub(crate) origin: String,
    pub(crate) access: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    pub(crate) fetched_at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fresh_until: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failing_since: Option<u64>,
    pub(crate) next_try: u64,
    pub(crate) hops: Vec<HopKeys<'a>>,
    pub(crate) final_url: &'a str,
    #[serde(flatten)]
    pub(crate) etag: Foreign<Option<&'a [u8]>>,
    #[serde(flatten)]
    pub(crate) last_modified: Foreign<Option<&'a [u8]>>,
    #[serde(flatten)]
    pub(crate) media_type: Foreign<Option<&'a [u8]>>,
    pub(crate) truncated: bool,
    pub(crate) downgraded: bool,
    pub(crate) html: bool,
    pub(crate) bytes: usize,
    pub(crate) sha256: String,
    #[serde(flatten)]
    pub(crate) body: Foreign<Option<&'a [u8]>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct HopKeys<'a> {
    pub(crate) status: u16,
    pub(crate) url: &'a str,
}

impl<'a> Kept<'a> {
    pub(crate) fn of(record: &'a Record) -> Self {
        let answer = record.answer();
        let body = answer.body.as_bytes();
        Self {
            origin: record.origin().to_string(),
            access: record.kind(),
            status: answer.status,
            fetched_at: record.fetched_at(),
            fresh_until: record.fresh_until(),
            failure: answer.failure.as_deref(),
            failing_since: record.state().failing_since().map(Timestamp::seconds),
            next_try: record.state().next_try().seconds(),
            hops: answer
                .hops
                .iter()
                .map(|hop| HopKeys { status: hop.status, url: &hop.url })
                .collect(),
            final_url: &answer.final_url,
            etag: Foreign::new("etag", answer.validators.etag.as_deref()),
            last_modified: Foreign::new(
                "last_modified",
                answer.validators.last_modified.as_deref(),
            ),
            media_type: Foreign::new("media_type", answer.media_type.as_deref()),
            truncated: answer.truncated,
            downgraded: answer.downgraded,
            html: answer.html,
            bytes: body.len(),
            sha256: answer.body.sha256_hex(),
            body: Foreign::new("body", Some(body)),
        }
    }

    /// The same without the file.
    #[must_use]
    pub(crate) fn without_body(self) -> Self {
        Self { body: Foreign::new("body", None), ..self }
    }
}

/// What was fetched of an origin, and what it means.
#[derive(Debug, Serialize)]
pub(crate) struct Fetched<'a> {
    #[serde(flatten)]
    pub(crate) kept: Kept<'a>,
    pub(crate) meaning: MeaningKeys,
}

/// What may be fetched of an origin.
#[derive(Debug, Serialize)]
pub(crate) struct MeaningKeys {
    pub(crate) access_profile: &'static str,
    pub(crate) access: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stale: Option<&'static str>,
    pub(crate) valid_until: u64,
}

impl MeaningKeys {
    pub(crate) fn of(access_profile: &'static str, access: Access) -> Self {
        Self {
            access_profile,
            access: access.kind().name(),
            reason: access.reason().map(Reason::name),
            stale: access.stale().map(Stale::name),
            valid_until: access.valid_until().seconds(),
        }
    }
}

/// How many records are gone.
#[derive(Debug, Serialize)]
pub(crate) struct Cleared {
    pub(crate) removed: u64,
}
