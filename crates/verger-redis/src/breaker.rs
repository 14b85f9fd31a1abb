//! Circuit breakers, so that calls do not wait for a Redis that is down.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::limits::{FIRST_REST, LONGEST_REST};

/// Circuit breakers, one for each part of Redis.
#[derive(Debug)]
pub(crate) struct Breakers(Vec<Mutex<Breaker>>);

/// Refuses calls for a while after a failure: the rest.
#[derive(Debug, Default)]
struct Breaker {
    /// End of the rest, or of the trial call after it; `None` while calls succeed.
    open_until: Option<Instant>,
    /// Time of the last counted failure.
    failed_at: Option<Instant>,
    /// Length of the last rest; zero while calls succeed.
    rest: Duration,
}

impl Breakers {
    pub(crate) fn new(parts: usize) -> Self {
        Self((0..parts).map(|_| Mutex::default()).collect())
    }

    /// Whether a part may be called now. After a rest one call is tried, and others are refused for
    /// `trial` more.
    pub(crate) fn may_call(&self, part: usize, trial: Duration) -> bool {
        let mut breaker = self.part(part);
        let now = Instant::now();
        match breaker.open_until {
            None => true,
            Some(end) if now < end => false,
            Some(_) => {
                breaker.open_until = Some(now + trial);
                true
            }
        }
    }

    /// Opens the breaker of a part after a failure of a call that began at a time. Returns whether
    /// it is the first failure since a success.
    pub(crate) fn failed(&self, part: usize, begun: Instant) -> bool {
        let mut breaker = self.part(part);
        let is_first = breaker.rest.is_zero();
        // Calls that ran together fail together, and count once.
        if breaker.failed_at.is_none_or(|failed_at| begun >= failed_at) {
            let now = Instant::now();
            breaker.rest = (breaker.rest * 2).clamp(FIRST_REST, LONGEST_REST);
            breaker.open_until = Some(now + breaker.rest);
            breaker.failed_at = Some(now);
        }
        is_first
    }

    /// Closes the breaker of a part after a success. Returns whether it was open.
    pub(crate) fn succeeded(&self, part: usize) -> bool {
        let mut breaker = self.part(part);
        let was_open = !breaker.rest.is_zero();
        *breaker = Breaker::default();
        was_open
    }

    fn part(&self, part: usize) -> MutexGuard<'_, Breaker> {
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
        let breakers = Breakers::new(2);
        let begun = Instant::now();
        assert!(breakers.may_call(0, TRIAL) && breakers.may_call(0, TRIAL));
        advance(TRIAL).await;
        assert!(breakers.failed(0, begun));
        assert!(!breakers.failed(0, begun), "it ran at the same time");
        assert!(!breakers.may_call(0, TRIAL) && breakers.may_call(1, TRIAL));
        advance(FIRST_REST).await;
        assert!(breakers.may_call(0, TRIAL), "the trial");
        assert!(!breakers.may_call(0, TRIAL), "another call during the trial");
        let mut rest = FIRST_REST;
        for _ in 0..10 {
            assert!(!breakers.failed(0, Instant::now()));
            rest = (rest * 2).min(LONGEST_REST);
            advance(rest / 2).await;
            assert!(!breakers.may_call(0, TRIAL), "{rest:?}");
            advance(rest / 2).await;
            assert!(breakers.may_call(0, TRIAL), "{rest:?}");
        }
        assert!(breakers.succeeded(0) && !breakers.succeeded(0));
        assert!(breakers.may_call(0, TRIAL) && breakers.may_call(0, TRIAL));
    }

    #[tokio::test(start_paused = true)]
    async fn a_trial_whose_caller_gave_up_is_repeated() {
        let breakers = Breakers::new(1);
        breakers.failed(0, Instant::now());
        advance(FIRST_REST).await;
        assert!(breakers.may_call(0, TRIAL) && !breakers.may_call(0, TRIAL));
        advance(TRIAL).await;
        assert!(breakers.may_call(0, TRIAL));
    }
}
