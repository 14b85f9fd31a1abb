//! Options of a store.

use std::time::Duration;

use crate::limits::{CALL_TIMEOUT, RECORD_TIME};
use crate::value::Seal;

/// Options of [`RedisStore`](crate::RedisStore).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use verger_redis::RedisOptions;
///
/// let options = RedisOptions::new("ExampleBot")
///     .with_key(&[7; 32])
///     .with_call_timeout(Duration::from_millis(200));
/// ```
#[derive(Clone, Debug)]
pub struct RedisOptions {
    pub(crate) namespace: String,
    pub(crate) seal: Seal,
    pub(crate) call_timeout: Duration,
    pub(crate) record_time: Duration,
}

impl RedisOptions {
    /// Options for one namespace.
    ///
    /// Stores with the same namespace share records, leases and turns. Use one namespace for each
    /// identity that fetches: sites may send different files to different crawlers.
    pub fn new(namespace: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            seal: Seal::default(),
            call_timeout: CALL_TIMEOUT,
            record_time: RECORD_TIME,
        }
    }

    /// Key of the MAC (HMAC-SHA-256) of all records and lists of versions. Values without it count
    /// as damaged. Set it if others can write to the same Redis. Processes with different keys, or
    /// without one, share leases and turns, but no values. Default: no key.
    #[must_use]
    pub fn with_key(self, key: &[u8; 32]) -> Self {
        Self { seal: Seal::with_key(key), ..self }
    }

    /// Maximum time of one call of Redis, by default 400 ms. A client has a limit for its store
    /// too, by default a second; use a shorter time here. From a millisecond; without any time
    /// every call fails.
    #[must_use]
    pub fn with_call_timeout(self, call_timeout: Duration) -> Self {
        Self { call_timeout, ..self }
    }

    /// Time to live of records since their last write, by default 90 days. It removes records that
    /// are not used any more. It is not a lifetime: the access profile decides until when a record
    /// is fresh. Earlier files have a longer one, 400 days.
    #[must_use]
    pub fn with_record_time(self, record_time: Duration) -> Self {
        Self { record_time, ..self }
    }
}
