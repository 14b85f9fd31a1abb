//! Until when each origin is left alone.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use verger::Origin;

use crate::limits::PAUSES;

/// The pauses that have not ended. When there are too many, those that end first are forgotten: they
/// spare a site the least. Back-off is in the record as well, and outlasts this.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    open: Mutex<Open>,
    /// Origins are known by a number: a long name takes no more than a short one. Two with the same
    /// number wait for each other.
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct Open {
    pauses: HashMap<u64, Pause>,
    by_end: BTreeSet<(Instant, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Pause {
    until: Instant,
    /// How often in a row the origin has refused; `None`: nothing was answered since this program began.
    refusals: Option<u32>,
}

impl Pauses {
    /// How long an origin is still left alone.
    pub(super) fn wait(&self, origin: &Origin) -> Duration {
        let number = self.hasher.hash_one(origin);
        let until = self.open().pauses.get(&number).map(|pause| pause.until);
        until.map(|until| until.saturating_duration_since(Instant::now())).unwrap_or_default()
    }

    /// How often in a row an origin has refused; `None` where that is not remembered here.
    pub(super) fn refusals(&self, origin: &Origin) -> Option<u32> {
        let number = self.hasher.hash_one(origin);
        self.open().pauses.get(&number)?.refusals
    }

    /// Leaves an origin alone for a while, and longer where it was to be left alone longer anyway.
    pub(super) fn pause(&self, origin: &Origin, wait: Duration, refusals: Option<u32>) {
        let number = self.hasher.hash_one(origin);
        let until = Instant::now() + wait;
        self.open().put(number, Pause { until, refusals });
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn put(&mut self, number: u64, mut pause: Pause) {
        if let Some(before) = self.remove(number) {
            pause.until = pause.until.max(before.until);
        }
        let now = Instant::now();
        // Two at most, so that no call takes long: more go than come.
        for _ in 0..2 {
            let Some(&(until, first)) = self.by_end.first() else { break };
            if until > now && self.by_end.len() < PAUSES {
                break;
            }
            self.remove(first);
        }
        self.by_end.insert((pause.until, number));
        self.pauses.insert(number, pause);
    }

    fn remove(&mut self, number: u64) -> Option<Pause> {
        let pause = self.pauses.remove(&number)?;
        self.by_end.remove(&(pause.until, number));
        Some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn origin(number: usize) -> Origin {
        Origin::from_parts("https", &format!("{number}.example"), None).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_ends_and_is_not_made_shorter() {
        let pauses = Pauses::default();
        assert_eq!(pauses.wait(&origin(0)), Duration::ZERO);
        pauses.pause(&origin(0), SECOND * 60, Some(2));
        pauses.pause(&origin(0), SECOND, Some(0));
        assert_eq!((pauses.wait(&origin(0)), pauses.refusals(&origin(0))), (SECOND * 60, Some(0)));
        tokio::time::advance(SECOND * 61).await;
        assert_eq!(pauses.wait(&origin(0)), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn those_that_end_first_are_forgotten_when_there_are_too_many() {
        let pauses = Pauses::default();
        for number in 0..PAUSES + 10 {
            pauses.pause(
                &origin(number),
                SECOND * (3600 + u32::try_from(number).unwrap()),
                Some(1),
            );
        }
        let count = pauses.open().pauses.len();
        assert_eq!((count, pauses.open().by_end.len()), (PAUSES, PAUSES));
        assert_eq!(pauses.wait(&origin(0)), Duration::ZERO);
        assert!(pauses.wait(&origin(PAUSES)) > SECOND * 3600);
        // What has ended makes room by and by.
        tokio::time::advance(SECOND * 1_000_000).await;
        for number in 0..PAUSES {
            pauses.pause(&origin(number), SECOND, None);
        }
        assert!(pauses.wait(&origin(0)) > Duration::ZERO);
        assert!(pauses.open().pauses.len() <= PAUSES);
    }
}
