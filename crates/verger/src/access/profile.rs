//! Access profiles: each published reading of fetch results as a row of choices.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use super::header::Freshness;
use super::outcome::Outcome;
use super::time::Timestamp;
use crate::limits;
use crate::named::{UnknownName, lookup};

/// The meaning of fetch results: a value with a row of choices.
///
/// Every field is public and every combination is valid. Two profiles are equal if all their
/// choices are equal, including the name. A custom row starts as a copy of a published one.
///
/// # Examples
///
/// ```
/// use verger::access::{Meaning, Outcome, Profile};
///
/// const OURS: Profile = {
///     let mut row = Profile::RFC9309;
///     row.name = "ours";
///     row.forbidden = Meaning::DisallowAll;
///     row
/// };
/// assert_eq!(OURS.meaning(Outcome::Status(403)), Meaning::DisallowAll);
/// assert_eq!(OURS.meaning(Outcome::Status(404)), Meaning::AllowAll);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Profile {
    /// Name of the row: `rfc9309`, or a custom name.
    pub name: &'static str,

    // Success
    /// 204 and 205 (REP-AMB-46).
    pub no_content: Meaning,
    /// 206, which was not requested and may lack rules (REP-AMB-46).
    pub partial_content: Meaning,
    /// 202 without a body (REP-AMB-46).
    pub accepted_empty: Meaning,
    /// Any other 2xx except 200 (REP-ACCESS-19).
    pub other_success: Meaning,

    // Redirects
    /// Maximum number of consecutive redirects (REP-ACCESS-20, REP-ACCESS-23). A client may have a
    /// smaller limit.
    pub redirects: u8,
    /// More redirects (REP-ACCESS-23).
    pub redirect_limit: Meaning,
    /// A redirect without a usable target; any 3xx that is not a redirect (REP-ACCESS-24,
    /// REP-AMB-17).
    pub broken_redirect: Meaning,
    /// A redirect to a URL that is itself disallowed; `None` to follow it (REP-ACCESS-22,
    /// REP-AMB-47).
    pub disallowed_hop: Option<Meaning>,
    /// Whether a redirect from https to http is followed; otherwise it is broken (REP-ACCESS-28).
    pub follow_downgrades: bool,

    // Refusals and errors
    /// 401 and 403 (REP-ACCESS-26, REP-AMB-15).
    pub forbidden: Meaning,
    /// 429 (REP-AMB-23).
    pub too_many_requests: Meaning,
    /// Any other 4xx (REP-AMB-44).
    pub unavailable: Meaning,
    /// 5xx (REP-ACCESS-27, REP-CACHE-12).
    pub server_error: Meaning,
    /// A final 1xx, 600 and above, invalid statuses (REP-ACCESS-25, REP-AMB-45).
    pub other_status: Meaning,

    // Freshness
    /// Lifetime of a response without freshness headers (REP-CACHE-1).
    pub default_lifetime: Duration,
    /// Minimum lifetime of a result (REP-CACHE-2, REP-AMB-48).
    pub floor: Duration,
    /// Maximum lifetime of a result without `max-age` (REP-CACHE-1, REP-AMB-18).
    pub ceiling: Duration,
    /// Maximum lifetime of a result with `max-age` (REP-CACHE-1, REP-AMB-18).
    pub max_age_ceiling: Duration,

    // Outage
    /// Access during an outage with a copy (REP-CACHE-10, REP-CACHE-12, REP-AMB-14).
    pub outage_with_copy: Ladder,
    /// Access during an outage without a copy (REP-CACHE-10, REP-CACHE-12, REP-AMB-14).
    pub outage_without_copy: Ladder,
    /// Length of an outage from which the second step applies (REP-CACHE-10).
    pub outage_later: Duration,
    /// Length of an outage from which the last step applies (REP-CACHE-12, REP-AMB-49).
    pub outage_end: Duration,
    /// Maximum time between two failed fetches that counts towards the length of an outage, at most
    /// 24 hours. The crawler's waits are no longer than this
    /// (REP-CACHE-25, REP-CACHE-27).
    pub outage_gap: Duration,
    /// Maximum age of a copy, compared when a failed fetch ends; `None` for no maximum
    /// (REP-CACHE-14, REP-CACHE-24, REP-CACHE-26).
    pub copy_counts_for: Option<Duration>,
    /// Wait after the first failure; it doubles with each further one (REP-CACHE-21).
    pub retry_first: Duration,
    /// Maximum wait after failures (REP-CACHE-21).
    pub retry_longest: Duration,
    /// Maximum wait that `Retry-After` can set (REP-CACHE-21).
    pub retry_after_longest: Duration,
}

