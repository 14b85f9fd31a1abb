//! Leases: one process of several that share a store fetches an origin.

use std::fmt;
use std::time::Duration;

use super::Pending;

/// The result of [`Store::claim`](super::Store::claim).
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a lease, or the wait for one")]
pub enum Claim {
    /// This caller may fetch. Without a lease others may do so too.
    Granted(Option<Box<dyn Lease>>),
    /// Another client of the store fetches.
    Held {
        /// Maximum time until its lease ends, unless it is renewed.
        left: Duration,
    },
}

/// Permission to fetch the robots.txt of an origin, while other clients of the store wait for the
/// result. Dropping it ends it.
///
/// A lease saves fetches and protects no record: it can end early if the store loses it, and
/// [`Store::replace`](super::Store::replace) merges the results of two fetches.
pub trait Lease: fmt::Debug + Send + Sync {
    /// Extends the lease to this time from now. Returns false if it has ended.
    fn renew(&self, time: Duration) -> Pending<'_, bool>;
}
