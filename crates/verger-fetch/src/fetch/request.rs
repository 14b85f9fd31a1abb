//! A request: the URL, its preconditions and limits.

use std::time::Duration;

use url::Url;

use super::{Preconditions, strip};
use crate::limits::Limits;
use crate::net::{BoxFuture, Slot};

/// A request for a robots.txt or a page.
pub(crate) struct Request<'a> {
    pub(crate) url: Url,
    pub(crate) kind: Kind,
    pub(crate) preconditions: Option<&'a Preconditions>,
    /// Maximum number of redirects, at most [`REDIRECTS`](crate::limits::REDIRECTS) (REP-ACCESS-20,
    /// REP-ACCESS-23).
    pub(crate) redirects: usize,
    /// Whether a redirect from https to http is followed; otherwise it is
    /// [broken](crate::failure::Broken::Downgrade) (REP-ACCESS-28).
    pub(crate) follows_downgrades: bool,
    pub(crate) may_follow: Option<&'a dyn MayFollow>,
    /// Released while the fetch waits for a connection to an address.
    pub(crate) slot: Option<&'a Slot>,
    /// Time of the fetch that the check has spent already.
    pub(crate) spent: Duration,
}

/// The kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A robots.txt: redirects are followed.
    Robots,
    /// A page: the target of a redirect has its own robots.txt and needs its own turn, so redirects
    /// are reported, not followed.
    Page,
    /// Another file of this maximum length, fetched as a page.
    File(usize),
}

/// Decides whether a redirect may be followed (REP-ACCESS-22).
pub(crate) trait MayFollow: Send + Sync {
    /// Whether the next URL may be requested. The time counts as the fetch's.
    fn may_follow<'a>(&'a self, next: &'a Url) -> BoxFuture<'a, bool>;
}

impl Request<'_> {
    /// An unconditional request for a robots.txt that follows every redirect within the limits.
    /// Credentials and fragment of the URL are removed (REP-ACCESS-7).
    pub(crate) fn new(mut url: Url) -> Self {
        strip(&mut url);
        Self {
            url,
            kind: Kind::Robots,
            preconditions: None,
            redirects: usize::MAX,
            follows_downgrades: true,
            may_follow: None,
            slot: None,
            spent: Duration::ZERO,
        }
    }

    /// A request for a page: one hop by HTTP. A redirect is reported as its status, with its target
    /// in [`FetchReport::location`](super::FetchReport::location). The limit of the body is
    /// [`PAGE`](crate::limits::PAGE).
    pub(crate) fn page(url: Url) -> Self {
        Self { kind: Kind::Page, ..Self::new(url) }
    }

    /// A request for another file: one hop by HTTP, cut after `limit` bytes.
    pub(crate) fn file(url: Url, limit: usize) -> Self {
        Self { kind: Kind::File(limit), ..Self::new(url) }
    }
}

impl Kind {
    /// Media types in order of preference.
    pub(super) const fn accept(self) -> &'static str {
        match self {
            Self::Robots => "text/plain, */*;q=0.1",
            Self::Page => "text/html, application/xhtml+xml, */*;q=0.8",
            Self::File(_) => "*/*",
        }
    }

    /// Limits of the response.
    pub(super) const fn limits(self, limits: &Limits) -> Limits {
        match self {
            Self::Robots => *limits,
            Self::Page => limits.for_pages(),
            Self::File(length) => Limits { body: length, ..*limits },
        }
    }
}
