//! The files of a record over time.

use verger::access::Timestamp;

use crate::limits::SERVED_BETWEEN_FETCHES;
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
    /// End of the first fetch with this file after which there was one in each 24 hours.
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
        let state = record.state();
        let confirmed = state.fetched_at().filter(|_| state.has_copy()).unwrap_or_default();
        let until = confirmed.max(file.fetched_at);
        let bytes = file.body.as_bytes().len() as u64;
        Some(Self::new(*file.body.sha256(), file.fetched_at, until, bytes))
    }

    /// The versions after a record was replaced, oldest first. A file that returns after another
    /// one, or after a time without a file, is a version again.
    pub fn advance(
        mut versions: Vec<Self>,
        before: Option<&OriginRecord>,
        record: &OriginRecord,
    ) -> Vec<Self> {
        let had_none = before.is_some_and(|before| before.file().is_none());
        let seen = [before.and_then(Self::of), Self::of(record)];
        for (at, next) in seen.into_iter().enumerate() {
            let Some(next) = next else { continue };
            match versions.last_mut() {
                Some(last) if last.sha256 == next.sha256 && !(at == 1 && had_none) => {
                    // What was served in a long time without a fetch is not known.
                    if next.until.since(last.until) > SERVED_BETWEEN_FETCHES {
                        last.from = next.until;
                    }
                    last.until = last.until.max(next.until);
                }
                _ => versions.push(Self { from: next.until, ..next }),
            }
        }
        versions
    }

    /// The number of the oldest versions beyond limits: on their number, and on the bytes of all
    /// but the last. The last one, the current one, always remains.
    pub fn excess(versions: &[Self], most: usize, most_bytes: u64) -> usize {
        let (mut count, mut bytes) = (0, 0_u64);
        for version in versions.iter().rev() {
            bytes = bytes.saturating_add(if count == 0 { 0 } else { version.bytes });
            if count == most || bytes > most_bytes {
                break;
            }
            count += 1;
        }
        versions.len() - count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ReadOptions;
    use crate::record::tests::record_of;
    use verger::Origin;
    use verger::access::Profile;

    fn record(body: &str) -> OriginRecord {
        let origin = Origin::from_parts("https", "shop.example", None).unwrap();
        if body.is_empty() {
            return OriginRecord::new(ReadOptions::new(Profile::RFC9309).key(&origin));
        }
        record_of(&origin, body)
    }

    #[test]
    fn each_file_and_each_return_of_one_is_a_version() {
        let mut versions = Vec::new();
        let mut before: Option<OriginRecord> = None;
        for (body, count) in
            [("a", 1), ("a", 1), ("b", 2), ("a", 3), ("", 3), ("a", 4), ("", 4), ("b", 5)]
        {
            let next = record(body);
            versions = FileVersion::advance(versions, before.as_ref(), &next);
            assert_eq!(versions.len(), count, "{body}");
            before = Some(next);
        }
        // The record was evicted, and the file is the same.
        assert_eq!(FileVersion::advance(versions.clone(), None, &record("b")).len(), 5);
        assert_eq!(FileVersion::advance(versions, None, &record("a")).len(), 6);
    }
}
