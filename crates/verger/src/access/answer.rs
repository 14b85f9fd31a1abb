//! The access of a state at a time.

use core::time::Duration;

use super::profile::{OutageStep, Profile};
use super::state::{Cause, LastResult, Outage, Result, State};
use super::time::Timestamp;
use crate::crawler::AsCrawler;
use crate::dialect::Dialect;
use crate::robots::Robots;
use crate::verdict::{Reason, Verdict};

/// The access to an origin at a time, according to the fetches of its robots.txt.
///
/// With the file, a crawler and a URL it gives a verdict ([`verdict`](Self::verdict)).
///
/// # Examples
///
/// ```
/// use verger::access::{Kind, Outcome, Profile, State, Timestamp};
/// use verger::Reason;
///
/// let profile = Profile::GOOGLE.with_site_available();
/// let at = |hours: u64| Timestamp::from_seconds(1_700_000_000 + hours * 3600);
/// let mut state = State::UNKNOWN;
/// for hour in 0..12 {
///     state = state.after(&profile, Outcome::Network, at(hour));
/// }
/// let access = state.access(&profile, at(11));
/// assert_eq!((access.kind(), access.reason()), (Kind::DisallowAll, Some(Reason::Unreachable)));
/// // The thirteenth failed fetch makes the outage twelve hours long.
/// let state = state.after(&profile, Outcome::Network, at(12));
/// assert_eq!(state.access(&profile, at(12)).kind(), Kind::AllowAll);
/// // Time alone never allows more: once the next fetch is due, nothing is known.
/// assert_eq!(state.access(&profile, at(14)).kind(), Kind::Unknown);
///
/// let verdict = access.verdict(None, "ExampleBot", "https://shop.example/");
/// assert_eq!(
///     verdict.expect("it is known").to_string(),
///     "disallowed: robots.txt cannot be fetched, so everything is disallowed until it can be",
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    kind: Kind,
    reason: Option<Reason>,
    stale: Option<Stale>,
    valid_until: Timestamp,
}

/// The kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "by the rules, all, nothing, unknown")]
pub enum Kind {
    /// The rules of the file apply.
    Rules,
    /// Everything is allowed.
    AllowAll,
    /// Everything is disallowed, for now.
    DisallowAll,
    /// Unknown: robots.txt must be fetched first, and nothing may be fetched before.
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

/// The reason why a stale result answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stale {
    /// It is less than 24 hours old, and answers during a refresh
    /// ([`State::may_answer_while_refreshing`]).
    WhileRefreshing,
    /// The site cannot be reached, and the profile uses the copy (REP-CACHE-12, REP-CACHE-24).
    DuringOutage,
    /// The crawler itself could not refresh it, and the profile uses the copy in an outage
    /// ([`State::access_without_fetch`], REP-CACHE-28).
    NotRefreshed,
}

impl Stale {
    /// The name in JSON output: `during_outage`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WhileRefreshing => "while_refreshing",
            Self::DuringOutage => "during_outage",
            Self::NotRefreshed => "not_refreshed",
        }
    }
}

impl Access {
    /// The kind of access.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The reason why everything is allowed or disallowed: [`Reason::Unavailable`],
    /// [`Reason::Unreachable`] or [`Reason::RedirectLimit`]. `None` if the rules apply, and if
    /// nothing is known.
    pub const fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// The reason why a stale result answers; `None` if the answer is not from a stale result.
    pub const fn stale(&self) -> Option<Stale> {
        self.stale
    }

    /// The time at which this access ends: call [`State::access`] again then. If a fetch is already
    /// due, this is the requested time.
    pub const fn valid_until(&self) -> Timestamp {
        self.valid_until
    }

