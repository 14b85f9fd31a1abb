//! Back-off of page requests.

use std::time::Duration;

use verger::access::Timestamp;
use verger::limits::RETRY;

/// An origin answered a request for a page with 429 or 503, or not at all, so no page is requested
/// for a while. That says nothing about its robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "an end and a count")]
pub struct BackOff {
    /// No page is requested before.
    pub until: Timestamp,
    /// Consecutive refusals of the origin.
    pub refusals: u32,
}

impl BackOff {
    /// Time until the back-off ends.
    pub(crate) fn left(back_off: Option<Self>, now: Timestamp) -> Duration {
        // A wrong clock delays requests by at most the longest `Retry-After`.
        back_off.map_or(Duration::ZERO, |back_off| back_off.until.since(now).min(RETRY))
    }

    /// The one of two that ends later.
    pub(crate) fn later(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        one.into_iter().chain(other).max_by_key(|back_off| back_off.until)
    }
}
