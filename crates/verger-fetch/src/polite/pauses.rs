//! Until when each origin is left alone.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use verger::Origin;

use crate::limits::PAUSES;

/// The pauses that have not ended, and the origins that have refused lately. When there are too many,
/// those that end first are forgotten: they spare a site the least. Back-off is in the record as well,
/// and outlasts this.
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
    /// The pauses of origins that have not refused: these are forgotten when they end.
    plain: BTreeSet<(Instant, u64)>,
    /// The others: requests that wait for such a pause to end still need the number of refusals.
    refused: BTreeSet<(Instant, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Pause {
    until: Instant,
    /// How often in a row the origin has refused.
    refusals: u32,
}

impl Pauses {
    /// How long an origin is still left alone.
    pub(super) fn wait(&self, origin: &Origin) -> Duration {
        let number = self.hasher.hash_one(origin);
        let until = self.open().pauses.get(&number).map(|pause| pause.until);
        until.map(|until| until.saturating_duration_since(Instant::now())).unwrap_or_default()
    }

    /// How often in a row an origin has refused, as far as that is remembered here.
    pub(super) fn refusals(&self, origin: &Origin) -> u32 {
        let number = self.hasher.hash_one(origin);
        self.open().pauses.get(&number).map_or(0, |pause| pause.refusals)
    }

    /// Leaves an origin alone for a while, and longer where it was to be left alone longer anyway.
    /// `refusals`: how often in a row it has refused now; `None`: as often as before.
    pub(super) fn pause(&self, origin: &Origin, wait: Duration, refusals: Option<u32>) {
        let number = self.hasher.hash_one(origin);
        let until = Instant::now() + wait;
        self.open().put(number, until, refusals);
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn put(&mut self, number: u64, until: Instant, refusals: Option<u32>) {
        let before = self.remove(number);
        let pause = Pause {
            until: before.map_or(until, |before| until.max(before.until)),
            refusals: refusals.or(before.map(|before| before.refusals)).unwrap_or_default(),
        };
        let now = Instant::now();
        // Two at most, so that no call takes long: more go than come.
        for _ in 0..2 {
            let Some(number) = self.superfluous(now) else { break };
            self.remove(number);
        }
        self.by_end(pause).insert((pause.until, number));
        self.pauses.insert(number, pause);
    }

    /// The next one to forget: one that has ended and says nothing more, or when there are too many the one
    /// that ends first.
    fn superfluous(&self, now: Instant) -> Option<u64> {
        let (plain, refused) = (self.plain.first(), self.refused.first());
        let first = if self.pauses.len() < PAUSES {
            plain.filter(|(until, _)| *until <= now)
        } else {
            plain.into_iter().chain(refused).min()
        };
        first.map(|&(_, number)| number)
    }

    fn remove(&mut self, number: u64) -> Option<Pause> {
        let pause = self.pauses.remove(&number)?;
        self.by_end(pause).remove(&(pause.until, number));
        Some(pause)
    }

    /// Those like this pause, in the order in which they end.
    fn by_end(&mut self, like: Pause) -> &mut BTreeSet<(Instant, u64)> {
        if like.refusals > 0 { &mut self.refused } else { &mut self.plain }
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
        assert_eq!((pauses.wait(&origin(0)), pauses.refusals(&origin(0))), (SECOND * 60, 0));
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
        assert_eq!((count, pauses.open().refused.len()), (PAUSES, PAUSES));
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

    #[tokio::test(start_paused = true)]
    async fn refusals_outlast_their_pause_and_other_pauses_do_not() {
        let pauses = Pauses::default();
        pauses.pause(&origin(0), SECOND, Some(2));
        pauses.pause(&origin(1), SECOND, None);
        tokio::time::advance(SECOND * 2).await;
        for number in 2..5 {
            pauses.pause(&origin(number), SECOND, None);
        }
        // The pause that follows a request changes nothing.
        pauses.pause(&origin(0), SECOND, None);
        assert_eq!(pauses.refusals(&origin(0)), 2);
        assert_eq!(pauses.open().pauses.len(), 4);
        pauses.pause(&origin(0), SECOND, Some(0));
        tokio::time::advance(SECOND * 2).await;
        pauses.pause(&origin(5), SECOND, None);
        pauses.pause(&origin(6), SECOND, None);
        pauses.pause(&origin(7), SECOND, None);
        let open = pauses.open();
        assert_eq!((open.plain.len(), open.refused.len()), (3, 0));
    }
}
