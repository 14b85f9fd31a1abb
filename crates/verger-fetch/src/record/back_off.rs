//! Pages of an origin that has refused them.

use std::time::Duration;

use verger::access::Timestamp;
use verger::limits::RETRY;

/// An origin answered 429 or 503 when a page was requested, or not at all: it is left alone for a while.
/// That says nothing of its robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "all that is known")]
pub struct BackOff {
    /// No page is requested before.
    pub until: Timestamp,
    /// How often in a row the origin has refused.
    pub refusals: u32,
}

impl BackOff {
    /// How long the origin is still left alone.
    pub(crate) fn left(back_off: Option<Self>, now: Timestamp) -> Duration {
        // A clock that was wrong keeps nobody away for longer than a server may ask for.
        back_off.map_or(Duration::ZERO, |back_off| back_off.until.since(now).min(RETRY))
    }

    /// The one of two that ends later.
    pub(crate) fn later(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        one.into_iter().chain(other).max_by_key(|back_off| back_off.until)
    }
}
