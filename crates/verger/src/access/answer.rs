//! What a state says at a time.

use super::choice::Step;
use super::profile::Profile;
use super::state::{Cause, Kept, Outage, Result, State};
use super::time::Timestamp;
use crate::crawler::AsCrawler;
use crate::robots::Robots;
use crate::verdict::{Reason, Verdict};

/// What may be fetched of an origin at a time, as far as the fetches of its robots.txt say.
///
/// With the file, a crawler and a URL it becomes a [`Verdict`].
///
/// # Examples
///
/// ```
/// use verger::access::{Kind, Outcome, Profile, State, Timestamp};
/// use verger::{Reason, Robots};
///
/// let profile = Profile::GOOGLE;
/// let at = |hours: u64| Timestamp::from_seconds(1_700_000_000 + hours * 3600);
/// let state = State::UNKNOWN.after(&profile, Outcome::Network, at(0), 0);
///
/// let access = state.access(&profile, at(11), true);
/// assert_eq!((access.kind(), access.reason()), (Kind::DisallowAll, Some(Reason::Unreachable)));
/// assert_eq!(state.access(&profile, at(12), true).kind(), Kind::AllowAll);
///
/// let verdict = access.verdict(None, "ExampleBot", "https://shop.example/").expect("it is known");
/// assert_eq!(
///     verdict.to_string(),
///     "disallowed: robots.txt cannot be fetched, and until it can nothing may be",
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    kind: Kind,
    reason: Option<Reason>,
    stale: Option<Stale>,
    valid_until: Timestamp,
}

/// What may be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "some by rules, all, none, not known")]
pub enum Kind {
    /// What the rules of the file allow.
    Rules,
    /// Everything.
    AllowAll,
    /// Nothing, for now.
    DisallowAll,
    /// Not known: robots.txt has to be fetched first, and until then nothing may be.
    Unknown,
}

impl Kind {
    /// The name in JSON output: `allow_all`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::AllowAll => "allow_all",
            Self::DisallowAll => "disallow_all",
            Self::Unknown => "unknown",
        }
    }
}

/// Why an answer may rest on a result that is fresh no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stale {
    /// It is less than 24 hours old, and answers while it is being fetched anew
    /// ([`State::may_answer_while_refreshing`]).
    WhileRefreshing,
    /// The site cannot be reached, and the profile keeps to the copy (REP-CACHE-12, REP-CACHE-24).
    DuringOutage,
}

impl Stale {
    /// The name in JSON output: `during_outage`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WhileRefreshing => "while_refreshing",
            Self::DuringOutage => "during_outage",
        }
    }
}

impl Access {
    /// What may be fetched.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Why everything is allowed or disallowed: [`Reason::Unavailable`], [`Reason::Unreachable`] or
    /// [`Reason::RedirectLimit`]. `None` where the rules say, and where nothing is known.
    pub const fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// Whether the answer rests on a result that is fresh no more, and why it may.
    pub const fn stale(&self) -> Option<Stale> {
        self.stale
    }

    /// From when on the state has to be asked again. It is the time that was asked about where a
    /// fetch is due already.
    pub const fn valid_until(&self) -> Timestamp {
        self.valid_until
    }

    /// The verdict on a URL. `None`: robots.txt has to be fetched first.
    ///
    /// `robots` is the file of the last successful fetch; without one [`Kind::Rules`] is as unknown.
    /// What needs no robots.txt is answered without: schemes that have none, robots.txt itself,
    /// crawlers that do not follow it. The dialect is that of `robots`, and the default without;
    /// `Some(&dialect.parse(""))` is a dialect without a file.
    ///
    /// # Complexity
    ///
    /// As [`Robots::check`].
    pub fn verdict<'r, C, U>(
        &self,
        robots: Option<&'r Robots>,
        crawler: &C,
        url: &U,
    ) -> Option<Verdict<'r>>
    where
        C: AsCrawler + ?Sized,
        U: AsRef<[u8]> + ?Sized,
    {
        let dialect = robots.map(Robots::dialect).unwrap_or_default();
        if let Err(reason) = dialect.target(crawler.as_crawler(), url.as_ref()) {
            return Some(Verdict::allowed(reason));
        }
        match (self.kind, self.reason) {
            (Kind::Rules, _) => robots.map(|robots| robots.check(crawler, url)),
            (Kind::AllowAll, Some(reason)) => Some(Verdict::allowed(reason)),
            (Kind::DisallowAll, Some(reason)) => Some(Verdict::disallowed(reason)),
            _ => None,
        }
    }

    const fn unknown(now: Timestamp) -> Self {
        Self { kind: Kind::Unknown, reason: None, stale: None, valid_until: now }
    }
}

