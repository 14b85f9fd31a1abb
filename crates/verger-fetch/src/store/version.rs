//! The files of an origin over time.

use verger::access::Timestamp;

use crate::record::OriginRecord;

/// One file of an origin, as a store remembers it for audits.
///
/// Between two versions there may have been a time without a file: an outage, or a response that
/// allows or disallows everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileVersion {
    /// SHA-256 of the body.
    pub sha256: [u8; 32],
    /// End of the first fetch with this file.
    pub from: Timestamp,
    /// End of the last fetch that returned or confirmed it.
    pub until: Timestamp,
    /// Bytes of the body.
    pub bytes: u64,
}

impl FileVersion {
    /// A version that was seen from one time to another.
    pub const fn new(sha256: [u8; 32], from: Timestamp, until: Timestamp, bytes: u64) -> Self {
        Self { sha256, from, until, bytes }
    }

    /// The version of a record's file; `None` if it has none.
    pub fn of(record: &OriginRecord) -> Option<Self> {
        let file = record.file()?;
        let states = record.states().iter().map(|entry| &entry.state);
        let confirmed = states.filter(|state| state.has_copy()).filter_map(|it| it.fetched_at());
        let until = confirmed.fold(file.fetched_at, Timestamp::max);
        let bytes = file.body.as_bytes().len() as u64;
        Some(Self::new(*file.body.sha256(), file.fetched_at, until, bytes))
    }

    /// This version, seen again as another one of the same file.
    #[must_use]
    pub fn extended(self, other: &Self) -> Self {
        Self { from: self.from.min(other.from), until: self.until.max(other.until), ..self }
    }
}
