//! The knowledge of a reader of robots.txt: results of its fetches, and access at a time.
//!
//! The arithmetic is that of the access profiles `rfc9309` and `google` (REP-CACHE), written from
//! their clauses.

use super::world::{DAY, Event, HOUR, Kind, Proof, Served, World};

/// Lifetime of a result (REP-CACHE-1).
pub(super) const LIFETIME: i64 = DAY;

/// How much times are uncertain.
pub(super) const MARGIN: i64 = 60;

/// The last result of a reader, and the outage since.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    last: Last,
    outage: Option<Outage>,
    /// The time of the last fetch, and whether it proves its sender, if it failed while the file was
    /// fresh.
    failed_early: Option<(i64, bool)>,
    /// Whether its fetches prove their sender.
    is_proved: bool,
    /// Whether the last fetch was refused although there was a file.
    pub(super) is_refused: bool,
}

#[derive(Clone, Copy, Debug)]
enum Last {
    Nothing,
    /// The index of its version, if it is known.
    Copy {
        version: Option<usize>,
        confirmed: i64,
    },
    /// A 4xx.
    Refused {
        at: i64,
    },
}

#[derive(Clone, Copy, Debug)]
struct Outage {
    began: i64,
    tried: i64,
    /// REP-CACHE-25.
    counted: i64,
}

/// What is in force for a reader at the time of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InForce {
    /// A version, if it is known, and when it was received or renewed.
    Copy(Option<usize>, i64),
    Everything,
    Nothing,
    /// Neither a file nor its absence.
    Neither,
}

/// The only file that a fetch at a time can have received.
fn only_file(world: &World, origin: usize, time: i64) -> Option<usize> {
    let (version, file) = world.served(origin, time - MARGIN)?;
    let is_last = world.served(origin, time + MARGIN).is_some_and(|(last, _)| last == version);
    (is_last && matches!(file, Served::Text(_))).then_some(version)
}

/// Whether a fetch is refused although there is a file.
pub(super) fn is_refusal(world: &World, origin: usize, fetch: &Event) -> bool {
    let Kind::Fetch { status: Some(status @ 400..=499), is_get: true, .. } = fetch.kind else {
        return false;
    };
    ![408, 429, 444, 499].contains(&status) && only_file(world, origin, fetch.at).is_some()
}

impl Known {
    /// Before the first fetch.
    pub(super) const NOTHING: Self = Self {
        last: Last::Nothing,
        outage: None,
        failed_early: None,
        is_proved: true,
        is_refused: false,
    };

    /// The knowledge after one more fetch.
    pub(super) fn after(self, world: &World, origin: usize, fetch: &Event) -> Self {
        let Kind::Fetch { status, bytes, .. } = fetch.kind else {
            unreachable!("only fetches are read")
        };
        let now = fetch.at;
        let claim = world.claim(fetch).expect("a crawler");
        let is_proved = claim.proof == Proof::Verified;
        let is_refused = is_refusal(world, origin, fetch);
        let new = |last| Self { last, outage: None, failed_early: None, is_proved, is_refused };
        let received = |version| new(Last::Copy { version, confirmed: now });
        let served = only_file(world, origin, now);
        let length = |version: usize| match &world.sites[origin][version].served {
            Served::Text(text) => text.len(),
            Served::Absent => 0,
        };
        let is_body = |version: &usize| {
            let length = length(*version);
            bytes.is_none_or(|it| it <= length + length / 64 + 64 && (it > 0 || length == 0))
        };
        let failed = |version| self.failed(now, is_proved, claim.is_google, version);
        let before = match self.last {
            Last::Copy { version, .. } => version,
            _ => None,
        };
        match status {
            // Only the file that is served can be the one that did not change.
            Some(304) if before.is_some() && before == served => {
                let renewed = received(served);
                Self { is_proved: is_proved && self.is_proved, ..renewed }
            }
            Some(304) if before.is_some() => received(None),
            Some(304) => received(served),
            Some(200) => received(served.filter(is_body)),
            Some(202 | 408 | 429) => failed(None),
            Some(0..=199 | 444 | 499 | 500..) => failed(before),
            Some(400..=499) => new(Last::Refused { at: now }),
            Some(_) | None => received(None),
        }
    }

    fn failed(self, now: i64, is_proved: bool, is_google: bool, version: Option<usize>) -> Self {
        let (last, is_fresh) = match self.last {
            Last::Copy { confirmed, .. } => {
                (Last::Copy { version, confirmed }, now < confirmed + LIFETIME)
            }
            _ => (Last::Nothing, false),
        };
        // REP-CACHE-29: a failed fetch while a file is fresh does not end it.
        if is_fresh && self.outage.is_none() {
            return Self { last, failed_early: Some((now, is_proved)), is_refused: false, ..self };
        }
        let gap = if is_google { HOUR } else { DAY };
        let longer = |outage: Outage| outage.counted + (now - outage.tried).min(gap);
        let has_copy = matches!(last, Last::Copy { .. });
        Self {
            last,
            outage: Some(Outage {
                began: self.outage.map_or(now, |outage| outage.began),
                tried: now,
                counted: self.outage.map_or(0, longer),
            }),
            failed_early: None,
            is_proved: is_proved && (!has_copy || self.is_proved),
            is_refused: false,
        }
    }

    /// Whether what is in force at a time rests on proved fetches.
    pub(super) fn is_proved(self, now: i64) -> bool {
        // Where the file is old, only the last fetch keeps it, which failed.
        let is_kept = self.outage.is_none()
            && matches!(self.last, Last::Copy { confirmed, .. } if confirmed + LIFETIME <= now)
            && self.failed_early.is_some_and(|(_, is_proved)| !is_proved);
        self.is_proved && !is_kept
    }

    /// What is in force at a time that is not before the last fetch.
    pub(super) fn at(self, is_google: bool, now: i64) -> InForce {
        match self.exactly_at(is_google, now) {
            InForce::Neither => {
                let (since, last) = match (self.last, self.outage) {
                    (Last::Copy { confirmed, .. }, _) => {
                        (confirmed, self.failed_early.map_or(confirmed, |(time, _)| time))
                    }
                    (Last::Refused { at }, _) => (at, at),
                    (Last::Nothing, Some(outage)) => (outage.tried, outage.tried),
                    (Last::Nothing, None) => return InForce::Neither,
                };
                match self.exactly_at(is_google, last.max(now - MARGIN)) {
                    InForce::Neither => InForce::Neither,
                    _ => InForce::Copy(None, since),
                }
            }
            other => other,
        }
    }

    /// The same, if times were exact.
    pub(super) fn exactly_at(self, is_google: bool, now: i64) -> InForce {
        let if_recent = |since, then| if now < since + LIFETIME { then } else { InForce::Neither };
        match (self.last, self.outage) {
            (Last::Nothing, None) => InForce::Neither,
            (Last::Refused { at }, _) => if_recent(at, InForce::Everything),
            // A fetch that has just failed did not renew it.
            (Last::Copy { confirmed, version }, None) => if_recent(
                self.failed_early.map_or(confirmed, |(time, _)| time),
                InForce::Copy(version, confirmed),
            ),
            (Last::Copy { .. }, Some(outage)) if now >= outage.began + 30 * DAY => {
                InForce::Everything
            }
            (Last::Copy { confirmed, version }, Some(outage)) => {
                let is_recent = now < outage.tried + LIFETIME;
                InForce::Copy(version.filter(|_| is_recent), confirmed)
            }
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
