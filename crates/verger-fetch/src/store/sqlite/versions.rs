//! The files of a record over time.

use rusqlite::{Connection, OptionalExtension as _, Transaction};
use verger::access::Timestamp;

use crate::limits::{VERSION_BYTES, VERSIONS};
use crate::record::{Body, OriginRecord, RecordKey};
use crate::store::FileVersion;

/// The known files of a record, oldest first, after the number of the first.
pub(super) fn versions(
    connection: &Connection,
    key: &RecordKey,
) -> rusqlite::Result<(i64, Vec<FileVersion>)> {
    let mut statement = connection.prepare_cached(
        "SELECT number, sha256, seen_from, seen_until, bytes FROM version WHERE key = ?1 ORDER BY number",
    )?;
    let rows = statement.query_map([key.as_str()], |row| {
        let unsigned = |at| {
            Ok::<_, rusqlite::Error>(u64::try_from(row.get::<_, i64>(at)?).unwrap_or_default())
        };
        let [from, until] = [unsigned(2)?, unsigned(3)?].map(Timestamp::from_seconds);
        Ok((row.get(0)?, FileVersion::new(row.get(1)?, from, until, unsigned(4)?)))
    })?;
    let rows = rows.collect::<rusqlite::Result<Vec<(i64, FileVersion)>>>()?;
    let first = rows.first().map_or(0, |(number, _)| *number);
    Ok((first, rows.into_iter().map(|(_, version)| version).collect()))
}

/// Takes note of the file of a record that will replace the one before it.
pub(super) fn remember_file(
    change: &Transaction<'_>,
    before: Option<&OriginRecord>,
    record: &OriginRecord,
) -> rusqlite::Result<()> {
    let key = record.key();
    let (first, known) = versions(change, key)?;
    let next = FileVersion::advance(known.clone(), before, record);
    let before = before.and_then(OriginRecord::file);
    let current = record.file().map(|file| *file.body.sha256());
    let mut statement = change.prepare_cached(
        "INSERT INTO version VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE
         SET seen_from = ?4, seen_until = ?5, body = coalesce(?7, body)",
    )?;
    for (number, (at, version)) in (first..).zip(next.iter().enumerate()) {
        // The record has the current body, and loses the one before.
        let body = before
            .map(|file| &file.body)
            .filter(|body| *body.sha256() == version.sha256 && current != Some(version.sha256));
        let is_last_known = at + 1 >= known.len();
        if known.get(at) != Some(version) || is_last_known && body.is_some() {
            let [from, until] = [version.from, version.until].map(|time| integer(time.seconds()));
            let (bytes, body) = (integer(version.bytes), body.map(Body::as_bytes));
            statement.execute((key.as_str(), number, version.sha256, from, until, bytes, body))?;
        }
    }
    let excess = FileVersion::excess(&next, VERSIONS, VERSION_BYTES);
    if excess > 0 {
        let kept = first.saturating_add(i64::try_from(excess).unwrap_or(i64::MAX));
        change
            .prepare_cached("DELETE FROM version WHERE key = ?1 AND number < ?2")?
            .execute((key.as_str(), kept))?;
    }
    Ok(())
}

/// The body of an earlier file.
pub(super) fn body_of(
    connection: &Connection,
    key: &RecordKey,
    sha256: &[u8; 32],
) -> rusqlite::Result<Option<Body>> {
    let mut statement = connection.prepare_cached(
        "SELECT body FROM version WHERE key = ?1 AND sha256 = ?2 AND body IS NOT NULL LIMIT 1",
    )?;
    let body: Option<Vec<u8>> =
        statement.query_row((key.as_str(), sha256), |row| row.get(0)).optional()?;
    // A damaged body has another hash.
    Ok(body.map(Body::new).filter(|body| body.sha256() == sha256))
}

/// A number as SQLite stores it. Its integers have a sign, so a larger one, which is no time and no
/// length, becomes the maximum.
pub(super) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
