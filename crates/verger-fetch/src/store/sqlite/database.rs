//! A connection to the file, and its statements.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{
    Connection, OpenFlags, OptionalExtension as _, Row, Transaction, TransactionBehavior,
    named_params,
};
use verger::access::Timestamp;
use verger::{Origin, Untrusted};

use super::failure::{DatabaseError, earlier, newer, read_only, unrecognised};
use super::path::{Identity, Lock, StorePath};
use super::schema::{Found, pragma, vacuum};
use super::versions::{body_of, integer, remember_file, versions};
use super::{SqliteOptions, schema};
use crate::limits::{
    ANSWERS_SEARCHED, BUSY_TIMEOUT, DOMAIN_SHARE, EVICTION_STEP, LOG_BYTES, RECORD_BYTES,
    VACUUM_PAGES,
};
use crate::record::{BackOff, Body, File, Miss, OriginRecord, RecordKey, is_same_host};
use crate::store::{
    FileVersion, Lookup, Replaced, StoreEntry, StoreError, StoreErrorKind, cost, registrable,
};

/// An open store.
pub(super) struct Database {
    connection: Connection,
    path: StorePath,
    pub(super) identity: Option<Identity>,
    /// The index of its log.
    pub(super) log: Option<Identity>,
    most: u64,
    pub(super) is_read_only: bool,
    /// Dropped after the connection.
    closing: Option<Lock>,
}

