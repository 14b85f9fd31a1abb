//! The naive model: for every request it reads the log again from its beginning.
//!
//! It was written from the table of docs/audit.md before the code of the crate was read, and shares
//! no code with it. Lifetimes and outages are those of the access profiles `rfc9309` and `google`
//! (REP-CACHE), in its own arithmetic.

use verger_audit::Verdict;

use super::world::{Claim, DAY, Event, HOUR, Kind, Served, World};

/// Lifetime of a result (REP-CACHE-1).
const LIFETIME: i64 = DAY;

/// Number of fetches of one reader that a judgement can look back on.
const REMEMBERED: usize = 64;

/// What a reader received last, and the outage since.
#[derive(Clone, Copy, Debug)]
struct Known<'w> {
    last: Last<'w>,
    outage: Option<Outage>,
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
    StaleCopy,
    Everything { since: i64 },
    Nothing,
    NeverAsked,
}

/// The verdict on one request of the log.
pub(super) fn verdict(world: &World, index: usize) -> Verdict {
    let event = &world.events[index];
    let Some(claim) = world.claim(event) else { return Verdict::NotACrawler };
    if claim.is_impostor {
        return Verdict::Impostor;
    }
    if matches!(event.kind, Kind::Fetch { .. }) {
        return Verdict::RobotsTxt;
    }
    if claim.is_user_triggered {
        return Verdict::UserTriggered;
    }
    let Some(origin) = world.origin(event) else { return Verdict::Unknown };
    let before = &world.events[..index];
    let here: Vec<&Event> =
        before.iter().filter(|other| world.origin(other) == Some(origin)).collect();
    let start = here.first().map_or(event.at, |first| first.at);
    let mut fetches: Vec<&Event> = Vec::new();
    for fetch in here.iter().filter(|other| is_fetch_of(world, other, claim.reader)) {
        // Equal times keep the order of the log.
        let place = fetches.partition_point(|earlier| earlier.at <= fetch.at);
        if place > 0 || fetches.len() < REMEMBERED {
            fetches.insert(place, fetch);
        }
    }
    if fetches.len() > REMEMBERED && event.at < fetches[fetches.len() - REMEMBERED].at {
        return Verdict::Unknown;
    }
    let mut known = Known { last: Last::Nothing, outage: None };
    for fetch in fetches.iter().filter(|fetch| fetch.at <= event.at) {
        known = after(known, world, origin, fetch);
    }
    let question = Question { world, origin, claim, event, start };
    if world.is_at_edge { question.at_edge(known) } else { question.at_origin(known) }
}

/// Whether the request fetches robots.txt for this reader.
fn is_fetch_of(world: &World, event: &Event, reader: &str) -> bool {
    let is_of = |claim: Claim| !claim.is_impostor && claim.reader == reader;
    matches!(event.kind, Kind::Fetch { is_get: true, .. }) && world.claim(event).is_some_and(is_of)
}

/// What a reader knows after one more fetch.
fn after<'w>(known: Known<'w>, world: &'w World, origin: usize, fetch: &Event) -> Known<'w> {
    let Kind::Fetch { status, .. } = fetch.kind else { unreachable!("only fetches are asked for") };
    let now = fetch.at;
    let received =
        |text| Known { last: Last::Copy { text, brought: now, confirmed: now }, outage: None };
    let served = match world.served(origin, now) {
        Some(Served::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    match (status, known.last) {
        (Some(304), Last::Copy { text, brought, .. }) => {
            Known { last: Last::Copy { text, brought, confirmed: now }, outage: None }
        }
        (Some(200 | 206 | 304), _) => received(served),
        (Some(204 | 205), _) => received(Some("")),
        (Some(202 | 408 | 429 | 444 | 499 | 500..), last) => failed(known, last, now, world, fetch),
        (Some(400..=499), _) => Known { last: Last::Refused { at: now }, outage: None },
        (Some(0..=199), last) => failed(known, last, now, world, fetch),
        (Some(_) | None, _) => received(None),
    }
}

fn failed<'w>(
    known: Known<'w>,
    last: Last<'w>,
    now: i64,
    world: &World,
    fetch: &Event,
) -> Known<'w> {
    let copy = match last {
        // REP-CACHE-29: a failed fetch while a file is fresh changes nothing.
        Last::Copy { confirmed, .. } if known.outage.is_none() && now < confirmed + LIFETIME => {
            return known;
        }
        Last::Copy { .. } => last,
        _ => Last::Nothing,
    };
    let is_google = world.claim(fetch).is_some_and(|claim| claim.is_google);
    let gap = if is_google { HOUR } else { DAY };
    let counted = known.outage.map_or(0, |outage| outage.counted + (now - outage.tried).min(gap));
    Known { last: copy, outage: Some(Outage { tried: now, counted }) }
}

