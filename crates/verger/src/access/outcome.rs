//! The result of a fetch of robots.txt, before a profile interprets it.

use core::time::Duration;

use super::header::{self, Freshness};
use super::time::Timestamp;

/// The result of a fetch, after redirects.
///
/// A [`Profile`](super::Profile) defines its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// A complete file: status 200, or the equivalent in another protocol. A body that was cut at
    /// the client's size limit is also complete (REP-ACCESS-33).
    Success,
    /// The status of the final response. 200 is [`Success`](Self::Success). A redirect that cannot
    /// be followed may be reported as its status or as [`BrokenRedirect`](Self::BrokenRedirect).
    Status(u16),
    /// 202 without a body, which servers send with a page that tests visitors: it shows neither
    /// that there is a file nor that there is no file (REP-AMB-46).
    AcceptedEmpty,
    /// 304 to a conditional request (REP-ACCESS-24). Without a copy to renew, the request was not
    /// conditional, and the outcome counts as [`BrokenRedirect`](Self::BrokenRedirect).
    NotModified,
    /// More redirects than [`Profile::redirects`](super::Profile::redirects) (REP-ACCESS-23).
    RedirectLimit,
    /// A redirect without a usable target (REP-AMB-17), or a downgrade from https to http where
    /// [`Profile::follow_downgrades`](super::Profile::follow_downgrades) forbids it.
    BrokenRedirect,
    /// A redirect to a URL that is itself disallowed (REP-ACCESS-22). Only if
    /// [`Profile::disallowed_hop`](super::Profile::disallowed_hop) requires the check.
    DisallowedHop,
    /// No response: names, connection, TLS, timeout, an incomplete body or one that cannot be
    /// decoded (REP-ACCESS-34). A failure to resolve the name or to reach an address is a
    /// [`LocalFault`](Self::LocalFault) unless another host answered since the previous failed
    /// fetch (REP-CACHE-28).
    Network,
    /// A fault of the crawler, not of the site: its guard refused the address, it has no free file
    /// descriptors, its network may be down. It does not change the state (REP-CACHE-28).
    LocalFault,
}

/// The result of a fetch: the outcome, and the headers of the final response about time.
///
/// # Examples
///
/// From the headers, in the form of any HTTP library:
///
/// ```
/// use core::time::Duration;
/// use verger::access::{Fetched, Outcome, Timestamp};
///
/// let now = Timestamp::from_seconds(1_700_000_000);
/// let fetched = Fetched::of(Outcome::Status(503), [("Retry-After", "120")], now);
/// assert_eq!(fetched.retry_after, Some(Duration::from_secs(120)));
/// let fetched = Fetched::of(Outcome::Success, [("Cache-Control", "max-age=600")], now);
/// assert_eq!((fetched.freshness.max_age, fetched.jitter), (Some(600), 0));
/// // No response, no headers.
/// assert_eq!(Fetched::from(Outcome::Network).retry_after, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "values of a fetch; users construct it")]
pub struct Fetched {
    /// The outcome.
    pub outcome: Outcome,
    /// The freshness of the final response (REP-CACHE-3).
    pub freshness: Freshness,
    /// The wait requested by the server (REP-CACHE-21).
    pub retry_after: Option<Duration>,
    /// Any number, preferably random and different for every origin: it spreads retries by a fifth
    /// in both directions, so that a fleet does not return at the same time (REP-CACHE-21).
    pub jitter: u64,
}

impl Fetched {
    /// Reads the headers of the final response, received at `now`: `Cache-Control`, `Expires`,
    /// `Date`, `Age` and `Retry-After`. They are pairs of a name, in any case, and a value: a
    /// `&http::HeaderMap`, an array, or the `Vec` of another library.
    ///
    /// A number that is too large becomes the largest one. The first of several values counts. If
    /// RFC 9111 permits several readings, the stalest one is used.
    ///
    /// `Retry-After` is a number of seconds, or a date. A date is relative to `Date`, if present,
    /// so that a wrong clock does not matter. The first readable line counts.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    pub fn of<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        outcome: Outcome,
        headers: impl IntoIterator<Item = (N, V)>,
        now: Timestamp,
    ) -> Self {
        let read = header::read(headers, now);
        let retry_after = read.retry_after(now);
        Self { outcome, freshness: read.freshness, retry_after, jitter: 0 }
    }
}

impl From<Outcome> for Fetched {
    /// An outcome without headers.
    fn from(outcome: Outcome) -> Self {
        Self { outcome, freshness: Freshness::default(), retry_after: None, jitter: 0 }
    }
}
