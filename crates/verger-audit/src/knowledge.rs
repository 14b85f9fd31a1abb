//! The texts that one reader of robots.txt has received, and the one in force at a time.
//!
//! Freshness and outages are those of the engine ([`State`]), in the access profile of the crawler.

use std::collections::VecDeque;
use std::time::Duration;

use verger::access::{Kind, Meaning, Outcome, Profile, State, Timestamp};

use crate::limits::{FETCHES, MARGIN_SECONDS};

/// The fetches of one reader: the crawlers of one operator, at one origin.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    /// In order of time.
    fetches: VecDeque<Fetch>,
    /// Those before a gap in the log, on which nothing rests any more.
    past: VecDeque<Fetch>,
    total: u64,
    has_forgotten: bool,
}

/// A fetch of robots.txt.
#[derive(Debug)]
pub(crate) struct Fetch {
    pub(crate) at: Timestamp,
    pub(crate) status: Option<u16>,
    /// The version that was served at this time.
    pub(crate) version: Option<usize>,
    /// Whether that version is a file.
    pub(crate) has_text: bool,
    pub(crate) is_proved: bool,
    /// The results that the reader had after it, for each of its profiles.
    after: Vec<Held>,
}

/// The result of a reader, in one access profile.
#[derive(Clone, Copy, Debug)]
struct Held {
    state: State,
    /// The file, if the state has one.
    text: Text,
    is_proved: bool,
    /// A failure that a fresh file outlived (REP-CACHE-29).
    outlived: Option<(Outcome, bool)>,
}

/// A received text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    Version(usize),
    /// A response without a body.
    Empty,
    Unknown,
}

/// The result that is in force for a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InForce {
    /// No fetch was seen.
    Unseen,
    /// Fetches were seen, but too many since then.
    Forgotten,
    /// A file that was received or renewed at this time.
    Copy(Text, Timestamp),
    /// Everything is allowed: there is no file, or an outage allows it.
    Everything,
    /// Nothing is allowed, and there never was a file.
    Nothing,
    /// A result that is too old.
    Expired,
}

/// The answer for a time.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about fetches")]
pub(crate) struct Known {
    pub(crate) in_force: InForce,
    /// A file of the last fetches, whether it is in force or not.
    pub(crate) copy: Option<(usize, Timestamp)>,
    /// Whether the fetches on which this rests were proved.
    pub(crate) is_proved: bool,
    /// Whether only a failed fetch that proves nothing keeps the file in force.
    pub(crate) is_kept_without_proof: bool,
    /// Whether the last fetch was refused, although there was a file.
    pub(crate) is_refused: bool,
    /// Whether there is a later fetch.
    pub(crate) is_backwards: bool,
}

impl Known {
    pub(crate) const UNSEEN: Self = Self {
        in_force: InForce::Unseen,
        copy: None,
        is_proved: true,
        is_kept_without_proof: false,
        is_refused: false,
        is_backwards: false,
    };
}

impl Knowledge {
    /// Adds a fetch. One that is earlier than all remembered ones, of more, has no effect.
    pub(crate) fn add(&mut self, fetch: Fetch, profiles: &[Profile]) {
        self.total += 1;
        let later = self.fetches.iter().rev().take_while(|it| it.at > fetch.at).count();
        let place = self.fetches.len() - later;
        if place == 0 && self.has_forgotten {
            return;
        }
        self.fetches.insert(place, fetch);
        for at in place..self.fetches.len() {
            let before = at.checked_sub(1).map(|before| &self.fetches[before].after);
            let next = profiles.iter().enumerate().map(|(row, profile)| {
                let before = before.map_or(Held::NOTHING, |before| before[row]);
                before.after(profile, &self.fetches[at])
            });
            self.fetches[at].after = next.collect();
        }
        if self.fetches.len() > FETCHES {
            self.fetches.pop_front();
            self.has_forgotten = true;
        }
    }

    /// Forgets the fetches for all but the report.
    pub(crate) fn forget(&mut self) {
        self.past.append(&mut self.fetches);
        self.past.drain(..self.past.len().saturating_sub(FETCHES));
        self.has_forgotten = false;
    }

    /// The knowledge at a time, in the profile with this index. Results last for `lifetime`.
    pub(crate) fn at(
        &self,
        time: Timestamp,
        (row, profile): (usize, &Profile),
        lifetime: Duration,
    ) -> Known {
        let later = self.fetches.iter().rev().take_while(|it| it.at > time).count();
        let is_backwards = later > 0;
        let Some(fetch) = (self.fetches.len() - later).checked_sub(1).map(|at| &self.fetches[at])
        else {
            let in_force = if self.has_forgotten { InForce::Forgotten } else { InForce::Unseen };
            return Known { in_force, is_backwards, ..Known::UNSEEN };
        };
        let held = fetch.after[row];
        let copy = match held.text {
            Text::Version(version) if held.state.has_copy() => {
                held.state.fetched_at().map(|at| (version, at))
            }
            _ => None,
        };
        Known {
            in_force: held.in_force(profile, fetch.at, time, lifetime),
            copy,
            is_proved: held.is_proved,
            is_kept_without_proof: held.is_kept_without_proof(time),
            is_refused: fetch.is_refused(),
            is_backwards,
        }
    }

