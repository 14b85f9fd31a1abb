//! The source of the time.

use std::fmt::Debug;
use std::time::{SystemTime, UNIX_EPOCH};

use verger::access::Timestamp;

/// Source of the time; tests set it.
pub trait Clock: Debug + Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
}

/// The clock of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock before 1970 is wrong.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_seconds(since.as_secs())
    }
}
