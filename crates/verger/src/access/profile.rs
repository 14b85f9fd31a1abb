//! Access profiles: each published reading of fetch results as one row of choices.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use super::header::Freshness;
use super::outcome::Outcome;
use super::time::Timestamp;
use crate::limits;
use crate::named::{UnknownName, lookup};

/// What fetch results mean: a value, a row of choices.
///
/// Every field is public and every combination is legal. Two profiles are equal when all their
/// choices are, the name included. A row of your own begins as a copy of a published one.
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
    /// What the row is called: `rfc9309`, or a name of your own.
    pub name: &'static str,

    // Success
    /// 204 and 205 (REP-AMB-46).
    pub no_content: Meaning,
    /// 206, which was not asked for and may lack rules (REP-AMB-46).
    pub partial_content: Meaning,
    /// 202 without a body (REP-AMB-46).
    pub accepted_empty: Meaning,
    /// Any other 2xx but 200 (REP-ACCESS-19).
    pub other_success: Meaning,

    // Redirects
    /// How many redirects are followed in a row (REP-ACCESS-20, REP-ACCESS-23). A client may have a limit
    /// of its own; the smaller number counts.
    pub redirects: u8,
    /// More redirects, or a loop (REP-ACCESS-23).
    pub redirect_limit: Meaning,
    /// A redirect without a usable target; any 3xx that is none (REP-ACCESS-24, REP-AMB-17).
    pub broken_redirect: Meaning,
    /// A redirect to a URL that is itself disallowed; `None`: it is followed (REP-ACCESS-22,
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
    /// A final 1xx, 600 and above, statuses that are none (REP-ACCESS-25, REP-AMB-45).
    pub other_status: Meaning,

    // Freshness
    /// How long a result is fresh that does not say so itself (REP-CACHE-1).
    pub default_lifetime: Duration,
    /// The least time for which a result is fresh (REP-CACHE-2, REP-AMB-48).
    pub floor: Duration,
    /// The greatest time for which a result is fresh (REP-CACHE-1, REP-AMB-18).
    pub ceiling: Duration,
    /// The same where `max-age` says so (REP-CACHE-1, REP-AMB-18).
    pub max_age_ceiling: Duration,

    // Outage
    /// What holds during an outage while there is a copy (REP-CACHE-10, REP-CACHE-12, REP-AMB-14).
    pub outage_with_copy: Ladder,
    /// What holds during an outage without a copy (REP-CACHE-10, REP-CACHE-12, REP-AMB-14).
    pub outage_without_copy: Ladder,
    /// Length of an outage from which the second step holds (REP-CACHE-10).
    pub outage_later: Duration,
    /// Length of an outage from which the last step holds (REP-CACHE-12, REP-AMB-49).
    pub outage_end: Duration,
    /// Longest time between two failed fetches that counts towards the length of an outage, at most
    /// 24 hours ([`limits::OUTAGE_GAP`]). The crawler's own waits are no longer than this
    /// (REP-CACHE-25, REP-CACHE-27).
    pub outage_gap: Duration,
    /// Maximum age of a copy, judged when a failed fetch ends; `None`: no maximum (REP-CACHE-14,
    /// REP-CACHE-24, REP-CACHE-26).
    pub copy_counts_for: Option<Duration>,
    /// The wait behind the first failure; it doubles with every other (REP-CACHE-21).
    pub retry_first: Duration,
    /// What the wait grows to (REP-CACHE-21).
    pub retry_longest: Duration,
    /// The longest wait that a `Retry-After` can ask for (REP-CACHE-21).
    pub retry_after_longest: Duration,
}