    /// The texts in force before each of the fetches shortly before a time, with the time of the fetch.
    pub(crate) fn before(
        &self,
        time: Timestamp,
        (row, profile): (usize, &Profile),
        lifetime: Duration,
    ) -> impl Iterator<Item = (InForce, Timestamp)> {
        let is_recent =
            move |it: &Fetch| it.at <= time && time.since(it.at).as_secs() < MARGIN_SECONDS;
        let recent = self.fetches.iter().enumerate().filter(move |(_, fetch)| is_recent(fetch));
        recent.map(move |(index, fetch)| {
            let before = index.checked_sub(1).map(|before| &self.fetches[before]);
            let in_force = before.map_or(InForce::Unseen, |before| {
                before.after[row].in_force(profile, before.at, fetch.at, lifetime)
            });
            (in_force, fetch.at)
        })
    }

    /// The remembered fetches, and the number of all.
    pub(crate) fn fetches(&self) -> (impl Iterator<Item = &Fetch>, u64) {
        let all = self.past.len() + self.fetches.len();
        (self.past.iter().chain(&self.fetches).skip(all.saturating_sub(FETCHES)), self.total)
    }
}

impl Fetch {
    pub(crate) const fn new(
        at: Timestamp,
        status: Option<u16>,
        (version, has_text): (Option<usize>, bool),
        is_proved: bool,
    ) -> Self {
        Self { at, status, version, has_text, is_proved, after: Vec::new() }
    }

    /// Whether the server refused to send a file that it had.
    pub(crate) fn is_refused(&self) -> bool {
        self.has_text && self.status.is_some_and(refuses)
    }
}

impl Held {
    const NOTHING: Self =
        Self { state: State::UNKNOWN, text: Text::Unknown, is_proved: true, outlived: None };

    fn after(self, profile: &Profile, fetch: &Fetch) -> Self {
        let served = match fetch.version {
            Some(version) if fetch.has_text => Text::Version(version),
            _ => Text::Unknown,
        };
        let has_text = self.state.has_copy() && self.text != Text::Unknown;
        let (outcome, text) = match fetch.status {
            Some(304) if has_text && self.text == served => (Outcome::NotModified, served),
            // It cannot have been the file of the history that was not modified.
            Some(304) if has_text => (Outcome::Success, Text::Unknown),
            Some(200 | 304) => (Outcome::Success, served),
            // A part of a file, and a redirect: somewhere else there may be a file.
            None | Some(206 | 300..=399) => (Outcome::Success, Text::Unknown),
            // 202 is sent with a page that tests visitors.
            Some(202) => (Outcome::Network, self.text),
            Some(status) if is_silent(status) => (Outcome::Network, self.text),
            Some(status @ (204 | 205)) => (Outcome::Status(status), Text::Empty),
            Some(status) => (Outcome::Status(status), Text::Unknown),
        };
        let state = self.state.after(profile, outcome, fetch.at);
        if profile.meaning(outcome) != Meaning::Unreachable {
            let is_renewed = outcome == Outcome::NotModified;
            let is_proved = fetch.is_proved && (self.is_proved || !is_renewed);
            return Self { state, text, is_proved, outlived: None };
        }
        if state.failing_since().is_none() {
            return Self { outlived: Some((outcome, fetch.is_proved)), ..self };
        }
        let is_proved = fetch.is_proved && (self.is_proved || !state.has_copy());
        Self { state, text: self.text, is_proved, outlived: None }
    }

    /// Whether the file is past its lifetime, so that at most a failed fetch keeps it in force, and
    /// that fetch proves nothing.
    fn is_kept_without_proof(self, time: Timestamp) -> bool {
        let is_past = self.state.fresh_until().is_some_and(|end| end <= time);
        is_past && matches!(self.outlived, Some((_, false)))
    }

    fn in_force(
        self,
        profile: &Profile,
        fetched_at: Timestamp,
        time: Timestamp,
        lifetime: Duration,
    ) -> InForce {
        let mut state = self.state;
        let is_recent = time < fetched_at.after(lifetime);
        // The failure of our server counts from the end of the file's lifetime on.
        if let (Some((failure, _)), Some(end)) = (self.outlived, state.fresh_until())
            && is_recent
            && end <= time
        {
            state = state.after(profile, failure, end);
        }
        let is_outage = state.failing_since().is_some();
        let is_current = is_outage || state.is_fresh(time);
        let copy = || InForce::Copy(self.text, state.fetched_at().unwrap_or(fetched_at));
        match state.access(profile, time).kind() {
            // The engine's waits are no promise of the operator.
            Kind::Unknown if is_outage && is_recent => InForce::Everything,
            Kind::Unknown => InForce::Expired,
            _ if !is_current => InForce::Expired,
            Kind::AllowAll => InForce::Everything,
            Kind::Rules if self.text == Text::Empty => InForce::Everything,
            Kind::Rules => copy(),
            Kind::DisallowAll if state.has_copy() => copy(),
            Kind::DisallowAll => InForce::Nothing,
        }
    }
}

/// A status that refuses the file.
pub(crate) const fn refuses(status: u16) -> bool {
    matches!(status, 400..=499) && !is_silent(status) && status != 429
}

/// A status that logs write if the client got no response: nginx writes 444 and 499, others
/// write 000. 408 ends a connection without a request.
const fn is_silent(status: u16) -> bool {
    matches!(status, 0 | 408 | 444 | 499)
}
