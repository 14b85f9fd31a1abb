//! The texts that one reader of robots.txt has received, and the one in force at a time.
//!
//! Freshness and outages are those of the engine ([`State`]), in the access profile of the crawler.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use verger::access::{Kind, Meaning, Outcome, Profile, State, Timestamp};

use crate::limits::{FETCHES, MARGIN_SECONDS, OUTAGE_SECONDS};
use crate::log::before;
use crate::report::FetchReport;
use crate::verdict::Flags;

/// The fetches of one reader at one origin: of the crawlers of one operator, or of one crawler.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    /// In order of time.
    fetches: VecDeque<Fetch>,
    has_forgotten: bool,
    /// The latest response that can have made a copy fresh again (rule 14).
    freshened: Option<Timestamp>,
}

/// The fetches of the crawlers of an operator at one origin, and what rests on them.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) knowledge: Knowledge,
    /// The latest ones, for the report.
    pub(crate) latest: Vec<FetchReport>,
    /// The latest accusations by the fetches so far, by the version that forbade it; `None`:
    /// without a current file. A later line with an earlier fetch may justify them.
    pub(crate) accused: HashMap<Option<usize>, Timestamp>,
    /// The latest fetch that may have been one of its crawlers, without and with the file: with a
    /// name of one but an address that its list lacks, or from an address of the list without the
    /// name of a known crawler.
    pub(crate) doubts: [Option<Timestamp>; 2],
}

impl Shared {
    /// The latest accusation that a fetch of this version may justify: one of the version that
    /// forbade it does not.
    pub(crate) fn accused_without(&self, version: Option<usize>) -> Option<Timestamp> {
        let others = self.accused.iter().filter(|(by, _)| by.is_none() || **by != version);
        others.map(|(_, at)| *at).max()
    }
}

/// A fetch of robots.txt.
#[derive(Clone, Debug)]
pub(crate) struct Fetch {
    pub(crate) at: Timestamp,
    pub(crate) status: Option<u16>,
    /// The version that was served, if it is certain, and a file that the bytes can be. That of a
    /// [`FetchReport`] can be one without a file.
    pub(crate) version: Option<usize>,
    /// Whether the crawler can have no other one from before the log.
    pub(crate) is_only: bool,
    /// The index of the crawler.
    pub(crate) by: usize,
    pub(crate) is_proved: bool,
    /// The results that the reader had after it, for each of its profiles.
    pub(crate) after: Vec<Held>,
}

/// The result of a reader, in one access profile.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Held {
    state: State,
    /// The version that the reader has, if the state has a file; `None`: nobody knows which.
    version: Option<usize>,
    /// Whether a status since was one that some crawlers read as permission.
    has_unknown_text: bool,
    /// Whether a later status refused the file, or said that it does not exist.
    pub(crate) is_denied: bool,
    /// The crawler that received or renewed it.
    pub(crate) by: usize,
    is_unproved: bool,
    /// A failure that a fresh file outlived (REP-CACHE-29).
    outlived: Option<(Outcome, bool)>,
}

/// The result that is in force for a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InForce {
    /// None: no fetch was seen, or its result is too old.
    Absent,
    /// Fetches were seen, but too many since then.
    Forgotten,
    /// A version, if it is known, that was received or renewed at this time.
    Copy(Option<usize>, Timestamp),
    /// There is no file, or an outage allows everything.
    AllAllowed,
    /// An outage forbids everything, because the reader has no copy.
    AllForbidden,
}

/// How a crawler reads what it has received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading<'p> {
    pub(crate) profile: &'p Profile,
    /// The index of the profile among those of its reader.
    pub(crate) row: usize,
    /// The uncertainty of times.
    pub(crate) margin: Duration,
}

/// The answer for a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) in_force: InForce,
    pub(crate) held: Held,
    /// Of the fetches on which this rests.
    pub(crate) flags: Flags,
}