impl Profile {
    /// The published profile of a name; ASCII case does not matter.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::Profile;
    ///
    /// assert_eq!(Profile::named("google-old"), Some(Profile::GOOGLE_OLD));
    /// assert_eq!(Profile::named("bing"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// What the row is called.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What an outcome means. Where it is [`Meaning::Rules`], the body has to be read.
    ///
    /// For [`Outcome::NotModified`] that holds while there is a copy.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::{Meaning, Outcome, Profile};
    ///
    /// assert_eq!(Profile::RFC9309.meaning(Outcome::Success), Meaning::Rules);
    /// assert_eq!(Profile::RFC9309.meaning(Outcome::Status(403)), Meaning::AllowAll);
    /// assert_eq!(Profile::STRICT.meaning(Outcome::Status(403)), Meaning::DisallowAll);
    /// assert_eq!(Profile::RFC9309.meaning(Outcome::Network), Meaning::Unreachable);
    /// ```
    pub const fn meaning(&self, outcome: Outcome) -> Meaning {
        match outcome {
            Outcome::Success | Outcome::NotModified | Outcome::Status(200) => Meaning::Rules,
            Outcome::Status(204 | 205) => self.no_content,
            Outcome::Status(206) => self.partial_content,
            Outcome::AcceptedEmpty => self.accepted_empty,
            Outcome::Status(201..=299) => self.other_success,
            // REP-AMB-17: a 3xx that is final could not be followed.
            Outcome::Status(300..=399) | Outcome::BrokenRedirect => self.broken_redirect,
            Outcome::Status(401 | 403) => self.forbidden,
            Outcome::Status(429) => self.too_many_requests,
            Outcome::Status(400..=499) => self.unavailable,
            Outcome::Status(500..=599) => self.server_error,
            Outcome::Status(_) => self.other_status,
            Outcome::RedirectLimit => self.redirect_limit,
            Outcome::DisallowedHop => match self.disallowed_hop {
                Some(meaning) => meaning,
                // Whoever stopped there had no reason to: the target was not reached.
                None => self.broken_redirect,
            },
            // `State::after` ignores a fault of ours (REP-CACHE-28).
            Outcome::Network | Outcome::LocalFault => Meaning::Unreachable,
        }
    }

    /// How long a result is fresh that was received at `received` and says this of its freshness.
    ///
    /// What it says, else the default, between floor and ceiling; at most 30 days
    /// ([`limits::FRESHNESS`]) whatever the row has (REP-CACHE-1, REP-AMB-18).
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use verger::access::{Freshness, Profile, Timestamp};
    ///
    /// let now = Timestamp::from_seconds(1_700_000_000);
    /// let week = Freshness { max_age: Some(7 * 86_400), ..Freshness::UNSTATED };
    /// let hours = |profile: Profile| profile.lifetime(&week, now).as_secs() / 3600;
    /// assert_eq!(hours(Profile::RFC9309), 24);
    /// assert_eq!(hours(Profile::GOOGLE), 7 * 24);
    /// ```
    pub fn lifetime(&self, freshness: &Freshness, received: Timestamp) -> Duration {
        let stated = freshness.stated_lifetime(received).map(Duration::from_secs);
        let ceiling = if freshness.max_age.is_some() { self.max_age_ceiling } else { self.ceiling };
        self.clamp(stated.unwrap_or(self.default_lifetime), ceiling)
    }

    /// How long a copy is fresh that a 304 renews: what the 304 says, else what the copy had
    /// (REP-CACHE-5). Only [`max_age_ceiling`](Self::max_age_ceiling) bounds what it had: that is the
    /// most it can rightly have got.
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

    /// A profile for a site that is known to answer 5xx for pages that do not exist: its 5xx is read
    /// as 404 (REP-ACCESS-27).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::{Meaning, Outcome, Profile};
    ///
    /// let site = Profile::GOOGLE_OLD.with_5xx_as_404();
    /// assert_eq!(site.meaning(Outcome::Status(500)), Meaning::AllowAll);
    /// assert_eq!(site.meaning(Outcome::Status(429)), Meaning::Unreachable);
    /// ```
    #[must_use]
    pub const fn with_5xx_as_404(mut self) -> Self {
        self.server_error = self.unavailable;
        self
    }

