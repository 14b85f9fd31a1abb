//! Questions about access: meaning and freshness of fetch results, and time of the next attempt.
//! Also the library's answers.

use std::time::Duration;

use verger::access::{Access, Fetched, Freshness, Kind, Outcome, Profile, Stale, State, Timestamp};

use super::case::{Question, compare};
use super::format::{Fetch, Fresh, Retry};

impl Question {
    /// Whether the question is valid; an error explains the problem.
    pub(super) fn check(&self) -> Result<(), String> {
        let profiles: Vec<&String> = match self {
            Self::Fetch(fetch) => {
                let word = fetch.expect.values().find(|word| !ANSWERS.contains(&word.as_str()));
                if let Some(word) = word {
                    return Err(format!("expected one of {ANSWERS:?}, but found `{word}`"));
                }
                fetch.outcome()?;
                fetch.expect.keys().collect()
            }
            Self::Fresh(fresh) => fresh.expect.keys().collect(),
            _ => return Ok(()),
        };
        match profiles.iter().find(|name| Profile::named(name).is_none()) {
            Some(name) => Err(format!("expected an access profile, but found `{name}`")),
            None if profiles.is_empty() => Err("expected an answer, but found none".to_owned()),
            None => Ok(()),
        }
    }
}

impl Fetch {
    /// The outcome for the word.
    ///
    /// # Errors
    ///
    /// If the word is unknown.
    pub fn outcome(&self) -> Result<Outcome, String> {
        Ok(match self.outcome.as_str() {
            "not-modified" => Outcome::NotModified,
            "redirect-limit" => Outcome::RedirectLimit,
            "broken-redirect" => Outcome::BrokenRedirect,
            "disallowed-hop" => Outcome::DisallowedHop,
            "accepted-empty" => Outcome::AcceptedEmpty,
            "network" => Outcome::Network,
            "refused" => Outcome::LocalFault,
            status => match status.parse() {
                Ok(status) => Outcome::Status(status),
                Err(_) => return Err(format!("expected an outcome, but found `{status}`")),
            },
        })
    }

    pub(super) fn answers(&self) -> Vec<(&str, Result<(), String>)> {
        let answer = |(name, expected): (&String, &String)| {
            let profile = Profile::named(name).ok_or("no such profile")?;
            let access = self.access(&profile)?;
            compare(expected, &word(&access).to_owned())
        };
        self.expect.iter().map(|entry| (entry.0.as_str(), answer(entry))).collect()
    }

    /// Replays the outage: the copy, which expires immediately, then a failure whenever a fetch is
    /// due, the last one just now.
    fn access(&self, profile: &Profile) -> Result<Access, String> {
        let (outcome, profile) = (self.outcome()?, expiring_at_once(*profile));
        let ago = |minutes: u64| Timestamp::from_seconds(NOW - minutes * 60);
        let mut state = State::UNKNOWN;
        if let Some(age) = self.copy_minutes {
            let freshness = Freshness { max_age: Some(0), ..Freshness::default() };
            let copy = Fetched { freshness, ..Fetched::from(Outcome::Success) };
            state = state.after(&profile, copy, ago(age));
        }
        for minute in (0..=self.failing_minutes).rev() {
            let is_end = minute == 0 || minute == self.failing_minutes;
            if is_end || state.needs_fetch(ago(minute)) {
                let failed = Fetched { jitter: minute, ..outcome.into() };
                state = state.after(&profile, failed, ago(minute));
            }
        }
        let profile = if self.site_available { profile.with_site_available() } else { profile };
        Ok(if outcome == Outcome::LocalFault {
            state.access_without_fetch(&profile, ago(0))
        } else {
            state.access(&profile, ago(0))
        })
    }
}

/// The same profile without a minimum of freshness: a case in which a site fails concerns an
/// expired file (REP-CACHE-29).
pub fn expiring_at_once(mut profile: Profile) -> Profile {
    profile.floor = Duration::ZERO;
    profile
}

impl Fresh {
    pub(super) fn answers(&self) -> Vec<(&str, Result<(), String>)> {
        let received = Timestamp::from_seconds(self.received);
        let freshness = Fetched::of(Outcome::Success, pairs(&self.headers), received).freshness;
        let answer = |(name, expected): (&String, &u64)| {
            let profile = Profile::named(name).ok_or("no such profile")?;
            compare(expected, &profile.lifetime(&freshness, received).as_secs())?;
            // The state machine must agree.
            let fetched = Fetched { freshness, ..Fetched::from(Outcome::Success) };
            let state = State::UNKNOWN.after(&profile, fetched, received);
            let until = received.after(Duration::from_secs(*expected));
            compare(&Some(until), &state.fresh_until())
        };
        self.expect.iter().map(|entry| (entry.0.as_str(), answer(entry))).collect()
    }
}

impl Retry {
    pub(super) fn answers(&self) -> Vec<(&str, Result<(), String>)> {
        let profile = Profile::RFC9309;
        let received = Timestamp::from_seconds(self.received);
        let last = Fetched::of(Outcome::Status(503), pairs(&self.headers), received);
        let mut before = State::UNKNOWN;
        for _ in 1..self.failures {
            before = before.after(&profile, Outcome::Status(503), received);
        }
        let wait = |jitter| {
            let state = before.after(&profile, Fetched { jitter, ..last }, received);
            state.next_try().since(received).as_secs()
        };
        // One number for each second of the widest spread.
        let waits: Vec<u64> = (0..1_500).map(wait).collect();
        let found = (waits.iter().min().copied(), waits.iter().max().copied());
        vec![("rfc9309", compare(&(Some(self.least), Some(self.most)), &found))]
    }
}

fn pairs(headers: &[[String; 2]]) -> impl Iterator<Item = (&str, &str)> {
    headers.iter().map(|[name, value]| (name.as_str(), value.as_str()))
}

fn word(access: &Access) -> &'static str {
    match (access.kind(), access.stale()) {
        (Kind::Rules, Some(Stale::DuringOutage | Stale::NotRefreshed)) => "copy",
        (Kind::Rules, _) => "rules",
        (Kind::AllowAll, _) => "allow",
        (Kind::DisallowAll, _) => "disallow",
        (Kind::Unknown, _) => "unknown",
    }
}

const ANSWERS: [&str; 4] = ["rules", "copy", "allow", "disallow"];

/// Some time long after 1970.
const NOW: u64 = 1_700_000_000;
