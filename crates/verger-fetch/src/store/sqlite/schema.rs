//! The tables, their detection in a file, the protection from an untrusted one, and free pages.
//! `docs/store.md` describes the tables for people.

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use crate::limits::{BUSY_TIMEOUT, RECORD_BYTES};

/// Mark of a SQLite file that is a store: `VRGR`.
pub(super) const APPLICATION_ID: i32 = 0x5652_4752;

/// `user_version` of written files.
pub(super) const VERSION: i32 = 3;

/// The content of a file by its marks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// An empty file.
    Nothing,
    /// A store of this version.
    Store,
    /// A store of a newer version.
    Newer(i32),
    /// A store of an earlier version.
    Earlier(i32),
    /// A store with tables of another version.
    Damaged,
    /// Another SQLite database.
    Other,
}

/// Room for the largest record, its columns, and its shared page.
#[expect(clippy::cast_possible_truncation, reason = "37 MiB")]
#[expect(clippy::cast_possible_wrap, reason = "37 MiB")]
const LARGEST_VALUE: i32 = (RECORD_BYTES + 1024 * 1024) as i32;

/// Protects a connection from an untrusted file.
pub(super) fn guard(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LARGEST_VALUE)?;
    Ok(())
}

/// Detects the content of a file, without a change.
pub(super) fn look(connection: &Connection) -> rusqlite::Result<Found> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let is_empty = connection
        .query_row("SELECT 1 FROM sqlite_schema LIMIT 1", [], |_| Ok(()))
        .optional()?
        .is_none();
    Ok(match (number("application_id")?, number("user_version")?) {
        (0, 0) if is_empty => Found::Nothing,
        (APPLICATION_ID, VERSION) if has_tables(connection)? => Found::Store,
        (APPLICATION_ID, version) if version > VERSION => Found::Newer(version),
        (APPLICATION_ID, version @ 1..VERSION) => Found::Earlier(version),
        (APPLICATION_ID, _) => Found::Damaged,
        _ => Found::Other,
    })
}

/// Creates the tables. If the process dies meanwhile, the file is empty.
pub(super) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    // It has an effect only before the first page, or with a rewrite of everything.
    connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")?;
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (_, statement) in OBJECTS {
        change.execute_batch(statement)?;
    }
    change.pragma_update(None, "application_id", APPLICATION_ID)?;
    change.pragma_update(None, "user_version", VERSION)?;
    change.commit()
}

/// Whether all definitions are exactly those of a store; SQLite stores their text. An additional
/// one, such as a trigger, is damage.
fn has_tables(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement = connection
        .prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")?;
    let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(String, String)> = found.collect::<rusqlite::Result<_>>()?;
    let found = found.iter().map(|(name, sql)| (&**name, &**sql));
    Ok(found.eq(OBJECTS.iter().copied()))
}

/// Returns pages to the file system if more than this number are free.
pub(super) fn vacuum(change: &Transaction<'_>, more_than: u32) -> rusqlite::Result<()> {
    if pragma(change, "freelist_count")? > u64::from(more_than) {
        // Each step frees one page.
        let mut statement = change.prepare_cached("PRAGMA incremental_vacuum")?;
        let mut steps = statement.query([])?;
        while steps.next()?.is_some() {}
    }
    Ok(())
}

pub(super) fn pragma(change: &Transaction<'_>, name: &str) -> rusqlite::Result<u64> {
    let number: i64 = change.pragma_query_value(None, name, |row| row.get(0))?;
    Ok(u64::try_from(number).unwrap_or_default())
}

/// Every definition by its name, in order of the names; views follow the tables that they read.
const OBJECTS: &[(&str, &str)] = &[
    ("record", RECORD),
    ("record_by_domain", "CREATE INDEX record_by_domain ON record (domain, used, bytes)"),
    ("record_by_use", "CREATE INDEX record_by_use ON record (used)"),
    ("record_gone", RECORD_GONE),
    ("robots", ROBOTS),
    ("version", VERSIONS),
];

const RECORD: &str = "CREATE TABLE record (
  key TEXT NOT NULL PRIMARY KEY,
  origin TEXT NOT NULL,
  identity TEXT NOT NULL,
  profile TEXT NOT NULL,
  access TEXT NOT NULL,
  status INTEGER,
  tried_at INTEGER NOT NULL,
  fetched_at INTEGER,
  fresh_until INTEGER,
  final_url TEXT NOT NULL,
  media_type TEXT,
  truncated INTEGER NOT NULL,
  downgraded INTEGER NOT NULL,
  html INTEGER NOT NULL,
  body_bytes INTEGER NOT NULL,
  body_sha256 TEXT NOT NULL,
  back_off_until INTEGER,
  back_off_refusals INTEGER,
  domain TEXT NOT NULL,
  used INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  record BLOB NOT NULL
) STRICT";

/// The bodies inside the records. The offset is that of the record's format, counted from 1.
const ROBOTS: &str = "CREATE VIEW robots AS
  SELECT origin, identity, profile, CAST(substr(record, 23, body_bytes) AS TEXT) AS body FROM record";

/// The files of a record over time. `body` is NULL for the current one, which is in the record.
const VERSIONS: &str = "CREATE TABLE version (
  key TEXT NOT NULL,
  number INTEGER NOT NULL,
  sha256 BLOB NOT NULL,
  seen_from INTEGER NOT NULL,
  seen_until INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  body BLOB,
  PRIMARY KEY (key, number)
) STRICT";

/// A record that is replaced keeps its versions: SQLite runs no trigger then.
const RECORD_GONE: &str = "CREATE TRIGGER record_gone AFTER DELETE ON record
  BEGIN DELETE FROM version WHERE key = OLD.key; END";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::BODY_OFFSET;

    #[test]
    fn a_file_is_a_store_after_its_creation() {
        let mut connection = Connection::open_in_memory().unwrap();
        assert_eq!(look(&connection).unwrap(), Found::Nothing);
        create(&mut connection).unwrap();
        assert_eq!(look(&connection).unwrap(), Found::Store);
        connection.pragma_update(None, "user_version", VERSION + 1).unwrap();
        assert_eq!(look(&connection).unwrap(), Found::Newer(VERSION + 1));
        connection.pragma_update(None, "user_version", 1).unwrap();
        assert_eq!(look(&connection).unwrap(), Found::Earlier(1));
        connection.pragma_update(None, "user_version", 0).unwrap();
        assert_eq!(look(&connection).unwrap(), Found::Damaged);
        connection.pragma_update(None, "application_id", 0).unwrap();
        assert_eq!(look(&connection).unwrap(), Found::Other);
    }

    #[test]
    fn a_store_with_a_trigger_is_damaged() {
        let mut connection = Connection::open_in_memory().unwrap();
        create(&mut connection).unwrap();
        let trigger = "CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM record; END";
        connection.execute_batch(trigger).unwrap();
        assert_eq!(look(&connection).unwrap(), Found::Damaged);
    }

    #[test]
    fn the_view_has_the_offset_of_the_body() {
        assert!(ROBOTS.contains(&format!("substr(record, {}, body_bytes)", BODY_OFFSET + 1)));
    }
}
