//! The naive model: for every request it reads the log again from its beginning.
//!
//! It was written from the semantics of the verdicts before the code of the crate was read, and shares
//! no code with it. Lifetimes and outages are those of the access profiles `rfc9309` and `google`
//! (REP-CACHE), in its own arithmetic.

use verger_audit::Verdict;

use super::world::{Claim, DAY, Event, HOUR, Kind, Proof, Served, World};

/// Lifetime of a result (REP-CACHE-1).
const LIFETIME: i64 = DAY;

/// Number of fetches of one reader that a judgement can look back on.
const REMEMBERED: usize = 64;

/// What the model says about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    pub(super) is_unproved: bool,
    pub(super) refused_robots_txt: bool,
}

/// What a reader received last, and the outage since.
#[derive(Clone, Copy, Debug)]
struct Known<'w> {
    last: Last<'w>,
    outage: Option<Outage>,
    /// The time of the last fetch, and whether it proves its sender, if it failed while the file was
    /// fresh.
    failed_early: Option<(i64, bool)>,
    /// Whether its fetches prove their sender.
    is_proved: bool,
    /// Whether the last fetch was refused although there was a file.
    is_refused: bool,
}

#[derive(Clone, Copy, Debug)]
enum Last<'w> {
    Nothing,
    /// A file. `text` is absent if it is not known which.
    Copy {
        text: Option<&'w str>,
        brought: i64,
        confirmed: i64,
    },
    /// A 4xx.
    Refused {
        at: i64,
    },
}

#[derive(Clone, Copy, Debug)]
struct Outage {
    tried: i64,
    /// REP-CACHE-25.
    counted: i64,
}

/// What follows from the fetches of a reader, at the time of a request.
#[derive(Clone, Copy, Debug)]
enum InForce {
    Copy,
    Everything,
    Nothing,
    /// Neither a file nor its absence.
    Neither,
}

/// The answer for one request of the log.
pub(super) fn answer(world: &World, index: usize) -> Answer {
    let event = &world.events[index];
    let Some(claim) = world.claim(event) else {
        return Answer {
            verdict: Verdict::NotACrawler,
            is_unproved: false,
            refused_robots_txt: false,
        };
    };
    let plain = |verdict| Answer {
        verdict,
        is_unproved: claim.proof != Proof::Verified,
        refused_robots_txt: false,
    };
    if claim.proof == Proof::Failed {
        return plain(Verdict::Impostor);
    }
    let origin = world.origin(event);
    if let Kind::Fetch { .. } = event.kind {
        let is_refused = |origin| is_fetch(event) && is_refusal(world, origin, event);
        let refused_robots_txt = origin.is_some_and(is_refused);
        return Answer { refused_robots_txt, ..plain(Verdict::RobotsTxt) };
    }
    if claim.is_user_triggered {
        return plain(Verdict::UserTriggered);
    }
    let Some(origin) = origin else { return plain(Verdict::Unknown) };
    let before = world.events[..index].iter();
    let here: Vec<&Event> = before.filter(|other| world.origin(other) == Some(origin)).collect();
    let start = here.iter().map(|other| other.at).min().unwrap_or(event.at);
    let reader = claim.reader;
    let is_of_reader = |other: &Event| {
        let is_of = |claim: Claim<'_>| claim.proof != Proof::Failed && claim.reader == reader;
        is_fetch(other) && world.claim(other).is_some_and(is_of)
    };
    let mut fetches: Vec<&Event> = Vec::new();
    for fetch in here.iter().filter(|other| is_of_reader(other)) {
        if fetch.at >= earliest_remembered(&fetches) {
            // Equal times keep the order of the log.
            fetches.insert(fetches.partition_point(|earlier| earlier.at <= fetch.at), fetch);
        }
    }
    if event.at < earliest_remembered(&fetches) {
        return plain(Verdict::Unknown);
    }
    let nothing = Known {
        last: Last::Nothing,
        outage: None,
        failed_early: None,
        is_proved: true,
        is_refused: false,
    };
    let fetches = fetches.iter().filter(|fetch| fetch.at <= event.at);
    let known = fetches.fold(nothing, |known, fetch| known.after(world, origin, fetch));
    let question = Question { world, origin, claim, event, start };
    let (verdict, by_unproved_fetches) =
        if world.is_at_edge { question.at_edge(known) } else { question.at_origin(known) };
    Answer {
        verdict,
        is_unproved: claim.proof != Proof::Verified || by_unproved_fetches,
        refused_robots_txt: known.is_refused,
    }
}