impl Database {
    /// Opens the file, with the path locked. `suspect`: an error occurred, so the whole file is
    /// checked.
    pub(super) fn open(
        path: &StorePath,
        options: &SqliteOptions,
        suspect: bool,
    ) -> Result<Self, DatabaseError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let identity = path.identity();
        let mut connection = Connection::open_with_flags(&path.path, flags)?;
        schema::guard(&connection)?;
        let found = schema::look(&connection)?;
        match found {
            Found::Nothing | Found::Store => {}
            Found::Newer(version) => {
                // The file does not change, nor its log.
                connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
                return Err(newer(path, version).into());
            }
            Found::Earlier(version) => return Err(earlier(path, version)),
            Found::Damaged => return Err(DatabaseError::damaged()),
            Found::Other => return Err(unrecognised(path).into()),
        }
        if connection.is_readonly("main")? {
            // A header can set the file read-only too, but that of a store does not.
            let is_damaged = path.may_write();
            return Err(if is_damaged { DatabaseError::damaged() } else { read_only(path).into() });
        }
        // A transaction is complete when the log on disk contains it.
        let mode: String =
            connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
        if mode != "wal" {
            let message = format!("expected a disk for a write-ahead log, but found mode {mode}");
            return Err(StoreError::new(StoreErrorKind::Io, message).into());
        }
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "fullfsync", true)?;
        connection.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
        if found == Found::Nothing {
            schema::create(&mut connection)?;
        }
        Self::of(connection, identity, path, options, suspect, false)
    }

    /// Opens a file that nobody can change, for reading. Nothing is written, not even beside it.
    pub(super) fn open_read_only(
        path: &StorePath,
        options: &SqliteOptions,
        suspect: bool,
    ) -> Result<Self, DatabaseError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let identity = path.identity();
        let connection = match path.immutable_uri() {
            Some(uri) => Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?,
            None => Connection::open_with_flags(&path.path, flags)?,
        };
        schema::guard(&connection)?;
        match schema::look(&connection)? {
            Found::Store => {}
            Found::Newer(version) => return Err(newer(path, version).into()),
            Found::Earlier(version) => return Err(earlier(path, version)),
            Found::Damaged => return Err(DatabaseError::damaged()),
            Found::Nothing | Found::Other => return Err(unrecognised(path).into()),
        }
        Self::of(connection, identity, path, options, suspect, true)
    }

    /// `identity`: that of the file before it was opened, so that a file that was removed meanwhile
    /// counts as moved.
    fn of(
        connection: Connection,
        identity: Option<Identity>,
        path: &StorePath,
        options: &SqliteOptions,
        suspect: bool,
        is_read_only: bool,
    ) -> Result<Self, DatabaseError> {
        if suspect {
            check_whole(&connection)?;
        }
        let (path, log, most) = (path.clone(), path.log(), options.most_bytes);
        Ok(Self { connection, path, identity, log, most, is_read_only, closing: None })
    }

    /// Number of records.
    pub(super) fn count(&self) -> Result<u64, DatabaseError> {
        let count: i64 =
            self.connection.query_row("SELECT count(*) FROM record", [], |row| row.get(0))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// Whether the file's name now belongs to another file, or none: this one was moved away or
    /// removed.
    pub(super) fn is_moved(&self) -> bool {
        self.identity.is_none() || self.path.identity() != self.identity
    }

    pub(super) fn get(&self, key: &RecordKey) -> Result<Lookup, DatabaseError> {
        Ok(look(&self.connection, key)?)
    }

    pub(super) fn list(&self, after: &str, most: usize) -> Result<Vec<StoreEntry>, DatabaseError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT key, record FROM record WHERE key > ?1 ORDER BY key LIMIT ?2",
        )?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let entries = statement.query_map((after, most), |row| {
            let key: String = row.get(0)?;
            let found = blob(row.get_ref(1)?).and_then(OriginRecord::decode_any);
            let found = found.and_then(|record| match record.key().as_str() {
                found if found != key => Err(Miss::Foreign { found: found.to_owned() }),
                _ => Ok(record),
            });
            Ok(StoreEntry::new(key, found.as_ref().map_err(Clone::clone)))
        })?;
        Ok(entries.collect::<rusqlite::Result<_>>()?)
    }

    pub(super) fn versions(&self, key: &RecordKey) -> Result<Vec<FileVersion>, DatabaseError> {
        Ok(versions(&self.connection, key)?.1)
    }

    pub(super) fn version(
        &self,
        key: &RecordKey,
        sha256: &[u8; 32],
    ) -> Result<Option<Body>, DatabaseError> {
        let current = self.get(key)?.found();
        let current = current.and_then(|record| record.file().map(|file| file.body.clone()));
        if let Some(body) = current.filter(|body| body.sha256() == sha256) {
            return Ok(Some(body));
        }
        Ok(body_of(&self.connection, key, sha256)?)
    }

    /// Read from the columns: they decide no verdict, and a wrong one only hides a failure of the
    /// crawler's own network for a limited time.
    pub(super) fn last_answer(&self, except: &str) -> Result<Option<Timestamp>, DatabaseError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT origin, tried_at FROM record WHERE status IS NOT NULL ORDER BY used DESC LIMIT ?1",
        )?;
        let most = i64::try_from(ANSWERS_SEARCHED).unwrap_or(i64::MAX);
        let mut rows = statement.query([most])?;
        let mut last = None;
        while let Some(row) = rows.next()? {
            let origin = Origin::of(&row.get::<_, String>(0)?).ok().flatten();
            if origin.is_some_and(|origin| !is_same_host(origin.host(), except)) {
                let tried_at = u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default();
                last = last.max(Some(Timestamp::from_seconds(tried_at)));
            }
        }
        Ok(last)
    }

    /// Writes records and the uses since the last call, in one transaction. Returns the current
    /// record for each.
    pub(super) fn put(
        &mut self,
        puts: &[Put],
        touched: &[String],
    ) -> Result<Vec<Replaced>, DatabaseError> {
        let most = self.most;
        let change = self.change()?;
        let mut clock = touch(&change, touched)?;
        let mut done = Vec::with_capacity(puts.len());
        for Put { record, expected } in puts {
            if let Expected::Only(before) = expected {
                match look(&change, record.key())? {
                    Lookup::Found(found) if found.is_same(record) => {
                        done.push(Replaced::By(found));
                        continue;
                    }
                    found if !found.allows(before.as_ref(), record) => {
                        done.push(Replaced::No(found));
                        continue;
                    }
                    _ => {}
                }
            }
            clock = clock.saturating_add(1);
            let back_off = back_off(&change, record.origin())?.unwrap_or(record.back_off());
            let stored = Arc::new(OriginRecord::clone(record).with_back_off(back_off));
            let before = look(&change, record.key())?.found();
            remember_file(&change, before.as_deref(), &stored)?;
            insert(&change, &stored, clock, most)?;
            done.push(Replaced::By(stored));
            enforce_share(&change, registrable(record.origin()), clock, most / DOMAIN_SHARE)?;
        }
        enforce_bound(&change, most)?;
        vacuum(&change, VACUUM_PAGES)?;
        change.commit()?;
        Ok(done)
    }

    pub(super) fn set_back_off(
        &mut self,
        origin: &Origin,
        back_off: Option<BackOff>,
    ) -> Result<(), DatabaseError> {
        let (until, refusals) = columns(back_off);
        let change = self.change()?;
        let [from, to] = RecordKey::range(origin);
        change.execute(
            "UPDATE record SET back_off_until = ?1, back_off_refusals = ?2
             WHERE key > ?3 AND key < ?4 AND (?1 IS NULL OR coalesce(back_off_until, 0) < ?1)",
            (until, refusals, from, to),
        )?;
        change.commit()?;
        Ok(())
    }

    pub(super) fn remove(&mut self, key: &RecordKey) -> Result<bool, DatabaseError> {
        let change = self.change()?;
        let count = change.execute("DELETE FROM record WHERE key = ?1", [key.as_str()])?;
        vacuum(&change, VACUUM_PAGES)?;
        change.commit()?;
        Ok(count > 0)
    }

    pub(super) fn clear(&mut self) -> Result<u64, DatabaseError> {
        let change = self.change()?;
        let count = change.execute("DELETE FROM record", [])?;
        vacuum(&change, 0)?;
        change.commit()?;
        // The log is emptied too, unless somebody reads it: then a later write does that.
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(count as u64)
    }

    /// Sets the maximum wait for other processes that write.
    pub(super) fn wait_for_writers(&self, time: Duration) -> Result<(), StoreError> {
        let failed = |error| DatabaseError::from(error).into_error();
        self.connection.busy_timeout(time).map_err(failed)
    }

    /// Takes the write lock at once: a later upgrade could fail without a wait.
    fn change(&mut self) -> Result<Transaction<'_>, DatabaseError> {
        if self.is_read_only {
            return Err(read_only(&self.path).into());
        }
        Ok(self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }
}

