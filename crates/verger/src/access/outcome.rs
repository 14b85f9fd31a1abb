//! How a fetch of robots.txt ended, before anybody says what that means.

use super::header::{self, Freshness};
use super::time::Timestamp;
use core::time::Duration;

/// How a fetch ended, redirects followed.
///
/// What it means is for a [`Profile`](super::Profile) to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Outcome {
    /// The file is there, whole: status 200, or what another protocol has for it. A body that a size
    /// limit of ours cut is whole, too (REP-ACCESS-33).
    Success,
    /// The status of the final answer. 200 is [`Success`](Self::Success). A redirect that cannot be
    /// followed may be told as its status or as [`BrokenRedirect`](Self::BrokenRedirect).
    Status(u16),
    /// 202 without a body, which servers send with a page that tests visitors: it says neither that there
    /// is a file nor that there is none (REP-AMB-46).
    AcceptedEmpty,
    /// 304 to a conditional request of ours (REP-ACCESS-24). Where there is no copy to renew, nobody
    /// asked for it, and it is a [`BrokenRedirect`](Self::BrokenRedirect).
    NotModified,
    /// More redirects than [`Profile::redirects`](super::Profile::redirects), or a loop
    /// (REP-ACCESS-23).
    RedirectLimit,
    /// A redirect without a usable target (REP-AMB-17), or a downgrade from https to http where
    /// [`Profile::follow_downgrades`](super::Profile::follow_downgrades) forbids it.
    BrokenRedirect,
    /// A URL on the way is itself disallowed (REP-ACCESS-22). Only where
    /// [`Profile::disallowed_hop`](super::Profile::disallowed_hop) asks for it.
    DisallowedHop,
    /// No answer: names, connection, TLS, time, a body cut short or that cannot be decoded
    /// (REP-ACCESS-34). A failure to resolve the name or to reach an address is a
    /// [`LocalFault`](Self::LocalFault) unless some other host answered since the failed fetch before
    /// (REP-CACHE-28).
    Network,
    /// A fault of the crawler, not of the site: its guard refused the address, it has no descriptors
    /// left, its own network may be down. It changes no state (REP-CACHE-28).
    LocalFault,
}

/// A fetch that has ended: the outcome, and what the final answer said of time.
///
/// # Examples
///
/// From the headers, in whatever form an HTTP library has them:
///
/// ```
/// use core::time::Duration;
/// use verger::access::{Fetched, Outcome, Timestamp};
///
/// let now = Timestamp::from_seconds(1_700_000_000);
/// let fetched = Fetched::of(Outcome::Status(503), [("Retry-After", "120")], now);
/// assert_eq!(fetched.retry_after, Some(Duration::from_secs(120)));
/// let fetched = Fetched::of(Outcome::Success, [("Cache-Control", "max-age=600")], now);
/// assert_eq!(fetched.freshness.max_age, Some(600));
/// // No answer, no headers.
/// assert_eq!(Fetched::from(Outcome::Network).retry_after, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "what comes out of a fetch; meant to be written out")]
pub struct Fetched {
    /// How it ended.
    pub outcome: Outcome,
    /// What the final answer says of its freshness (REP-CACHE-3).
    pub freshness: Freshness,
    /// How long the server asks to wait (REP-CACHE-21).
    pub retry_after: Option<Duration>,
}

impl Fetched {
    /// Reads the headers of the final answer, received at `now`; see [`Freshness::of`]. They are pairs of a
    /// name and a value: a `&http::HeaderMap` as it is, an array, or the `Vec` of another library.
    ///
    /// `Retry-After` is a number of seconds, or a date, counted from `Date` where there is one, so that
    /// it does not matter whose clock is wrong. The first line that can be read counts.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::{Fetched, Outcome, Timestamp};
    ///
    /// let now = Timestamp::from_seconds(1_700_000_000);
    /// let headers = vec![("cache-control".to_string(), b"max-age=600".to_vec())];
    /// assert_eq!(Fetched::of(Outcome::Success, headers, now).freshness.max_age, Some(600));
    /// ```
    pub fn of<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        outcome: Outcome,
        headers: impl IntoIterator<Item = (N, V)>,
        now: Timestamp,
    ) -> Self {
        let read = header::read(headers, now);
        Self { outcome, freshness: read.freshness, retry_after: read.retry_after(now) }
    }
}

impl From<Outcome> for Fetched {
    /// An outcome without headers.
    fn from(outcome: Outcome) -> Self {
        Self { outcome, freshness: Freshness::UNSTATED, retry_after: None }
    }
}
