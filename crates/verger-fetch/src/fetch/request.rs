//! A request: the URL, its preconditions and limits.

use std::time::Duration;

use std::fmt::{self, Debug};
use std::future::ready;

use url::Url;

use super::{Preconditions, strip};
use crate::limits::Limits;
use crate::net::{BoxFuture, Slot};

/// A request for a robots.txt or a page.
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

/// The kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A robots.txt: redirects are followed.
    Robots,
    /// A page: the target of a redirect has its own robots.txt and needs its own turn, so redirects
    /// are reported, not followed.
    Page,
}

/// Decides whether a redirect may be followed (REP-ACCESS-22).
///
/// A closure implements it if no lookup is needed.
pub trait MayFollow: Send + Sync {
    /// Whether the next URL may be requested. The time counts as the fetch's.
    fn may_follow<'a>(&'a self, next: &'a Url) -> BoxFuture<'a, bool>;
}

impl<F: Fn(&Url) -> bool + Send + Sync> MayFollow for F {
    fn may_follow<'a>(&'a self, next: &'a Url) -> BoxFuture<'a, bool> {
        Box::pin(ready(self(next)))
    }
}

impl<'a> Request<'a> {
    /// An unconditional request for a robots.txt that follows every redirect within the limits.
    /// Credentials and fragment of the URL are removed (REP-ACCESS-7).
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

    /// A request for a page: one hop by HTTP. A redirect is reported as its status, with its target
    /// in [`FetchReport::location`](super::FetchReport::location). The limit of the body is
    /// [`PAGE`](crate::limits::PAGE).
    pub fn page(url: Url) -> Self {
        Self { kind: Kind::Page, ..Self::new(url) }
    }

    /// Makes the request conditional: the file must have changed (REP-ACCESS-10).
    #[must_use]
    pub const fn with_preconditions(mut self, preconditions: &'a Preconditions) -> Self {
        self.preconditions = Some(preconditions);
        self
    }

    /// Maximum number of redirects, at most [`REDIRECTS`](crate::limits::REDIRECTS) (REP-ACCESS-20,
    /// REP-ACCESS-23).
    #[must_use]
    pub const fn with_redirects(mut self, redirects: usize) -> Self {
        self.redirects = redirects;
        self
    }

    /// Whether a redirect from https to http is followed; otherwise it is
    /// [broken](super::Broken::Downgrade) (REP-ACCESS-28). Default: yes.
    #[must_use]
    pub const fn with_downgrades(mut self, follows: bool) -> Self {
        self.follows_downgrades = follows;
        self
    }

    /// Decision about each redirect (REP-ACCESS-22). Default: all are followed (REP-AMB-47).
    #[must_use]
    pub const fn with_may_follow(mut self, may_follow: &'a dyn MayFollow) -> Self {
        self.may_follow = may_follow;
        self
    }

    /// Reduces the time for the fetch by the time that the check has spent already.
    pub(crate) const fn with_spent(mut self, spent: Duration) -> Self {
        self.spent = spent;
        self
    }

    /// Releases this slot while the fetch waits for a connection to an address.
    pub(crate) const fn with_slot(mut self, slot: &'a Slot) -> Self {
        self.slot = Some(slot);
        self
    }
}

impl Kind {
    /// Media types in order of preference.
    pub(super) const fn accept(self) -> &'static str {
        match self {
            Self::Robots => "text/plain, */*;q=0.1",
            Self::Page => "text/html, application/xhtml+xml, */*;q=0.8",
        }
    }

    /// Limits of the response.
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