/// The last connection removes the log by its name, after it has written. With the path locked,
/// that is never the log of a new file with this name.
impl Drop for Database {
    fn drop(&mut self) {
        if !self.is_read_only && !self.is_moved() {
            self.closing = self.path.lock(BUSY_TIMEOUT).ok();
        }
        if self.closing.is_none() || self.is_moved() {
            // An error leaves the decision to SQLite, which looks for the file, too.
            let keep = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
            let _ = self.connection.set_db_config(keep, true);
        }
    }
}

/// A record to store.
pub(super) struct Put {
    pub(super) record: Arc<OriginRecord>,
    pub(super) expected: Expected,
}

/// The records that a record may replace.
pub(super) enum Expected {
    Anything,
    /// This record; `None`: no readable one.
    Only(Option<Arc<OriginRecord>>),
}

/// Reads the whole file and checks its structure.
fn check_whole(connection: &Connection) -> Result<(), DatabaseError> {
    let result: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if result == "ok" { Ok(()) } else { Err(DatabaseError::damaged()) }
}

/// A value other than a blob is damage.
fn blob(value: ValueRef<'_>) -> Result<&[u8], Miss> {
    value.as_blob().map_err(|_| Miss::Damaged)
}

fn look(connection: &Connection, key: &RecordKey) -> rusqlite::Result<Lookup> {
    let mut statement = connection.prepare_cached(
        "SELECT record, back_off_until, back_off_refusals FROM record WHERE key = ?1",
    )?;
    let found = statement
        .query_row([key.as_str()], |row| {
            let found = blob(row.get_ref(0)?).and_then(|bytes| OriginRecord::decode(bytes, key));
            let back_off = from_columns(row, 1)?;
            Ok(found.map(|record| record.with_back_off(back_off)))
        })
        .optional()?;
    Ok(match found {
        Some(Ok(record)) => Lookup::Found(Arc::new(record)),
        Some(Err(miss)) => Lookup::Missing(miss),
        None => Lookup::Missing(Miss::Absent),
    })
}

/// The back-off in the records of an origin; `None` if there is no record.
#[expect(clippy::option_option, reason = "no record differs from no back-off")]
fn back_off(
    change: &Transaction<'_>,
    origin: &Origin,
) -> rusqlite::Result<Option<Option<BackOff>>> {
    let mut statement = change.prepare_cached(
        "SELECT back_off_until, back_off_refusals FROM record WHERE key > ?1 AND key < ?2 LIMIT 1",
    )?;
    statement.query_row(RecordKey::range(origin), |row| from_columns(row, 0)).optional()
}

/// The columns of a back-off.
fn columns(back_off: Option<BackOff>) -> (Option<i64>, Option<u32>) {
    back_off.map(|it| (integer(it.until.seconds()), it.refusals)).unzip()
}

