//! A response, or what came instead of one.

use std::time::Duration;

use verger::access::{Fetched, Outcome, Timestamp};

use super::file::{Lifetime, Redirect, freshness};
use crate::fetch::Failure;

/// How a fetch ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// When it ended.
    pub tried_at: Timestamp,
    /// What the access profiles are asked about.
    pub outcome: Outcome,
    /// The status; `None` when there was none, as after a timeout.
    pub status: Option<u16>,
    /// Why it brought no file; `None` when it brought or renewed one.
    pub failure: Option<Failure>,
    /// Whether a name could not be resolved, no address be reached, or a proxy reached no site, so that
    /// the crawler's own network may have been down (REP-CACHE-28).
    pub is_unclear: bool,
    /// How many fetches in a row have brought no file, this one included.
    pub failures: u32,
    /// The lifetime that it stated; `None`: it stated none.
    pub lifetime: Option<Lifetime>,
    /// The wait that it asked for with `Retry-After`.
    pub retry_after: Option<Duration>,
    /// The redirects before it, in order.
    pub redirects: Vec<Redirect>,
    /// The URL that answered, or failed to.
    pub final_url: String,
    /// Whether a redirect led from https to http.
    pub downgraded: bool,
}

impl Response {
    /// A response without a status, headers or redirects.
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

    /// Whether a file came with it, or was renewed by it.
    pub(super) const fn brings_file(&self) -> bool {
        matches!(
            self.outcome,
            Outcome::Success
                | Outcome::NotModified
                | Outcome::AcceptedEmpty
                | Outcome::Status(200..=299)
        )
    }

    /// The same for a state that takes it for this outcome.
    pub(super) fn report(&self, outcome: Outcome) -> Fetched {
        let (freshness, retry_after) = (freshness(self.lifetime), self.retry_after);
        Fetched { outcome, freshness, retry_after }
    }
}
