//! What is fetched, and on which conditions.

use std::time::Duration;

use std::fmt::{self, Debug};
use std::future::ready;

use url::Url;

use super::{Preconditions, strip};
use crate::limits::Limits;
use crate::net::{BoxFuture, Slot};

/// What is fetched, and on which conditions.
pub struct Request<'a> {
    pub(super) url: Url,
    pub(super) kind: Kind,
    pub(super) preconditions: Option<&'a Preconditions>,
    pub(super) redirects: usize,
    pub(super) follows_downgrades: bool,
    pub(super) may_follow: &'a dyn MayFollow,
    pub(super) slot: Option<&'a Slot>,
    pub(super) spent: Duration,
}

/// What the answer is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A robots.txt: wherever redirects lead, its lines are what counts.
    Robots,
    /// A page: where a redirect leads is another page, with a robots.txt and a turn of its own, so it
    /// is told and not followed.
    Page,
}

/// Says of a redirect whether it may be followed (REP-ACCESS-22).
///
/// A closure that knows at once is one; who has to look it up implements the trait.
pub trait MayFollow: Send + Sync {
    /// Whether the next URL may be asked. The time it takes is the fetch's.
    fn may_follow<'a>(&'a self, next: &'a Url) -> BoxFuture<'a, bool>;
}

impl<F: Fn(&Url) -> bool + Send + Sync> MayFollow for F {
    fn may_follow<'a>(&'a self, next: &'a Url) -> BoxFuture<'a, bool> {
        Box::pin(ready(self(next)))
    }
}

impl<'a> Request<'a> {
    /// An unconditional request for a robots.txt that follows every redirect within the limits.
    /// Credentials and fragment of the URL are dropped (REP-ACCESS-7).
    pub fn new(mut url: Url) -> Self {
        strip(&mut url);
        Self {
            url,
            kind: Kind::Robots,
            preconditions: None,
            redirects: usize::MAX,
            follows_downgrades: true,
            may_follow: &|_: &Url| true,
            slot: None,
            spent: Duration::ZERO,
        }
    }

    /// A request for a page: one hop by HTTP. A redirect is an outcome by its status, and leads to
    /// [`FetchReport::location`](super::FetchReport::location). The body is bounded by
    /// [`PAGE`](crate::limits::PAGE).
    pub fn page(url: Url) -> Self {
        Self { kind: Kind::Page, ..Self::new(url) }
    }

    /// Asks on the condition that the file has changed (REP-ACCESS-10).
    #[must_use]
    pub const fn with_preconditions(mut self, preconditions: &'a Preconditions) -> Self {
        self.preconditions = Some(preconditions);
        self
    }

    /// Follows so many redirects, and never more than [`REDIRECTS`](crate::limits::REDIRECTS) is set to
    /// (REP-ACCESS-20, REP-ACCESS-23).
    #[must_use]
    pub const fn with_redirects(mut self, redirects: usize) -> Self {
        self.redirects = redirects;
        self
    }

    /// Whether a redirect from https to http is followed; otherwise it is
    /// [broken](super::Broken::Downgrade) (REP-ACCESS-28). By default it is.
    #[must_use]
    pub const fn with_downgrades(mut self, follows: bool) -> Self {
        self.follows_downgrades = follows;
        self
    }

    /// Asks before every redirect whether it may be followed (REP-ACCESS-22). By default all may
    /// (REP-AMB-47).
    #[must_use]
    pub const fn with_may_follow(mut self, may_follow: &'a dyn MayFollow) -> Self {
        self.may_follow = may_follow;
        self
    }

    /// Takes so much off the time for the fetch: the question has spent it already.
    pub(crate) const fn with_spent(mut self, spent: Duration) -> Self {
        self.spent = spent;
        self
    }

    /// Gives this slot up while the fetch waits for a place at an address.
    pub(crate) const fn with_slot(mut self, slot: &'a Slot) -> Self {
        self.slot = Some(slot);
        self
    }
}

impl Kind {
    /// Media types in the order of our liking.
    pub(super) const fn accept(self) -> &'static str {
        match self {
            Self::Robots => "text/plain, */*;q=0.1",
            Self::Page => "text/html, application/xhtml+xml, */*;q=0.8",
        }
    }

    /// What the answer is bounded by.
    pub(super) const fn limits(self, limits: &Limits) -> Limits {
        match self {
            Self::Robots => *limits,
            Self::Page => limits.for_pages(),
        }
    }
}

impl Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("url", &self.url.as_str())
            .field("kind", &self.kind)
            .field("preconditions", &self.preconditions)
            .finish_non_exhaustive()
    }
}
