//! Stores in files, and records for them.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

pub(crate) mod records;

use std::future::Future;
use std::path::Path;

use verger_fetch::store::{SqliteOptions, SqliteStore, StoreError};

pub(crate) use self::records::{key, number_of, record};

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

pub(crate) fn open(path: &Path) -> Result<SqliteStore, StoreError> {
    run(SqliteStore::open(path, SqliteOptions::default()))
}