impl Profile {
    /// The published profile with this name; ASCII case does not matter.
    pub fn named(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// The meaning of an outcome. For [`Meaning::Rules`], read the body.
    ///
    /// For [`Outcome::NotModified`] the meaning assumes that there is a copy.
    pub const fn meaning(&self, outcome: Outcome) -> Meaning {
        match outcome {
            Outcome::Success | Outcome::NotModified | Outcome::Status(200) => Meaning::Rules,
            Outcome::Status(204 | 205) => self.no_content,
            Outcome::Status(206) => self.partial_content,
            Outcome::AcceptedEmpty => self.accepted_empty,
            Outcome::Status(201..=299) => self.other_success,
            // REP-AMB-17: a final 3xx could not be followed.
            Outcome::Status(300..=399) | Outcome::BrokenRedirect => self.broken_redirect,
            Outcome::Status(401 | 403) => self.forbidden,
            Outcome::Status(429) => self.too_many_requests,
            Outcome::Status(400..=499) => self.unavailable,
            Outcome::Status(500..=599) => self.server_error,
            Outcome::Status(_) => self.other_status,
            Outcome::RedirectLimit => self.redirect_limit,
            Outcome::DisallowedHop => match self.disallowed_hop {
                Some(meaning) => meaning,
                // The profile permits this hop, so the target was not reached for another reason.
                None => self.broken_redirect,
            },
            // `State::after` ignores a local fault (REP-CACHE-28).
            Outcome::Network | Outcome::LocalFault => Meaning::Unreachable,
        }
    }

    /// Lifetime of a result that was received at `received` with this freshness.
    ///
    /// The stated lifetime, else the default, between minimum and maximum; at most 30 days
    /// in any row (REP-CACHE-1, REP-AMB-18).
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use verger::access::{Freshness, Profile, Timestamp};
    ///
    /// let now = Timestamp::from_seconds(1_700_000_000);
    /// let week = Freshness { max_age: Some(7 * 86_400), ..Freshness::default() };
    /// let hours = |profile: Profile| profile.lifetime(&week, now).as_secs() / 3600;
    /// assert_eq!(hours(Profile::RFC9309), 24);
    /// assert_eq!(hours(Profile::GOOGLE), 7 * 24);
    /// ```
    pub fn lifetime(&self, freshness: &Freshness, received: Timestamp) -> Duration {
        let stated = freshness.stated_lifetime(received).map(Duration::from_secs);
        let ceiling = if freshness.max_age.is_some() { self.max_age_ceiling } else { self.ceiling };
        self.clamp(stated.unwrap_or(self.default_lifetime), ceiling)
    }

    /// Lifetime of a copy after a 304: the lifetime that the 304 states, else the copy's previous
    /// one (REP-CACHE-5). The previous one is limited only by
    /// [`max_age_ceiling`](Self::max_age_ceiling), the longest that it can have had.
    pub(super) fn renewed_lifetime(
        &self,
        freshness: &Freshness,
        received: Timestamp,
        before: Duration,
    ) -> Duration {
        match freshness.stated_lifetime(received) {
            Some(_) => self.lifetime(freshness, received),
            None => self.clamp(before, self.max_age_ceiling.max(self.ceiling)),
        }
    }

    /// The profile while other URLs of the site are answered (REP-CACHE-22): steps
    /// [`AllowIfSiteAvailable`](OutageStep::AllowIfSiteAvailable) become
    /// [`Allow`](OutageStep::Allow). It matters only for the access of Google's profiles.
    #[must_use]
    pub const fn with_site_available(mut self) -> Self {
        self.outage_with_copy = self.outage_with_copy.with_site_available();
        self.outage_without_copy = self.outage_without_copy.with_site_available();
        self
    }

    /// The wait after a failed fetch that follows `failures` other failures (REP-CACHE-21,
    /// REP-CACHE-27).
    ///
    /// `jitter` is any number, preferably random: it spreads the wait by a fifth in both
    /// directions.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use verger::access::Profile;
    ///
    /// let profile = Profile::RFC9309;
    /// let wait = |failures| profile.retry_wait(failures, None, 0).as_secs();
    /// assert_eq!((wait(0), wait(1), wait(2), wait(20)), (48, 96, 192, 2880));
    /// let asked = Some(Duration::from_secs(600));
    /// assert_eq!(profile.retry_wait(0, asked, 0).as_secs(), 600);
    /// ```
    pub fn retry_wait(
        &self,
        failures: u32,
        retry_after: Option<Duration>,
        jitter: u64,
    ) -> Duration {
        let first = self.retry_first.as_secs().clamp(1, limits::RETRY.as_secs());
        if let Some(asked) = retry_after {
            // REP-AMB-23: Retry-After sets the next try, within limits that prevent frequent
            // requests.
            let longest = self.retry_after_longest.min(limits::RETRY).as_secs();
            return Duration::from_secs(asked.as_secs().min(longest).max(first));
        }
        // REP-CACHE-27: including jitter, the crawler's wait is no longer than the outage gap.
        let gap = self.gap().as_secs();
        let longest = self.retry_longest.as_secs().min(gap - gap / 6).max(first);
        let doubled = first.saturating_mul(1_u64.checked_shl(failures).unwrap_or(u64::MAX));
        let wait = doubled.min(longest);
        let fifth = wait / 5;
        Duration::from_secs((wait - fifth + jitter % (2 * fifth + 1)).min(gap.max(1)))
    }

    /// The outage gap within its limit, in whole seconds.
    pub(super) fn gap(&self) -> Duration {
        Duration::from_secs(self.outage_gap.min(limits::OUTAGE_GAP).as_secs())
    }

    fn clamp(&self, lifetime: Duration, ceiling: Duration) -> Duration {
        lifetime.max(self.floor).min(ceiling).min(limits::FRESHNESS)
    }
}

impl FromStr for Profile {
    type Err = UnknownName;