impl Knowledge {
    /// Adds a fetch. One that is earlier than all remembered ones, of more, has no effect.
    pub(crate) fn add(&mut self, fetch: Fetch, profiles: &[Profile]) {
        let later = self.fetches.iter().rev().take_while(|it| it.at > fetch.at).count();
        let place = self.fetches.len() - later;
        if place == 0 && self.has_forgotten {
            return;
        }
        self.fetches.insert(place, fetch);
        for at in place..self.fetches.len() {
            let before = at.checked_sub(1).map(|before| &self.fetches[before].after);
            let next = profiles.iter().enumerate().map(|(row, profile)| {
                let before = before.map(|before| before[row]).unwrap_or_default();
                before.after(profile, &self.fetches[at])
            });
            self.fetches[at].after = next.collect();
        }
        if self.fetches.len() > FETCHES {
            self.fetches.pop_front();
            self.has_forgotten = true;
        }
    }

    /// Notes a response that can have made a copy fresh again.
    pub(crate) fn freshen(&mut self, at: Timestamp) {
        self.freshened = self.freshened.max(Some(at));
    }

    /// The knowledge at a time.
    pub(crate) fn at(&self, time: Timestamp, reading: Reading<'_>) -> Known {
        let later = self.fetches.iter().rev().take_while(|it| it.at > time).count();
        let flags = Flags { backwards: later > 0, ..Flags::default() };
        let last = (self.fetches.len() - later).checked_sub(1);
        let Some(fetch) = last.map(|last| &self.fetches[last]) else {
            let in_force = if self.has_forgotten { InForce::Forgotten } else { InForce::Absent };
            return Known { in_force, held: Held::default(), flags };
        };
        let held = fetch.after[reading.row];
        let in_force = self.in_force(fetch, time, reading);
        // Past the lifetime, at most a failed fetch keeps the file in force.
        let is_past = held.state.fresh_until().is_some_and(|end| end <= time);
        let flags = Flags {
            unproved: held.is_unproved || is_past && matches!(held.outlived, Some((_, false))),
            refused_robots_txt: fetch.is_refused(),
            ..flags
        };
        Known { in_force, held, flags }
    }

    /// The result in force at a time after a fetch, and before the next one (rule 14).
    fn in_force(&self, fetch: &Fetch, time: Timestamp, reading: Reading<'_>) -> InForce {
        let Reading { profile, row, margin } = reading;
        let held = fetch.after[row];
        let in_force = held.in_force(profile, fetch.at, time);
        let earlier = before(time, margin).max(fetch.at);
        let is_freshened =
            |at| fetch.at <= at && time < at.after(profile.default_lifetime + margin);
        if in_force == InForce::Absent
            && (held.in_force(profile, fetch.at, earlier) != in_force
                || held.state.has_copy() && self.freshened.is_some_and(is_freshened))
        {
            return InForce::Copy(None, held.since(fetch.at));
        }
        in_force
    }

    /// The result in force before each of the fetches until a time and not long before a request
    /// can have begun, with the time of the fetch (rule 25).
    pub(crate) fn before(
        &self,
        time: Timestamp,
        begun: Timestamp,
        reading: Reading<'_>,
    ) -> impl Iterator<Item = (InForce, Timestamp)> {
        let is_recent =
            move |it: &Fetch| it.at <= time && begun.since(it.at).as_secs() < MARGIN_SECONDS;
        let recent = self.fetches.iter().enumerate().filter(move |(_, fetch)| is_recent(fetch));
        recent.map(move |(index, fetch)| {
            let in_force = match index.checked_sub(1).map(|before| &self.fetches[before]) {
                Some(before) => self.in_force(before, fetch.at, reading),
                None if self.has_forgotten => InForce::Forgotten,
                None => InForce::Absent,
            };
            (in_force, fetch.at)
        })
    }
}

impl Fetch {
    /// Whether it was refused, although there was a file (rule 31).
    pub(crate) fn is_refused(&self) -> bool {
        self.version.is_some() && self.status.is_some_and(refuses)
    }
}

