//! The state of one origin's robots.txt, and the next state after a fetch.
//!
//! # Flow
//!
//! A state is one of three: a result, which is fresh until a time and must then be fetched again;
//! an outage, with or without a copy of the file, with further tries; or unknown. A fetch leads
//! from any of these to a result or to an outage.

use core::time::Duration;

use super::outcome::{Fetched, Outcome};
use super::profile::{Meaning, OutageStep, Profile};
use super::time::Timestamp;
use crate::limits;

/// The state of one origin's robots.txt, without the file itself.
///
/// It is a small value; time and fetch results are arguments. In every state a fetch becomes due
/// after at most 30 days.
///
/// # Outages
///
/// The length of an outage is counted over its failed fetches. Each failed fetch adds the time
/// since the previous one, at most [`Profile::outage_gap`]; silence, clocks and faults of the
/// crawler add nothing (REP-CACHE-25, REP-CACHE-28). Time alone never allows more: a step that
/// allows more begins with a failed fetch, a step that allows less also with the clock
/// (REP-CACHE-26).
///
/// # Clocks
///
/// The state contains the time of its creation. An earlier `now` means that the clock went back:
/// nothing is fresh then, and a fetch is due (REP-CACHE-23).
///
/// # Examples
///
/// ```
/// use verger::access::{Kind, Outcome, Profile, State, Timestamp};
///
/// let profile = Profile::RFC9309;
/// let at = |hours: u64| Timestamp::from_seconds(1_700_000_000 + hours * 3600);
///
/// let state = State::UNKNOWN;
/// assert!(state.needs_fetch(at(0)));
/// let state = state.after(&profile, Outcome::Success, at(0));
/// assert!(!state.needs_fetch(at(23)) && state.needs_fetch(at(24)));
///
/// // The site goes down: the copy remains valid, and the next try is due in about a minute.
/// let state = state.after(&profile, Outcome::Status(503), at(24));
/// assert_eq!(state.access(&profile, at(24)).kind(), Kind::Rules);
/// assert_eq!(state.next_try(), Timestamp::from_seconds(at(24).seconds() + 48));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) last: Option<LastResult>,
    pub(super) outage: Option<Outage>,
}

/// The last result; during an outage only if it is a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LastResult {
    pub(super) result: Result,
    pub(super) fetched_at: Timestamp,
    /// At most [`limits::FRESHNESS`] later.
    pub(super) fresh_until: Timestamp,
}

/// The meaning of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Result {
    Rules,
    AllowAll(Cause),
    DisallowAll(Cause),
}

/// The reason for a result without a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cause {
    Unavailable,
    Unreachable,
    RedirectLimit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Outage {
    pub(super) cause: Cause,
    /// The first failure; not later than `tried_at`.
    pub(super) since: Timestamp,
    /// The last failure.
    pub(super) tried_at: Timestamp,
    /// Later by a wait of the profile.
    pub(super) next_try: Timestamp,
    /// Failures so far, at least one.
    pub(super) failures: u32,
    /// Length of the outage, counted over failed fetches (REP-CACHE-25).
    pub(super) counted: Duration,
}

impl State {
    /// The state before the first fetch.
    pub const UNKNOWN: Self = Self { last: None, outage: None };

    /// The state after a fetch that ended at `now`.
    ///
    /// [`Outcome::LocalFault`] changes nothing, and a failed fetch leaves a fresh file in force
    /// (REP-CACHE-28, REP-CACHE-29).
    #[must_use]
    pub fn after(self, profile: &Profile, fetched: impl Into<Fetched>, now: Timestamp) -> Self {
        let fetched = fetched.into();
        // REP-CACHE-28: a fault of the crawler proves nothing about the site.
        if fetched.outcome == Outcome::LocalFault {
            return self;
        }
        let copy = self.copy();
        let (outcome, meaning) = match (fetched.outcome, copy) {
            // REP-AMB-17: without a copy, the request cannot have been conditional.
            (Outcome::NotModified, None) => (Outcome::BrokenRedirect, profile.broken_redirect),
            (outcome, _) => (outcome, profile.meaning(outcome)),
        };
        let cause = cause(outcome, meaning);
        let result = match meaning {
            Meaning::Rules => Result::Rules,
            // REP-CACHE-20: a real result; it ends an outage and replaces a copy.
            Meaning::AllowAll => Result::AllowAll(cause),
            Meaning::DisallowAll => Result::DisallowAll(cause),
            Meaning::Unreachable if self.outlives_failure(profile, now) => return self,
            Meaning::Unreachable => {
                let outage = Outage::after(self.outage, profile, cause, &fetched, now);
                let last = copy.map(|copy| copy.not_later_than(now));
                return Self { last, outage: Some(outage) };
            }
        };
        let lifetime = match (outcome, copy) {
            // REP-ACCESS-24, REP-CACHE-5.
            (Outcome::NotModified, Some(copy)) => {
                let before = copy.fresh_until.since(copy.fetched_at);
                profile.renewed_lifetime(&fetched.freshness, now, before)
            }
            // REP-CACHE-4: a result without a file has the lifetime of a file.
            _ => profile.lifetime(&fetched.freshness, now),
        };
        let last = LastResult { result, fetched_at: now, fresh_until: now.after(lifetime) };
        Self { last: Some(last), outage: None }
    }

