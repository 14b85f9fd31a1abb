//! The result of a fetch, without its file; and the back-off of page requests.

use std::time::Duration;

use verger::access::{Fetched, Outcome, Timestamp};
use verger::limits::RETRY;

use super::file::{Lifetime, Redirect, freshness};
use crate::failure::Failure;

/// The result of a fetch, with or without a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// End of the fetch.
    pub tried_at: Timestamp,
    /// The outcome, which access profiles interpret.
    pub outcome: Outcome,
    /// The status; `None` without a response, as after a timeout.
    pub status: Option<u16>,
    /// The failure; `None` if the fetch brought or renewed a file.
    pub failure: Option<Failure>,
    /// Whether the crawler's own network may have been down (REP-CACHE-28): a name could not be
    /// resolved, an address not reached, a proxy could not reach the site, or the response does
    /// not [prove it](super::Attempt::proves_network).
    pub is_unclear: bool,
    /// Number of consecutive fetches without a file, including this one.
    pub failures: u32,
    /// The stated lifetime; `None` without one.
    pub lifetime: Option<Lifetime>,
    /// The wait requested by `Retry-After`.
    pub retry_after: Option<Duration>,
    /// The redirects before it, in order.
    pub redirects: Vec<Redirect>,
    /// The final URL.
    pub final_url: String,
    /// Whether a redirect led from https to http.
    pub downgraded: bool,
}

impl Response {
    /// A response without status, headers or redirects.
    pub fn new(tried_at: Timestamp, outcome: Outcome, final_url: impl Into<String>) -> Self {
        Self {
            tried_at,
            outcome,
            status: None,
            failure: None,
            is_unclear: false,
            failures: 0,
            lifetime: None,
            retry_after: None,
            redirects: Vec::new(),
            final_url: final_url.into(),
            downgraded: false,
        }
    }

    /// Whether it brought or renewed a file.
    pub(super) const fn brings_file(&self) -> bool {
        matches!(
            self.outcome,
            Outcome::Success
                | Outcome::NotModified
                | Outcome::AcceptedEmpty
                | Outcome::Status(200..=299)
        )
    }

    /// Its report for a state.
    pub(super) fn report(&self) -> Fetched {
        let (freshness, retry_after) = (freshness(self.lifetime), self.retry_after);
        Fetched { freshness, retry_after, ..self.outcome.into() }
    }
}

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
