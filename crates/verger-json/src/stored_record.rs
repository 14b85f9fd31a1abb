//! The record of an origin as a store has it (feature `fetch`): the JSON of `verger cache show`.

use serde::Serialize;
use verger_fetch::record::{BackOff, File, OriginRecord};

use crate::decision::next_try;
use crate::foreign::Foreign;
use crate::record::RecordKeys;

/// The record of an origin.
///
/// # Examples
///
/// ```
/// use verger::access::Profile;
/// use verger_fetch::record::{OriginRecord, ReadOptions};
/// use verger_json::stored_record::RecordReport;
///
/// let options = ReadOptions::new(Profile::RFC9309);
/// let record = OriginRecord::new(options.key(&"https://shop.example".parse()?));
/// let json = serde_json::to_string(&RecordReport::of(&record, None))?;
/// assert!(json.starts_with(r#"{"origin":"https://shop.example","hops":[]"#), "{json}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = StoredRecord))]
#[non_exhaustive]
pub struct RecordReport<'a> {
    /// Its source and times.
    #[serde(flatten)]
    pub record: RecordKeys<'a>,
    /// The state: [`OriginRecord::kind`].
    pub access: &'a str,
    /// The name of the access profile.
    pub access_profile: &'a str,
    /// The identity that fetched it; empty if it is unknown.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub identity: &'a str,
    /// Time of the next fetch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_try: Option<u64>,
    /// The back-off of page requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back_off: Option<BackOffKeys>,
    /// The value of `ETag`, as received.
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::etag))]
    pub etag: Foreign<Option<&'a [u8]>>,
    /// The value of `Last-Modified`, as received.
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::last_modified))]
    pub last_modified: Foreign<Option<&'a [u8]>>,
    /// The value of `Content-Type`, as received.
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::media_type))]
    pub media_type: Foreign<Option<&'a [u8]>>,
    /// The body, decoded.
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::body))]
    pub body: Foreign<Option<&'a [u8]>>,
}

/// The time until which no page is requested.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = BackOff))]
#[non_exhaustive]
pub struct BackOffKeys {
    /// Its end, in seconds since 1970.
    pub until: u64,
    /// Consecutive refusals of the origin.
    pub refusals: u32,
}

impl BackOffKeys {
    fn of(back_off: BackOff) -> Self {
        Self { until: back_off.until.seconds(), refusals: back_off.refusals }
    }
}

impl<'a> RecordReport<'a> {
    /// The record with a file of it.
    pub fn of(record: &'a OriginRecord, file: Option<&'a File>) -> Self {
        let state = record.state();
        let validators = file.map(|file| &file.validators);
        let etag = validators.and_then(|validators| validators.etag.as_deref());
        let last_modified = validators.and_then(|validators| validators.last_modified.as_deref());
        let media_type = file.and_then(|file| file.media_type.as_deref());
        let body = file.map(|file| file.body.as_bytes()).unwrap_or_default();
        Self {
            record: RecordKeys::of(record, &state, file, record.last().map(|last| &**last)),
            access: record.kind(),
            access_profile: record.key().profile(),
            identity: record.key().identity(),
            next_try: next_try(&state),
            back_off: record.back_off().map(BackOffKeys::of),
            etag: Foreign::new("etag", etag),
            last_modified: Foreign::new("last_modified", last_modified),
            media_type: Foreign::new("media_type", media_type),
            body: Foreign::new("body", Some(body)),
        }
    }

    /// The same without the body.
    #[must_use]
    pub fn without_body(self) -> Self {
        Self { body: Foreign::new("body", None), ..self }
    }
}
