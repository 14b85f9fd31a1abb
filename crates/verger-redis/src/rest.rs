//! Rests after failures (a circuit breaker), so that calls do not wait for a Redis that is down.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::limits::{FIRST_REST, LONGEST_REST};

/// The rests of some parts of Redis.
#[derive(Debug)]
pub(crate) struct Rests(Vec<Mutex<Rest>>);

#[derive(Debug, Default)]
struct Rest {
    until: Option<Instant>,
    /// Time of the last counted failure.
    failed_at: Option<Instant>,
    /// The last rest; zero while calls succeed.
    time: Duration,
}

impl Rests {
    pub(crate) fn new(parts: usize) -> Self {
        Self((0..parts).map(|_| Mutex::default()).collect())
    }

    /// Whether a part may be called now. After a rest one call is tried: the others rest for
    /// `trial` more.
    pub(crate) fn may_call(&self, part: usize, trial: Duration) -> bool {
        let mut rest = self.part(part);
        let now = Instant::now();
        match rest.until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                rest.until = Some(now + trial);
                true
            }
        }
    }

    /// Begins a rest after a failure of a call that began at a time. Returns whether it is the
    /// first since a success.
    pub(crate) fn failed(&self, part: usize, begun: Instant) -> bool {
        let mut rest = self.part(part);
        let is_first = rest.time.is_zero();
        // Calls that ran together fail together, and count once.
        if rest.failed_at.is_none_or(|failed_at| begun >= failed_at) {
            let now = Instant::now();
            rest.time = (rest.time * 2).clamp(FIRST_REST, LONGEST_REST);
            rest.until = Some(now + rest.time);
            rest.failed_at = Some(now);
        }
        is_first
    }

    /// Ends the rests after a success. Returns whether there was one.
    pub(crate) fn succeeded(&self, part: usize) -> bool {
        let mut rest = self.part(part);
        let had_rest = !rest.time.is_zero();
        *rest = Rest::default();
        had_rest
    }

    fn part(&self, part: usize) -> MutexGuard<'_, Rest> {
        self.0[part % self.0.len()].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const TRIAL: Duration = Duration::from_millis(400);

    #[tokio::test(start_paused = true)]
    async fn rests_grow_and_end_with_a_success() {
        let rests = Rests::new(2);
        let begun = Instant::now();
        assert!(rests.may_call(0, TRIAL) && rests.may_call(0, TRIAL));
        advance(TRIAL).await;
        assert!(rests.failed(0, begun));
        assert!(!rests.failed(0, begun), "it ran at the same time");
        assert!(!rests.may_call(0, TRIAL) && rests.may_call(1, TRIAL));
        advance(FIRST_REST).await;
        assert!(rests.may_call(0, TRIAL), "the trial");
        assert!(!rests.may_call(0, TRIAL), "another call during the trial");
        let mut rest = FIRST_REST;
        for _ in 0..10 {
            assert!(!rests.failed(0, Instant::now()));
            rest = (rest * 2).min(LONGEST_REST);
            advance(rest / 2).await;
            assert!(!rests.may_call(0, TRIAL), "{rest:?}");
            advance(rest / 2).await;
            assert!(rests.may_call(0, TRIAL), "{rest:?}");
        }
        assert!(rests.succeeded(0) && !rests.succeeded(0));
        assert!(rests.may_call(0, TRIAL) && rests.may_call(0, TRIAL));
    }

    #[tokio::test(start_paused = true)]
    async fn a_trial_whose_caller_gave_up_is_repeated() {
        let rests = Rests::new(1);
        rests.failed(0, Instant::now());
        advance(FIRST_REST).await;
        assert!(rests.may_call(0, TRIAL) && !rests.may_call(0, TRIAL));
        advance(TRIAL).await;
        assert!(rests.may_call(0, TRIAL));
    }
}
