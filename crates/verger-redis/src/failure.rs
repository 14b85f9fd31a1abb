//! Errors of Redis as errors of a store.

use redis::{ErrorKind, RedisError, ServerErrorKind};
use verger_fetch::store::{StoreError, StoreErrorKind};

/// A failure of the connection or of the server, not an answer.
pub(crate) fn is_of_connection(error: &RedisError) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::Server(_)
            | ErrorKind::Extension
            | ErrorKind::UnexpectedReturnType
            | ErrorKind::AuthenticationFailed
            | ErrorKind::InvalidClientConfig
    )
}

/// The key has a value of another type.
pub(crate) fn is_wrong_type(error: &StoreError) -> bool {
    error.kind() == StoreErrorKind::Damaged
}

pub(crate) fn store_error(error: RedisError) -> StoreError {
    let (kind, message) = match error.kind() {
        ErrorKind::Server(kind) => server(kind),
        ErrorKind::Extension => code(error.code().unwrap_or_default()),
        ErrorKind::AuthenticationFailed => {
            (StoreErrorKind::Denied, "Redis refused the name or the password")
        }
        ErrorKind::Parse => {
            (StoreErrorKind::Unrecognised, "the reply is not from Redis: check host and port")
        }
        ErrorKind::InvalidClientConfig => {
            (StoreErrorKind::Unrecognised, "the URL of Redis is not valid")
        }
        ErrorKind::UnexpectedReturnType => {
            (StoreErrorKind::Unrecognised, "Redis sent an unexpected reply")
        }
        _ if error.is_timeout() => (StoreErrorKind::Stalled, "Redis did not answer in time"),
        _ => (StoreErrorKind::Io, "Redis cannot be reached"),
    };
    StoreError::new(kind, message).with_source(error)
}

fn server(kind: ServerErrorKind) -> (StoreErrorKind, &'static str) {
    match kind {
        ServerErrorKind::BusyLoading => (StoreErrorKind::Busy, "Redis is loading its data"),
        ServerErrorKind::ReadOnly => {
            (StoreErrorKind::ReadOnly, "Redis is a read-only replica: use the primary's address")
        }
        ServerErrorKind::NoPerm => {
            (StoreErrorKind::Denied, "the Redis user may not run this command")
        }
        ServerErrorKind::ClusterDown | ServerErrorKind::MasterDown | ServerErrorKind::TryAgain => {
            (StoreErrorKind::Busy, "a part of the Redis Cluster is down")
        }
        ServerErrorKind::Moved | ServerErrorKind::Ask | ServerErrorKind::CrossSlot => {
            (StoreErrorKind::Unrecognised, "Redis is a Cluster: open it as one")
        }
        _ => (StoreErrorKind::Io, "Redis rejected a command"),
    }
}

fn code(code: &str) -> (StoreErrorKind, &'static str) {
    match code {
        "OOM" => (StoreErrorKind::Full, "the memory of Redis is full"),
        "NOAUTH" | "WRONGPASS" => {
            (StoreErrorKind::Denied, "Redis refused the name or the password")
        }
        "BUSY" => (StoreErrorKind::Busy, "a script blocks Redis"),
        "MISCONF" => (StoreErrorKind::Io, "Redis cannot save its data and rejects writes"),
        "NOREPLICAS" => (StoreErrorKind::ReadOnly, "too few replicas of Redis are connected"),
        "WRONGTYPE" => (StoreErrorKind::Damaged, "a key in Redis has a value of another type"),
        _ => (StoreErrorKind::Io, "Redis rejected a command"),
    }
}