impl State {
    /// What may be fetched at `now`.
    ///
    /// `site_available`: whether the site is otherwise there, that is, whether other URLs of it were
    /// answered lately. Who does not know says `false` (REP-CACHE-22); only Google's reading asks.
    ///
    /// Where [`needs_fetch`](Self::needs_fetch) is true, fetch first and ask then; or, as long as an
    /// answer is known, ask and fetch meanwhile.
    pub fn access(&self, profile: &Profile, now: Timestamp, site_available: bool) -> Access {
        match (self.outage, self.kept) {
            (Some(outage), copy) => outage.access(copy, profile, now, site_available),
            (None, Some(kept)) if self.is_fresh(now) => kept.access(None, kept.fresh_until),
            (None, Some(kept)) if self.may_answer_while_refreshing(now) => {
                kept.access(Some(Stale::WhileRefreshing), now)
            }
            (None, _) => Access::unknown(now),
        }
    }
}

impl Kept {
    fn access(self, stale: Option<Stale>, valid_until: Timestamp) -> Access {
        let (kind, reason) = match self.result {
            Result::Rules => (Kind::Rules, None),
            Result::AllowAll(cause) => (Kind::AllowAll, Some(cause.reason())),
            Result::DisallowAll(cause) => (Kind::DisallowAll, Some(cause.reason())),
        };
        Access { kind, reason, stale, valid_until }
    }
}

impl Outage {
    /// REP-CACHE-10 to REP-CACHE-15. A boundary belongs to the later step (REP-CACHE-23).
    fn access(
        self,
        copy: Option<Kept>,
        profile: &Profile,
        now: Timestamp,
        site_available: bool,
    ) -> Access {
        // REP-CACHE-14: a copy that is too old is none.
        let too_old = |copy: &Kept| Some(copy.fetched_at.after(profile.copy_counts_for?));
        let copy = copy.filter(|copy| too_old(copy).is_none_or(|end| now < end));
        let later = self.since.after(profile.outage_later);
        let end = self.since.after(profile.outage_end);
        let ladder =
            if copy.is_some() { profile.outage_with_copy } else { profile.outage_without_copy };
        let step = match now {
            _ if now >= end => ladder.in_the_end,
            _ if now >= later => ladder.later,
            _ => ladder.at_first,
        };
        let (kind, reason, stale) = match (step, copy) {
            (Step::Copy, Some(_)) => (Kind::Rules, None, Some(Stale::DuringOutage)),
            (Step::Allow, _) => (Kind::AllowAll, Some(self.cause.reason()), None),
            (Step::AllowIfSiteAvailable, _) if site_available => {
                (Kind::AllowAll, Some(self.cause.reason()), None)
            }
            _ => (Kind::DisallowAll, Some(self.cause.reason()), None),
        };
        let changes = [Some(later), Some(end), copy.as_ref().and_then(too_old)];
        let ahead = changes.into_iter().flatten().filter(|&change| change > now);
        let first = ahead.fold(self.next_try, Timestamp::min);
        // REP-CACHE-23: asked about a time before the last try, a fetch is due.
        let valid_until = if now < self.tried_at { now } else { first.max(now) };
        Access { kind, reason, stale, valid_until }
    }
}

impl Cause {
    const fn reason(self) -> Reason {
        match self {
            Self::Unavailable => Reason::Unavailable,
            Self::Unreachable => Reason::Unreachable,
            Self::RedirectLimit => Reason::RedirectLimit,
        }
    }
}
