//! What a store keeps, as the JSON contract has it (`docs/json.md`).

use serde::Serialize;
use verger::Reason;
use verger::access::{Access, Stale};
use verger_fetch::record::{Miss, Record};
use verger_fetch::store::Entry;

use crate::foreign::Foreign;
use crate::last_copy::last_try;
use crate::record_keys::RecordKeys;

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
        tried_at: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        fetched_at: Option<u64>,
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
            Ok(summary) => Found::Summary {
                access: &summary.access,
                status: summary.status,
                tried_at: summary.tried_at,
                fetched_at: summary.fetched_at,
                fresh_until: summary.fresh_until,
                bytes: summary.body_bytes,
            },
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
    #[serde(flatten)]
    pub(crate) record: RecordKeys<'a>,
    pub(crate) access: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) access_profile: &'a str,
    pub(crate) next_try: u64,
    #[serde(flatten)]
    pub(crate) etag: Foreign<Option<&'a [u8]>>,
    #[serde(flatten)]
    pub(crate) last_modified: Foreign<Option<&'a [u8]>>,
    #[serde(flatten)]
    pub(crate) media_type: Foreign<Option<&'a [u8]>>,
    #[serde(flatten)]
    pub(crate) body: Foreign<Option<&'a [u8]>>,
}

impl<'a> Kept<'a> {
    pub(crate) fn of(record: &'a Record) -> Self {
        let answer = record.answer();
        let validators = &answer.validators;
        let last_modified = validators.last_modified.as_deref();
        Self {
            record: RecordKeys::of(record),
            access: record.kind(),
            access_profile: &answer.access_profile,
            next_try: record.state().next_try().seconds(),
            etag: Foreign::new("etag", validators.etag.as_deref()),
            last_modified: Foreign::new("last_modified", last_modified),
            media_type: Foreign::new("media_type", answer.media_type.as_deref()),
            body: Foreign::new("body", Some(answer.body.as_bytes())),
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
    /// From when the copy is that decides; for people.
    #[serde(skip)]
    pub(crate) copy_of: Option<u64>,
    /// When another one was last tried to fetch; for people.
    #[serde(skip)]
    pub(crate) last_try: Option<String>,
}

impl MeaningKeys {
    pub(crate) fn of(record: &Record, access_profile: &'static str, access: Access) -> Self {
        Self {
            access_profile,
            access: access.kind().name(),
            reason: access.reason().map(Reason::name),
            stale: access.stale().map(Stale::name),
            valid_until: access.valid_until().seconds(),
            copy_of: record.fetched_at().filter(|_| access.stale().is_some()),
            last_try: last_try(record),
        }
    }
}

/// How many records are gone.
#[derive(Debug, Serialize)]
pub(crate) struct Cleared {
    pub(crate) removed: u64,
}
