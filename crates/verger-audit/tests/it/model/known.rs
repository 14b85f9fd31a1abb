//! The knowledge of a reader of robots.txt: results of its fetches, and access at a time.
//!
//! The arithmetic is that of the access profiles `rfc9309` and `google` (REP-CACHE), written from
//! their clauses.

use super::world::{DAY, Event, HOUR, Kind, Proof, Served, World};

/// Lifetime of a result (REP-CACHE-1).
pub(super) const LIFETIME: i64 = DAY;

/// The last result of a reader, and the outage since.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) last: Last,
    pub(super) outage: Option<Outage>,
    /// The time of the last fetch, and whether it proves its sender, if it failed while the file was
    /// fresh.
    pub(super) failed_early: Option<(i64, bool)>,
    /// Whether its fetches prove their sender.
    pub(super) is_proved: bool,
    /// Whether the last fetch was refused although there was a file.
    pub(super) is_refused: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Last {
    Nothing,
    Copy {
        file: File,
        brought: i64,
        confirmed: i64,
    },
    /// A 4xx.
    Refused {
        at: i64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum File {
    /// It is not known which.
    Unknown,
    /// By its status, whatever the history says.
    Empty,
    /// The index of its version.
    Version(usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Outage {
    tried: i64,
    /// REP-CACHE-25.
    counted: i64,
}

/// The access of a reader at the time of a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum InForce {
    Copy,
    Everything,
    Nothing,
    /// Neither a file nor its absence.
    Neither,
}

/// Whether a fetch is refused although there is a file.
pub(super) fn is_refusal(world: &World, origin: usize, fetch: &Event) -> bool {
    let Kind::Fetch { status: Some(status @ 400..=499), is_get: true, .. } = fetch.kind else {
        return false;
    };
    let is_failure = [408, 429, 444, 499].contains(&status);
    !is_failure && matches!(world.served(origin, fetch.at), Some((_, Served::Text(_))))
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
        let Kind::Fetch { status, .. } = fetch.kind else { unreachable!("only fetches are read") };
        let now = fetch.at;
        let claim = world.claim(fetch).expect("a crawler");
        let is_proved = claim.proof == Proof::Verified;
        let is_refused = is_refusal(world, origin, fetch);
        let new = |last| Self { last, outage: None, failed_early: None, is_proved, is_refused };
        let received = |file| new(Last::Copy { file, brought: now, confirmed: now });
        let served = match world.served(origin, now) {
            Some((version, Served::Text(_))) => File::Version(version),
            _ => File::Unknown,
        };
        match (status, self.last) {
            // Only the file that is served can be the one that did not change.
            (Some(304), Last::Copy { file: file @ File::Version(_), brought, .. })
                if file == served =>
            {
                let renewed = new(Last::Copy { file, brought, confirmed: now });
                Self { is_proved: is_proved && self.is_proved, ..renewed }
            }
            (Some(304), Last::Copy { file: File::Version(_) | File::Empty, .. }) => {
                received(File::Unknown)
            }
            (Some(200 | 304), _) => received(served),
            (Some(204 | 205), _) => received(File::Empty),
            (Some(0..=199 | 202 | 408 | 429 | 444 | 499 | 500..), _) => {
                self.failed(now, is_proved, claim.is_google)
            }
            (Some(400..=499), _) => new(Last::Refused { at: now }),
            (Some(_) | None, _) => received(File::Unknown),
        }
    }

    fn failed(self, now: i64, is_proved: bool, is_google: bool) -> Self {
        let (has_copy, is_fresh) = match self.last {
            Last::Copy { confirmed, .. } => (true, now < confirmed + LIFETIME),
            _ => (false, false),
        };
        // REP-CACHE-29: a failed fetch while a file is fresh changes nothing.
        if is_fresh && self.outage.is_none() {
            return Self { failed_early: Some((now, is_proved)), is_refused: false, ..self };
        }
        let gap = if is_google { HOUR } else { DAY };
        let counted =
            self.outage.map_or(0, |outage| outage.counted + (now - outage.tried).min(gap));
        Self {
            last: if has_copy { self.last } else { Last::Nothing },
            outage: Some(Outage { tried: now, counted }),
            failed_early: None,
            is_proved: is_proved && (!has_copy || self.is_proved),
            is_refused: false,
        }
    }

    /// The access profile at a time that is not before the last fetch.
    pub(super) fn at(&self, is_google: bool, now: i64) -> InForce {
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