    /// The verdict for a URL. `None` if robots.txt must be fetched first.
    ///
    /// `robots` is the file of the last successful fetch. Without a file, [`Kind::Rules`] is
    /// unknown. No file is needed for schemes without robots.txt, for robots.txt itself, and for
    /// crawlers that ignore it; the dialect of the file defines these URLs, or the default dialect.
    ///
    /// # Complexity
    ///
    /// As [`Robots::check`].
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::{Outcome, Profile, State, Timestamp};
    /// use verger::{Reason, Robots};
    ///
    /// let (now, profile) = (Timestamp::from_seconds(1_700_000_000), Profile::RFC9309);
    /// let (crawler, url) = ("ExampleBot", "https://shop.example/cart");
    /// let robots = Robots::parse("User-agent: *\nDisallow: /cart\n");
    /// let access = State::UNKNOWN.after(&profile, Outcome::Success, now).access(&profile, now);
    /// assert_eq!(access.verdict(&robots, crawler, url).and_then(|verdict| verdict.line()), Some(2));
    ///
    /// // No file, because of an outage.
    /// let state = State::UNKNOWN.after(&profile, Outcome::Network, now);
    /// let access = state.access(&profile, now);
    /// let reason = |url| access.verdict(None, crawler, url).map(|verdict| verdict.reason());
    /// assert_eq!(reason(url), Some(Reason::Unreachable));
    /// assert_eq!(reason("https://shop.example/robots.txt"), Some(Reason::RobotsTxtItself));
    /// ```
    pub fn verdict<'r, C, U>(
        &self,
        robots: impl Into<Option<&'r Robots>>,
        crawler: &C,
        url: &U,
    ) -> Option<Verdict<'r>>
    where
        C: AsCrawler + ?Sized,
        U: AsRef<[u8]> + ?Sized,
    {
        let (robots, crawler, url) = (robots.into(), crawler.as_crawler(), url.as_ref());
        let dialect = robots.map_or(Dialect::RFC9309, Robots::dialect);
        if self.kind == Kind::Rules
            && let Some(robots) = robots
        {
            return Some(robots.check(&crawler, url));
        }
        if let Err(reason) = dialect.target(crawler, url) {
            return Some(Verdict::without_robots(reason));
        }
        match (self.kind, self.reason) {
            (Kind::AllowAll, Some(reason)) => Some(Verdict::without_rule(true, reason)),
            (Kind::DisallowAll, Some(reason)) => Some(Verdict::without_rule(false, reason)),
            _ => None,
        }
    }

    const fn unknown(now: Timestamp) -> Self {
        Self { kind: Kind::Unknown, reason: None, stale: None, valid_until: now }
    }
}

impl State {
    /// The access at `now`.
    ///
    /// If [`needs_fetch`](Self::needs_fetch) is true, fetch robots.txt first; while the access is
    /// not unknown, you may also use it and fetch in the meantime. If an outage allows
    /// everything, this is known only until its next fetch is due (REP-CACHE-26). Google's profiles
    /// need to know whether other URLs of the site were answered recently
    /// ([`Profile::with_site_available`], REP-CACHE-22).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::{Kind, Outcome, Profile, Stale, State, Timestamp};
    ///
    /// let (profile, at) = (Profile::RFC9309, |hours: u64| Timestamp::from_seconds(hours * 3600));
    /// let state = State::UNKNOWN.after(&profile, Outcome::Success, at(0));
    /// let access = state.access(&profile, at(1));
    /// assert_eq!((access.kind(), access.stale(), access.valid_until()), (Kind::Rules, None, at(24)));
    ///
    /// // During an outage the copy is still valid.
    /// let state = state.after(&profile, Outcome::Network, at(25));
    /// let access = state.access(&profile, at(25));
    /// assert_eq!((access.kind(), access.stale()), (Kind::Rules, Some(Stale::DuringOutage)));
    /// ```
    pub fn access(&self, profile: &Profile, now: Timestamp) -> Access {
        match (self.outage, self.last) {
            (Some(outage), copy) => match outage.access(copy, profile, now) {
                Access { kind: Kind::AllowAll, .. } if self.needs_fetch(now) => {
                    Access::unknown(now)
                }
                access => access,
            },
            (None, Some(last)) if self.is_fresh(now) => last.access(None, last.fresh_until),
            (None, Some(last)) if self.may_answer_while_refreshing(now) => {
                last.access(Some(Stale::WhileRefreshing), now)
            }
            (None, _) => Access::unknown(now),
        }
    }

