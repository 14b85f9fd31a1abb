//! Choices for an audit.

use std::time::Duration;

use verger::access::Timestamp;

use crate::verdict::Verdict;
use crate::visitor::Visitor;

/// Choices for an [`Audit`](crate::Audit).
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers build it")]
pub struct Options {
    /// Whether a cache in front of the server may have answered requests for robots.txt, so that
    /// the log does not have all of them.
    pub robots_at_edge: bool,
    /// Tokens of crawlers whose unproved requests may be evidence.
    pub accept_unproved: Vec<String>,
    /// How long a crawler may use a robots.txt; by default that of its access profile, 24 hours.
    pub lifetime: Option<Duration>,
    /// The first time of requests that are counted. Earlier ones are judged: their fetches of
    /// robots.txt count.
    pub since: Option<Timestamp>,
    /// The end of the time of requests that are counted.
    pub until: Option<Timestamp>,
    /// The verdicts of the [paths](crate::CrawlerReport::top) in the report; all if there are none.
    pub top_verdicts: Vec<Verdict>,
}

impl Options {
    /// Whether a request is within the time that is counted; without a time, if all are.
    pub(crate) fn counts(&self, at: Option<Timestamp>) -> bool {
        at.map_or(self.since.is_none() && self.until.is_none(), |at| {
            self.since.is_none_or(|since| since <= at) && self.until.is_none_or(|until| at < until)
        })
    }

    pub(crate) fn accepts(&self, visitor: &Visitor) -> bool {
        self.accept_unproved.iter().any(|token| token.eq_ignore_ascii_case(&visitor.token))
    }
}