const fn is_fetch(event: &Event) -> bool {
    matches!(event.kind, Kind::Fetch { is_get: true, .. })
}

/// The time of the first fetch that is not forgotten.
fn earliest_remembered(fetches: &[&Event]) -> i64 {
    match fetches.len().checked_sub(REMEMBERED) {
        None | Some(0) => i64::MIN,
        Some(first) => fetches[first].at,
    }
}

/// Whether a fetch is refused although there is a file.
fn is_refusal(world: &World, origin: usize, fetch: &Event) -> bool {
    let Kind::Fetch { status: Some(status @ 400..=499), .. } = fetch.kind else { return false };
    let is_failure = [408, 429, 444, 499].contains(&status);
    !is_failure && matches!(world.served(origin, fetch.at), Some(Served::Text(_)))
}

impl<'w> Known<'w> {
    /// What the reader knows after one more fetch.
    fn after(self, world: &'w World, origin: usize, fetch: &Event) -> Self {
        let Kind::Fetch { status, .. } = fetch.kind else { unreachable!("only fetches are read") };
        let now = fetch.at;
        let claim = world.claim(fetch).expect("a crawler");
        let is_refused = is_refusal(world, origin, fetch);
        let new = |last| Self {
            last,
            outage: None,
            failed_early: None,
            is_proved: claim.proof == Proof::Verified,
            is_refused,
        };
        let received = |text| new(Last::Copy { text, brought: now, confirmed: now });
        let served = match world.served(origin, now) {
            Some(Served::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        match (status, self.last) {
            (Some(304), Last::Copy { text: Some(text), brought, .. }) => {
                let renewed = new(Last::Copy { text: Some(text), brought, confirmed: now });
                Self { is_proved: claim.proof == Proof::Verified && self.is_proved, ..renewed }
            }
            (Some(200 | 206 | 304), _) => received(served),
            (Some(204 | 205), _) => received(Some("")),
            (Some(0..=199 | 202 | 408 | 429 | 444 | 499 | 500..), _) => self.failed(now, claim),
            (Some(400..=499), _) => new(Last::Refused { at: now }),
            (Some(_) | None, _) => received(None),
        }
    }

    fn failed(self, now: i64, claim: Claim<'_>) -> Self {
        let (has_copy, is_fresh) = match self.last {
            Last::Copy { confirmed, .. } => (true, now < confirmed + LIFETIME),
            _ => (false, false),
        };
        let is_proved = claim.proof == Proof::Verified && (!has_copy || self.is_proved);
        // REP-CACHE-29: a failed fetch while a file is fresh changes nothing.
        if is_fresh && self.outage.is_none() {
            let failed_early = Some((now, claim.proof == Proof::Verified));
            return Self { failed_early, is_refused: false, ..self };
        }
        let gap = if claim.is_google { HOUR } else { DAY };
        let counted =
            self.outage.map_or(0, |outage| outage.counted + (now - outage.tried).min(gap));
        Self {
            last: if has_copy { self.last } else { Last::Nothing },
            outage: Some(Outage { tried: now, counted }),
            failed_early: None,
            is_proved,
            is_refused: false,
        }
    }

    /// The access profile at a time that is not before the last fetch.
    fn at(&self, is_google: bool, now: i64) -> InForce {
        let if_recent = |since, then| if now < since + LIFETIME { then } else { InForce::Neither };
        match (self.last, self.outage) {
            (Last::Nothing, None) => InForce::Neither,
            (Last::Refused { at }, _) => if_recent(at, InForce::Everything),
            // A fetch that has just failed did not renew it.
            (Last::Copy { confirmed, .. }, None) => {
                if_recent(self.failed_early.map_or(confirmed, |(time, _)| time), InForce::Copy)
            }
            // REP-CACHE-10, REP-CACHE-12. That Google stops for twelve hours accuses nobody.
            (Last::Copy { .. }, Some(outage)) if is_google && outage.counted >= 30 * DAY => {
                if_recent(outage.tried, InForce::Everything)
            }
            (Last::Copy { .. }, Some(_)) => InForce::Copy,
            (Last::Nothing, Some(outage)) => {
                let opens = if is_google { 12 * HOUR } else { 30 * DAY };
                if outage.counted < opens {
                    InForce::Nothing
                } else {
                    if_recent(outage.tried, InForce::Everything)
                }
            }
        }
    }
}

struct Question<'w> {
    world: &'w World,
    origin: usize,
    claim: Claim<'w>,
    event: &'w Event,
    start: i64,
}

impl Question<'_> {
    /// The verdict, and whether it rests on fetches that do not prove their sender.
    fn at_origin(&self, known: Known<'_>) -> (Verdict, bool) {
        let now = self.event.at;
        match (known.at(self.claim.is_google, now), known.last) {
            (InForce::Copy, Last::Copy { text: Some(text), confirmed, .. }) => {
                // A 204 says that there are no rules, whatever the history says.
                let is_younger = !text.is_empty() && self.served_allows(now) == Some(false);
                let verdict = match self.allows(text) {
                    false => Verdict::DisallowedKnown,
                    true if is_younger => Verdict::Grace,
                    true => Verdict::Allowed,
                };
                // The file is old, and only this fetch keeps it.
                let is_kept = known.outage.is_none() && confirmed + LIFETIME <= now;
                let by_failure = known.failed_early.is_some_and(|(_, is_proved)| !is_proved);
                (verdict, !known.is_proved || is_kept && by_failure)
            }
            (InForce::Copy, Last::Copy { text: None, brought, .. }) => {
                (self.only_allowed_since(brought - LIFETIME), false)
            }
            (InForce::Everything, _) => (Verdict::Allowed, !known.is_proved),
            (InForce::Nothing, _) => (Verdict::CouldNotRead, !known.is_proved),
            _ if now < self.start + LIFETIME => {
                (self.only_allowed_since(now.min(self.start) - LIFETIME), false)
            }
            _ => {
                let verdict = match self.served_allows(now) {
                    None => Verdict::Unknown,
                    Some(true) => Verdict::Allowed,
                    Some(false) => Verdict::DisallowedUnread,
                };
                (verdict, false)
            }
        }
    }