    /// The access at `now` if a fetch is due but impossible, for example offline, or ended in a
    /// fault of the crawler (REP-CACHE-26, REP-CACHE-28).
    ///
    /// The result is never [`Kind::Unknown`]. The previous access remains if it disallows or is
    /// fresh, or if it is the copy and the profile uses a copy from the first failure on. Otherwise
    /// everything is disallowed.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::{Kind, Outcome, Profile, State, Timestamp};
    ///
    /// let (now, later) = (Timestamp::from_seconds(1_700_000_000), Timestamp::from_seconds(1_800_000_000));
    /// for profile in Profile::ALL {
    ///     assert_eq!(State::UNKNOWN.access_without_fetch(&profile, now).kind(), Kind::DisallowAll);
    /// }
    /// let state = State::UNKNOWN.after(&Profile::RFC9309, Outcome::Success, now);
    /// assert_eq!(state.access_without_fetch(&Profile::RFC9309, later).kind(), Kind::Rules);
    /// assert_eq!(state.access_without_fetch(&Profile::GOOGLE, later).kind(), Kind::DisallowAll);
    /// ```
    pub fn access_without_fetch(&self, profile: &Profile, now: Timestamp) -> Access {
        let access = self.access(profile, now);
        if access.kind != Kind::Unknown && access.stale != Some(Stale::WhileRefreshing) {
            return access;
        }
        let copy = self.copy().filter(|copy| copy.counts(profile, now));
        match copy {
            Some(copy)
                if self.outage.is_none()
                    && profile.outage_with_copy.at_first == OutageStep::Copy =>
            {
                copy.access(Some(Stale::NotRefreshed), now)
            }
            _ => Access {
                kind: Kind::DisallowAll,
                reason: Some(Reason::Unreachable),
                stale: None,
                valid_until: now,
            },
        }
    }
}

impl LastResult {
    fn access(self, stale: Option<Stale>, valid_until: Timestamp) -> Access {
        let (kind, reason) = match self.result {
            Result::Rules => (Kind::Rules, None),
            Result::AllowAll(cause) => (Kind::AllowAll, Some(cause.reason())),
            Result::DisallowAll(cause) => (Kind::DisallowAll, Some(cause.reason())),
        };
        Access { kind, reason, stale, valid_until }
    }

    /// REP-CACHE-14: whether the copy was young enough at a time.
    fn counts(&self, profile: &Profile, at: Timestamp) -> bool {
        profile.copy_counts_for.is_none_or(|most| at < self.fetched_at.after(most))
    }
}

impl Outage {
    /// REP-CACHE-10 to REP-CACHE-15, REP-CACHE-26. A boundary belongs to the later step
    /// (REP-CACHE-23).
    fn access(self, copy: Option<LastResult>, profile: &Profile, now: Timestamp) -> Access {
        let copy = copy.filter(|copy| copy.counts(profile, self.tried_at));
        let ladder =
            if copy.is_some() { profile.outage_with_copy } else { profile.outage_without_copy };
        let steps = [
            (Duration::ZERO, ladder.at_first),
            (profile.outage_later, ladder.later),
            (profile.outage_end, ladder.in_the_end),
        ];
        // The step that failed fetches prove, or a stricter step that only the clock has reached.
        let permits_at = |now: Timestamp| {
            let reached = |length: Duration| {
                steps.iter().rposition(|&(begin, _)| length >= begin).unwrap_or_default()
            };
            let proved = reached(self.counted);
            let by_clock = reached(now.since(self.since)).max(proved);
            steps[proved..=by_clock]
                .iter()
                .map(|&(_, step)| step.permits(copy.is_some()))
                .min()
                .unwrap_or(Permits::Nothing)
        };
        let permits = permits_at(now);
        let (kind, reason, stale) = match permits {
            Permits::Copy => (Kind::Rules, None, Some(Stale::DuringOutage)),
            Permits::Everything => (Kind::AllowAll, Some(self.cause.reason()), None),
            Permits::Nothing => (Kind::DisallowAll, Some(self.cause.reason()), None),
        };
        let changes = steps.iter().map(|&(begin, _)| self.since.after(begin));
        let ahead = changes.filter(|&change| change > now && permits_at(change) != permits);
        let first = ahead.fold(self.next_try, Timestamp::min);
        // REP-CACHE-23: a fetch is due at times before the last try.
        let valid_until = if now < self.tried_at { now } else { first.max(now) };
        Access { kind, reason, stale, valid_until }
    }
}

/// The access of a step, the strictest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Permits {
    Nothing,
    Copy,
    Everything,
}

impl OutageStep {
    const fn permits(self, has_copy: bool) -> Permits {
        match self {
            Self::Copy if has_copy => Permits::Copy,
            Self::Allow => Permits::Everything,
            Self::Disallow | Self::Copy | Self::AllowIfSiteAvailable => Permits::Nothing,
        }
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