    /// Whether robots.txt must be fetched before, or while, this state answers.
    ///
    /// This is so if nothing is known, if the result is no longer fresh, if a retry is due, and if
    /// the clock went back.
    pub fn needs_fetch(&self, now: Timestamp) -> bool {
        now >= self.next_try() || self.is_from_the_future(now)
    }

    /// The time at which the next fetch is due; 1970 if nothing is known.
    pub const fn next_try(&self) -> Timestamp {
        match (self.outage, self.last) {
            (Some(outage), _) => outage.next_try,
            (None, Some(last)) => last.fresh_until,
            (None, None) => Timestamp::EPOCH,
        }
    }

    /// Whether there is a fresh result.
    pub fn is_fresh(&self, now: Timestamp) -> bool {
        self.last.is_some() && self.outage.is_none() && !self.needs_fetch(now)
    }

    /// Whether the result may answer during a refresh: it is less than 24 hours old
    /// (REP-CACHE-4), and there is no outage.
    pub fn may_answer_while_refreshing(&self, now: Timestamp) -> bool {
        let is_young =
            |last: LastResult| now < last.fetched_at.after(limits::ANSWER_WHILE_REFRESHING);
        self.outage.is_none() && !self.is_from_the_future(now) && self.last.is_some_and(is_young)
    }

    /// Whether this state needs the last fetched file. Keep the body in the store while it does.
    pub const fn has_copy(&self) -> bool {
        self.copy().is_some()
    }

    /// The time at which the result, or during an outage the copy, was fetched or renewed.
    pub fn fetched_at(&self) -> Option<Timestamp> {
        self.last.map(|last| last.fetched_at)
    }

    /// The end of the lifetime of the result, or during an outage of the copy.
    pub fn fresh_until(&self) -> Option<Timestamp> {
        self.last.map(|last| last.fresh_until)
    }

    /// The beginning of the outage, if there is one.
    pub fn failing_since(&self) -> Option<Timestamp> {
        self.outage.map(|outage| outage.since)
    }

    /// Number of consecutive failed fetches.
    pub const fn failures(&self) -> u32 {
        match self.outage {
            Some(outage) => outage.failures,
            None => 0,
        }
    }

    /// Length of the outage, counted over failed fetches; zero without one (REP-CACHE-25).
    pub fn outage_length(&self) -> Duration {
        self.outage.map_or(Duration::ZERO, |outage| outage.counted)
    }

    /// REP-CACHE-29: a failed fetch leaves a fresh file in force. It also leaves a fresh refusal in
    /// force if an outage would allow everything.
    fn outlives_failure(&self, profile: &Profile, now: Timestamp) -> bool {
        let is_strict = profile.outage_without_copy.at_first == OutageStep::Disallow;
        self.is_fresh(now)
            && self.last.is_some_and(|last| match last.result {
                Result::Rules => true,
                Result::DisallowAll(_) => !is_strict,
                Result::AllowAll(_) => false,
            })
    }

    pub(super) const fn copy(&self) -> Option<LastResult> {
        match self.last {
            Some(LastResult { result: Result::Rules, .. }) => self.last,
            _ => None,
        }
    }

    /// REP-CACHE-23: whether the clock went back to before the fetch that created this state.
    fn is_from_the_future(&self, now: Timestamp) -> bool {
        let made_at = match (self.outage, self.last) {
            (Some(outage), _) => outage.tried_at,
            (None, Some(last)) => last.fetched_at,
            (None, None) => return false,
        };
        now < made_at
    }
}

impl LastResult {
    /// Treats a copy from the future as fetched now: a clock that went back neither makes it
    /// younger nor extends its lifetime.
    fn not_later_than(mut self, now: Timestamp) -> Self {
        let lifetime = self.fresh_until.since(self.fetched_at);
        self.fetched_at = self.fetched_at.min(now);
        self.fresh_until = self.fetched_at.after(lifetime);
        self
    }
}

impl Outage {
    fn after(
        before: Option<Self>,
        profile: &Profile,
        cause: Cause,
        fetched: &Fetched,
        now: Timestamp,
    ) -> Self {
        let failures = before.map_or(0, |outage| outage.failures);
        let wait = profile.retry_wait(failures, fetched.retry_after, fetched.jitter);
        // REP-CACHE-25: a clock that went back adds nothing; one that jumped ahead adds at most the
        // gap.
        let counted = before.map_or(Duration::ZERO, |outage| {
            outage.counted.saturating_add(now.since(outage.tried_at).min(profile.gap()))
        });
        Self {
            cause,
            since: before.map_or(now, |outage| outage.since.min(now)),
            tried_at: now,
            next_try: now.after(wait),
            failures: failures.saturating_add(1),
            counted,
        }
    }
}

const fn cause(outcome: Outcome, meaning: Meaning) -> Cause {
    match (outcome, meaning) {
        (Outcome::RedirectLimit, _) => Cause::RedirectLimit,
        (Outcome::Status(429), Meaning::Unreachable) => Cause::Unreachable,
        // REP-CACHE-14: also if a profile uses the copy then.
        (Outcome::Status(400..=499) | Outcome::DisallowedHop, _) => Cause::Unavailable,
        (Outcome::BrokenRedirect | Outcome::Status(300..=399), _) | (_, Meaning::Unreachable) => {
            Cause::Unreachable
        }
        _ => Cause::Unavailable,
    }
}
