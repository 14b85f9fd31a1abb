//! Failures of operations on the file.

use rusqlite::ErrorCode;

use super::path::StorePath;
use super::schema;
use crate::store::error::shown;
use crate::store::{StoreError, StoreErrorKind};

pub(super) fn newer(path: &StorePath, version: i32) -> StoreError {
    let message = format!(
        "expected a store of version {} at most, but {} has version {version}",
        schema::VERSION,
        shown(&path.path)
    );
    StoreError::new(StoreErrorKind::Newer, message)
}

pub(super) fn earlier(path: &StorePath, version: i32) -> DatabaseError {
    let message = format!(
        "expected a store of version {}, but {} has version {version}",
        schema::VERSION,
        shown(&path.path)
    );
    DatabaseError::Earlier(StoreError::new(StoreErrorKind::Unrecognised, message))
}

pub(super) fn read_only(path: &StorePath) -> StoreError {
    let message = format!("{} is not writable", shown(&path.path));
    StoreError::new(StoreErrorKind::ReadOnly, message)
}

pub(super) fn unrecognised(path: &StorePath) -> StoreError {
    let message = format!("{} is not a store", shown(&path.path));
    StoreError::new(StoreErrorKind::Unrecognised, message)
}

/// The failure of an operation on a file.
#[derive(Debug)]
pub(super) enum DatabaseError {
    /// The file is damaged.
    Damaged(StoreError),
    /// Tables or values are unexpected: check the whole file.
    Suspect(StoreError),
    /// The file is a store of an earlier version.
    Earlier(StoreError),
    /// Another failure, which does not concern the content of the file.
    Failed(StoreError),
}

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        use StoreErrorKind as Kind;
        let (kind, message) = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                (Kind::Busy, "another process has locked the store")
            }
            Some(ErrorCode::DiskFull) => (Kind::Full, "the disk is full"),
            Some(ErrorCode::ReadOnly) => (Kind::ReadOnly, "the store cannot be written to"),
            Some(ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied) => {
                (Kind::Denied, "the store may not be used")
            }
            Some(
                ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::OutOfMemory
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NoLargeFileSupport
                | ErrorCode::OperationInterrupted,
            ) => (Kind::Io, "the store could not be read or written"),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                return Self::Damaged(damaged().with_source(error));
            }
            // Unexpected tables or values.
            _ => return Self::Suspect(damaged().with_source(error)),
        };
        Self::Failed(StoreError::new(kind, message).with_source(error))
    }
}

impl From<StoreError> for DatabaseError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl DatabaseError {
    pub(super) fn into_error(self) -> StoreError {
        match self {
            Self::Damaged(error)
            | Self::Suspect(error)
            | Self::Earlier(error)
            | Self::Failed(error) => error,
        }
    }

    pub(super) fn damaged() -> Self {
        Self::Damaged(damaged())
    }
}

fn damaged() -> StoreError {
    StoreError::new(StoreErrorKind::Damaged, "the store is damaged")
}
