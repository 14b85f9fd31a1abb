//! The ends of pauses and back-offs.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;
use verger::Origin;
use verger::limits::RETRY;

use crate::limits::{FIRST_BACK_OFF, LONGEST_BACK_OFF, PAUSES};
use crate::lock;

/// The current pauses, and the origins that refused recently. If there are too many, the pauses
/// that end first are forgotten, because they matter least. Back-off is also in the record, which
/// outlasts this table.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    open: Mutex<Open>,
    /// Origins are identified by a hash, so a long name takes no more memory. Two origins with the
    /// same hash share their pauses.
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct Open {
    pauses: HashMap<u64, Pause>,
    /// The pauses of origins that have not refused; removed when they end.
    plain: BTreeSet<(Instant, u64)>,
    /// The others. Requests that wait for such a pause still need the number of refusals.
    refused: BTreeSet<(Instant, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Pause {
    until: Instant,
    /// Consecutive refusals of the origin.
    refusals: u32,
}

impl Pauses {
    /// Time until the pause of an origin ends.
    pub(super) fn wait(&self, origin: &Origin) -> Duration {
        let number = self.hasher.hash_one(origin);
        let until = lock(&self.open).pauses.get(&number).map(|pause| pause.until);
        until.map(|until| until.saturating_duration_since(Instant::now())).unwrap_or_default()
    }

    /// Consecutive refusals of an origin, as remembered here.
    pub(super) fn refusals(&self, origin: &Origin) -> u32 {
        let number = self.hasher.hash_one(origin);
        lock(&self.open).pauses.get(&number).map_or(0, |pause| pause.refusals)
    }

    /// Begins a pause; a current longer one remains. `refusals`: the new number of consecutive
    /// refusals; `None` if unchanged.
    pub(super) fn pause(&self, origin: &Origin, wait: Duration, refusals: Option<u32>) {
        let number = self.hasher.hash_one(origin);
        let until = Instant::now() + wait;
        lock(&self.open).put(number, until, refusals);
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
        // Two at most, so that no call takes long, but more leave than enter.
        for _ in 0..2 {
            let Some(number) = self.superfluous(now) else { break };
            self.remove(number);
        }
        self.by_end(pause).insert((pause.until, number));
        self.pauses.insert(number, pause);
    }

    /// The next pause to remove: one that has ended without refusals, or if there are too many the
    /// one that ends first.
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

    /// The set of pauses of the same kind, in the order of their ends.
    fn by_end(&mut self, like: Pause) -> &mut BTreeSet<(Instant, u64)> {
        if like.refusals > 0 { &mut self.refused } else { &mut self.plain }
    }
}

/// The wait after a refusal that follows this number of refusals: the time that the server
/// requests, between a minute and a day as for robots.txt itself, otherwise a growing time.
pub(crate) fn back_off(refusals: u32, retry_after: Option<Duration>) -> Duration {
    let doubled = 1_u32.checked_shl(refusals).unwrap_or(u32::MAX);
    let own = FIRST_BACK_OFF.saturating_mul(doubled).min(LONGEST_BACK_OFF);
    retry_after.map_or(own, |wait| wait.clamp(FIRST_BACK_OFF, RETRY))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn origin(number: usize) -> Origin {
        Origin::from_parts("https", &format!("{number}.example"), None).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_ends_and_cannot_be_shortened() {
        let pauses = Pauses::default();
        assert_eq!(pauses.wait(&origin(0)), Duration::ZERO);
        pauses.pause(&origin(0), SECOND * 60, Some(2));
        pauses.pause(&origin(0), SECOND, Some(0));
        assert_eq!((pauses.wait(&origin(0)), pauses.refusals(&origin(0))), (SECOND * 60, 0));
        tokio::time::advance(SECOND * 61).await;
        assert_eq!(pauses.wait(&origin(0)), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn the_pauses_that_end_first_are_forgotten_if_there_are_too_many() {
        let pauses = Pauses::default();
        for number in 0..PAUSES + 10 {
            pauses.pause(
                &origin(number),
                SECOND * (3600 + u32::try_from(number).unwrap()),
                Some(1),
            );
        }
        let count = lock(&pauses.open).pauses.len();
        assert_eq!((count, lock(&pauses.open).refused.len()), (PAUSES, PAUSES));
        assert_eq!(pauses.wait(&origin(0)), Duration::ZERO);
        assert!(pauses.wait(&origin(PAUSES)) > SECOND * 3600);
        // Ended pauses are removed step by step.
        tokio::time::advance(SECOND * 1_000_000).await;
        for number in 0..PAUSES {
            pauses.pause(&origin(number), SECOND, None);
        }
        assert!(pauses.wait(&origin(0)) > Duration::ZERO);
        assert!(lock(&pauses.open).pauses.len() <= PAUSES);
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_are_remembered_after_their_pause_and_other_pauses_are_not() {
        let pauses = Pauses::default();
        pauses.pause(&origin(0), SECOND, Some(2));
        pauses.pause(&origin(1), SECOND, None);
        tokio::time::advance(SECOND * 2).await;
        for number in 2..5 {
            pauses.pause(&origin(number), SECOND, None);
        }
        // The pause after a request changes nothing.
        pauses.pause(&origin(0), SECOND, None);
        assert_eq!(pauses.refusals(&origin(0)), 2);
        assert_eq!(lock(&pauses.open).pauses.len(), 4);
        pauses.pause(&origin(0), SECOND, Some(0));
        tokio::time::advance(SECOND * 2).await;
        pauses.pause(&origin(5), SECOND, None);
        pauses.pause(&origin(6), SECOND, None);
        pauses.pause(&origin(7), SECOND, None);
        let open = lock(&pauses.open);
        assert_eq!((open.plain.len(), open.refused.len()), (3, 0));
    }

    #[test]
    fn waits_double_up_to_an_hour() {
        let waits: Vec<u64> = (0..9).map(|before| back_off(before, None).as_secs() / 60).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(back_off(u32::MAX, None), LONGEST_BACK_OFF);
    }

    #[test]
    fn retry_after_is_honoured_and_bounded() {
        for (asked, expected) in [(0, 60), (5, 60), (61, 61), (7_200, 7_200), (u64::MAX, 86_400)] {
            let wait = back_off(3, Some(Duration::from_secs(asked)));
            assert_eq!(wait.as_secs(), expected);
        }
    }
}