    /// The wait after a failed fetch that `failures` others preceded (REP-CACHE-21, REP-CACHE-27).
    ///
    /// `jitter` is any number, best a random one: it spreads the wait by a fifth to either side.
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
            // REP-AMB-23: Retry-After sets the next try, but not so that we knock all the time.
            let longest = self.retry_after_longest.min(limits::RETRY).as_secs();
            return Duration::from_secs(asked.as_secs().min(longest).max(first));
        }
        // REP-CACHE-27: with its jitter, a wait of ours is no longer than the gap that counts.
        let gap = self.gap().as_secs();
        let longest = self.retry_longest.as_secs().min(gap - gap / 6).max(first);
        let doubled = first.saturating_mul(1_u64.checked_shl(failures).unwrap_or(u64::MAX));
        let wait = doubled.min(longest);
        let fifth = wait / 5;
        Duration::from_secs((wait - fifth + jitter % (2 * fifth + 1)).min(gap.max(1)))
    }

    /// The gap that counts, within its limit and in whole seconds.
    pub(super) fn gap(&self) -> Duration {
        Duration::from_secs(self.outage_gap.min(limits::OUTAGE_GAP).as_secs())
    }

    fn clamp(&self, lifetime: Duration, ceiling: Duration) -> Duration {
        lifetime.max(self.floor).min(ceiling).min(limits::FRESHNESS)
    }
}

impl FromStr for Profile {
    type Err = UnknownName;

    /// The published profile of a name, as [`named`](Self::named).
    ///
    /// # Errors
    ///
    /// No published profile has the name. The error lists all of them.
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
    /// The name alone: the whole row would bury everything that holds one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Profile({})", self.name)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// What an outcome means (REP-ACCESS-19 and the table above it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Meaning {
    /// The body is the file.
    Rules,
    /// There is no file: no restriction. A result like a file, and as long fresh (REP-CACHE-4).
    AllowAll,
    /// Everything is forbidden. A result like a file, and as long fresh (REP-CACHE-4).
    DisallowAll,
    /// Nothing is known, and there is an outage: what follows is for the [`Ladder`] to say.
    Unreachable,
}

/// What holds while an outage lasts, one step after the other. When the steps begin is for the
/// profile to say ([`outage_later`](Profile::outage_later),
/// [`outage_end`](Profile::outage_end)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "three steps, as the texts have them at most")]
pub struct Ladder {
    /// From the first failure on.
    pub at_first: Step,
    /// From [`outage_later`](Profile::outage_later) on.
    pub later: Step,
    /// From [`outage_end`](Profile::outage_end) on, until the site answers.
    pub in_the_end: Step,
}

impl Ladder {
    /// The same from the first failure on.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::{Ladder, Profile, Step};
    ///
    /// assert_eq!(Profile::ARCHIVE.outage_without_copy, Ladder::always(Step::Allow));
    /// ```
    pub const fn always(step: Step) -> Self {
        Self { at_first: step, later: step, in_the_end: step }
    }
}

/// One step of a [`Ladder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// Everything is forbidden. The texts of 1996 and the book say "defer", which is the same for
    /// whoever asks (REP-CACHE-13).
    Disallow,
    /// No restriction.
    Allow,
    /// The last good copy. Without one, everything is forbidden.
    Copy,
    /// No restriction if the site is otherwise there, else everything is forbidden (REP-CACHE-10,
    /// REP-CACHE-22).
    AllowIfSiteAvailable,
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
    fn no_wait_of_ours_is_longer_than_the_gap_that_counts() {
        for row in Profile::ALL {
            for failures in 0..20 {
                let longest = (0..1_500).map(|jitter| row.retry_wait(failures, None, jitter)).max();
                assert!(longest.is_some_and(|wait| wait <= row.outage_gap), "{row}: {longest:?}");
            }
        }
        assert_eq!(Profile::GOOGLE.retry_wait(9, None, 1_200), Duration::from_secs(60 * 60));
    }

    #[test]
    fn odd_rows_still_wait_and_are_never_fresh_beyond_the_limit() {
        let mut odd = Profile::RFC9309;
        (odd.retry_first, odd.retry_longest) = (Duration::ZERO, Duration::ZERO);
        odd.retry_after_longest = Duration::MAX;
        assert_eq!(odd.retry_wait(0, None, 3).as_secs(), 1);
        assert_eq!(odd.retry_wait(0, Some(Duration::MAX), 3), limits::RETRY);
        (odd.retry_first, odd.retry_longest) = (Duration::MAX, Duration::MAX);
        assert!(odd.retry_wait(40, None, u64::MAX) <= limits::RETRY + limits::RETRY / 5);
        (odd.floor, odd.ceiling) = (Duration::MAX, Duration::MAX);
        let received = Timestamp::EPOCH;
        assert_eq!(odd.lifetime(&Freshness::UNSTATED, received), limits::FRESHNESS);
    }
}