    /// The same where a CDN may have answered further fetches.
    fn at_edge(&self, known: Known<'_>) -> (Verdict, bool) {
        let (text, confirmed) = match known.last {
            Last::Copy { text: Some(text), confirmed, .. } if !text.is_empty() => (text, confirmed),
            _ => return (self.only_allowed_since(self.event.at - LIFETIME), false),
        };
        let mut answers = vec![Some(self.allows(text))];
        answers.extend(self.answers_since(confirmed));
        let all_are = |answer| answers.iter().all(|other| *other == Some(answer));
        let verdict = match (all_are(true), all_are(false)) {
            (true, _) => Verdict::Allowed,
            (_, true) => Verdict::DisallowedKnown,
            _ => Verdict::Unknown,
        };
        (verdict, !known.is_proved)
    }

    fn only_allowed_since(&self, time: i64) -> Verdict {
        let is_allowed = self.answers_since(time).iter().all(|answer| *answer == Some(true));
        if is_allowed { Verdict::Allowed } else { Verdict::Unknown }
    }

    /// The answers of every file served from a time to the request, absent where it is not known.
    fn answers_since(&self, time: i64) -> Vec<Option<bool>> {
        let changes = self.world.sites[self.origin].iter().map(|version| version.from);
        let changes = changes.filter(|from| time < *from && *from <= self.event.at);
        std::iter::once(time).chain(changes).map(|time| self.served_allows(time)).collect()
    }

    fn served_allows(&self, time: i64) -> Option<bool> {
        match self.world.served(self.origin, time)? {
            Served::Text(text) => Some(self.allows(text)),
            Served::Absent => Some(true),
            Served::Unknown => None,
        }
    }

    fn allows(&self, robots: &str) -> bool {
        let Kind::Visit { path, .. } = self.event.kind else {
            unreachable!("only visits are asked")
        };
        verger_naive::check(robots.as_bytes(), self.claim.tokens, path.as_bytes()).allowed
    }
}