    /// The published profile with this name, as [`named`](Self::named).
    ///
    /// # Errors
    ///
    /// If no published profile has the name. The error lists all of them.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::Profile;
    ///
    /// assert_eq!("strict".parse(), Ok(Profile::STRICT));
    /// let error = "lax".parse::<Profile>().unwrap_err();
    /// assert!(error.to_string().starts_with("expected an access profile (rfc9309, google, "));
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        lookup("an access profile", name, &Self::ALL, |row| row.name)
    }
}

impl Default for Profile {
    /// [`Profile::RFC9309`].
    fn default() -> Self {
        Self::RFC9309
    }
}

impl fmt::Debug for Profile {
    /// Only the name: the whole row would hide the rest of the surrounding value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Profile({})", self.name)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// The meaning of an outcome (REP-ACCESS-19 and the table above it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Meaning {
    /// The body is the file.
    Rules,
    /// There is no file: no restriction. The lifetime is that of a file (REP-CACHE-4).
    AllowAll,
    /// Everything is disallowed. The lifetime is that of a file (REP-CACHE-4).
    DisallowAll,
    /// Nothing is known, and an outage begins or continues; the [`Ladder`] defines the access.
    Unreachable,
}

/// The access during an outage, in steps. The profile defines when the steps begin
/// ([`outage_later`](Profile::outage_later), [`outage_end`](Profile::outage_end)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "no published text has more than three steps")]
pub struct Ladder {
    /// From the first failure on.
    pub at_first: OutageStep,
    /// From [`outage_later`](Profile::outage_later) on.
    pub later: OutageStep,
    /// From [`outage_end`](Profile::outage_end) on, until the site answers.
    pub in_the_end: OutageStep,
}

