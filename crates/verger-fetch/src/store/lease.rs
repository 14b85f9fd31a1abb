//! Leases: one process of several that share a store fetches an origin.

use std::fmt;
use std::future::ready;
use std::time::Duration;

use super::Pending;

/// The result of [`Store::claim`](super::Store::claim).
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a lease, or the wait for one")]
pub enum Claim {
    /// This caller may fetch.
    Granted(Box<dyn Lease>),
    /// Another client of the store fetches.
    Held {
        /// Maximum time until its lease ends, unless it is renewed.
        left: Duration,
    },
}

impl Claim {
    /// A lease that no other client respects: for stores without leases.
    pub fn unshared() -> Self {
        Self::Granted(Box::new(Unshared))
    }

    /// Whether other clients respect it.
    pub(crate) fn is_shared(&self) -> bool {
        !matches!(self, Self::Granted(lease) if lease.fence() == 0)
    }
}

/// Permission to fetch the robots.txt of an origin, while other clients of the store wait for the
/// result. Dropping it ends it.
///
/// A lease saves fetches and protects no record: it can end early if the store loses it, and
/// [`Store::replace`](super::Store::replace) merges the results of two fetches.
pub trait Lease: fmt::Debug + Send + Sync {
    /// Number of this lease among those of its record: later leases have larger numbers. Zero: other
    /// clients do not respect it.
    fn fence(&self) -> u64;

    /// Extends the lease to this time from now. Returns false if it has ended.
    fn renew(&self, time: Duration) -> Pending<'_, bool>;
}

#[derive(Debug)]
struct Unshared;

impl Lease for Unshared {
    fn fence(&self) -> u64 {
        0
    }

    fn renew(&self, _: Duration) -> Pending<'_, bool> {
        Box::pin(ready(Ok(true)))
    }
}
