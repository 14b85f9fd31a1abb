//! Genuine answers of the engine hold in every access profile.

use std::time::Duration;

use serde_json::{Value, json};
use verger::access::{Fetched, Freshness, Kind, Outcome, Profile, Stale, State, Timestamp};
use verger::{Reason, Robots};

use crate::verify::decisions::{NOTHING, ROBOTS, SHA256, answer, items};

const NOW: u64 = 1_763_700_000;
const HOUR: u64 = 60 * 60;

/// A fetch: time, outcome, status.
type Fetch = (u64, Outcome, Option<u16>);

/// The stored state after some fetches in one access profile.
#[derive(Clone, Default)]
struct Site {
    state: State,
    tried_at: u64,
    status: Option<u16>,
    failure: Option<String>,
}

impl Site {
    fn fetched(mut self, profile: &Profile, (at, outcome, status): Fetch, jitter: u64) -> Self {
        let had_copy = self.state.has_copy();
        let freshness = Freshness { max_age: Some(jitter), ..Freshness::default() };
        // The longest wait, by the server's request or by default.
        let retry_after = jitter.is_multiple_of(2).then_some(Duration::MAX);
        let fetched = Fetched { outcome, freshness, retry_after, jitter };
        self.tried_at = NOW + at;
        self.state = self.state.after(profile, fetched, Timestamp::from_seconds(self.tried_at));
        self.status = status;
        let is_whole = match outcome {
            Outcome::NotModified => had_copy,
            Outcome::Success => true,
            Outcome::Status(status) => matches!(status, 200..=299) && status != 206,
            _ => false,
        };
        self.failure = (!is_whole).then(|| format!("{outcome:?}"));
        self
    }

    /// The same state for an offline client.
    fn offline(self, profile: &Profile, at: u64) -> Self {
        let outage = self.state.failures() > 0 && !self.state.has_copy();
        let known = if outage { Self::default() } else { self };
        let status = known.status.filter(|_| known.state.has_copy());
        known.fetched(profile, (at, Outcome::Network, status), 0)
    }

    /// The answer at a time; `None` if a fetch is due.
    fn answer(&self, profile: &Profile, at: u64, source: &str) -> Option<Value> {
        let now = Timestamp::from_seconds(NOW + at);
        let access = self.state.access(profile, now);
        let robots = Robots::parse(ROBOTS);
        let mut answer = answer();
        let decision = answer["decision"].as_object_mut()?;
        let seconds = |time: Option<Timestamp>| time.map(Timestamp::seconds);
        for (key, value) in [
            ("access_profile", json!(profile.name)),
            ("access", json!(access.kind().name())),
            ("source", json!(source)),
            ("decided_at", json!(NOW + at)),
            ("valid_until", json!(access.valid_until().seconds())),
            ("stale", json!(access.stale().map(Stale::name))),
            ("status", json!(self.status)),
            ("failure", json!(self.failure)),
            ("tried_at", json!(self.tried_at)),
            ("fetched_at", json!(seconds(self.state.fetched_at()))),
            ("fresh_until", json!(seconds(self.state.fresh_until()))),
            ("failing_since", json!(seconds(self.state.failing_since()))),
            ("kept_pause", json!(2.0)),
        ] {
            decision.insert(key.into(), value);
        }
        if self.state.has_copy() {
            decision.insert("sha256".into(), SHA256.into());
        } else {
            decision.insert("bytes".into(), 0.into());
            decision.insert("sha256".into(), NOTHING.into());
            decision.insert("asked_pause".into(), Value::Null);
            decision.insert("kept_pause".into(), 1.0.into());
        }
        decision.retain(|_, value| !value.is_null());
        if matches!(self.status, Some(300..=399)) && !self.state.has_copy() {
            decision.insert("hops".into(), json!([]));
            decision.insert("final_url".into(), "https://shop.example/robots.txt".into());
        }
        let verdict = access.verdict(Some(&robots), "GPTBot", "https://shop.example/cart")?;
        answer["allowed"] = verdict.is_allowed().into();
        answer["reason"] = verdict.reason().name().into();
        if access.kind() != Kind::Rules {
            for key in ["rule", "group", "target", "matches"] {
                answer.as_object_mut()?.remove(key);
            }
        }
        assert_eq!(access.kind() == Kind::Rules, verdict.reason() == Reason::Rule);
        Some(answer)
    }
}