impl Ladder {
    /// The same step from the first failure on.
    pub const fn always(step: OutageStep) -> Self {
        Self { at_first: step, later: step, in_the_end: step }
    }

    const fn with_site_available(self) -> Self {
        let Self { at_first, later, in_the_end } = self;
        Self {
            at_first: at_first.with_site_available(),
            later: later.with_site_available(),
            in_the_end: in_the_end.with_site_available(),
        }
    }
}

/// One step of a [`Ladder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutageStep {
    /// Everything is disallowed. The texts of 1996 and the book say "defer", which has the same
    /// effect (REP-CACHE-13).
    Disallow,
    /// No restriction.
    Allow,
    /// The last good copy. Without a copy, everything is disallowed.
    Copy,
    /// No restriction if other URLs of the site are available
    /// ([`Profile::with_site_available`]), else everything is disallowed (REP-CACHE-10,
    /// REP-CACHE-22).
    AllowIfSiteAvailable,
}

impl OutageStep {
    const fn with_site_available(self) -> Self {
        match self {
            Self::AllowIfSiteAvailable => Self::Allow,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(failures: u32, retry_after: Option<u64>, jitter: u64) -> u64 {
        let asked = retry_after.map(Duration::from_secs);
        Profile::RFC9309.retry_wait(failures, asked, jitter).as_secs()
    }

    #[test]
    fn waits_double_from_a_minute_to_an_hour() {
        // A jitter in the middle of its range changes nothing.
        let plain = |failures| seconds(failures, None, seconds(failures, None, 0) / 4);
        let waits: std::vec::Vec<_> = (0..9).map(plain).collect();
        assert_eq!(waits, [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
        assert_eq!(plain(u32::MAX), 3600);
    }

    #[test]
    fn jitter_spreads_a_wait_by_a_fifth() {
        let waits: std::vec::Vec<_> = (0..25).map(|jitter| seconds(0, None, jitter)).collect();
        assert_eq!(waits, (48..=72).collect::<std::vec::Vec<_>>());
        assert_eq!(seconds(0, None, u64::MAX), 48 + u64::MAX % 25);
    }

    #[test]
    fn retry_after_sets_the_wait_within_a_minute_and_a_day() {
        for (asked, wait) in
            [(0, 60), (59, 60), (120, 120), (7_200, 7_200), (86_401, 86_400), (u64::MAX, 86_400)]
        {
            assert_eq!(seconds(9, Some(asked), 7), wait, "{asked}");
        }
    }

    #[test]
    fn no_wait_of_a_profile_is_longer_than_the_outage_gap() {
        for row in Profile::ALL {
            for failures in 0..20 {
                let longest = (0..1_500).map(|jitter| row.retry_wait(failures, None, jitter)).max();
                assert!(longest.is_some_and(|wait| wait <= row.outage_gap), "{row}: {longest:?}");
            }
        }
        assert_eq!(Profile::GOOGLE.retry_wait(9, None, 1_200), Duration::from_secs(60 * 60));
    }

    #[test]
    fn extreme_rows_still_wait_and_obey_the_limits() {
        let mut odd = Profile::RFC9309;
        (odd.retry_first, odd.retry_longest) = (Duration::ZERO, Duration::ZERO);
        odd.retry_after_longest = Duration::MAX;
        assert_eq!(odd.retry_wait(0, None, 3).as_secs(), 1);
        assert_eq!(odd.retry_wait(0, Some(Duration::MAX), 3), limits::RETRY);
        (odd.retry_first, odd.retry_longest) = (Duration::MAX, Duration::MAX);
        assert!(odd.retry_wait(40, None, u64::MAX) <= limits::RETRY + limits::RETRY / 5);
        (odd.floor, odd.ceiling) = (Duration::MAX, Duration::MAX);
        let received = Timestamp::EPOCH;
        assert_eq!(odd.lifetime(&Freshness::default(), received), limits::FRESHNESS);
    }
}