impl Known<'_> {
    /// The state of the access profile at a time that is not before the last fetch.
    fn at(&self, is_google: bool, now: i64) -> InForce {
        let everything = |since| {
            if now < since + LIFETIME { InForce::Everything { since } } else { InForce::NeverAsked }
        };
        match (self.last, self.outage) {
            (Last::Nothing, None) => InForce::NeverAsked,
            (Last::Refused { at }, _) => everything(at),
            (Last::Copy { confirmed, .. }, None) => {
                if now < confirmed + LIFETIME {
                    InForce::Copy
                } else {
                    InForce::StaleCopy
                }
            }
            // REP-CACHE-10, REP-CACHE-12. A refusal of the first hours does not count against a
            // crawler that has the file.
            (Last::Copy { .. }, Some(outage)) if is_google && outage.counted >= 30 * DAY => {
                match everything(outage.tried) {
                    InForce::NeverAsked => InForce::StaleCopy,
                    other => other,
                }
            }
            (Last::Copy { .. }, Some(_)) => InForce::Copy,
            (Last::Nothing, Some(outage)) => {
                let opens = if is_google { 12 * HOUR } else { 30 * DAY };
                if outage.counted >= opens { everything(outage.tried) } else { InForce::Nothing }
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
    fn at_origin(&self, known: Known<'_>) -> Verdict {
        let now = self.event.at;
        match (known.at(self.claim.is_google, now), known.last) {
            (InForce::Copy, Last::Copy { text: Some(text), .. }) => {
                if !self.allows(text) {
                    Verdict::DisallowedKnown
                } else if self.served_allows(now) == Some(false) {
                    Verdict::Grace
                } else {
                    Verdict::Allowed
                }
            }
            (InForce::Copy, Last::Copy { text: None, brought, .. }) => {
                self.only_allowed_since(brought - LIFETIME)
            }
            (InForce::StaleCopy, Last::Copy { text: Some(_), .. }) => self.by_the_file_of_now(),
            (InForce::Everything { .. }, _) => Verdict::Allowed,
            (InForce::Nothing, _) => Verdict::CouldNotRead,
            _ => self.never_asked(),
        }
    }

    /// A CDN may have answered further fetches.
    fn at_edge(&self, known: Known<'_>) -> Verdict {
        match (known.at(self.claim.is_google, self.event.at), known.last) {
            (_, Last::Copy { text: Some(text), confirmed, .. }) => {
                let mut answers = vec![Some(self.allows(text))];
                answers.extend(self.answers_since(confirmed));
                if answers.iter().all(|answer| *answer == Some(true)) {
                    Verdict::Allowed
                } else if answers.iter().all(|answer| *answer == Some(false)) {
                    Verdict::DisallowedKnown
                } else {
                    Verdict::Unknown
                }
            }
            (_, Last::Copy { text: None, brought, .. }) => {
                self.only_allowed_since(brought - LIFETIME)
            }
            (InForce::Everything { since }, _) => self.only_allowed_since(since),
            (InForce::Nothing, _) => Verdict::CouldNotRead,
            _ => self.never_asked(),
        }
    }

    fn never_asked(&self) -> Verdict {
        if self.world.is_at_edge || self.event.at < self.start + LIFETIME {
            self.only_allowed_since(self.event.at.min(self.start) - LIFETIME)
        } else {
            self.by_the_file_of_now()
        }
    }

    fn by_the_file_of_now(&self) -> Verdict {
        match self.served_allows(self.event.at) {
            None => Verdict::Unknown,
            Some(true) => Verdict::Allowed,
            Some(false) => Verdict::DisallowedUnread,
        }
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