impl Held {
    /// The result after a further fetch: rules 7 to 11.
    fn after(self, profile: &Profile, fetch: &Fetch) -> Self {
        let has_copy = self.state.has_copy();
        let is_same = has_copy && self.version.is_some() && self.version == fetch.version;
        let (outcome, version) = match fetch.status {
            Some(304) if is_same => (Outcome::NotModified, fetch.version), // 8
            // The copy that was not modified is not known: some servers send 304, too, if their
            // file is the older one.
            Some(304) => (Outcome::Success, fetch.version.filter(|_| fetch.is_only && !has_copy)),
            Some(200) => (Outcome::Success, fetch.version), // 7
            // 11: pages that test visitors.
            Some(202) => (Outcome::Network, self.version),
            // 9: a part of a file, no file, and a redirect. Somewhere else there may be a file.
            None | Some(201..=399) => (Outcome::Success, None),
            Some(status) if is_silent(status) => (Outcome::Network, self.version),
            Some(status) => (Outcome::Status(status), self.version), // 10, 11
        };
        let state = self.state.after(profile, outcome, fetch.at);
        if profile.meaning(outcome) != Meaning::Unreachable {
            let is_renewed = outcome == Outcome::NotModified;
            let is_unproved = !fetch.is_proved || self.is_unproved && is_renewed;
            return Self { state, version, by: fetch.by, is_unproved, ..Self::default() };
        }
        let failed = Self {
            has_unknown_text: self.has_unknown_text
                || matches!(fetch.status, Some(202 | 408 | 429)),
            is_denied: self.is_denied || fetch.status.is_some_and(refuses),
            ..self
        };
        if state.failing_since().is_none() {
            return Self { outlived: Some((outcome, fetch.is_proved)), ..failed };
        }
        let is_unproved = !fetch.is_proved || self.is_unproved && state.has_copy();
        Self { state, is_unproved, outlived: None, ..failed }
    }

    /// The time of the result; of the last fetch if there is none.
    fn since(self, fetched: Timestamp) -> Timestamp {
        self.state.fetched_at().unwrap_or(fetched)
    }

    /// The result in force at a time after the last fetch, that at `fetched`: rules 11 to 13.
    fn in_force(self, profile: &Profile, fetched: Timestamp, time: Timestamp) -> InForce {
        let mut state = self.state;
        let is_recent = time < fetched.after(profile.default_lifetime);
        // 11: the failure of our server counts from the end of the file's lifetime on, as if it had
        // been at that time.
        if let (Some((failure, _)), Some(end)) = (self.outlived, state.fresh_until())
            && is_recent
            && end <= time
        {
            state = state.after(profile, failure, end);
        }
        let copy = |version| InForce::Copy(version, self.since(fetched));
        let outage = state.failing_since();
        let is_long = |since: Timestamp| since.after(Duration::from_secs(OUTAGE_SECONDS)) <= time;
        match state.access(profile, time).kind() {
            // 13: RFC 9309 section 2.3.1.4.
            _ if state.has_copy() && outage.is_some_and(is_long) => InForce::AllAllowed,
            // 12: the engine's waits are no promise of the operator.
            Kind::Unknown if outage.is_some() && is_recent => InForce::AllAllowed,
            Kind::Unknown => InForce::Absent,
            _ if outage.is_none() && !state.is_fresh(time) => InForce::Absent,
            Kind::AllowAll => InForce::AllAllowed,
            _ if !state.has_copy() => InForce::AllForbidden,
            // 13: nobody knows whether the crawler has to try again.
            _ if outage.is_some() && !is_recent => copy(None),
            Kind::Rules | Kind::DisallowAll => {
                copy(self.version.filter(|_| !self.has_unknown_text))
            }
        }
    }
}

/// A status that refuses the file.
const fn refuses(status: u16) -> bool {
    matches!(status, 400..=499) && !is_silent(status) && status != 429
}

/// A status that logs write if the client got no response: nginx writes 444 and 499, others
/// write 000. 408 ends a connection without a request.
const fn is_silent(status: u16) -> bool {
    matches!(status, 0 | 408 | 444 | 499)
}
