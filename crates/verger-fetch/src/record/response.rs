//! The last response of an origin.

use std::time::Duration;

use verger::access::{Fetched, Outcome, Timestamp};

use super::failure::Failure;
use super::file::{Hop, Lifetime, freshness};

/// How the last fetch ended.
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
    /// The lifetime that it stated; `None`: it stated none.
    pub lifetime: Option<Lifetime>,
    /// The wait that it asked for with `Retry-After`.
    pub retry_after: Option<Duration>,
    /// The redirects before it, in order.
    pub hops: Vec<Hop>,
    /// The URL that answered, or failed to.
    pub final_url: String,
    /// Whether a redirect led from https to http.
    pub downgraded: bool,
    /// The access profile whose own rule ended the fetch, its redirect limit for example; `None`: the
    /// response is the same in every profile (REP-CACHE-29).
    pub ended_by: Option<String>,
}

impl Response {
    /// A response without a status, headers or redirects.
    pub fn new(tried_at: Timestamp, outcome: Outcome, final_url: impl Into<String>) -> Self {
        Self {
            tried_at,
            outcome,
            status: None,
            failure: None,
            lifetime: None,
            retry_after: None,
            hops: Vec::new(),
            final_url: final_url.into(),
            downgraded: false,
            ended_by: None,
        }
    }

    /// The same for a state that takes it for this outcome.
    pub(super) fn report(&self, outcome: Outcome) -> Fetched {
        let (freshness, retry_after) = (freshness(self.lifetime), self.retry_after);
        Fetched { outcome, freshness, retry_after }
    }
}