/// Outcomes of failed fetches.
fn ends() -> Vec<(Outcome, Option<u16>)> {
    let status = |status| (Outcome::Status(status), Some(status));
    let mut ends: Vec<_> =
        [201, 204, 205, 206, 401, 403, 404, 410, 429, 500, 503, 600].map(status).to_vec();
    ends.extend([
        (Outcome::Network, None),
        (Outcome::Network, Some(200)),
        (Outcome::RedirectLimit, Some(301)),
        (Outcome::BrokenRedirect, Some(302)),
    ]);
    ends
}

/// Histories with every outcome: alone, after a file, and after an outage.
fn histories(profile: &Profile) -> Vec<Vec<Fetch>> {
    let file = |at| (at, Outcome::Success, Some(200));
    let renewed = |at| (at, Outcome::NotModified, Some(304));
    let mut histories = vec![vec![file(0)], vec![file(0), renewed(25 * HOUR)]];
    let ends = ends().into_iter();
    for (outcome, status) in
        ends.chain(profile.disallowed_hop.map(|_| (Outcome::DisallowedHop, Some(301))))
    {
        let end = |at| (at, outcome, status);
        let down = |at| (at, Outcome::Network, None);
        histories.extend([
            vec![end(0)],
            vec![file(0), end(25 * HOUR)],
            vec![file(0), end(25 * HOUR), down(26 * HOUR)],
            vec![down(0), end(40 * 24 * HOUR)],
            vec![file(0), down(25 * HOUR), renewed(27 * HOUR)],
        ]);
    }
    histories
}

/// Times of questions after the last fetch, in seconds.
const LATER: [u64; 7] = [0, 1, 59, HOUR, 12 * HOUR, 20 * HOUR, 24 * HOUR + 1];

#[track_caller]
fn hold(answers: &[Value]) {
    for (answer, found) in answers.iter().zip(items(answers, ROBOTS)) {
        assert_eq!(found, [""; 0], "{answer}");
    }
}

#[test]
fn answers_of_every_profile_hold() {
    let mut answers = Vec::new();
    for profile in &Profile::ALL {
        for history in histories(profile) {
            for jitter in [0, 7, 2_592_001] {
                let site = history
                    .iter()
                    .fold(Site::default(), |site, fetch| site.fetched(profile, *fetch, jitter));
                let last = site.tried_at - NOW;
                answers.extend(site.answer(profile, last, "fetch"));
                answers.extend(LATER.iter().filter_map(|later| {
                    let now = Timestamp::from_seconds(NOW + last + later);
                    let may_answer =
                        !site.state.needs_fetch(now) || site.state.may_answer_while_refreshing(now);
                    may_answer.then(|| site.answer(profile, last + later, "store")).flatten()
                }));
                answers.extend(LATER.iter().filter_map(|later| {
                    let at = last + later;
                    site.clone().offline(profile, at).answer(profile, at, "offline")
                }));
            }
        }
    }
    assert!(answers.len() > 10_000, "{}", answers.len());
    hold(&answers);
}

#[test]
fn answers_from_fetches_of_another_profile_hold() {
    let mut answers = Vec::new();
    for first in &Profile::ALL {
        for profile in &Profile::ALL {
            for history in histories(first) {
                let site = history
                    .iter()
                    .fold(Site::default(), |site, fetch| site.fetched(first, *fetch, 2_592_001));
                let last = site.tried_at - NOW;
                let now = Timestamp::from_seconds(site.tried_at + HOUR);
                let is_fresh = !site.state.needs_fetch(now);
                // Answers without a request: from a fresh file, and during an outage until the next
                // try.
                if is_fresh && (site.state.has_copy() || site.state.failures() > 0) {
                    answers.extend(site.answer(profile, last + HOUR, "store"));
                }
                if site.state.has_copy() || site.state.failures() > 0 {
                    let at = last + 31 * 24 * HOUR;
                    answers
                        .extend(site.clone().offline(profile, at).answer(profile, at, "offline"));
                    // The file of the other profile is the copy during an outage.
                    let down = site.fetched(profile, (at, Outcome::Status(503), Some(503)), 1);
                    answers.extend(down.answer(profile, at, "fetch"));
                }
            }
        }
    }
    assert!(answers.len() > 1_000, "{}", answers.len());
    hold(&answers);
}