/// The back-off in two columns. A damaged one does not count: it decides no verdict.
fn from_columns(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<BackOff>> {
    let [until, refusals] = [row.get::<_, Option<i64>>(at)?, row.get(at + 1)?];
    Ok(until.zip(refusals).and_then(|(until, refusals)| {
        let until = Timestamp::from_seconds(u64::try_from(until).ok()?);
        Some(BackOff { until, refusals: u32::try_from(refusals).ok()? })
    }))
}

/// Moves records to the end of the order of use. Returns the last number of that order.
fn touch(change: &Transaction<'_>, touched: &[String]) -> rusqlite::Result<i64> {
    let mut clock: i64 =
        change.query_row("SELECT coalesce(max(used), 0) FROM record", [], |row| row.get(0))?;
    let mut statement = change.prepare_cached("UPDATE record SET used = ?1 WHERE key = ?2")?;
    for key in touched {
        clock = clock.saturating_add(1);
        statement.execute((clock, key))?;
    }
    Ok(clock)
}

fn insert(
    change: &Transaction<'_>,
    record: &OriginRecord,
    used: i64,
    most: u64,
) -> Result<(), DatabaseError> {
    let encoded = record.encode();
    let most = most.min(RECORD_BYTES as u64);
    if encoded.len() as u64 > most {
        return Err(StoreError::too_large(encoded.len() as u64, most).into());
    }
    let (file, last) = (record.file(), record.last());
    let media_type = file.and_then(|file| file.media_type.as_ref());
    let media_type = media_type.map(|text| Untrusted::new(text).to_string());
    let final_url = file.map(|file| &*file.final_url).or(last.map(|last| &*last.final_url));
    let (until, refusals) = columns(record.back_off());
    let empty = Body::default();
    let body = file.map_or(&empty, |file| &file.body);
    change
        .prepare_cached(
            "INSERT OR REPLACE INTO record VALUES (:key, :origin, :identity, :profile, :access,
             :status, :tried_at, :fetched_at, :fresh_until, :final_url, :media_type, :truncated,
             :downgraded, :html, :body_bytes, :body_sha256, :back_off_until, :back_off_refusals,
             :domain, :used, :bytes, :record)",
        )?
        .execute(named_params! {
            ":key": record.key().as_str(),
            ":origin": record.origin().to_string(),
            ":identity": record.key().identity(),
            ":profile": record.key().profile(),
            ":access": record.kind(),
            // Only of the last try, because the row dates it (`last_answer`), and only of the site:
            // an unclear status is perhaps that of a proxy.
            ":status": last
                .filter(|last| last.tried_at == record.tried_at() && !last.is_unclear)
                .and_then(|last| last.status),
            ":tried_at": integer(record.tried_at().seconds()),
            ":fetched_at": record.state().fetched_at().map(|at| integer(at.seconds())),
            ":fresh_until": record.state().fresh_until().map(|at| integer(at.seconds())),
            ":final_url": Untrusted::new(final_url.unwrap_or_default()).to_string(),
            ":media_type": media_type,
            ":truncated": file.is_some_and(File::is_truncated),
            ":downgraded": file.is_some_and(|file| file.downgraded),
            ":html": file.is_some_and(|file| file.html),
            ":body_bytes": integer(body.as_bytes().len() as u64),
            ":body_sha256": body.sha256_hex(),
            ":back_off_until": until,
            ":back_off_refusals": refusals,
            ":domain": registrable(record.origin()),
            ":used": used,
            ":bytes": integer(cost(encoded.len())),
            ":record": encoded,
        })?;
    Ok(())
}

/// Evicts records of a domain beyond its share, the least recently used first, but never the
/// newest.
fn enforce_share(
    change: &Transaction<'_>,
    domain: &str,
    newest: i64,
    share: u64,
) -> rusqlite::Result<()> {
    let all: i64 = change
        .prepare_cached("SELECT CAST(total(bytes) AS INTEGER) FROM record WHERE domain = ?1")?
        .query_row([domain], |row| row.get(0))?;
    let mut excess = all.saturating_sub(integer(share));
    if excess <= 0 {
        return Ok(());
    }
    let mut statement = change.prepare_cached(
        "SELECT used, bytes FROM record WHERE domain = ?1 AND used < ?2 ORDER BY used",
    )?;
    let mut rows = statement.query((domain, newest))?;
    let mut last = None;
    while let Some(row) = rows.next()?.filter(|_| excess > 0) {
        last = Some(row.get::<_, i64>(0)?);
        excess = excess.saturating_sub(row.get(1)?);
    }
    drop(rows);
    if let Some(last) = last {
        change
            .prepare_cached("DELETE FROM record WHERE domain = ?1 AND used <= ?2")?
            .execute((domain, last))?;
    }
    Ok(())
}

/// Evicts the least recently used records while the file is too large, but never the newest.
fn enforce_bound(change: &Transaction<'_>, most: u64) -> rusqlite::Result<()> {
    let page: u64 = pragma(change, "page_size")?;
    loop {
        let free = pragma(change, "freelist_count")?;
        if pragma(change, "page_count")?.saturating_sub(free).saturating_mul(page) <= most {
            return Ok(());
        }
        let gone = change
            .prepare_cached(
                "DELETE FROM record WHERE used IN (SELECT used FROM record
                 WHERE used < (SELECT max(used) FROM record) ORDER BY used LIMIT ?1)",
            )?
            .execute([EVICTION_STEP])?;
        if gone == 0 {
            return Ok(());
        }
    }
}
